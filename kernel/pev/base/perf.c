// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the events that perf has for pev in the kernel: on which CPUs they are. Must not know
 * what they count.
 *
 * Locks: perf_lock keeps the list, and which CPUs its events are on. perf's own are below it.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cred.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include <linux/workqueue.h>
#include "glue/linux.h"
#include "perf.h"
#include "work.h"

static LIST_HEAD(open_list);
/* CPUs whose events went with the last time that they were offline. */
static cpumask_t fresh_cpus;
static DEFINE_MUTEX(perf_lock);
static int online_state;

/*
 * An event of a CPU takes rights to all CPUs, which perf checks. Credentials are charged to who
 * makes them, and might be waited for with locks held that others wait for.
 */
static struct cred *own_cred;

static struct perf_event *create(const struct perf_event_attr *wanted, int cpu,
				 perf_overflow_handler_t handler, void *context)
{
	const struct cred *caller = override_creds(own_cred);
	struct perf_event_attr attr = *wanted;
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, cpu < 0 ? current : NULL, handler,
						 context);
	revert_creds(caller);
	return event;
}

/* CPUs that count the same by @pmu as @cpu; NULL: none does. */
static const struct cpumask *same_scope(const struct pmu *pmu, unsigned int cpu)
{
	switch (pev_perf_scope(pmu)) {
	case PERF_PMU_SCOPE_CORE:
		return topology_sibling_cpumask(cpu);
	case PERF_PMU_SCOPE_DIE:
		return topology_die_cpumask(cpu);
	case PERF_PMU_SCOPE_CLUSTER:
		return topology_cluster_cpumask(cpu);
	case PERF_PMU_SCOPE_PKG:
		return topology_core_cpumask(cpu);
	case PERF_PMU_SCOPE_SYS_WIDE:
		return cpu_online_mask;
	default:
		return NULL;
	}
}

bool pev_perf_is_place(const struct perf_event *event, unsigned int cpu)
{
	const struct cpumask *same = same_scope(event->pmu, cpu);

	/* most drivers move the event to the CPU that counts for the others */
	if (event->cpu != cpu)
		return false;
	return !same || cpumask_first_and(same, cpu_online_mask) == cpu;
}

static void remove(struct pev_perf *perf, unsigned int cpu)
{
	struct perf_event **at = per_cpu_ptr(perf->events, cpu);

	if (*at)
		perf_event_release_kernel(*at);
	*at = NULL;
}

/**
 * struct install - an event that a CPU is to take
 * @perf:  which
 * @event: there
 */
struct install {
	struct pev_perf		*perf;
	struct perf_event	*event;
};

static void install_here(void *data)
{
	const struct install *in = data;

	in->perf->install(in->perf, in->event);
}

/* What is there is of the last time that @cpu was online. */
static int add(struct pev_perf *perf, unsigned int cpu)
{
	struct install in = { perf, create(&perf->attr, cpu, perf->handler, perf->context) };
	int err = PTR_ERR_OR_ZERO(in.event);

	if (err)
		return err;
	if (!pev_perf_is_place(in.event, cpu)) {
		/* another CPU counts for this one */
		perf_event_release_kernel(in.event);
		in.event = NULL;
	}
	if (perf->install)
		err = smp_call_function_single(cpu, install_here, &in, 1);
	if (err) {
		/* @cpu has gone offline meanwhile */
		if (in.event)
			perf_event_release_kernel(in.event);
		return err;
	}
	remove(perf, cpu);
	*per_cpu_ptr(perf->events, cpu) = in.event;
	return 0;
}

static void remove_all(struct pev_perf *perf)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		remove(perf, cpu);
	free_percpu(perf->events);
	perf->events = NULL;
}

static int add_all(struct pev_perf *perf)
{
	bool any = false;
	unsigned int cpu;
	int err, last = 0;

	for_each_online_cpu(cpu) {
		err = add(perf, cpu);
		any |= !err;
		/* a CPU that goes offline meanwhile has nothing to count */
		if (!err || !cpu_online(cpu))
			continue;
		if (!perf->some || !pev_perf_lacks(err))
			return err;
		last = err;
	}
	return any ? 0 : last;
}

int pev_perf_open(struct pev_perf *perf)
{
	int err;

	perf->events = alloc_percpu(struct perf_event *);
	if (!perf->events)
		return -ENOMEM;
	guard(mutex)(&perf_lock);
	err = add_all(perf);
	if (err) {
		remove_all(perf);
		return err;
	}
	list_add(&perf->node, &open_list);
	return 0;
}

static void leave_here(void *data)
{
	struct pev_perf *perf = data;

	perf->install(perf, NULL);
}

void pev_perf_close(struct pev_perf *perf)
{
	scoped_guard(mutex, &perf_lock)
		list_del(&perf->node);
	/* what is still to come in interrupts must not look at an event that is gone */
	if (perf->install)
		on_each_cpu(leave_here, perf, 1);
	/* each may wait for a grace period */
	remove_all(perf);
}

struct perf_event *pev_perf_look(const struct perf_event_attr *attr, int cpu)
{
	struct perf_event_attr off = *attr;

	off.disabled = 1;
	return create(&off, cpu, NULL, NULL);
}

struct perf_event *pev_perf_ask(const struct perf_event_attr *attr, int cpu)
{
	struct perf_event_attr off = *attr;

	off.disabled = 1;
	return perf_event_create_kernel_counter(&off, cpu, cpu < 0 ? current : NULL, NULL, NULL);
}

int pev_perf_try(const struct perf_event_attr *attr, unsigned int cpu)
{
	struct perf_event *event = pev_perf_look(attr, cpu);

	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
	return 0;
}

/* ---- CPUs that come online ---- */

/* A CPU that is gone again takes its error with it. */
static void renew(struct work_struct *work)
{
	struct pev_perf *perf;
	unsigned int cpu;

	guard(mutex)(&perf_lock);
	for_each_cpu(cpu, &fresh_cpus) {
		cpumask_clear_cpu(cpu, &fresh_cpus);
		list_for_each_entry(perf, &open_list, node)
			add(perf, cpu);
	}
}

static DECLARE_WORK(renew_work, renew);

/* perf takes the lock of hotplug, which is held here. */
static int cpu_online_here(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &fresh_cpus);
	queue_work(pev_wq, &renew_work);
	return 0;
}

int __init pev_perf_setup(void)
{
	own_cred = prepare_kernel_cred(&init_task);
	if (!own_cred)
		return -ENOMEM;
	online_state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "pev:perf",
						 cpu_online_here, NULL);
	if (online_state < 0)
		put_cred(own_cred);
	return min(online_state, 0);
}

void __pev_teardown pev_perf_teardown(void)
{
	cpuhp_remove_state_nocalls(online_state);
	cancel_work_sync(&renew_work);
	put_cred(own_cred);
}
