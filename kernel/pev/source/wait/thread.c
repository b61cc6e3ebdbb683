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
#include <linux/log2.h>
#include <linux/pev_clock.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include "base/threads.h"
#include "base/work.h"
#include "glue/linux.h"
#include "record/kstack.h"
#include "target/rights.h"
#include "types.h"
#include "change.h"
#include "thread.h"

/* Entries that are kept for forks, which can't wait for memory. */
#define RESERVE		256
/* A walk over an event's threads lets others go on after so many. */
#define STRETCH		64
/* A flush hands on so many at a time, with interrupts off. */
#define FLUSH		32
/* Of a thread for which the hash has room: what some have more makes others' chains long. */
#define EVENTS		4
/* Frames of pev above a waker: of what takes them, and of what the tracepoint calls. */
#define OWN_FRAMES	2

static DEFINE_RAW_SPINLOCK(hash_lock);
struct hlist_head *wait_buckets __ro_after_init;
unsigned int wait_bits __ro_after_init;
atomic_t wait_early;

static HLIST_HEAD(reserve);
static unsigned int reserve_nr;

/* ---- memory ---- */

static void put_reserve(struct wait_thread *t)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&hash_lock, flags);
	hlist_add_head(&t->node, &reserve);
	WRITE_ONCE(reserve_nr, reserve_nr + 1);
	raw_spin_unlock_irqrestore(&hash_lock, flags);
}

