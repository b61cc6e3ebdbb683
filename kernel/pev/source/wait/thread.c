// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the law of time: what a thread does is counted where it ends to do so, and all of it
 * adds up to the time that the thread was counted. Must not know how records are written.
 *
 * A thread's own time never steps back, whatever the clocks of two CPUs show: each moment
 * is at least the one before.
 *
 * Locks: see thread.h. Threads are found by a hash under RCU; hash_lock guards changes of
 * it, and the reserve. No memory is taken in the scheduler: an entry comes with the task.
 */
#include <linux/interrupt.h>
#include <linux/pev_clock.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include "base/work.h"
#include "record/kstack.h"
#include "target/rights.h"
#include "types.h"
#include "thread.h"

/* Entries that are kept for forks, which can't wait for memory. */
#define RESERVE		256
/* A walk over an event's threads lets others go on after so many. */
#define STRETCH		64
/* A flush hands on so many at a time, with interrupts off. */
#define FLUSH		32
/* Frames of pev and of the tracepoint above a waker. */
#define OWN_FRAMES	3

static DEFINE_RAW_SPINLOCK(hash_lock);
struct hlist_head wait_buckets[1 << WAIT_HASH_BITS];

static HLIST_HEAD(reserve);
static unsigned int reserve_nr;

/* ---- memory ---- */

void wait_thread_prepare(unsigned int nr)
{
	struct wait_thread *t;

	while (READ_ONCE(reserve_nr) < RESERVE + nr) {
		t = kmalloc(sizeof(*t), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!t)
			return;
		raw_spin_lock_irq(&hash_lock);
		hlist_add_head(&t->node, &reserve);
		WRITE_ONCE(reserve_nr, reserve_nr + 1);
		raw_spin_unlock_irq(&hash_lock);
	}
}

static void refill(struct work_struct *work)
{
	wait_thread_prepare(0);
}

static DECLARE_WORK(refill_work, refill);

static struct wait_thread *take_reserve(void)
{
	struct wait_thread *t;
	unsigned long flags;

	raw_spin_lock_irqsave(&hash_lock, flags);
	t = hlist_entry_safe(reserve.first, struct wait_thread, node);
	if (t) {
		hlist_del(&t->node);
		WRITE_ONCE(reserve_nr, reserve_nr - 1);
	}
	raw_spin_unlock_irqrestore(&hash_lock, flags);
	return t;
}

/* A fork may ask for memory where that takes no lock that sleeps; an attach has its own. */
static struct wait_thread *take(bool fresh)
{
	struct wait_thread *t = NULL;

	if (fresh && !IS_ENABLED(CONFIG_PREEMPT_RT))
		t = kmalloc(sizeof(*t), GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN);
	t = t ?: take_reserve();
	if (fresh && READ_ONCE(reserve_nr) < RESERVE / 2)
		queue_work(pev_wq, &refill_work);
	return t;
}

void __pev_teardown wait_thread_teardown(void)
{
	struct wait_thread *t;

	cancel_work_sync(&refill_work);
	while ((t = take_reserve()))
		kfree(t);
}

/* ---- the event's time ---- */

static __always_inline u64 time_at(const struct wait_time *time, u64 clock)
{
	/* what another CPU's clock shows may be a little less */
	s64 more = clock - time->offset - time->floor;

	return time->floor + (time->on ? max_t(s64, more, 0) : 0);
}

void wait_threads_init(struct wait_threads *threads)
{
	raw_spin_lock_init(&threads->lock);
	seqcount_raw_spinlock_init(&threads->seq, &threads->lock);
	INIT_LIST_HEAD(&threads->list);
	threads->flushes = 1;
	mutex_init(&threads->walk_lock);
}

static void hide(struct wait_thread *t)
{
	raw_spin_lock(&hash_lock);
	if (!hlist_unhashed(&t->node))
		hlist_del_init_rcu(&t->node);
	raw_spin_unlock(&hash_lock);
}

/* Let interrupts and others in, which find what @threads has, and may take some of it. */
static void pause(struct wait_threads *threads)
{
	raw_spin_unlock_irq(&threads->lock);
	cond_resched();
	raw_spin_lock_irq(&threads->lock);
}

