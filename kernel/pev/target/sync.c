// SPDX-License-Identifier: GPL-2.0
/*
 * Owns telling CPUs that events have changed, and which CPUs are told: those where the
 * events run, and those that run a task which the events are to count. Others are not
 * interrupted. Must not know how a target is found.
 *
 * Barriers:
 *
 * ==========  ==============================  =====  ================================
 * label       a call that changes an event    pairs  a CPU that switches tasks
 * ==========  ==============================  =====  ================================
 * pev_sync:A  state, mb, then look at CPUs    B      set, mb, then look at states
 * ==========  ==============================  =====  ================================
 *
 * So either the CPU sees the new state, or it is seen and interrupted. A reset that meets a CPU
 * behind the set that it looks for sees when the events of that one ran: pev_reset:A pairs with
 * the barrier that __schedule() has between the two.
 *
 * Locks: pev_control; changed_lock, a leaf.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/rculist.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "base/lock.h"
#include "base/work.h"
#include "record/charge.h"
#include "cgroup.h"
#include "commit.h"
#include "cpu.h"
#include "sync.h"
#include "target.h"
#include "task_ctx.h"

/**
 * struct batch - events on their way to the CPUs
 * @events: those that changed
 * @nr:     number of them
 * @id:     their @sync_id
 * @tasks:  some have a task target, and are found through sets
 * @moved:  some were attached, and CPUs do not know it yet
 */
struct batch {
	struct pev_event	**events;
	unsigned int		nr;
	u64			id;
	bool			tasks;
	bool			moved;
};

static bool in_sets(const struct pev_event *event)
{
	return pev_targets_task(event) && !pev_is_marked(event);
}

/* Does an event that is in no set count here? */
static bool wants(const struct pev_event *event)
{
	return pev_event_is_on(event) && this_cpu_read(pev_target_cpus.online) &&
	       cpumask_test_cpu(smp_processor_id(), event->cpus) &&
	       (!event->cgroup || pev_cgroup_wants(event));
}

/* Start and stop here what the current task's set prescribes. */
static void sync_set(u64 *now)
{
	struct pev_target_cpu *cpu = this_cpu_ptr(&pev_target_cpus);
	struct pev_event *event;

	pev_ctx_for_each(event, cpu->ctx)
		if (in_sets(event))
			pev_event_cpu_sync(event, pev_event_is_on(event) && cpu->online, now);
}

static void sync_here(void *data)
{
	struct batch *batch = data;
	u64 now = 0;

	if (batch->moved)
		pev_target_refresh_here();
	for (unsigned int i = 0; i < batch->nr; i++) {
		struct pev_event *event = batch->events[i];

		if (!in_sets(event))
			pev_event_cpu_sync(event, wants(event), &now);
		else if (!pev_event_is_on(event))
			pev_event_cpu_sync(event, false, &now);
	}
	if (batch->tasks)
		sync_set(&now);
	pev_target_commit();
}

static bool runs_on(const struct pev_event *event, int cpu)
{
	return READ_ONCE(per_cpu_ptr(event->percpu, cpu)->running);
}

static bool set_concerns(int cpu, const struct batch *batch)
{
	struct pev_event *event;

	guard(rcu)();
	/* a set is freed a grace period after the last CPU has left it */
	pev_ctx_for_each(event, READ_ONCE(per_cpu(pev_target_cpus.ctx, cpu)))
		if (READ_ONCE(event->sync_id) == batch->id)
			return true;
	return false;
}

static bool concerns(int cpu, const struct batch *batch)
{
	for (unsigned int i = 0; i < batch->nr; i++) {
		struct pev_event *event = batch->events[i];

		if (runs_on(event, cpu) ||
		    (batch->moved && cpumask_test_cpu(cpu, event->moved)))
			return true;
		if (!in_sets(event) && cpumask_test_cpu(cpu, event->cpus) &&
		    (!event->cgroup || pev_cgroup_runs(event, cpu)))
			return true;
	}
	return batch->tasks && set_concerns(cpu, batch);
}

static void batch_init(struct batch *batch, struct pev_event **events, unsigned int nr)
{
	static u64 last_id;

	lockdep_assert_held(&pev_control);
	*batch = (struct batch){ .events = events, .nr = nr, .id = ++last_id };
	for (unsigned int i = 0; i < nr; i++) {
		WRITE_ONCE(events[i]->sync_id, batch->id);
		batch->tasks |= in_sets(events[i]);
		batch->moved |= !cpumask_empty(events[i]->moved);
	}
}

/*
 * Have the CPUs of which @is_one says so call @func. To ask takes as many steps as the batch has
 * events, for each CPU, with preemption enabled; but it does not yield, see lock.h.
 */
static void on_cpus(bool (*is_one)(int cpu, const struct batch *batch), smp_call_func_t func,
		    struct batch *batch)
{
	static struct cpumask cpus;
	unsigned int cpu;

