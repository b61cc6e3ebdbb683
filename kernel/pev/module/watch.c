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
#include <linux/array_size.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/pev_hooks.h>
#include <linux/rcupdate_trace.h>
#include <linux/static_call.h>
#include <linux/wait_bit.h>
#include "base/perf.h"
#include "glue/watch.h"
#include "redirect.h"
#include "resolve.h"
#include "task.h"
#include "traced.h"
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

/* ---- faults ---- */

static void on_fault(struct perf_event *event, struct perf_sample_data *data,
		     struct pt_regs *regs)
{
	__pev_software(event->attr.config, 1, regs, data->addr);
}

#define FAULT(id)								\
{										\
	.attr = {								\
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##id,	\
		.size = sizeof(struct perf_event_attr), .sample_period = 1,	\
	},									\
	.handler = on_fault,							\
}

static struct pev_perf faults[] = {
	FAULT(PAGE_FAULTS), FAULT(PAGE_FAULTS_MIN), FAULT(PAGE_FAULTS_MAJ),
	FAULT(ALIGNMENT_FAULTS), FAULT(EMULATION_FAULTS),
};

static void close_faults(unsigned int nr)
{
	while (nr--)
		pev_perf_close(&faults[nr]);
}

int pev_watch_faults(void)
{
	int err;

	for (unsigned int i = 0; i < ARRAY_SIZE(faults); i++) {
		err = pev_perf_open(&faults[i]);
		if (!err)
			continue;
		close_faults(i);
		return err;
	}
	return 0;
}

void pev_unwatch_faults(void)
{
	close_faults(ARRAY_SIZE(faults));
}

/* ---- mappings ---- */

/* Tasks in pev_map(): unloading waits for them. */
static atomic_t mapping;

DEFINE_STATIC_CALL_NULL(pev_perf_event_mmap, perf_event_mmap);

void pev_map(struct vm_area_struct *vma)
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
	pev_redirect_to_map(regs);
}

static struct pev_traced mmaps = {
	.ops = { .func = trace_mmap, .flags = PEV_TRACED_FLAGS | PEV_REDIRECT_FLAGS },
	.nothing = pev_nothing_mapped,
};

int pev_watch_mmaps(void)
{
	unsigned long function = pev_address_of_perf_event_mmap();

	static_call_update(pev_perf_event_mmap, (typeof(perf_event_mmap) *)function);
	return pev_traced_on(&mmaps, function);
}

void pev_unwatch_mmaps(void)
{
	pev_traced_off(&mmaps);
}

void pev_watch_teardown(void)
{
	pev_task_teardown();
	pev_traced_teardown(&mmaps);
	wait_var_event(&mapping, !atomic_read(&mapping));
	/* the last instructions of pev_map(), and behind it */
	synchronize_rcu_tasks();
}