/**
 * wait_threads_hide() - the scheduler finds an event's threads no more
 * @threads: of an event that is closed, and follows no more of them
 *
 * What has found one of them may use it, and the event, until a grace period is over.
 *
 * Context: Process context.
 */
void wait_threads_hide(struct wait_threads *threads)
{
	struct wait_thread *t;
	LIST_HEAD(hidden);
	unsigned int nr = 0;

	raw_spin_lock_irq(&threads->lock);
	while ((t = list_first_entry_or_null(&threads->list, struct wait_thread, of_event))) {
		hide(t);
		/* those that exit meanwhile leave this list as they do the other */
		list_move_tail(&t->of_event, &hidden);
		if (!(++nr % STRETCH))
			pause(threads);
	}
	list_splice(&hidden, &threads->list);
	raw_spin_unlock_irq(&threads->lock);
}

/**
 * wait_threads_free() - free the threads of an event that is gone
 * @threads: nothing calls for them any more
 *
 * Context: Process context.
 */
void wait_threads_free(struct wait_threads *threads)
{
	struct wait_thread *t, *next;
	unsigned int nr = 0;

	list_for_each_entry_safe(t, next, &threads->list, of_event) {
		local_irq_disable();
		hide(t);
		local_irq_enable();
		kfree_rcu(t, rcu);
		if (!(++nr % STRETCH))
			cond_resched();
	}
}

/**
 * wait_threads_switch() - the event was switched on or off
 * @threads: of the event
 * @event:   its state is looked at here, so that the last of two callers is right
 *
 * Context: Any but NMI.
 */
void wait_threads_switch(struct wait_threads *threads, const struct pev_event *event)
{
	u64 now = pev_now_ns();
	unsigned long flags;
	bool on;

	raw_spin_lock_irqsave(&threads->lock, flags);
	on = pev_event_is_on(event);
	if (on != threads->time.on) {
		write_seqcount_begin(&threads->seq);
		threads->time.floor = time_at(&threads->time, now);
		threads->time.offset = now - threads->time.floor;
		threads->time.on = on;
		WRITE_ONCE(threads->version, threads->version + 1);
		write_seqcount_end(&threads->seq);
	}
	raw_spin_unlock_irqrestore(&threads->lock, flags);
}

/**
 * wait_threads_reset() - begin to sum up once more, with waits under way as with others
 * @threads: of the event; they learn of it with the next of their changes
 *
 * Context: Any but NMI.
 */
void wait_threads_reset(struct wait_threads *threads)
{
	u64 now = pev_now_ns();
	unsigned long flags;

	raw_spin_lock_irqsave(&threads->lock, flags);
	write_seqcount_begin(&threads->seq);
	threads->reset_at = time_at(&threads->time, now);
	threads->generation++;
	WRITE_ONCE(threads->version, threads->version + 1);
	write_seqcount_end(&threads->seq);
	memset(&threads->ended, 0, sizeof(threads->ended));
	memset(&threads->late, 0, sizeof(threads->late));
	threads->unfollowed = 0;
	raw_spin_unlock_irqrestore(&threads->lock, flags);
}

/* ---- a thread's time; its lock is held ---- */

/* The event was switched or reset, and this thread has not seen it. */
static noinline void catch_up(struct wait_thread *t)
{
	const struct wait_threads *threads = t->threads;
	unsigned int seq;
	u32 generation;
	u64 reset_at;

	do {
		seq = read_seqcount_begin(&threads->seq);
		t->time = threads->time;
		t->version = threads->version;
		generation = threads->generation;
		reset_at = threads->reset_at;
	} while (read_seqcount_retry(&threads->seq, seq));
	if (generation == t->generation)
		return;
	t->generation = generation;
	memset(&t->sums, 0, sizeof(t->sums));
	/* its own time may be a little ahead */
	t->since = max(t->since, reset_at);
	t->born = t->since;
	t->blocked = 0;
}

/* Return: the thread's time. */
static __always_inline u64 thread_now(struct wait_thread *t, u64 clock)
{
	if (unlikely(READ_ONCE(t->threads->version) != t->version))
		catch_up(t);
	return max(time_at(&t->time, clock), t->since);
}

