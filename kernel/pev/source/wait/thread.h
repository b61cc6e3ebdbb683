/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the threads that a wait event counts do with their time. All of it is told in the
 * event's own time, which stands still while the event is off.
 */
#ifndef _PEV_WAIT_THREAD_H
#define _PEV_WAIT_THREAD_H

#include <linux/hash.h>
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

/**
 * struct wait_thread - a thread that an event counts
 * @node:       in the bucket of @task
 * @of_event:   in @list of the event
 * @task:       the thread takes this with it when it exits: only followed while it is in
 *              @list of the event, with the lock for that held
 * @event:      the event
 * @threads:    of the event
 * @rcu:        frees it
 * @lock:       for all that follows; innermost
 * @gone:       the thread was summed up, and changes no more
 * @phase:      enum wait_phase
 * @woken:      the wait was blocked and is not any more: its waker is in @record
 * @early:      something is about to wake the thread, which had not left its CPU
 * @version:    of the event's time in @time
 * @generation: of the event, to which all of this belongs
 * @walk:       the walk that has come by here
 * @flushed:    the flush that has
 * @time:       of the event: a copy, which its CPUs need not share
 * @born:       the event's time when the thread was first counted
 * @since:      when @phase began; the thread's time is never less
 * @blocked:    ns that the wait was blocked before it was runnable
 * @sums:       what the thread did; @enabled is only known at its end
 * @record:     of the wait that is under way
 *
 * The scheduler calls with the runqueue locked at switches, with the lock of the woken
 * task's at wake-ups: two calls for one thread may be under way at once.
 */
struct wait_thread {
	struct hlist_node		node;
	struct list_head		of_event;
	struct task_struct		*task;
	struct pev_event		*event;
	struct wait_threads		*threads;
	struct rcu_head			rcu;

	raw_spinlock_t			lock;
	bool				gone;
	u8				phase;
	bool				woken;
	bool				early;
	u32				version;
	u32				generation;
	u32				walk;
	u32				flushed;
	struct wait_time		time;
	u64				born;
	u64				since;
	u64				blocked;
	struct pev_waits		sums;
	struct pev_wait_record		record;
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

u32 wait_state_of(unsigned int state);
void wait_thread_prepare(unsigned int nr);
void wait_thread_follow(struct pev_event *event, struct wait_threads *threads,
			struct task_struct *task, bool fresh);
bool wait_thread_leave(struct pev_event *event, const struct task_struct *task,
		       struct pev_wait_record *record);
void wait_thread_teardown(void);

#define WAIT_HASH_BITS	12

/* Threads by their task; changed by thread.c alone. */
extern struct hlist_head wait_buckets[1 << WAIT_HASH_BITS];

static __always_inline struct hlist_head *wait_bucket_of(const struct task_struct *task)
{
	return &wait_buckets[hash_ptr((void *)task, WAIT_HASH_BITS)];
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

/* @clock is pev_now_ns(), read for the call. */
void wait_thread_out(struct wait_thread *t, u64 clock, u32 state, u32 flags, bool blocks);
void wait_thread_waking(struct wait_thread *t, u64 clock);
void __wait_thread_woken(struct wait_thread *t);
bool wait_thread_in(struct wait_thread *t, u64 clock, struct pev_wait_record *record);

/*
 * A thread was woken: what the waker met did not sleep. The same wake-up has set @early
 * before, if it did, and so is seen to have done so without the lock.
 */
static __always_inline void wait_thread_woken(struct wait_thread *t)
{
	if (unlikely(READ_ONCE(t->early)))
		__wait_thread_woken(t);
}

#endif
