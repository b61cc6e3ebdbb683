/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Channels for kernel code: a driver or a subsystem writes records of its own into rings of
 * its own, one for each CPU, in any context and without a lock. User space reads them, if
 * the client lets it, or the client itself does, all CPUs merged by time.
 */
#ifndef _LINUX_PEV_CHANNEL_H
#define _LINUX_PEV_CHANNEL_H

#include <linux/args.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/stddef.h>
#include <linux/types.h>

struct pev_client;
struct pev_client_event;
struct pev_refuse;

/**
 * struct pev_field_desc - a field of a payload
 * @type:   in the metadata's language; NULL behind the last field
 * @name:   of the field
 * @nr:     elements of an array, 0: it is none
 * @length: offset of the u16 "<name>_len" that counts the elements of a dynamic array at
 *          the end of the payload; 0: it is none
 */
struct pev_field_desc {
	const char	*type;
	const char	*name;
	u16		nr;
	u16		length;
};

/**
 * struct pev_payload_desc - a payload
 * @name:   of its records
 * @size:   bytes of its fixed part
 * @fields: in the order of memory, each aligned as its type wants it
 */
struct pev_payload_desc {
	const char			*name;
	u16				size;
	const struct pev_field_desc	*fields;
};

/* What a member is called in the metadata: an array is a pointer in _Generic(). */
#define __PEV_TYPE(x) _Generic((x),						\
	char: "text_t", char *: "text_t",					\
	bool: "uint8_t",							\
	s8: "int8_t", s8 *: "int8_t", u8: "uint8_t", u8 *: "uint8_t",		\
	s16: "int16_t", s16 *: "int16_t", u16: "uint16_t", u16 *: "uint16_t",	\
	s32: "int32_t", s32 *: "int32_t", u32: "uint32_t", u32 *: "uint32_t",	\
	s64: "int64_t", s64 *: "int64_t", u64: "uint64_t", u64 *: "uint64_t",	\
	long: "int64_t", unsigned long: "uint64_t",				\
	void *: "xint64_t", const void *: "xint64_t")

/* Bytes of an array's element; 0: it is none. */
#define __PEV_ELEMENT(x) _Generic((x),						\
	char *: 1, s8 *: 1, u8 *: 1, s16 *: 2, u16 *: 2,			\
	s32 *: 4, u32 *: 4, s64 *: 8, u64 *: 8, default: 0)

#define __PEV_NR(x)	(__PEV_ELEMENT(x) ? sizeof(x) / (__PEV_ELEMENT(x) ?: 1) : 0)

#define __PEV_ALIGN(x)	(__PEV_ELEMENT(x) ?: sizeof(x))

/* A pointer to what could be an array's element: it would be taken for the array. */
#define __PEV_IS_POINTER(x)						\
	(__builtin_types_compatible_p(typeof(x), char *) ||		\
	 __builtin_types_compatible_p(typeof(x), s8 *) ||		\
	 __builtin_types_compatible_p(typeof(x), u8 *) ||		\
	 __builtin_types_compatible_p(typeof(x), s16 *) ||		\
	 __builtin_types_compatible_p(typeof(x), u16 *) ||		\
	 __builtin_types_compatible_p(typeof(x), s32 *) ||		\
	 __builtin_types_compatible_p(typeof(x), u32 *) ||		\
	 __builtin_types_compatible_p(typeof(x), s64 *) ||		\
	 __builtin_types_compatible_p(typeof(x), u64 *))

#define __PEV_MEMBER(s, m)	(((struct s *)NULL)->m)

/* For each member, in turn: a line of the table, its bytes, whether it is where it should be. */
#define __PEV_LINE(s, m)						\
	{ .type = __PEV_TYPE(__PEV_MEMBER(s, m)), .name = #m,		\
	  .nr = __PEV_NR(__PEV_MEMBER(s, m)) },
#define __PEV_BYTES(s, m)	+ sizeof(__PEV_MEMBER(s, m))
#define __PEV_PLACED(s, m)						\
	&& offsetof(struct s, m) % __PEV_ALIGN(__PEV_MEMBER(s, m)) == 0	\
	&& !__PEV_IS_POINTER(__PEV_MEMBER(s, m))