static void add_wait(struct pev_waits *sums, u64 period, u64 blocked, u64 runnable)
{
	if (blocked + runnable >= period) {
		sums->blocked += blocked;
		sums->runnable += runnable;
	} else {
		sums->folded += blocked + runnable;
	}
}

/* Add what the thread does at @now, as if it ended to do so. */
static void add_open(const struct wait_thread *t, u64 period, u64 now, struct pev_waits *sums)
{
	u64 ns = now - t->since;

	if (t->phase == WAIT_RUNS)
		sums->run += ns;
	else if (t->phase == WAIT_BLOCKED)
		add_wait(sums, period, ns, 0);
	else
		add_wait(sums, period, t->blocked, ns);
	sums->enabled += now - t->born;
}

static void add_sums(struct pev_waits *to, const struct pev_waits *more)
{
	to->enabled += more->enabled;
	to->run += more->run;
	to->blocked += more->blocked;
	to->runnable += more->runnable;
	to->folded += more->folded;
	to->waits += more->waits;
	to->folded_waits += more->folded_waits;
}

/* It runs at @now, so it ran: what was taken for a wait when it was attached was none. */
static void end_run(struct wait_thread *t, u64 now)
{
	t->sums.run += t->blocked + now - t->since;
	t->since = now;
	t->blocked = 0;
}

/* ---- the walk over an event's threads ---- */

static void sum_one(struct wait_thread *t, u64 period, struct pev_waits *sum)
{
	u64 now;

	raw_spin_lock(&t->lock);
	now = thread_now(t, pev_now_ns());
	add_sums(sum, &t->sums);
	add_open(t, period, now, sum);
	raw_spin_unlock(&t->lock);
	t->walk = t->threads->walk;
}

/**
 * wait_threads_sum() - add up what all threads of an event did, to now
 * @threads: of the event
 * @period:  of the event
 * @sum:     filled in
 *
 * Threads that come or go meanwhile are in it once, or came later.
 *
 * Context: Process context.
 */
void wait_threads_sum(struct wait_threads *threads, u64 period, struct pev_waits *sum)
{
	struct list_head cursor;
	unsigned int nr = 0;

	guard(mutex)(&threads->walk_lock);
	raw_spin_lock_irq(&threads->lock);
	threads->walk++;
	threads->walking = true;
	memset(&threads->late, 0, sizeof(threads->late));
	*sum = threads->ended;
	list_add(&cursor, &threads->list);
	while (!list_is_last(&cursor, &threads->list)) {
		struct wait_thread *t = list_entry(cursor.next, struct wait_thread, of_event);

		list_move(&cursor, &t->of_event);
		sum_one(t, period, sum);
		if (!(++nr % STRETCH))
			pause(threads);
	}
	list_del(&cursor);
	threads->walking = false;
	add_sums(sum, &threads->late);
	sum->threads = threads->nr;
	sum->unfollowed = threads->unfollowed;
	raw_spin_unlock_irq(&threads->lock);
}

/* ---- records of what is summed up ---- */

/* What the thread has done until @now, at which it may be in a wait. */
static void fill_open(const struct wait_thread *t, u64 now, struct pev_wait_record *record)
{
	struct pev_waits sums = t->sums, open = {};

	memset(record, 0, sizeof(*record));
	add_open(t, READ_ONCE(t->event->period), now, &open);
	record->flags = PEV_WAIT_OPEN;
	if (t->phase != WAIT_RUNS) {
		record->state = t->record.state;
		record->flags |= t->record.flags;
	}
	record->blocked = open.blocked;
	record->runnable = open.runnable;
	record->enabled = open.enabled;
	record->run = sums.run + open.run;
	record->folded = sums.folded + open.folded;
}

static void flush_one(struct wait_thread *t, struct pev_wait_record *record)
{
	raw_spin_lock(&t->lock);
	fill_open(t, thread_now(t, pev_now_ns()), record);
	raw_spin_unlock(&t->lock);
	t->flushed = t->threads->flushes;
	list_move_tail(&t->of_event, &t->threads->list);
}

