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
#include <linux/workqueue.h>
#include "perf.h"
#include "work.h"

static LIST_HEAD(open_list);
/* CPUs whose events went with the last time that they were offline. */
static cpumask_t fresh_cpus;
static DEFINE_MUTEX(perf_lock);
static int online_state;

/* An event of a CPU takes rights to all CPUs, which perf checks. */
static struct perf_event *create(const struct pev_perf *perf, unsigned int cpu)
{
	struct cred *kernel = prepare_kernel_cred(&init_task);
	struct perf_event_attr attr = perf->attr;
	const struct cred *caller;
	struct perf_event *event;

	if (!kernel)
		return ERR_PTR(-ENOMEM);
	caller = override_creds(kernel);
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, perf->handler,
						 perf->context);
	revert_creds(caller);
	put_cred(kernel);
	return event;
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
	struct install in = { perf, create(perf, cpu) };
	int err = PTR_ERR_OR_ZERO(in.event);

	if (err)
		return err;
	if (perf->install)
		err = smp_call_function_single(cpu, install_here, &in, 1);
	if (err) {
		/* @cpu has gone offline meanwhile */
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

int pev_perf_open(struct pev_perf *perf)
{
	unsigned int cpu;
	int err;

	perf->events = alloc_percpu(struct perf_event *);
	if (!perf->events)
		return -ENOMEM;
	guard(mutex)(&perf_lock);
	for_each_online_cpu(cpu) {
		err = add(perf, cpu);
		/* a CPU that goes offline meanwhile has nothing to count */
		if (!err || !cpu_online(cpu))
			continue;
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

int pev_perf_try(const struct perf_event_attr *attr)
{
	const struct pev_perf perf = { .attr = *attr };
	struct perf_event *event = create(&perf, cpumask_any(cpu_online_mask));

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
	online_state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "pev:perf",
						 cpu_online_here, NULL);
	return min(online_state, 0);
}

void __pev_teardown pev_perf_teardown(void)
{
	cpuhp_remove_state_nocalls(online_state);
	cancel_work_sync(&renew_work);
}
