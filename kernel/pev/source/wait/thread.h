/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the threads that a wait event counts do with their time. All of it is told in the
 * event's own time, which stands still while the event is off.
 */
#ifndef _PEV_WAIT_THREAD_H
#define _PEV_WAIT_THREAD_H

#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <uapi/linux/pev.h>

struct pev_event;
struct task_struct;

/**
 * struct wait_time - an event's time, told by the clock
 * @on:     the event is on: its time is that of the clock less @offset
 * @offset: see @on
 * @floor:  the event's time is not less: it was that when it was last switched
 */
struct wait_time {
	bool	on;
	u64	offset;
	u64	floor;
};

/**
 * struct wait_threads - the threads of an event, and its time
 * @lock:       for all of this; taken before the lock of a thread
 * @seq:        of the members up to @reset_at, for readers without @lock
 * @time:       how the event's time is found
 * @version:    how often any of them was changed
 * @generation: how often the event was reset
 * @reset_at:   the event's time when it last was
 * @hidden:     the scheduler finds them no more, and none is added: a fork on another CPU may still
 *              be about to, by a set that had the event
 * @list:       of struct wait_thread
 * @nr:         of them
 * @ended:      what those did that are gone
 * @unfollowed: see struct pev_waits
 * @walk:       number of the newest walk over @list
 * @walking:    it is under way
 * @late:       what those did that went before it came to them
 * @flushes:    number of the flush that is under way, or comes next; from 1 on
 * @walk_lock:  held by the one walk that may be under way
 */
struct wait_threads {
	raw_spinlock_t			lock;
	seqcount_raw_spinlock_t		seq;
	struct wait_time		time;
	u32				version;
	u32				generation;
	u64				reset_at;
	bool				hidden;
	struct list_head		list;
	u64				nr;
	struct pev_waits		ended;
	u64				unfollowed;
	u32				walk;
	bool				walking;
	struct pev_waits		late;
	u32				flushes;
	struct mutex			walk_lock;	/* one walk at a time */
};

/**
 * enum wait_phase - what a thread does
 * @WAIT_RUNS:     it has a CPU
 * @WAIT_BLOCKED:  it has none, and nothing has woken it
 * @WAIT_RUNNABLE: it has none
 */
enum wait_phase {
	WAIT_RUNS,
	WAIT_BLOCKED,
	WAIT_RUNNABLE,
};

/* What stands in @offset of a thread while its event is off: its time does not go on. */
#define WAIT_STANDS	S64_MAX

/**
 * struct wait_thread - a thread that an event counts
 * @node:       in the bucket of @task
 * @task:       the thread takes this with it when it exits: only followed while it is in
 *              @list of the event, with the lock for that held
 * @event:      the event
 * @threads:    of the event
 * @lock:       for all that follows, up to @record; innermost, but for that of the hash. See
 *              wait_thread_lock()
 * @version:    of the event's time, of which this has a copy, which its CPUs need not share
 * @offset:     the event's time is the clock less this
 * @least:      the thread's time is not less
 * @since:      when @phase began
 * @blocked:    ns that the wait was blocked before it was runnable; 0 in other phases, but for
 *              a thread whose wait was a guess
 * @period:     of the event
 * @phase:      enum wait_phase
 * @woken:      the wait was blocked and is not any more: its waker is in @record
 * @early:      something is about to wake the thread, which had not left its CPU
 * @gone:       the thread was summed up, and changes no more; @version is no more the event's
 * @generation: of the event, to which all of this belongs
 * @born:       the event's time when the thread was first counted
 * @sums:       what the thread did; @enabled is only known at its end
 * @record:     of the wait that is under way
 * @of_event:   in @list of the event
 * @walk:       the walk that has come by here
 * @flushed:    the flush that has
 * @rcu:        frees it
 *
 * The scheduler calls with the runqueue locked at switches, with the lock of the woken
 * task's at wake-ups: two calls for one thread may be under way at once.
 */
struct wait_thread {
	struct hlist_node		node;
	struct task_struct		*task;
	struct pev_event		*event;
	struct wait_threads		*threads;

	raw_spinlock_t			lock;
	u32				version;
	u64				offset;
	u64				least;
	u64				since;
	u64				blocked;
	u64				period;
	u8				phase;
	bool				woken;
	bool				early;
	bool				gone;
	u32				generation;
	u64				born;
	struct pev_waits		sums;
	struct pev_wait_record		record;

	struct list_head		of_event;
	u32				walk;
	u32				flushed;
	struct rcu_head			rcu;
};

void wait_threads_init(struct wait_threads *threads);
void wait_threads_hide(struct wait_threads *threads);
void wait_threads_free(struct wait_threads *threads);
void wait_threads_switch(struct wait_threads *threads, const struct pev_event *event);
void wait_threads_reset(struct wait_threads *threads);
void wait_threads_sum(struct wait_threads *threads, u64 period, struct pev_waits *sum);

bool wait_threads_flush(struct wait_threads *threads,
			void (*put)(struct pev_event *event, struct task_struct *task,
				    struct pev_wait_record *record));

void wait_thread_prepare(unsigned int nr);
void wait_thread_follow(struct pev_event *event, struct wait_threads *threads,
			struct task_struct *task, bool fresh);
bool wait_thread_leave(struct pev_event *event, const struct task_struct *task,
		       struct pev_wait_record *record);
int wait_thread_setup(void);
void wait_thread_teardown(void);

/* Threads by their task; changed by thread.c alone. */
extern struct hlist_head *wait_buckets;
extern unsigned int wait_bits;

static __always_inline struct hlist_head *wait_bucket_of(const struct task_struct *task)
{
	return &wait_buckets[hash_ptr((void *)task, wait_bits)];
}

/* Return: the first of @node and those behind it that is of @task. */
static __always_inline struct wait_thread *wait_thread_seek(struct hlist_node *node,
							    const struct task_struct *task)
{
	for (; node; node = rcu_dereference_raw_check(hlist_next_rcu(node))) {
		struct wait_thread *t = hlist_entry(node, struct wait_thread, node);

		if (t->task == task)
			return t;
	}
	return NULL;
}

/*
 * A task as the first of its events sees it, and as the next one does; NULL: there is none.
 * Context: Preemption disabled.
 */
static __always_inline struct wait_thread *wait_thread_first(const struct task_struct *task)
{
	return wait_thread_seek(rcu_dereference_raw_check(hlist_first_rcu(wait_bucket_of(task))),
				task);
}

static __always_inline struct wait_thread *wait_thread_next(const struct wait_thread *t)
{
	return wait_thread_seek(rcu_dereference_raw_check(hlist_next_rcu(&t->node)), t->task);
}

/* For change.h, where it is rare; with the lock of the thread, but for the last. */
bool wait_thread_catch_up(struct wait_thread *t);
bool wait_thread_ends(struct wait_thread *t, u64 now, struct pev_wait_record *record);
void wait_thread_not_blocked(struct wait_thread *t, bool blocks);
void wait_thread_set_early(struct wait_thread *t);
bool wait_thread_sleeps(struct wait_thread *t);
void wait_take_any_waker(struct wait_thread *t, bool stack);
void wait_thread_woken(struct wait_thread *t);

/* How many threads have @early set. */
extern atomic_t wait_early;

#endif