/**
 * wait_threads_flush() - hand on the sums of some of an event's threads
 * @threads: of the event
 * @put:     takes the record of one, with interrupts off; the task is there for the call
 *
 * Those that come while there are more have been followed for no longer than the flush takes,
 * and are left to the next one.
 *
 * Context: Process context.
 * Return: true if there are more.
 */
bool wait_threads_flush(struct wait_threads *threads,
			void (*put)(struct pev_event *event, struct task_struct *task,
				    struct pev_wait_record *record))
{
	struct pev_wait_record record;
	struct wait_thread *t;
	bool more = true;

	/* a walk would meet those that are moved once more */
	guard(mutex)(&threads->walk_lock);
	raw_spin_lock_irq(&threads->lock);
	for (unsigned int nr = 0; nr < FLUSH; nr++) {
		t = list_first_entry_or_null(&threads->list, struct wait_thread, of_event);
		more = t && t->flushed != threads->flushes;
		if (!more)
			break;
		flush_one(t, &record);
		put(t->event, t->task, &record);
	}
	threads->flushes += !more;
	raw_spin_unlock_irq(&threads->lock);
	return more;
}

/* ---- threads come and go ---- */

/**
 * wait_state_of() - why a task left its CPU
 * @state: the scheduler's words for it, not TASK_RUNNING
 *
 * Return: enum pev_wait_state.
 */
u32 wait_state_of(unsigned int state)
{
	if (state & __TASK_STOPPED)
		return PEV_WAIT_STOPPED;
	if (state & __TASK_TRACED)
		return PEV_WAIT_TRACED;
	if (state & TASK_FROZEN)
		return PEV_WAIT_FROZEN;
	if (state & TASK_NOLOAD)
		return PEV_WAIT_IDLE;
	return state & TASK_INTERRUPTIBLE ? PEV_WAIT_SLEEPING : PEV_WAIT_DISK;
}

/* A guess, for a task that is attached while it does anything: its next change corrects it. */
static void guess_phase(struct wait_thread *t, struct task_struct *task)
{
	unsigned int state = READ_ONCE(task->__state);

	if (task == current || READ_ONCE(task->on_cpu)) {
		t->phase = WAIT_RUNS;
	} else if (state) {
		t->phase = WAIT_BLOCKED;
		t->record.state = wait_state_of(state);
	} else {
		t->phase = WAIT_RUNNABLE;
	}
}

/* @threads->lock is held. */
static void init(struct wait_thread *t, struct pev_event *event, struct wait_threads *threads,
		 struct task_struct *task, bool fresh)
{
	memset(t, 0, sizeof(*t));
	raw_spin_lock_init(&t->lock);
	t->task = task;
	t->event = event;
	t->threads = threads;
	t->time = threads->time;
	t->version = threads->version;
	t->generation = threads->generation;
	t->born = time_at(&t->time, pev_now_ns());
	t->since = t->born;
	if (fresh) {
		t->phase = WAIT_RUNNABLE;
		t->record.state = PEV_WAIT_NEW;
	} else {
		guess_phase(t, task);
	}
}

/**
 * wait_thread_follow() - an event begins to count a thread
 * @event:   the event
 * @threads: of the event
 * @task:    the thread
 * @fresh:   it was just made
 *
 * Context: locks of the tree of tasks or of the sets are held.
 */
void wait_thread_follow(struct pev_event *event, struct wait_threads *threads,
			struct task_struct *task, bool fresh)
{
	struct wait_thread *t = take(fresh);
	unsigned long flags;

	raw_spin_lock_irqsave(&threads->lock, flags);
	if (!t) {
		threads->unfollowed++;
		raw_spin_unlock_irqrestore(&threads->lock, flags);
		return;
	}
	init(t, event, threads, task, fresh);
	threads->nr++;
	list_add_tail(&t->of_event, &threads->list);
	raw_spin_unlock_irqrestore(&threads->lock, flags);

	raw_spin_lock_irqsave(&hash_lock, flags);
	hlist_add_head_rcu(&t->node, wait_bucket_of(task));
	raw_spin_unlock_irqrestore(&hash_lock, flags);
}

static struct wait_thread *find(const struct pev_event *event, const struct task_struct *task)
{
	struct wait_thread *t;

