// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the software counters. Clocks are the time that their slots ran; the
 * others are counted where the kernel tells perf of them (one hook in
 * perf_sw_event()) and at the scheduler's tracepoints.
 */
#include <linux/perf_event.h>
#include <linux/pev.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <trace/events/sched.h>
#include "event.h"
#include "refuse.h"
#include "running.h"
#include "sample.h"
#include "software.h"
#include "target.h"

DEFINE_STATIC_KEY_FALSE(pev_software_key);

static const char * const names[PEV_SW_MAX] = {
	[PEV_SW_CPU_CLOCK]		= "cpu-clock",
	[PEV_SW_TASK_CLOCK]		= "task-clock",
	[PEV_SW_PAGE_FAULTS]		= "page-faults",
	[PEV_SW_PAGE_FAULTS_MIN]	= "minor-faults",
	[PEV_SW_PAGE_FAULTS_MAJ]	= "major-faults",
	[PEV_SW_CONTEXT_SWITCHES]	= "context-switches",
	[PEV_SW_CPU_MIGRATIONS]		= "cpu-migrations",
#ifdef CONFIG_PPC
	/* the only architecture of ours that reports them */
	[PEV_SW_ALIGNMENT_FAULTS]	= "alignment-faults",
	[PEV_SW_EMULATION_FAULTS]	= "emulation-faults",
#endif
};

const char *pev_software_name(u64 config)
{
	return config < PEV_SW_MAX ? names[config] : NULL;
}

static bool is_clock(u64 config)
{
	return config == PEV_SW_CPU_CLOCK || config == PEV_SW_TASK_CLOCK;
}

static void count(struct pev_event *event, struct pev_slot *slot, u64 nr,
		  const struct pev_sample_in *in)
{
	if (pev_slot_hit(event, slot, nr) && pev_sample_begin(event, slot, 0, in))
		pev_sample_end(slot);
}

static void hit(unsigned int config, u64 nr, struct pt_regs *regs, u64 addr)
{
	struct pev_sample_in in = { .regs = regs, .addr = addr };
	struct pev_slot *slot;

	pev_for_each_running(slot, PEV_RUN_SOFTWARE + config) {
		struct pev_event *event = slot->event;

		if (regs && event->flags & (user_mode(regs) ? PEV_F_EXCLUDE_USER :
							      PEV_F_EXCLUDE_KERNEL))
			continue;
		count(event, slot, nr, &in);
	}
}

/**
 * __pev_software() - something that perf counts in software happened
 * @perf_id: enum perf_sw_ids
 * @nr:      how often
 * @regs:    where
 * @addr:    the data address it is about, or 0
 *
 * Context: Any.
 */
void __pev_software(u32 perf_id, u64 nr, struct pt_regs *regs, u64 addr)
{
	unsigned int config;

	switch (perf_id) {
	case PERF_COUNT_SW_PAGE_FAULTS:
		config = PEV_SW_PAGE_FAULTS;
		break;
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
		config = PEV_SW_PAGE_FAULTS_MIN;
		break;
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
		config = PEV_SW_PAGE_FAULTS_MAJ;
		break;
	case PERF_COUNT_SW_ALIGNMENT_FAULTS:
		config = PEV_SW_ALIGNMENT_FAULTS;
		break;
	case PERF_COUNT_SW_EMULATION_FAULTS:
		config = PEV_SW_EMULATION_FAULTS;
		break;
	default:
		return;
	}
	preempt_disable_notrace();
	hit(config, nr, regs, addr);
	preempt_enable_notrace();
}

static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	hit(PEV_SW_CONTEXT_SWITCHES, 1, NULL, 0);
}

static void count_migration(struct pev_event *event, struct task_struct *task)
{
	struct pev_sample_in in = { .task = task };

	if (event->ops == &pev_software_source && event->config == PEV_SW_CPU_MIGRATIONS)
		count(event, this_cpu_ptr(event->slots), 1, &in);
}

/*
 * The task does not run while it migrates, and the CPU that moves it counts for
 * somebody else: its events are found through the task.
 */
static void probe_migrate(void *data, struct task_struct *task, int to)
{
	if (task_cpu(task) != to)
		pev_target_each(task, count_migration);
}

static unsigned int key_users, switch_users, migrate_users;

static int software_hook(struct pev_event *event, struct pev_refuse *r)
{
	int err = 0;

	lockdep_assert_held(&pev_control);

	switch (event->config) {
	case PEV_SW_CPU_CLOCK:
	case PEV_SW_TASK_CLOCK:
		break;
	case PEV_SW_CONTEXT_SWITCHES:
		if (!switch_users)
			err = register_trace_sched_switch(probe_switch, NULL);
		switch_users += !err;
		break;
	case PEV_SW_CPU_MIGRATIONS:
		if (!migrate_users)
			err = register_trace_sched_migrate_task(probe_migrate, NULL);
		migrate_users += !err;
		break;
	default:
		if (!key_users++)
			static_branch_enable(&pev_software_key);
	}
	return err;
}

static void software_unhook(struct pev_event *event)
{
	lockdep_assert_held(&pev_control);

	switch (event->config) {
	case PEV_SW_CPU_CLOCK:
	case PEV_SW_TASK_CLOCK:
		break;
	case PEV_SW_CONTEXT_SWITCHES:
		if (!--switch_users)
			unregister_trace_sched_switch(probe_switch, NULL);
		break;
	case PEV_SW_CPU_MIGRATIONS:
		if (!--migrate_users)
			unregister_trace_sched_migrate_task(probe_migrate, NULL);
		break;
	default:
		if (!--key_users)
			static_branch_disable(&pev_software_key);
	}
}

static void software_start(struct pev_event *event, struct pev_slot *slot, u64 now)
{
	if (!event->counts_time)
		pev_running_add(PEV_RUN_SOFTWARE + event->config, slot);
}

static void software_stop(struct pev_event *event, struct pev_slot *slot, u64 now)
{
	if (!event->counts_time)
		pev_running_del(slot);
}

static int software_open(struct pev_event *event, const struct pev_attr *attr,
			 struct pev_refuse *r)
{
	const char *name = pev_software_name(attr->config);

	if (!name && attr->config < PEV_SW_MAX)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "this architecture does not report software event %llu",
				  attr->config);
	if (!name)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 0, PEV_SW_MAX - 1,
					"there is no software event %llu", attr->config);
	if (attr->flags & PEV_F_FREQ)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "%s is recorded by period: PEV_F_FREQ is for timers", name);
	event->counts_time = is_clock(attr->config);
	if (event->counts_time && attr->channel_fd >= 0)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(type),
				  "%s only counts: PEV_TYPE_TIMER samples it", name);
	event->name = kstrdup(name, GFP_KERNEL_ACCOUNT);
	return event->name ? 0 : -ENOMEM;
}

const struct pev_source_ops pev_software_source = {
	.type	= "software",
	.open	= software_open,
	.hook	= software_hook,
	.unhook	= software_unhook,
	.start	= software_start,
	.stop	= software_stop,
};
