/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads system calls as they happen, in order of time, from a channel with the two
 * tracepoints of all system calls, the signals and the names of threads. Does not print.
 */
#ifndef PERFCTL_STRACE_LIVE_H
#define PERFCTL_STRACE_LIVE_H

#include "event/plan.h"
#include "event/set.h"

/**
 * enum live_kind - what happened
 */
enum live_kind {
	LIVE_ENTER,
	LIVE_EXIT,
	LIVE_COMM,
	LIVE_FORK,
	LIVE_SIGNAL,
	LIVE_EVENT,
};

/**
 * struct live_text - what arguments of a call point to
 * @copied, @cut: see struct pev_call_text
 * @kinds: @kind is known
 * @later: it was read when the program had gone on
 * @kind:  what each is, see struct pev_call_structs
 * @at:    where the text of each argument begins in @bytes
 */
struct live_text {
	uint8_t copied;
	uint8_t cut;
	bool kinds;
	bool later;
	uint8_t kind[6];
	uint16_t len[6];
	uint16_t at[6];
	char bytes[];
};

/**
 * struct live_event - one event
 * @tid:  of forks: the child's; @pid as well
 * @parent: of forks: the thread that forked
 * @parent_pid: its process
 * @nr:   number of the system call, with COMPAT_CALL if the kernel says that a 32-bit program
 *        makes it, or of the signal
 * @args: LIVE_ENTER: all six; LIVE_EXIT: the first is the result; LIVE_SIGNAL: its
 *        code, and the handler; else the thread's name, as characters
 * @event: LIVE_EVENT: the record
 * @text: NULL: there is none. The receiver of the event may take it, and sets
 *        this to NULL
 */
struct live_event {
	uint64_t time;
	uint32_t pid;
	uint32_t tid;
	uint32_t parent;
	uint32_t parent_pid;
	enum live_kind kind;
	int32_t nr;
	uint64_t args[6];
	const struct pev_event *event;
	struct live_text *text;
};

/**
 * struct live - the opened channel
 * @set:    the two tracepoints
 * @side:   the names
 * @events: what else is shown
 * @signals: what is delivered; none if they are not wanted or may not be seen
 * @enter, @exit, @fork: classes, the first two NULL if no calls are wanted, @nr[]: their field "id", @args, @ret
 * @signal: class of signals, or NULL
 * @tells: the kernel says which calls are of 32-bit programs
 * @texts:  of the two classes; the first is NULL where the kernel gives none
 */
struct live {
	int fd;
	struct pev_reader *reader;
	const struct pev_meta *meta;
	struct event_plan plan, side_plan, signal_plan, event_plan;
	struct event_set set, side, signals, events;
	const struct pev_class *enter, *exit, *fork, *signal;
	bool tells;
	const struct pev_field *nr[2], *args, *ret;
	struct live_text_fields {
		const struct pev_field *copied, *cut, *kind, *text[6];
	} texts[2];
};

typedef void (*live_fn)(void *arg, struct live_event *ev);

/**
 * struct live_opts - what is wanted
 * @calls:  system calls
 * @events: a list of what else, or NULL
 * @filter: expression for both tracepoints, or NULL
 * @ring:   bytes for each CPU
 * @text:   most bytes of a text that are copied, 0: none are
 * @signals: those that are delivered, too
 */
struct live_opts {
	bool calls;
	const char *events;
	const char *filter;
	uint64_t ring;
	uint64_t text;
	bool signals;
};

int live_open(struct live *l, const struct target *t, const struct live_opts *o, struct msg *m);
int live_start(struct live *l, const struct target *t, struct msg *m);
/**
 * live_read() - hand out what is known to be in order
 * @all: everything, because nothing will come any more
 *
 * What happened since the last call waits for the next one, until it is certain
 * that no CPU has anything older. Return: 0 or -errno.
 */
int live_read(struct live *l, bool all, live_fn fn, void *arg, struct msg *m);
uint64_t live_lost(const struct live *l);
/* Returns the number of damaged packets. */
uint64_t live_damaged(const struct live *l);
uint64_t live_ns(const struct live *l, uint64_t ticks);
void live_close(struct live *l);

#endif
