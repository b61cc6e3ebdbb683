/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel markers: a line in the source that can be listened to.
 *
 *	PEV_MARK(mydriver, submit, "queue %d request %p owner %s", q, rq, name);
 *
 * user space sees as the event "mydriver:submit" with the fields "queue"
 * (32 bits, signed), "request" (a pointer) and "owner" (a string).
 */
#ifndef _LINUX_PEV_MARKER_H
#define _LINUX_PEV_MARKER_H

#include <linux/version.h>
#if KERNEL_VERSION(6, 6, 0) <= LINUX_VERSION_CODE
#include <linux/args.h>
#else
#include <linux/kernel.h>
#endif
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/jump_label.h>
#include <linux/stringify.h>
#include <linux/types.h>

struct pev_marker;

/**
 * struct pev_mark - one place in the source that has a marker
 * @key:    on while an event or a function listens
 * @name:   "subsystem:event"
 * @format: as written
 * @marker: what all places of that name share; NULL if none could be made
 */
struct pev_mark {
	struct static_key_false	key;
	const char		*name;
	const char		*format;
	struct pev_marker	*marker;
};

/* Never called: the compiler compares the format with the arguments. */
static inline __printf(1, 2) void pev_marker_check(const char *format, ...)
{
}

/**
 * struct pev_marker_hit - what a function on a marker is told
 * @name: "subsystem:event"
 * @ip:   the address of the place
 * @nr:   of @args
 * @args: a word for each argument of the marker: a number sign-extended as its type is
 *        signed, or the value of a pointer; of %s the pointer to the string, which may be
 *        NULL. They are valid until the function returns.
 */
struct pev_marker_hit {
	const char	*name;
	unsigned long	ip;
	unsigned int	nr;
	const u64	*args;
};

/**
 * typedef pev_marker_fn - a function on a marker
 * @data: as given to pev_marker_connect()
 * @hit:  what happened
 *
 * Context: That of the marker: any, NMI included, with preemption disabled. It may take
 * no lock that its marker's place can be in, and must not sleep. It is not called for what
 * it does itself, nor for what happens below it in the same context.
 */
typedef void (*pev_marker_fn)(void *data, const struct pev_marker_hit *hit);

#ifdef CONFIG_PEV

int pev_marker_connect(const char *name, pev_marker_fn fn, void *data);
int pev_marker_disconnect(const char *name, pev_marker_fn fn, void *data);

void pev_marker_fire(struct pev_mark *mark, const u64 *args);

/* Each argument becomes a word: sign-extended, or a pointer's value. */
#define __PEV_PUT0()		do { } while (0)
#define __PEV_PUT1(a)		(*__pev_word++ = (__force u64)(a))
#define __PEV_PUT2(a, b...)	do { __PEV_PUT1(a); __PEV_PUT1(b); } while (0)
#define __PEV_PUT3(a, b...)	do { __PEV_PUT1(a); __PEV_PUT2(b); } while (0)
#define __PEV_PUT4(a, b...)	do { __PEV_PUT1(a); __PEV_PUT3(b); } while (0)
#define __PEV_PUT5(a, b...)	do { __PEV_PUT1(a); __PEV_PUT4(b); } while (0)
#define __PEV_PUT6(a, b...)	do { __PEV_PUT1(a); __PEV_PUT5(b); } while (0)
#define __PEV_PUT7(a, b...)	do { __PEV_PUT1(a); __PEV_PUT6(b); } while (0)
#define __PEV_PUT8(a, b...)	do { __PEV_PUT1(a); __PEV_PUT7(b); } while (0)
#define __PEV_PUT9(a, b...)	do { __PEV_PUT1(a); __PEV_PUT8(b); } while (0)
#define __PEV_PUT10(a, b...)	do { __PEV_PUT1(a); __PEV_PUT9(b); } while (0)
#define __PEV_PUT11(a, b...)	do { __PEV_PUT1(a); __PEV_PUT10(b); } while (0)
#define __PEV_PUT12(a, b...)	do { __PEV_PUT1(a); __PEV_PUT11(b); } while (0)
#define __PEV_PUT(args...)	CONCATENATE(__PEV_PUT, COUNT_ARGS(args))(args)

/**
 * PEV_MARK() - say that something happens here
 * @subsystem: an identifier
 * @event:     an identifier
 * @fmt:       the fields, as for printf
 * @...:       their values, evaluated only while the marker is on
 *
 * A field is called by the word before its conversion, "arg0", "arg1", ...
 * where there is none, and has the type of its conversion: %d %i %u %x %X %o
 * with hh, h, l, ll, z or t, %p for the plain value of a pointer, %c for a
 * character, %s for a string of at most 255 bytes, or fewer with a precision
 * ("%.16s"). At most 12 fields. A format that is not understood is reported
 * when the kernel boots or the module is loaded, and can't be listened to.
 *
 * Several places may have markers of the same name, if they have the same
 * format. Without a listener a marker is one no-op instruction.
 *
 * Context: Any, NMI and preemptible code included, where RCU is watching:
 * elsewhere (deep in the idle loop, before the entry code is done) nothing is
 * seen.
 */
#define PEV_MARK(subsystem, event, fmt, ...)				\
do {									\
	static const char __pev_name[] __aligned(1)			\
	__section("__pev_marks_strings") = __stringify(subsystem) ":"	\
					   __stringify(event);		\
	static const char __pev_format[] __aligned(1)			\
	__section("__pev_marks_strings") = fmt;				\
	static struct pev_mark __aligned(8) __used			\
	__section("__pev_marks") __pev_mark = {				\
		.key	= STATIC_KEY_FALSE_INIT,			\
		.name	= __pev_name,					\
		.format	= __pev_format,					\
	};								\
									\
	if (0)								\
		pev_marker_check(__pev_format, ##__VA_ARGS__);		\
	if (static_branch_unlikely(&__pev_mark.key)) {			\
		u64 __pev_words[COUNT_ARGS(__VA_ARGS__)];		\
		u64 *__pev_word __maybe_unused = __pev_words;		\
									\
		__PEV_PUT(__VA_ARGS__);					\
		pev_marker_fire(&__pev_mark, __pev_words);		\
	}								\
} while (0)

#else /* !CONFIG_PEV */

static inline int pev_marker_connect(const char *name, pev_marker_fn fn, void *data)
{
	return -EOPNOTSUPP;
}

static inline int pev_marker_disconnect(const char *name, pev_marker_fn fn, void *data)
{
	return -ENOENT;
}

#define PEV_MARK(subsystem, event, fmt, ...)				\
do {									\
	(void)(__stringify(subsystem) ":" __stringify(event));		\
	if (0)								\
		pev_marker_check(fmt, ##__VA_ARGS__);			\
} while (0)

#endif /* CONFIG_PEV */

#endif