	lockdep_assert_held(&pev_control);
	cpumask_clear(&cpus);
	for_each_online_cpu(cpu)
		if (is_one(cpu, batch))
			cpumask_set_cpu(cpu, &cpus);
	on_each_cpu_mask(&cpus, func, batch, true);
}

/* A CPU that comes to such an event only behind the caller's barrier sees what has changed. */
static void on_concerned_cpus(smp_call_func_t func, struct batch *batch)
{
	on_cpus(concerns, func, batch);
}

void pev_target_sync(struct pev_event **events, unsigned int nr)
{
	struct batch batch;

	batch_init(&batch, events, nr);
	smp_mb();	/* pev_sync:A, pairs with pev_sync:B in target.c */
	on_concerned_cpus(sync_here, &batch);
}

void pev_target_sync_here(void)
{
	struct pev_event *event;
	u64 now = 0;

	sync_set(&now);
	rcu_read_lock();
	list_for_each_entry_rcu(event, &pev_cpu_events, node)
		pev_event_cpu_sync(event, wants(event), &now);
	rcu_read_unlock();
	pev_target_commit();
}

void pev_target_sync_current(void)
{
	u64 now = 0;

	sync_set(&now);
	pev_target_commit();
}

static void retime_here(void *data)
{
	struct batch *batch = data;

	for (unsigned int i = 0; i < batch->nr; i++) {
		struct pev_event *event = batch->events[i];
		struct pev_event_cpu *ec = this_cpu_ptr(event->percpu);

		if (ec->running && event->ops->retime)
			event->ops->retime(event, ec);
	}
	pev_target_commit();
}

void pev_target_retime(struct pev_event **events, unsigned int nr)
{
	struct batch batch;

	batch_init(&batch, events, nr);
	smp_mb();	/* pev_sync:A, pairs with pev_sync:B in target.c */
	on_concerned_cpus(retime_here, &batch);
}

/* ---- changed by an exec ---- */

static LIST_HEAD(changed_events);
static DEFINE_RAW_SPINLOCK(changed_lock);

static unsigned int take_changed(struct pev_event **events, unsigned int max)
{
	struct pev_event *event, *next;
	unsigned int nr = 0;

	raw_spin_lock_irq(&changed_lock);
	list_for_each_entry_safe(event, next, &changed_events, sync_node) {
		if (nr == max)
			break;
		list_del_init(&event->sync_node);
		events[nr++] = event;
	}
	raw_spin_unlock_irq(&changed_lock);
	return nr;
}

static void sync_changed(struct work_struct *work)
{
	struct pev_event *events[32];
	unsigned int nr;

	do {
		/* events do not change while pev_control is held */
		mutex_lock(&pev_control);
		nr = take_changed(events, ARRAY_SIZE(events));
		if (nr)
			pev_target_sync(events, nr);
		mutex_unlock(&pev_control);
	} while (nr);
}

static DECLARE_WORK(changed_work, sync_changed);

void pev_sync_later(struct pev_event *event)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&changed_lock, flags);
	if (list_empty(&event->sync_node))
		list_add_tail(&event->sync_node, &changed_events);
	raw_spin_unlock_irqrestore(&changed_lock, flags);
	queue_work(pev_wq, &changed_work);
}

void pev_sync_cancel(struct pev_event *event)
{
	lockdep_assert_held(&pev_control);
	raw_spin_lock_irq(&changed_lock);
	list_del_init(&event->sync_node);
	raw_spin_unlock_irq(&changed_lock);
}

void __pev_teardown pev_sync_teardown(void)
{
	flush_work(&changed_work);
}

/* ---- values ---- */

static void ec_fold(struct pev_event *event, struct pev_event_cpu *ec)
{
	u64 now;

	if (!ec->running)
		return;
	now = pev_now_ns();
	WRITE_ONCE(ec->time, ec->time + pev_elapsed(ec->since, now));
	ec->since = now;
	if (event->ops->fold)
		event->ops->fold(event, ec, now);
}

static void fold_here(void *data)
{
	struct batch *batch = data;

	for (unsigned int i = 0; i < batch->nr; i++)
		ec_fold(batch->events[i], this_cpu_ptr(batch->events[i]->percpu));
}

static bool any_runs(int cpu, const struct batch *batch)
{
	for (unsigned int i = 0; i < batch->nr; i++)
		if (runs_on(batch->events[i], cpu))
			return true;
	return false;
}

static bool runs(int cpu, void *data)
{
	return any_runs(cpu, data);
}

void pev_target_fold(struct pev_event **events, unsigned int nr)
{
	struct batch batch = { .events = events, .nr = nr };

	if (nr == 1)
		on_each_cpu_cond(runs, fold_here, &batch, true);
	else
		on_cpus(any_runs, fold_here, &batch);
}

