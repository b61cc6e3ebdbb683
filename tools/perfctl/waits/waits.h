/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The waits of a recording, one after another in the order in which they end, and what each
 * thread did with its time: by the kernel's own records of waits, or by the scheduler's events.
 */
#ifndef PERFCTL_WAITS_WAITS_H
#define PERFCTL_WAITS_WAITS_H

#include "family.h"
#include "waker.h"
#include "session/session.h"

#define WAITS_SWITCH "sched:sched_switch"
#define WAITS_WAKING "sched:sched_waking"
#define WAITS_WAKEUP "sched:sched_wakeup"
#define WAITS_RECORD "pev:wait"
#define WAITS_OWN "pev:switch"

/**
 * struct wait - a thread that did not run
 * @event:    number in session.names, of what told that it began
 * @thread:   with the name that it had
 * @begin:    ns since the epoch
 * @end:      the same
 * @ran:      ns that it ran before, without having waited; folded waits are in them
 * @blocked:  ns, and ...
 * @runnable: ... ns behind them
 * @state:    enum pev_wait_state
 * @flags:    PEV_WAIT_*
 * @waker:    number in waits.wakers, 0: none, or not known
 * @chain:    where the thread was, CHAIN_NONE: not recorded
 * @cpu:      where it ran next
 * @open:     it had not ended when the recording did
 */
struct wait {
	uint32_t event;
	struct thread thread;
	int64_t begin;
	int64_t end;
	uint64_t ran;
	uint64_t blocked;
	uint64_t runnable;
	uint32_t state;
	uint32_t flags;
	uint32_t waker;
	uint32_t chain;
	int cpu;
	bool open;
};

/**
 * struct wait_sums - ns of one thread, or of many
 * @enabled:  that it was followed
 * @run:      that it ran
 * @blocked:  of waits that were recorded, as @runnable
 * @folded:   of shorter ones
 * @unseen:   of which nothing is known, as records were lost or nothing ended them
 * @waits:    that were recorded, and ended
 * @folded_waits: the others
 *
 * All times but @enabled add up to it. Where @mixed is set, @run has what was folded, as
 * records do not tell it.
 */
struct wait_sums {
	uint64_t enabled;
	uint64_t run;
	uint64_t blocked;
	uint64_t runnable;
	uint64_t folded;
	uint64_t unseen;
	uint64_t waits;
	uint64_t folded_waits;
	bool mixed;
};

/**
 * struct wait_told - what records of a thread tell of all that it did, beside their own wait
 * @sums:  enabled, run and folded are as of the newest; the others are of all of them
 * @base:  the same of the first one's beginning, where the recording has nothing of before
 * @open:  the wait that it was in at the newest
 * @some:  there are any
 * @whole: the newest is as of the end of the recording, or of the thread
 */
struct wait_told {
	struct wait_sums sums;
	struct wait_sums base;
	struct wait open;
	bool some;
	bool whole;
};

enum wait_phase {
	WAIT_UNSEEN,
	WAIT_RUNS,
	WAIT_BLOCKED,
	WAIT_RUNNABLE,
};

/**
 * struct wait_thread - a thread, from when it is followed to its end
 * @thread: with its last name
 * @parent: thread that began it, 0: not known
 * @begin:  ns since the epoch
 * @sums:   of what has ended
 * @phase:  what it does, ...
 * @since:  ... since when, ns since the epoch
 * @early:  a waker is on its way, and may find it awake
 * @exited: it is about to end
 * @becomes: the number that it takes over by an exec from the thread that it ends; 0: none
 * @gone:   it has ended
 * @next:   the wait that it is in
 * @told:   what records say of all that it did
 */
struct wait_thread {
	struct thread thread;
	uint32_t parent;
	int64_t begin;
	struct wait_sums sums;
	enum wait_phase phase;
	int64_t since;
	bool early;
	bool exited;
	bool gone;
	uint32_t becomes;
	struct wait next;
	struct wait_told told;
};

struct waits;
typedef void (*waits_fn)(void *arg, const struct wait *wait);

/**
 * struct waits_source - events that tell of waits
 * @find:  does the recording have them?
 * @event: takes one, or any other one
 * @end:   the recording has ended, at @now
 * @check: refuses a recording that tells too little; may be NULL
 * @free:  what @find took beside @private; may be NULL
 */
struct waits_source {
	bool (*find)(struct waits *w);
	void (*event)(struct waits *w, const struct session_class *cls, const struct pev_event *ev);
	void (*end)(struct waits *w, int64_t now);
	int (*check)(const struct waits *w, struct msg *m);
	void (*free)(struct waits *w);
};

extern const struct waits_source waits_by_record, waits_by_sched, waits_by_switch;

/**
 * struct waits - the waits of a session
 * @source:  NULL: the recording has none
 * @private: of @source, allocated
 * @threads: in the order of their first event
 * @names_wakers: the recording tells what woke threads
 * @chains:  there are call chains
 * @no_chains: none are wanted
 * @period:  ns below which waits are folded
 * @heirs:   threads with @becomes
 * @tells:   records have sums of their thread, see struct wait_told
 * @family:  is told of forks; may be NULL
 * @unseen:  switches of a thread that is not where it should be
 * @switches: events of the scheduler, or records of waits
 */
struct waits {
	struct session *session;
	const struct waits_source *source;
	void *private;
	struct wakers wakers;
	struct wait_thread *threads;
	size_t n, cap;
	struct htab h;
	bool names_wakers;
	bool chains;
	bool no_chains;
	bool tells;
	unsigned int heirs;
	uint64_t period;
	struct family *family;
	uint64_t switches;
	uint64_t unseen;
	waits_fn fn;
	void *arg;
};

/* Finds out how the recording tells of waits: waits.source. Reads nothing. */
void waits_init(struct waits *w, struct session *session);
void waits_free(struct waits *w);
/* Reads all events; @fn gets the waits. */
int waits_read(struct waits *w, waits_fn fn, void *arg, struct msg *m);
/* Refuses a recording that has no waits, or tells too little of them. */
int waits_check(const struct waits *w, struct msg *m);
/* Why there are none, in a sentence, where waits.chains is false. */
const char *waits_without_chains(const struct waits *w);

/*
 * What the kernel counted for all threads, exact to the ns, waits under way at the end included;
 * false if the recording does not have it.
 */
bool waits_counted(const struct session *s, struct wait_sums *sums);
void wait_sums_add(struct wait_sums *to, const struct wait_sums *more);

/* ---- for sources ---- */

/* Returns the thread of that number that has not ended; one that is new begins at @now. */
struct wait_thread *waits_thread(struct waits *w, const struct thread *thread, int64_t now);
/* What it did until @now is added to its sums; a wait that has ended is handed on. */
void waits_phase(struct waits *w, struct wait_thread *t, enum wait_phase phase, int64_t now);
/* It was begun by @parent at @now, and is runnable, unless something else is known of it. */
void waits_born(struct waits *w, struct wait_thread *t, uint32_t parent, int64_t now);
/*
 * Nothing is known of it from the last event on: it was not seen to come back from a wait, of which
 * what is known is handed on.
 */
void waits_unseen(struct waits *w, struct wait_thread *t);
/* It has ended. */
void waits_gone(struct wait_thread *t);
/* The recording has ended, at @now, and the waits of that moment with it: what an @end may be. */
void waits_leave_open(struct waits *w, int64_t now);
/* Takes the chain of an event. */
uint32_t waits_chain(struct waits *w, const struct seen *who, const struct pev_event *ev);

#endif
