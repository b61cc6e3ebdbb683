/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads a trace, event by event: sideband events change the machine, all others are
 * left to the caller.
 */
#ifndef PERFCTL_SESSION_SESSION_H
#define PERFCTL_SESSION_SESSION_H

#include "follow.h"
#include "machine.h"
#include "object.h"
#include "owed.h"
#include "stacks.h"
#include "tracer.h"
#include "unwind.h"
#include "cli/opt.h"

#include <pev/pev.h>

/**
 * enum session_kind - how a session treats an event class
 */
enum session_kind {
	/* what was asked for: samples, tracepoints, waits */
	SESSION_EVENT,
	SESSION_MMAP,
	SESSION_COMM,
	SESSION_FORK,
	SESSION_EXEC,
	SESSION_EXIT,
	SESSION_FUNCTION,
	/* a stack that came later: owed.h */
	SESSION_USTACK,
	/* what the machine had: inventory/table.h */
	SESSION_INVENTORY,
};

/**
 * struct session_class - what was looked up once for a class
 * @kind:  see enum session_kind
 * @event: number of the event's name in session.names
 * @scale: weight of a record that does not have one
 * @folded: how many samples a record stands for, NULL: for one
 * @pid:   and the others: fields of sideband events, NULL where there are none
 */
struct session_class {
	enum session_kind kind;
	uint32_t event;
	uint64_t scale;
	const struct pev_field *folded;
	const struct pev_field *pid, *tid, *ppid, *ptid;
	const struct pev_field *addr, *len, *pgoff, *code, *removed;
	const struct pev_field *id, *id_size, *name;
};

/**
 * struct session - an opened trace, and the state at the event that was read last
 * @names: event names: classes of one name are one event
 * @machine: what runs
 * @objects: what code is mapped from
 * @stacks: frames and chains of samples
 * @unwind: makes call chains; NULL: samples have only those that were recorded
 * @owed:   stacks that came later; NULL: there are none
 * @owes:   samples that got such a stack, or not
 * @tracer: knows frames that tracing adds
 * @places: for @tracer
 * @ev: the last event of which such frames were taken away
 * @joined: the last one that got its stack
 * @follow: of one that is being made
 * @dir: of a recording that came through a pipe
 * @forked: trace, classes, names, owed and tracer are another session's
 * @doing: what a bar on the terminal says, NULL: there is none
 * @done:  bytes of events that were read, of @total, for that bar
 * @untold: events since the bar was drawn
 * @early: by class: does it say what processes there are?
 * @idle: called before it is waited for more; NULL: nothing
 */
struct session {
	struct pev_trace *trace;
	struct pev_cursor *cursor;
	struct session_class *classes;
	unsigned int n_classes;
	struct strtab names;
	struct machine machine;
	struct objects objects;
	struct stacks stacks;
	struct unwind *unwind;
	struct owed *owed;
	struct owed_sums owes;
	struct tracer *tracer;
	struct tracer_cache places;
	struct pev_event ev;
	struct pev_event joined;
	struct follow follow;
	struct received_dir dir;
	bool forked;
	const char *doing;
	uint64_t done;
	uint64_t total;
	unsigned int untold;
	bool *early;
	void (*idle)(void);
};

/*
 * Opens a recording that may still be made: session_next() waits for more, and calls @idle before.
 * -: through a pipe
 */
int session_follow(struct session *f, const char *path, void (*idle)(void), struct msg *m);
/* Sets up a session without a trace, which knows nothing; end it with session_close(). */
void session_init(struct session *f);
/*
 * The file of code that processes made, in recordings of what a fleet's store has: names alone, in
 * info/ of the recording
 */
#define SESSION_JIT "/jit"
/* Opens the input named by -i or as an operand, or the default. -: the standard input, to its end */
int session_open(struct session *f, const char *path, struct msg *m);
/* --vmlinux: the kernel's file as named by the user; NULL: none. */
#define VMLINUX_OPT(type, member)                                             \
	{                                                                     \
		'k', OPT_STRING, "vmlinux", "FILE",                           \
			"the kernel's file, for its source lines and code "   \
			"(default: by build id, where distributions put it)", \
			offsetof(type, member)                                \
	}
int session_vmlinux(struct session *f, const char *file, struct msg *m);
/* Opens another walk through the same trace, for a thread. Close it before @from. */
int session_fork(struct session *f, const struct session *from, struct msg *m);
void session_close(struct session *f);
/**
 * session_seek() - begin at a time, knowing the processes that there are
 * @from: ns since the epoch; INT64_MIN: at the begin
 *
 * To be called before the first event is read. Of what is before @from, session_next() returns
 * hardly more than sideband events. A recording that is followed is read from its begin.
 *
 * Return: 0, -errno with @m set.
 */
int session_seek(struct session *f, int64_t from, struct msg *m);
/* Applies a sideband event; session_next() has done this already. */
void session_sideband(struct session *f, const struct session_class *c, const struct pev_event *ev);
/* Has session_next() show how far it has come, if it takes long; NULL: no longer. */
void session_progress(struct session *f, const char *doing);
/*
 * For what runs for days: forgets names and objects that nothing has any more, and all frames
 * and chains.
 */
void session_forget(struct session *f);
/**
 * session_next() - the next event
 * @cls: what it is; sideband events have taken effect already
 *
 * Return: 1, 0 at the end, -errno with @m set.
 */
int session_next(struct session *f, const struct pev_event **ev, const struct session_class **cls,
		 struct msg *m);
/**
 * session_unwind() - an event with its user call chain, and without tracing's own frames
 * @who: the thread that was sampled; NULL: the event's
 *
 * To be called once for an event that is wanted, as it also counts how chains
 * end.
 *
 * Return: @ev itself if there is nothing to change, or a copy, valid until the next call.
 */
const struct pev_event *session_unwind(struct session *f, const struct seen *who,
				       const struct pev_event *ev);
/* Of a recording that is being made: may its user call chain still come? */
bool session_owes(const struct session *f, const struct pev_event *ev);
/* Returns how many samples an event stands for: more than one with "record --fold". */
uint64_t session_samples(const struct session_class *cls, const struct pev_event *ev);
/* Returns the thread of an event. */
const struct thread *session_thread(struct session *f, const struct pev_event *ev);
/* What the recording lacks, as a clause in @text; NULL: nothing that is known */
const char *session_incomplete(const struct session *f, char *text, size_t size);
/* Notes what the user should know about the recording: "was damaged", "lost". */
void session_note_damage(const struct session *f);

#endif