/* @runs: here, with interrupts off. */
static void ec_reset(struct pev_event *event, unsigned int cpu, bool runs)
{
	struct pev_event_cpu *ec = per_cpu_ptr(event->percpu, cpu);

	if (event->ops->reset)
		event->ops->reset(event, ec, cpu, runs);
	local64_set(&ec->count, 0);
	local64_set(&ec->left, 0);
	local64_set(&ec->samples, 0);
	local64_set(&ec->lost, 0);
	local64_set(&ec->filtered, 0);
	local64_set(&ec->unarmed, 0);
	local64_set(&ec->fired, 0);
	local64_set(&ec->acted, 0);
	WRITE_ONCE(ec->time, 0);
	WRITE_ONCE(ec->waited, 0);
	pev_charge_reset(event, cpu);
	if (runs)
		ec->since = pev_now_ns();
}

static void reset_here(void *data)
{
	struct batch *batch = data;

	pev_charge_task(current);
	for (unsigned int i = 0; i < batch->nr; i++) {
		struct pev_event_cpu *ec = this_cpu_ptr(batch->events[i]->percpu);

		ec_fold(batch->events[i], ec);
		ec_reset(batch->events[i], smp_processor_id(), ec->running);
		/* it has nothing to be reset until it runs here the next time */
		if (!ec->running)
			ec->since = 0;
	}
}

/*
 * Does only the CPU itself reset it? What it counted is part of a sum, too, from which that has to
 * take it; or it counts where the event does not run, and nobody would find that it did meanwhile.
 */
static bool is_own(const struct pev_event *event)
{
	return event->charge || event->by_others || event->ops->follow ||
	       event->flags & PEV_F_USER_PAGE;
}

/* A CPU that moves a task, or sees the end of a wait, counts what does not run there. */
static bool has_counted(struct pev_event_cpu *ec)
{
	return READ_ONCE(ec->since) || local64_read(&ec->count) ||
	       local64_read(&ec->filtered) || local64_read(&ec->unarmed);
}

/* Has an event of which that is so counted on @cpu since it was reset last? */
static bool any_own(int cpu, const struct batch *batch)
{
	for (unsigned int i = 0; i < batch->nr; i++)
		if (is_own(batch->events[i]) &&
		    has_counted(per_cpu_ptr(batch->events[i]->percpu, cpu)))
			return true;
	return false;
}

/* It may begin to run them in the midst of this. */
static void reset_there(struct batch *batch, unsigned int cpu)
{
	for (unsigned int i = 0; i < batch->nr; i++)
		if (!cpu_online(cpu) || !is_own(batch->events[i]))
			ec_reset(batch->events[i], cpu, false);
}

/* For longer than a switch takes, which has the time that it began at. */
#define SWITCH_NS	NSEC_PER_MSEC

/* Has any of them been started or stopped on @cpu since @from? */
static bool ran_since(int cpu, const struct batch *batch, u64 from)
{
	/* pev_reset:A, pairs with the barrier of __schedule() between two sets of a CPU */
	smp_rmb();
	for (unsigned int i = 0; i < batch->nr; i++) {
		const struct pev_event_cpu *ec = per_cpu_ptr(batch->events[i]->percpu, cpu);

		if (READ_ONCE(ec->since) >= from)
			return true;
	}
	return false;
}

/*
 * Events are reset from here on CPUs where they do not run. A CPU that runs one, or ran one
 * meanwhile, is found afterwards and resets it once more: only the CPU itself writes to
 * the counters of an event that runs there, and may have added to one that was reset. Of some it
 * alone resets them, once for each time that it counted any, see is_own().
 */
void pev_target_reset(struct pev_event **events, unsigned int nr)
{
	static struct cpumask running;
	struct batch batch;
	unsigned int cpu;
	u64 from;

	lockdep_assert_held(&pev_control);
	from = pev_now_ns() - SWITCH_NS;
	cpumask_clear(&running);
	batch_init(&batch, events, nr);
	for (unsigned int i = 0; i < nr; i++)
		if (events[i]->ops->reset_all)
			events[i]->ops->reset_all(events[i]);
	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		if (cpu_online(cpu) && (concerns(cpu, &batch) || any_own(cpu, &batch)))
			cpumask_set_cpu(cpu, &running);
		else
			reset_there(&batch, cpu);
	}
	smp_mb();	/* pev_sync:A, pairs with pev_sync:B in target.c */
	for_each_online_cpu(cpu)
		if (concerns(cpu, &batch) || ran_since(cpu, &batch, from))
			cpumask_set_cpu(cpu, &running);
	on_each_cpu_mask(&running, reset_here, &batch, true);
	cpus_read_unlock();
	/* the user page shows the sum of all CPUs as of the last fold */
	for (unsigned int i = 0; i < nr; i++)
		if (events[i]->flags & PEV_F_USER_PAGE)
			pev_target_fold(&events[i], 1);
}
