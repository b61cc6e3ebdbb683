/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace, event by event, into a profile: sideband events change the machine,
 * all others are the caller's. Shared by report and script.
 */
#ifndef PERFCTL_FEED_H
#define PERFCTL_FEED_H

#include "profile.h"

#include <pev/pev.h>

/**
 * enum feed_kind - what an event class is to us
 */
enum feed_kind {
	FEED_EVENT,
	FEED_MMAP,
	FEED_COMM,
	FEED_FORK,
	FEED_EXEC,
	FEED_EXIT,
};

/**
 * struct feed_class - what was looked up once for a class
 * @kind:  see enum feed_kind
 * @event: number of the event's name in feed.names
 * @scale: what a record stands for if it does not say so itself
 * @pid:   and the others: fields of sideband events, NULL where there are none
 */
struct feed_class {
	enum feed_kind kind;
	uint32_t event;
	uint64_t scale;
	const struct pev_field *pid, *tid, *ppid, *ptid;
	const struct pev_field *addr, *len, *pgoff;
	const struct pev_field *id, *id_size, *name;
};

/**
 * struct feed - an opened trace and what is known at the event that was read last
 * @names: event names: classes of one name are one event
 * @forked: trace, classes and names are another feed's
 */
struct feed {
	struct pev_trace *trace;
	struct pev_cursor *cursor;
	struct feed_class *classes;
	unsigned int n_classes;
	struct strtab names;
	struct profile profile;
	bool forked;
};

/* The input named by -i or as an operand, or the default. */
int feed_open(struct feed *f, const char *path, struct msg *m);
/* --vmlinux: the kernel's file as the user names it; NULL: none. */
#define VMLINUX_OPT(type, member)                                                            \
	{ 'k', OPT_STRING, "vmlinux", "FILE", "the kernel's file, for its source lines and code " \
	  "(default: by build id, where distributions put it)", offsetof(type, member) }
int feed_vmlinux(struct feed *f, const char *file, struct msg *m);
/* Another walk through the same trace, for another thread. Close it before @from. */
int feed_fork(struct feed *f, const struct feed *from, struct msg *m);
void feed_close(struct feed *f);
/* A sideband event takes effect; feed_next() has done this already. */
void feed_sideband(struct feed *f, const struct feed_class *c, const struct pev_event *ev);
/**
 * feed_next() - the next event
 * @cls: what it is; sideband events have taken effect already
 *
 * Return: 1, 0 at the end, -errno with @m set.
 */
int feed_next(struct feed *f, const struct pev_event **ev, const struct feed_class **cls,
	      struct msg *m);
/* The thread of an event. */
const struct thread *feed_thread(struct feed *f, const struct pev_event *ev);
/* "was damaged", "lost": what the user should know about the recording. */
void feed_note_damage(const struct feed *f);

#endif
