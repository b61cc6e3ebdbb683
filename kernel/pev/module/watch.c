// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what stands for the branches that a patched kernel has in its code: see glue/watch.h.
 * Tasks are task.c's.
 *
 * Faults: perf has an event on each CPU, with a period of 1, whose handler is called at the
 * places where the patched kernel calls pev. It is not throttled with that period.
 *
 * Mappings: what function tracing calls must not sleep, which a record of a mapping may. So
 * the callback redirects perf_event_mmap(), as a live patch does, to a function that writes
 * the record and calls the original.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cred.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/pev_hooks.h>
#include <linux/rcupdate_trace.h>
#include <linux/static_call.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>
#include "base/work.h"
#include "glue/watch.h"
#include "resolve.h"
#include "task.h"
#include "watch.h"

/* ---- tasks ---- */

static bool watches_tasks;

int pev_watch_tasks(void)
{
	int err = pev_task_trace();

	WRITE_ONCE(watches_tasks, !err);
	return err;
}

void pev_unwatch_tasks(void)
{
	WRITE_ONCE(watches_tasks, false);
	pev_task_untrace();
}

bool pev_watches_tasks(void)
{
	return READ_ONCE(watches_tasks);
}

/* Pages show hardware counters, of which a module has none. */
void pev_watch_pages(void)
{
}

/* ---- faults ---- */

static const u64 fault_ids[] = {
	PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	PERF_COUNT_SW_ALIGNMENT_FAULTS, PERF_COUNT_SW_EMULATION_FAULTS,
};

#define NR_FAULTS	ARRAY_SIZE(fault_ids)

struct faults {
	struct perf_event	*events[NR_FAULTS];
};

static DEFINE_PER_CPU(struct faults, faults);
/* CPUs whose events went with the last time that they were offline. */
static cpumask_t fresh_cpus;
static DEFINE_MUTEX(faults_lock);
static bool watches_faults;
static int online_state;

static void on_fault(struct perf_event *event, struct perf_sample_data *data,
		     struct pt_regs *regs)
{
	__pev_software(event->attr.config, 1, regs, data->addr);
}

static void remove_faults(unsigned int cpu)
{
	for (unsigned int i = 0; i < NR_FAULTS; i++) {
		struct perf_event **at = &per_cpu(faults, cpu).events[i];

		if (*at)
			perf_event_release_kernel(*at);
		*at = NULL;
	}
}

/* Who asked for it has been asked for its rights; an event of a CPU takes those to all CPUs. */
static struct perf_event *create_event(struct perf_event_attr *attr, unsigned int cpu)
{
	struct cred *kernel = prepare_kernel_cred(&init_task);
	const struct cred *caller;
	struct perf_event *event;

	if (!kernel)
		return ERR_PTR(-ENOMEM);
	caller = override_creds(kernel);
	event = perf_event_create_kernel_counter(attr, cpu, NULL, on_fault, NULL);
	revert_creds(caller);
	put_cred(kernel);
	return event;
}

static int add_faults(unsigned int cpu)
{
	for (unsigned int i = 0; i < NR_FAULTS; i++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_SOFTWARE, .config = fault_ids[i],
			.size = sizeof(attr), .sample_period = 1,
		};
		struct perf_event *event;

		event = create_event(&attr, cpu);
		if (IS_ERR(event)) {
			remove_faults(cpu);
			return PTR_ERR(event);
		}
		per_cpu(faults, cpu).events[i] = event;
	}
	return 0;
}

/* A CPU that is gone again takes its error with it. */
static void renew_faults(struct work_struct *work)
{
	unsigned int cpu;

	guard(mutex)(&faults_lock);
	for_each_cpu(cpu, &fresh_cpus) {
		cpumask_clear_cpu(cpu, &fresh_cpus);
		remove_faults(cpu);
		if (watches_faults)
			add_faults(cpu);
	}
}

static DECLARE_WORK(renew_work, renew_faults);

/* perf takes the lock of hotplug, which is held here. */
static int cpu_online_here(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &fresh_cpus);
	schedule_work(&renew_work);
	return 0;
}

int pev_watch_faults(void)
{
	unsigned int cpu;
	int err;

	guard(mutex)(&faults_lock);
	for_each_online_cpu(cpu) {
		remove_faults(cpu);
		err = add_faults(cpu);
		if (!err || !cpu_online(cpu))
			continue;
		for_each_possible_cpu(cpu)
			remove_faults(cpu);
		return err;
	}
	watches_faults = true;
	return 0;
}

void pev_unwatch_faults(void)
{
	unsigned int cpu;

	guard(mutex)(&faults_lock);
	watches_faults = false;
	for_each_possible_cpu(cpu)
		remove_faults(cpu);
}

/* ---- mappings ---- */

/* Tasks in map(): unloading waits for them. */
static atomic_t mapping;

DEFINE_STATIC_CALL_NULL(pev_perf_event_mmap, perf_event_mmap);

static void map(struct vm_area_struct *vma)
{
	__pev_mmap(vma);
	static_call(pev_perf_event_mmap)(vma);
	/* keeps the call above from becoming a jump, which would come from elsewhere */
	if (atomic_dec_and_test(&mapping))
		wake_up_var(&mapping);
}

static void notrace trace_mmap(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			       struct ftrace_regs *regs)
{
	if (within_module(parent, THIS_MODULE))
		return;
	atomic_inc(&mapping);
	ftrace_regs_set_instruction_pointer(regs, (unsigned long)map);
}

static struct ftrace_ops mmap_ops = {
	.func = trace_mmap,
	.flags = FTRACE_OPS_FL_PERMANENT | FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS,
};

int pev_watch_mmaps(void)
{
	unsigned long function = pev_address_of_perf_event_mmap();
	int err;

	static_call_update(pev_perf_event_mmap, (typeof(perf_event_mmap) *)function);
	err = ftrace_set_filter_ip(&mmap_ops, function, 0, 1);
	return err ?: register_ftrace_function(&mmap_ops);
}

void pev_unwatch_mmaps(void)
{
	unregister_ftrace_function(&mmap_ops);
	wait_var_event(&mapping, !atomic_read(&mapping));
	/* the last instructions of map() */
	synchronize_rcu_tasks();
}

/* ---- the module ---- */

int __init pev_watch_setup(void)
{
	online_state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "pev:faults",
						 cpu_online_here, NULL);
	return min(online_state, 0);
}

void __pev_teardown pev_watch_teardown(void)
{
	cpuhp_remove_state_nocalls(online_state);
	cancel_work_sync(&renew_work);
}