void wait_thread_prepare(unsigned int nr)
{
	struct wait_thread *t;

	while (READ_ONCE(reserve_nr) < RESERVE + nr) {
		t = kmalloc(sizeof(*t), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!t)
			return;
		put_reserve(t);
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

/* At boot. Return: 0 or -ENOMEM. */
int wait_thread_setup(void)
{
	wait_bits = pev_threads_bits() + ilog2(EVENTS);
	wait_buckets = kvcalloc(1 << wait_bits, sizeof(*wait_buckets), GFP_KERNEL);
	return wait_buckets ? 0 : -ENOMEM;
}

/* Undo that, when no event is left. Process context. */
void wait_thread_teardown(void)
{
	struct wait_thread *t;

	cancel_work_sync(&refill_work);
	while ((t = take_reserve()))
		kfree(t);
	kvfree(wait_buckets);
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

static void set_early(struct wait_thread *t, bool early)
{
	if (t->early == early)
		return;
	WRITE_ONCE(t->early, early);
	atomic_add(early ? 1 : -1, &wait_early);
}

static void show(struct wait_thread *t)
{
	raw_spin_lock(&hash_lock);
	hlist_add_head_rcu(&t->node, wait_bucket_of(t->task));
	raw_spin_unlock(&hash_lock);
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
 * @threads: of an event that is about to be closed; from here on it follows no more of them
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
	threads->hidden = true;
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
		set_early(t, false);
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

/* Take over the event's time: the thread was just made, or has missed a change of it. */
static void take_time(struct wait_thread *t, const struct wait_time *time)
{
	t->offset = time->on ? time->offset : WAIT_STANDS;
	t->least = max(t->since, time->floor);
}

/**
 * wait_thread_catch_up() - a thread has not the event's time
 * @t: the thread; it is gone, or the event was switched or reset
 *
 * Return: true if it has it now, false if it is gone.
 */
noinline bool wait_thread_catch_up(struct wait_thread *t)
{
	const struct wait_threads *threads = t->threads;
	struct wait_time time;
	unsigned int seq;
	u32 generation;
	u64 reset_at;

	if (t->gone)
		return false;
	do {
		seq = read_seqcount_begin(&threads->seq);
		time = threads->time;
		t->version = threads->version;
		generation = threads->generation;
		reset_at = threads->reset_at;
	} while (read_seqcount_retry(&threads->seq, seq));
	if (generation != t->generation) {
		t->generation = generation;
		memset(&t->sums, 0, sizeof(t->sums));
		/* its own time may be a little ahead */
		t->since = max(t->since, reset_at);
		t->born = t->since;
		t->blocked = 0;
	}
	take_time(t, &time);
	return true;
}

/* Return: the thread's time; it is not gone. */
static u64 thread_now(struct wait_thread *t)
{
	wait_thread_counts(t);
	return wait_thread_now(t, pev_now_ns());
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

/* ---- the walk over an event's threads ---- */

static void sum_one(struct wait_thread *t, u64 period, struct pev_waits *sum)
{
	u64 now;

	wait_thread_lock(t);
	now = thread_now(t);
	add_sums(sum, &t->sums);
	add_open(t, period, now, sum);
	wait_thread_unlock(t);
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
	wait_thread_lock(t);
	fill_open(t, thread_now(t), record);
	wait_thread_unlock(t);
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
		/* it may have the values of 256 events */
		if (t->event->varying)
			pause(threads);
	}
	threads->flushes += !more;
	raw_spin_unlock_irq(&threads->lock);
	return more;
}

/* ---- threads come and go ---- */

/* What the scheduler would have told as the task went to sleep. */
static void fell_asleep(struct wait_thread *t, unsigned int state)
{
	t->record.state = wait_state_of(state);
	/* the task's own bit, beside others of it */
	t->record.flags = data_race(!!t->task->in_iowait) ? PEV_WAIT_IO : 0;
}

/*
 * A guess, for a task that is attached while it does anything: its next change corrects it. The
 * thread is in the hash, and its lock is held: of what it goes on to do the scheduler tells.
 */
static void guess_phase(struct wait_thread *t, struct task_struct *task)
{
	unsigned int state;
	bool queued;

	/* as pev_ctx:B in target/attach.c: we see that it sleeps, or are told of it */
	smp_mb();
	state = READ_ONCE(task->__state);
	queued = pev_task_is_queued(task);
	if (task == current || (queued && READ_ONCE(task->on_cpu))) {
		/* or it is on its way from its CPU, and wants another: that takes a moment */
		t->phase = WAIT_RUNS;
	} else if (queued || !state || state & (TASK_WAKING | TASK_NEW)) {
		/* with any state, if it was preempted before it slept */
		t->phase = WAIT_RUNNABLE;
		t->record.state = state & TASK_NEW ? PEV_WAIT_NEW : PEV_WAIT_PREEMPTED;
	} else {
		/* also on the last of its way from its CPU */
		t->phase = WAIT_BLOCKED;
		fell_asleep(t, state);
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
	t->period = READ_ONCE(event->period);
	t->version = threads->version;
	t->generation = threads->generation;
	t->born = time_at(&threads->time, pev_now_ns());
	t->since = t->born;
	take_time(t, &threads->time);
	if (fresh) {
		t->phase = WAIT_RUNNABLE;
		t->record.state = PEV_WAIT_NEW;
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
	if (t && !threads->hidden) {
		init(t, event, threads, task, fresh);
		threads->nr++;
		list_add_tail(&t->of_event, &threads->list);
		wait_thread_lock(t);
		show(t);
		if (!fresh)
			guess_phase(t, task);
		wait_thread_unlock(t);
		t = NULL;
	} else {
		threads->unfollowed++;
	}
	raw_spin_unlock_irqrestore(&threads->lock, flags);
	if (t)
		put_reserve(t);
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

	wait_thread_lock(t);
	now = thread_now(t);
	/* it runs: what was taken for a wait when it was attached was none */
	t->sums.run += t->blocked + now - t->since;
	t->sums.enabled = now - t->born;
	t->blocked = 0;
	wait_thread_enter(t, WAIT_RUNS, now);
	set_early(t, false);
	t->gone = true;
	t->version--;
	fill_open(t, now, record);
	record->flags |= PEV_WAIT_ENDED;
	wait_thread_unlock(t);
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

/* ---- what the scheduler tells, where it is rare; the thread's lock is held ---- */

/**
 * wait_thread_not_blocked() - a thread left its CPU, and has not to be woken
 * @t:      the thread, which is taken for blocked
 * @blocks: it blocks: something was about to wake it before, and has done so with this
 */
void wait_thread_not_blocked(struct wait_thread *t, bool blocks)
{
	t->phase = WAIT_RUNNABLE;
	t->woken = blocks;
	if (blocks)
		set_early(t, false);
}

/**
 * wait_thread_set_early() - something is about to wake a thread that has not left its CPU
 * @t: the thread
 */
void wait_thread_set_early(struct wait_thread *t)
{
	set_early(t, true);
}

/**
 * wait_thread_sleeps() - does a thread sleep that is about to be woken, unseen?
 * @t: the thread, which is not taken for blocked
 *
 * It went to sleep as it was attached. One that the scheduler is about to tell of has its CPU.
 *
 * Return: true; what is to be recorded of its sleep is. False: it has not left its CPU.
 */
bool wait_thread_sleeps(struct wait_thread *t)
{
	if (READ_ONCE(t->task->on_cpu) || pev_task_is_queued(t->task))
		return false;
	fell_asleep(t, READ_ONCE(t->task->__state));
	return true;
}

/**
 * wait_thread_woken() - a thread was woken: what the waker met did not sleep
 * @t: the thread; its lock is not held
 */
void wait_thread_woken(struct wait_thread *t)
{
	wait_thread_lock(t);
	set_early(t, false);
	wait_thread_unlock(t);
}

static u32 waker_kind(void)
{
	if (likely(in_task()))
		return current->flags & PF_KTHREAD ? PEV_WAKER_KTHREAD : PEV_WAKER_THREAD;
	return in_nmi() || in_hardirq() ? PEV_WAKER_INTERRUPT : PEV_WAKER_SOFTIRQ;
}

static void clear_waker(struct pev_wait_record *record)
{
	record->waker_pid = 0;
	record->waker_tid = 0;
	memset(record->waker_comm, 0, sizeof(record->waker_comm));
}

static void take_thread(struct pev_wait_record *record, struct pid_namespace *ns)
{
	record->waker_pid = task_tgid_nr_ns(current, ns);
	record->waker_tid = task_pid_nr_ns(current, ns);
	memcpy(record->waker_comm, current->comm, sizeof(record->waker_comm));
}

/**
 * wait_take_any_waker() - what runs here, of which all is asked, becomes the waker of a thread
 * @t:     the thread
 * @stack: with its stack; the function that calls this is left out of it
 *
 * Interrupts are not the thread that they interrupt, but their stacks show that one's.
 */
noinline void wait_take_any_waker(struct wait_thread *t, bool stack)
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
 * wait_thread_ends() - a wait ends that is long enough for a record
 * @t:      the thread
 * @now:    its time
 * @record: see wait_thread_in()
 *
 * Return: false if the event was off all the time, so that there was no wait.
 */
bool wait_thread_ends(struct wait_thread *t, u64 now, struct pev_wait_record *record)
{
	u64 blocked = t->blocked, runnable = now - t->since;

	if (t->phase == WAIT_BLOCKED)
		swap(blocked, runnable);
	if (!(blocked + runnable) && !pev_event_is_on(t->event))
		return false;
	t->sums.blocked += blocked;
	t->sums.runnable += runnable;
	t->sums.waits++;
	fill(t, now, blocked, runnable, record);
	return true;
}
