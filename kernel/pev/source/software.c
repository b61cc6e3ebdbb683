// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the software counters. Clocks are the time that they ran; the
 * others are counted where the kernel tells perf of them (one hook in
 * perf_sw_event()) and at the scheduler's tracepoints.
 */
#include <linux/nospec.h>
#include <linux/perf_event.h>
#include <linux/pev_hooks.h>
#include <linux/pev_refuse.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <trace/events/sched.h>
#include "base/hooks.h"
#include "base/strbuf.h"
#include "glue/linux.h"
#include "glue/watch.h"
#include "record/charge.h"
#include "record/sample.h"
#include "source/list.h"
#include "source/trace/filter.h"
#include "target/running.h"
#include "target/target.h"
#include "types.h"

static const char * const names[PEV_SW_MAX] = {
	[PEV_SW_CPU_CLOCK]		= "cpu-clock",
	[PEV_SW_TASK_CLOCK]		= "task-clock",
	[PEV_SW_PAGE_FAULTS]		= "page-faults",
	[PEV_SW_PAGE_FAULTS_MIN]	= "minor-faults",
	[PEV_SW_PAGE_FAULTS_MAJ]	= "major-faults",
	[PEV_SW_CONTEXT_SWITCHES]	= "context-switches",
	[PEV_SW_CPU_MIGRATIONS]		= "cpu-migrations",
#if defined(CONFIG_PPC) || defined(CONFIG_ARM64)
	/* x86 reports none */
	[PEV_SW_ALIGNMENT_FAULTS]	= "alignment-faults",
	[PEV_SW_EMULATION_FAULTS]	= "emulation-faults",
#endif
};

/* NULL if this machine can't count it. */
static const char *name_of(u64 config)
{
	return config < PEV_SW_MAX ? names[array_index_nospec(config, PEV_SW_MAX)] : NULL;
}

static bool is_clock(u64 config)
{
	return config == PEV_SW_CPU_CLOCK || config == PEV_SW_TASK_CLOCK;
}

static noinline void record(struct pev_event *event, struct pev_event_cpu *ec,
			    const struct pev_sample_in *in)
{
	if (pev_sample_begin(event, ec, 0, in))
		pev_sample_end(ec);
}

/* Is it the opener's business, and wanted? */
static noinline bool allowed(struct pev_event *event, struct pev_event_cpu *ec, u64 nr,
			     const struct pev_sample_in *in)
{
	const struct pev_occurrence at = {
		.ip = in->regs ? instruction_pointer(in->regs) : 0, .task = in->task,
	};

	return pev_filter_allows(event, ec, nr, &at);
}

static __always_inline void count(struct pev_event *event, struct pev_event_cpu *ec, u64 nr,
				  const struct pev_sample_in *in)
{
	if (unlikely(READ_ONCE(event->gate)) && !allowed(event, ec, nr, in))
		return;
	if (pev_event_hit(event, ec, nr))
		record(event, ec, in);
}