#define __PEV_EACH1(x, s, m)		x(s, m)
#define __PEV_EACH2(x, s, m, r...)	x(s, m) __PEV_EACH1(x, s, r)
#define __PEV_EACH3(x, s, m, r...)	x(s, m) __PEV_EACH2(x, s, r)
#define __PEV_EACH4(x, s, m, r...)	x(s, m) __PEV_EACH3(x, s, r)
#define __PEV_EACH5(x, s, m, r...)	x(s, m) __PEV_EACH4(x, s, r)
#define __PEV_EACH6(x, s, m, r...)	x(s, m) __PEV_EACH5(x, s, r)
#define __PEV_EACH7(x, s, m, r...)	x(s, m) __PEV_EACH6(x, s, r)
#define __PEV_EACH8(x, s, m, r...)	x(s, m) __PEV_EACH7(x, s, r)
#define __PEV_EACH9(x, s, m, r...)	x(s, m) __PEV_EACH8(x, s, r)
#define __PEV_EACH10(x, s, m, r...)	x(s, m) __PEV_EACH9(x, s, r)
#define __PEV_EACH11(x, s, m, r...)	x(s, m) __PEV_EACH10(x, s, r)
#define __PEV_EACH12(x, s, m, r...)	x(s, m) __PEV_EACH11(x, s, r)
#define __PEV_EACH(x, s, m...)		CONCATENATE(__PEV_EACH, COUNT_ARGS(m))(x, s, m)

#define __PEV_ORDER1(s, a)		true
#define __PEV_ORDER2(s, a, b)		offsetof(struct s, a) < offsetof(struct s, b)
#define __PEV_ORDER3(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER2(s, b, r)
#define __PEV_ORDER4(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER3(s, b, r)
#define __PEV_ORDER5(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER4(s, b, r)
#define __PEV_ORDER6(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER5(s, b, r)
#define __PEV_ORDER7(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER6(s, b, r)
#define __PEV_ORDER8(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER7(s, b, r)
#define __PEV_ORDER9(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER8(s, b, r)
#define __PEV_ORDER10(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER9(s, b, r)
#define __PEV_ORDER11(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER10(s, b, r)
#define __PEV_ORDER12(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER11(s, b, r)