	for (t = wait_thread_first(task); t; t = wait_thread_next(t))
		if (t->event == event)
			return t;
	return NULL;
}

/* @threads->lock is held. */
static void sum_up(struct wait_threads *threads, struct wait_thread *t,
		   struct pev_wait_record *record)
{
	u64 now;

	raw_spin_lock(&t->lock);
	now = thread_now(t, pev_now_ns());
	end_run(t, now);
	t->sums.enabled = now - t->born;
	t->gone = true;
	t->phase = WAIT_RUNS;
	fill_open(t, now, record);
	record->flags |= PEV_WAIT_ENDED;
	raw_spin_unlock(&t->lock);
	add_sums(&threads->ended, &t->sums);
	if (threads->walking && t->walk != threads->walk)
		add_sums(&threads->late, &t->sums);
	threads->nr--;
	list_del(&t->of_event);
}

/**
 * wait_thread_leave() - an event no longer counts a thread
 * @event:  the event, which is not about to be freed
 * @task:   the current one
 * @record: filled in with what it did
 *
 * Context: Process context, within RCU.
 * Return: was it followed?
 */
bool wait_thread_leave(struct pev_event *event, const struct task_struct *task,
		       struct pev_wait_record *record)
{
	struct wait_threads *threads;
	struct wait_thread *t;
	unsigned long flags;

	raw_spin_lock_irqsave(&hash_lock, flags);
	t = find(event, task);
	if (t)
		hlist_del_init_rcu(&t->node);
	raw_spin_unlock_irqrestore(&hash_lock, flags);
	if (!t)
		return false;
	threads = t->threads;
	raw_spin_lock_irqsave(&threads->lock, flags);
	sum_up(threads, t, record);
	raw_spin_unlock_irqrestore(&threads->lock, flags);
	kfree_rcu(t, rcu);
	return true;
}

/* ---- what the scheduler tells; preemption and interrupts are off ---- */

/**
 * wait_thread_out() - a thread leaves its CPU
 * @t:      the thread
 * @clock:  see thread.h
 * @state:  enum pev_wait_state
 * @flags:  PEV_WAIT_IO or 0
 * @blocks: it has to be woken, or was a moment ago
 */
void wait_thread_out(struct wait_thread *t, u64 clock, u32 state, u32 flags, bool blocks)
{
	raw_spin_lock(&t->lock);
	if (!t->gone) {
		end_run(t, thread_now(t, clock));
		t->record.state = state;
		t->record.flags = flags;
		t->woken = blocks && t->early;
		t->phase = blocks && !t->early ? WAIT_BLOCKED : WAIT_RUNNABLE;
		if (blocks)
			WRITE_ONCE(t->early, false);
	}
	raw_spin_unlock(&t->lock);
}

static u32 waker_kind(void)
{
	if (likely(in_task()))
		return current->flags & PF_KTHREAD ? PEV_WAKER_KTHREAD : PEV_WAKER_THREAD;
	return in_nmi() || in_hardirq() ? PEV_WAKER_INTERRUPT : PEV_WAKER_SOFTIRQ;
}

static __always_inline void clear_waker(struct pev_wait_record *record)
{
	record->waker_pid = 0;
	record->waker_tid = 0;
	memset(record->waker_comm, 0, sizeof(record->waker_comm));
}

static __always_inline void take_thread(struct pev_wait_record *record,
					struct pid_namespace *ns)
{
	if (likely(ns == &init_pid_ns)) {
		record->waker_pid = current->tgid;
		record->waker_tid = current->pid;
	} else {
		record->waker_pid = task_tgid_nr_ns(current, ns);
		record->waker_tid = task_pid_nr_ns(current, ns);
	}
	memcpy(record->waker_comm, current->comm, sizeof(record->waker_comm));
}