static void hit(unsigned int config, u64 nr, struct pt_regs *regs, u64 addr)
{
	struct pev_sample_in in = { .regs = regs, .addr = addr };
	struct pev_event_cpu *ec;

	pev_for_each_running(ec, PEV_RUN_SOFTWARE + config) {
		struct pev_event *event = ec->event;

		if (regs && event->flags & (user_mode(regs) ? PEV_F_EXCLUDE_USER :
							      PEV_F_EXCLUDE_KERNEL))
			continue;
		count(event, ec, nr, &in);
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

	if (event->ops != &pev_software_source || event->config != PEV_SW_CPU_MIGRATIONS)
		return;
	count(event, this_cpu_ptr(event->percpu), 1, &in);
	pev_charge_other(event, task);
}

/*
 * The task does not run while it migrates, and the CPU that moves it counts for
 * another task: its events are found through the task.
 */
static void probe_migrate(void *data, struct task_struct *task, int to)
{
	if (task_cpu(task) != to)
		pev_target_each(task, count_migration);
}

static int switch_place(void)
{
	return pev_tracepoint_hook(sched_switch, probe_switch);
}

static void switch_remove(void)
{
	pev_tracepoint_unhook(sched_switch, probe_switch);
}

static int migrate_place(void)
{
	return pev_tracepoint_hook(sched_migrate_task, probe_migrate);
}

static void migrate_remove(void)
{
	pev_tracepoint_unhook(sched_migrate_task, probe_migrate);
}

static struct pev_hookpoint faults_hook = {
	.place = pev_watch_faults, .remove = pev_unwatch_faults
};

static struct pev_hookpoint switch_hook = { .place = switch_place, .remove = switch_remove };
static struct pev_hookpoint migrate_hook = { .place = migrate_place, .remove = migrate_remove };

/* NULL: the event needs none. */
static struct pev_hookpoint *hook_of(const struct pev_event *event)
{
	switch (event->config) {
	case PEV_SW_CPU_CLOCK:
	case PEV_SW_TASK_CLOCK:
		return NULL;
	case PEV_SW_CONTEXT_SWITCHES:
		return &switch_hook;
	case PEV_SW_CPU_MIGRATIONS:
		return &migrate_hook;
	default:
		return &faults_hook;
	}
}

static int software_hook(struct pev_event *event, struct pev_refuse *r)
{
	struct pev_hookpoint *hook = hook_of(event);
	int err = hook ? pev_hook_get(hook) : 0;

	if (err)
		return pev_hook_refuse(err, event->name, r);
	return 0;
}

static void software_unhook(struct pev_event *event)
{
	struct pev_hookpoint *hook = hook_of(event);

	if (hook)
		pev_hook_put(hook);
}

static void software_start(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	if (!event->counts_time)
		pev_running_add(PEV_RUN_SOFTWARE + event->config, ec);
}

static void software_stop(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	if (!event->counts_time)
		pev_running_del(ec);
}

/*
 * For how many events one counts that occurs at each switch, with interrupts off, and at each move
 * to another CPU, of which the scheduler makes up to 32 at a stretch.
 */
#define SWITCHES_WEIGHT	16
#define MOVES_WEIGHT	128

static int software_open(struct pev_event *event, const struct pev_attr *attr,
			 struct pev_refuse *r)
{
	const char *name = name_of(attr->config);

	if (!name && attr->config < PEV_SW_MAX)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "this architecture does not report software event %llu",
				  attr->config);
	if (!name)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 0, PEV_SW_MAX - 1,
					"there is no software event %llu", attr->config);
	event->by_others = attr->config == PEV_SW_CPU_MIGRATIONS;
	event->in_bulk = event->by_others;
	if (event->by_others)
		event->weight = event->privileged ? SWITCHES_WEIGHT : MOVES_WEIGHT;
	else if (attr->config == PEV_SW_CONTEXT_SWITCHES)
		event->weight = SWITCHES_WEIGHT;
	event->counts_time = is_clock(attr->config);
	if (event->counts_time && attr->channel_fd >= 0)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(type),
				  "%s only counts: PEV_TYPE_TIMER samples it", name);
	event->name = kstrdup(name, GFP_KERNEL_ACCOUNT);
	return event->name ? 0 : -ENOMEM;
}

static void software_info(struct pev_info *info)
{
	for (unsigned int i = 0; i < PEV_SW_MAX; i++)
		if (names[i])
			info->software |= 1ULL << i;
}

static void software_catalog(struct pev_strbuf *text)
{
	for (unsigned int i = 0; i < PEV_SW_MAX; i++)
		if (names[i])
			pev_strbuf_printf(text, "software %s -\n", names[i]);
}

const struct pev_source_ops pev_software_source = {
	.type		= "software",
	.attrs		= PEV_ATTR_CONFIG | PEV_ATTR_FILTER,
	.open		= software_open,
	.hook		= software_hook,
	.unhook		= software_unhook,
	.start		= software_start,
	.stop		= software_stop,
	.info		= software_info,
	.catalog	= software_catalog,
};