#define __PEV_CHECK(s, bytes, m...)					\
	static_assert((__PEV_EACH(__PEV_BYTES, s, m)) == (bytes),	\
		      "members of struct " #s " are missing, or it has holes"); \
	static_assert(CONCATENATE(__PEV_ORDER, COUNT_ARGS(m))(s, m),	\
		      "members are not in the order of struct " #s);	\
	static_assert(1 __PEV_EACH(__PEV_PLACED, s, m),			\
		      "a member of struct " #s " is not aligned, or a pointer")

/**
 * PEV_CLIENT_EVENT() - describe records that are a structure of fixed size
 * @var:  the description, a static const struct pev_payload_desc
 * @text: "subsystem:event", the name that readers see
 * @s:    the structure, without "struct"
 * @m:    all of its members in their order, at most 12: integers, arrays of integers or of
 *        char, and void pointers, of which the value is recorded
 *
 * The build fails if a member is missing, in another order or of another type, or if the
 * structure has holes: they would show what was in memory before. Name the padding.
 */
#define PEV_CLIENT_EVENT(var, text, s, m...)				\
	__PEV_CHECK(s, sizeof(struct s), m);				\
	static const struct pev_field_desc var##_fields[] = {		\
		__PEV_EACH(__PEV_LINE, s, m) { }			\
	};								\
	static const struct pev_payload_desc var = {			\
		.name = (text), .size = sizeof(struct s), .fields = var##_fields, \
	}

/**
 * PEV_CLIENT_EVENT_ARRAY() - describe records that end with bytes or text of any length
 * @var:  as in PEV_CLIENT_EVENT()
 * @text: likewise
 * @s:    likewise
 * @a:    the flexible array of bytes at the structure's end; a member @a_len, a u16, counts
 *        them
 * @m:    all other members, @a_len included
 *
 * A record takes offsetof(struct @s, @a) bytes, and those of the array. As its length says
 * where the record ends, it must be what was reserved.
 */
#define PEV_CLIENT_EVENT_ARRAY(var, text, s, a, m...)			\
	__PEV_CHECK(s, offsetof(struct s, a), m);			\
	static_assert(__same_type(__PEV_MEMBER(s, a##_len), u16), #a "_len is not a u16"); \
	static_assert(offsetof(struct s, a##_len), #a "_len is the first member"); \
	static_assert(sizeof(__PEV_MEMBER(s, a[0])) == 1, #a " is not one of bytes"); \
	static const struct pev_field_desc var##_fields[] = {		\
		__PEV_EACH(__PEV_LINE, s, m)				\
		{ .type = __PEV_TYPE(__PEV_MEMBER(s, a[0])), .name = #a,	\
		  .length = offsetof(struct s, a##_len) },		\
		{ }							\
	};								\
	static const struct pev_payload_desc var = {			\
		.name = (text), .size = offsetof(struct s, a), .fields = var##_fields, \
	}

/**
 * struct pev_client_record - a record, as a client reads it
 * @event: of which it is one
 * @time:  of the channel's clock, in ticks
 * @cpu:   on which it was written
 * @tid:   the task that ran there, in the initial pid namespace
 * @data:  the payload; it is valid until the next record is asked for
 * @size:  bytes of it
 */
struct pev_client_record {
	struct pev_client_event	*event;
	u64			time;
	u32			cpu;
	u32			tid;
	const void		*data;
	u32			size;
};

/* A private channel: no user space can open it, whatever its rights. */
#define PEV_CLIENT_PRIVATE	BIT(0)
/* The newest data wins, as in a flight recorder. */
#define PEV_CLIENT_OVERWRITE	BIT(1)

/**
 * struct pev_client_desc - what a client's channel is to be like
 * @name:      of the channel, without blanks and quotes; no two have the same
 * @flags:     PEV_CLIENT_*
 * @ring_size: bytes of each CPU's ring, a power of two; 0: 256 KiB
 * @packet_size: bytes that become readable together, a power of two; 0: a choice is made
 * @period_ms: how often records are handed to @consume, or made readable for user space;
 *             0: 100
 * @consume:   is called with each record, in the order of time, in a worker that may sleep:
 *             who sleeps long loses records of this channel. It must not destroy the
 *             channel. NULL: pev_client_read() is called instead. Only with
 *             PEV_CLIENT_PRIVATE
 * @may_read:  may the current task, in process context, read the channel? NULL: with
 *             CAP_PERFMON. Meaningless with PEV_CLIENT_PRIVATE
 * @data:      for both
 */
struct pev_client_desc {
	const char	*name;
	u32		flags;
	u32		packet_size;
	u64		ring_size;
	u32		period_ms;
	void		(*consume)(const struct pev_client_record *record, void *data);
	bool		(*may_read)(void *data);
	void		*data;
};

/**
 * struct pev_client_stat - what became of an event's records
 * @written: are in the rings, or were
 * @lost:    found no room
 */
struct pev_client_stat {
	u64	written;
	u64	lost;
};

#ifdef CONFIG_PEV

/**
 * pev_client_create() - a channel for kernel code
 * @desc: what it is to be like; copied, but for the functions
 *
 * Refusals are written to the kernel's log, with the client's name and the reason.
 *
 * Context: Process context, may sleep.
 * Return: the channel, or an ERR_PTR(): -EEXIST for a name that another one has, -EINVAL,
 * -ENODEV before pev is ready (from late_initcall on it is), -ENOMEM.
 */
#define pev_client_create(desc)	__pev_client_create(desc, THIS_MODULE)
struct pev_client *__pev_client_create(const struct pev_client_desc *desc,
				       struct module *owner);

/**
 * pev_client_destroy() - give a channel back, with its events
 * @client: the channel, or NULL or an ERR_PTR(): nothing happens then
 *
 * No call with one of its events may be under way or follow, @consume is not called any
 * more when it returns. What was not read is gone; a user who has the channel open keeps
 * what is in the rings. A module that forgets it is reported when it goes, and the channel
 * goes with it.
 *
 * Context: Process context, may sleep; not from @consume.
 */
void pev_client_destroy(struct pev_client *client);

/**
 * pev_client_add() - an event that the client writes
 * @client: its channel
 * @desc:   from PEV_CLIENT_EVENT() or PEV_CLIENT_EVENT_ARRAY(); it must stay
 *
 * Context: Process context, may sleep.
 * Return: the event, which is there as long as the channel is; or an ERR_PTR(): -ENOSPC if
 * the channel has given out all ids, -ENOMEM, -EINVAL.
 */
struct pev_client_event *pev_client_add(struct pev_client *client,
					const struct pev_payload_desc *desc);

/**
 * pev_client_listen() - an event that the kernel has already
 * @client: its channel
 * @name:   "system:event" of a tracepoint, or of a marker
 * @filter: an expression on its fields, as of trace events; NULL: none
 * @r:      says why not; NULL: that is written to the kernel's log
 *
 * Each occurrence on any CPU becomes a record from here on. Its payload is the trace event
 * without the common fields.
 *
 * Context: Process context, may sleep.
 * Return: as pev_client_add(), and -ENOENT: there is no such event.
 */
struct pev_client_event *pev_client_listen(struct pev_client *client, const char *name,
					   const char *filter, struct pev_refuse *r);

/**
 * pev_client_reserve() - room for a record
 * @event: of which it is one, from pev_client_add()
 * @size:  bytes of its payload: at least what the structure has
 *
 * Context: Any, NMI included, with preemption disabled until the commit.
 * Return: where the payload goes, aligned to 8 bytes, to be filled in full and ended by
 * pev_client_commit() on the same CPU; NULL if there is no room. That was counted, and
 * wants no commit.
 */
void *pev_client_reserve(struct pev_client_event *event, u32 size);

/**
 * pev_client_commit() - the record is complete
 * @event: as given to pev_client_reserve()
 *
 * Of several that interrupted each other the last committed comes first. One that is never
 * committed keeps all that come later on its CPU, in this channel, from being read.
 *
 * Context: as pev_client_reserve().
 */
void pev_client_commit(struct pev_client_event *event);

/**
 * pev_client_write() - write a record that is in memory already
 * @event: as in pev_client_reserve()
 * @data:  the payload
 * @size:  bytes of it
 *
 * Context: Any, NMI included.
 * Return: false if there was no room.
 */
bool pev_client_write(struct pev_client_event *event, const void *data, u32 size);

/**
 * pev_client_stat() - what became of an event's records, on all CPUs
 * @event: the event
 *
 * Context: Any.
 */
struct pev_client_stat pev_client_stat(struct pev_client_event *event);

/**
 * pev_client_read() - call a function with each record that is there, merged by time
 * @client:  the channel, one with PEV_CLIENT_PRIVATE and without @consume
 * @consume: is given a record and @data; false ends the reading behind this record
 * @data:    for it
 *
 * Records that were written before the call are all there, in the order of time, and none
 * that a later call returns is older.
 *
 * Context: Process context, may sleep, as may @consume; readers of one channel wait for
 * each other.
 * Return: how many records there were, or a negative error.
 */
long pev_client_read(struct pev_client *client,
		     bool (*consume)(const struct pev_client_record *record, void *data),
		     void *data);

/**
 * pev_client_event_name() - the name of an event
 * @event: the event
 *
 * Context: Any.
 */
const char *pev_client_event_name(const struct pev_client_event *event);

#else /* !CONFIG_PEV */

static inline struct pev_client *pev_client_create(const struct pev_client_desc *desc)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void pev_client_destroy(struct pev_client *client)
{
}

static inline struct pev_client_event *pev_client_add(struct pev_client *client,
						      const struct pev_payload_desc *desc)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline struct pev_client_event *
pev_client_listen(struct pev_client *client, const char *name, const char *filter,
		  struct pev_refuse *r)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void *pev_client_reserve(struct pev_client_event *event, u32 size)
{
	return NULL;
}

static inline void pev_client_commit(struct pev_client_event *event)
{
}

static inline bool pev_client_write(struct pev_client_event *event, const void *data, u32 size)
{
	return false;
}

static inline struct pev_client_stat pev_client_stat(struct pev_client_event *event)
{
	return (struct pev_client_stat){ };
}

static inline long
pev_client_read(struct pev_client *client,
		bool (*consume)(const struct pev_client_record *record, void *data), void *data)
{
	return -EOPNOTSUPP;
}

static inline const char *pev_client_event_name(const struct pev_client_event *event)
{
	return "";
}

#endif /* CONFIG_PEV */

#endif