/* Interrupts are not the thread that they interrupt, but their stacks show that one's. */
static void take_waker(struct wait_thread *t, bool stack)
{
	struct pev_wait_record *record = &t->record;
	const struct pev_event *event = t->event;
	bool sees = pev_event_sees(event);

	record->waker = waker_kind();
	if (sees && (record->waker == PEV_WAKER_THREAD || record->waker == PEV_WAKER_KTHREAD))
		take_thread(record, event->pid_ns);
	else
		clear_waker(record);
	/* frames beyond these are cleared in the copy that is written */
	record->frames = 0;
	if (sees && stack)
		record->frames = pev_kstack_here((unsigned long *)record->stack, PEV_WAKER_FRAMES,
						 OWN_FRAMES);
}

/* Will there be a record, and is it to say where the waker was? */
static bool wants_stack(const struct wait_thread *t)
{
	const struct pev_event *event = t->event;

	return event->sample & PEV_SAMPLE_KSTACK && !(event->flags & PEV_F_EXCLUDE_KERNEL) &&
	       t->blocked >= READ_ONCE(event->period);
}

/**
 * wait_thread_waking() - what runs here is about to wake a thread
 * @t:     the thread
 * @clock: see thread.h
 *
 * It may not have left its CPU yet, or never do so, as the runqueue is not locked: then
 * either it does before wait_thread_woken(), and was woken by this, or after it, and is
 * yet to be woken.
 */
void wait_thread_waking(struct wait_thread *t, u64 clock)
{
	u64 now;

	raw_spin_lock(&t->lock);
	if (!t->gone) {
		now = thread_now(t, clock);
		if (t->phase == WAIT_BLOCKED) {
			t->blocked = now - t->since;
			t->since = now;
			t->phase = WAIT_RUNNABLE;
			t->woken = true;
			take_waker(t, wants_stack(t));
		} else {
			WRITE_ONCE(t->early, true);
			take_waker(t, false);
		}
	}
	raw_spin_unlock(&t->lock);
}

void __wait_thread_woken(struct wait_thread *t)
{
	raw_spin_lock(&t->lock);
	WRITE_ONCE(t->early, false);
	raw_spin_unlock(&t->lock);
}

static void fill(const struct wait_thread *t, u64 now, u64 blocked, u64 runnable,
		 struct pev_wait_record *record)
{
	size_t bytes = offsetof(struct pev_wait_record, enabled);

	memcpy(record, &t->record, bytes);
	record->blocked = blocked;
	record->runnable = runnable;
	record->enabled = now - t->born;
	record->run = t->sums.run;
	record->folded = t->sums.folded;
	if (!t->woken) {
		/* what is there is of another wait */
		clear_waker(record);
		record->frames = 0;
		record->waker = blocked ? PEV_WAKER_UNSEEN : PEV_WAKER_NONE;
	}
	if (!(t->event->sample & PEV_SAMPLE_KSTACK))
		return;
	bytes = record->frames * sizeof(*record->stack);
	memcpy(record->stack, t->record.stack, bytes);
	memset((void *)record->stack + bytes, 0, sizeof(record->stack) - bytes);
}

/**
 * wait_thread_in() - a thread has a CPU again
 * @t:      the thread
 * @clock:  see thread.h
 * @record: filled in, its stack with PEV_SAMPLE_KSTACK only
 *
 * Return: true if the wait was long enough for a record.
 */
bool wait_thread_in(struct wait_thread *t, u64 clock, struct pev_wait_record *record)
{
	u64 now, ns, period = READ_ONCE(t->event->period);
	u64 blocked = 0, runnable = 0;
	bool long_enough = false;

	raw_spin_lock(&t->lock);
	if (t->gone)
		goto out;
	now = thread_now(t, clock);
	ns = now - t->since;
	if (t->phase == WAIT_BLOCKED) {
		blocked = ns;
	} else {
		blocked = t->blocked;
		runnable = ns;
	}
	add_wait(&t->sums, period, blocked, runnable);
	/* the event was off all the time: there was no wait */
	if (!(blocked + runnable) && !pev_event_is_on(t->event))
		goto runs;
	long_enough = blocked + runnable >= period;
	if (long_enough) {
		t->sums.waits++;
		fill(t, now, blocked, runnable, record);
	} else {
		t->sums.folded_waits++;
	}
runs:
	t->phase = WAIT_RUNS;
	t->since = now;
	t->blocked = 0;
out:
	raw_spin_unlock(&t->lock);
	return long_enough;
}
