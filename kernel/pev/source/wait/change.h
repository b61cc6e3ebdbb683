/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the scheduler tells of a thread, inline: each wait has all of it, and most waits are
 * only summed up. What is rare is in thread.c.
 *
 * Context of all: preemption and interrupts are off. @clock is pev_now_ns(), read for the call.
 */
#ifndef _PEV_WAIT_CHANGE_H
#define _PEV_WAIT_CHANGE_H

#include <linux/minmax.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "target/rights.h"
#include "types.h"
#include "thread.h"

/* ---- a thread's time ---- */

/*
 * The lock without its function, which would count preemption, too, that is off: a third of what
 * a change costs. lockdep knows all of it.
 */
static __always_inline void wait_thread_lock(struct wait_thread *t)
{
	if (IS_ENABLED(CONFIG_DEBUG_SPINLOCK))
		raw_spin_lock(&t->lock);
	else
		arch_spin_lock(&t->lock.raw_lock);
}

static __always_inline void wait_thread_unlock(struct wait_thread *t)
{
	if (IS_ENABLED(CONFIG_DEBUG_SPINLOCK))
		raw_spin_unlock(&t->lock);
	else
		arch_spin_unlock(&t->lock.raw_lock);
}

/* Has the thread the event's time? False: it is gone. */
static __always_inline bool wait_thread_counts(struct wait_thread *t)
{
	return likely(READ_ONCE(t->threads->version) == t->version) || wait_thread_catch_up(t);
}

/* Return: the thread's time, after wait_thread_counts(). */
static __always_inline u64 wait_thread_now(const struct wait_thread *t, u64 clock)
{
	/* what another CPU's clock shows may be a little less */
	return max((s64)(clock - t->offset), (s64)t->least);
}

static __always_inline void wait_thread_enter(struct wait_thread *t, u8 phase, u64 now)
{
	t->phase = phase;
	t->since = now;
	t->least = now;
}

/* ---- changes ---- */

/**
 * wait_state_of() - why a task left its CPU
 * @state: the scheduler's words for it, not TASK_RUNNING
 *
 * Return: enum pev_wait_state.
 */
static __always_inline u32 wait_state_of(unsigned int state)
{
	if (unlikely(state & (__TASK_STOPPED | __TASK_TRACED | TASK_FROZEN | TASK_NOLOAD))) {
		if (state & __TASK_STOPPED)
			return PEV_WAIT_STOPPED;
		if (state & __TASK_TRACED)
			return PEV_WAIT_TRACED;
		return state & TASK_FROZEN ? PEV_WAIT_FROZEN : PEV_WAIT_IDLE;
	}
	return state & TASK_INTERRUPTIBLE ? PEV_WAIT_SLEEPING : PEV_WAIT_DISK;
}

/**
 * wait_thread_out() - a thread leaves its CPU
 * @t:      the thread
 * @clock:  see above
 * @state:  enum pev_wait_state
 * @flags:  PEV_WAIT_IO or 0
 * @blocks: it has to be woken, or was a moment ago
 */
static __always_inline void wait_thread_out(struct wait_thread *t, u64 clock, u32 state, u32 flags,
					    bool blocks)
{
	u64 now;

	wait_thread_lock(t);
	if (wait_thread_counts(t)) {
		now = wait_thread_now(t, clock);
		/* it ran: what was taken for a wait when it was attached was none */
		t->sums.run += t->blocked + now - t->since;
		t->blocked = 0;
		t->record.state = state;
		t->record.flags = flags;
		t->woken = false;
		wait_thread_enter(t, WAIT_BLOCKED, now);
		if (unlikely(!blocks || t->early))
			wait_thread_not_blocked(t, blocks);
	}
	wait_thread_unlock(t);
}

/* What is running becomes the waker of the thread. Most wakers are threads, and show no stack. */
static __always_inline void wait_take_waker(struct wait_thread *t, bool stack)
{
	struct pev_wait_record *record = &t->record;
	const struct pev_event *event = t->event;

	if (unlikely(stack || !in_task() || READ_ONCE(event->gate) & PEV_GATE_RIGHTS ||
		     event->pid_ns != &init_pid_ns)) {
		wait_take_any_waker(t, stack);
		return;
	}
	record->waker = current->flags & PF_KTHREAD ? PEV_WAKER_KTHREAD : PEV_WAKER_THREAD;
	record->frames = 0;
	record->waker_pid = current->tgid;
	record->waker_tid = current->pid;
	memcpy(record->waker_comm, current->comm, sizeof(record->waker_comm));
}

/* Will there be a record, and is it to say where the waker was? */
static __always_inline bool wait_wants_stack(const struct wait_thread *t)
{
	const struct pev_event *event = t->event;

	return event->sample & PEV_SAMPLE_KSTACK && !(event->flags & PEV_F_EXCLUDE_KERNEL) &&
	       t->blocked >= t->period;
}

/**
 * wait_thread_waking() - what runs here is about to wake a thread
 * @t:     the thread
 * @clock: see above
 *
 * It may not have left its CPU yet, or never do so, as the runqueue is not locked: then
 * either it does before wait_thread_woken(), and was woken by this, or after it, and is
 * yet to be woken.
 */
static __always_inline void wait_thread_waking(struct wait_thread *t, u64 clock)
{
	bool stack = false;
	u64 now;

	wait_thread_lock(t);
	if (wait_thread_counts(t)) {
		if (likely(t->phase == WAIT_BLOCKED) || wait_thread_sleeps(t)) {
			now = wait_thread_now(t, clock);
			t->blocked = now - t->since;
			t->woken = true;
			wait_thread_enter(t, WAIT_RUNNABLE, now);
			stack = wait_wants_stack(t);
		} else {
			wait_thread_set_early(t);
		}
		wait_take_waker(t, stack);
	}
	wait_thread_unlock(t);
}

/**
 * wait_thread_in() - a thread has a CPU again
 * @t:      the thread
 * @clock:  see above
 * @record: filled in, its stack with PEV_SAMPLE_KSTACK only
 *
 * Return: true if the wait was long enough for a record.
 */
static __always_inline bool wait_thread_in(struct wait_thread *t, u64 clock,
					   struct pev_wait_record *record)
{
	bool long_enough = false;
	u64 now, ns;

	wait_thread_lock(t);
	if (wait_thread_counts(t)) {
		now = wait_thread_now(t, clock);
		ns = t->blocked + now - t->since;
		if (ns >= t->period) {
			long_enough = wait_thread_ends(t, now, record);
		} else if (likely(ns) || pev_event_is_on(t->event)) {
			t->sums.folded += ns;
			t->sums.folded_waits++;
		}
		t->blocked = 0;
		wait_thread_enter(t, WAIT_RUNS, now);
	}
	wait_thread_unlock(t);
	return long_enough;
}

#endif
