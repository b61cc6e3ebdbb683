// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what pev must know of PMUs that perf drives and pev's own driver does not: whether they
 * count tasks, on which CPUs, whether they interrupt. Must not know how they are read
 * (pmu/perf_counter.c).
 *
 * perf is asked by events that never count. Numbers of PMUs come from the user: all that makes
 * something when it is asked for, as a probe, is refused before.
 *
 * Locks: probes_lock for numbers that are looked up once.
 */
#include <linux/array_size.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/device/bus.h>
#include <linux/mutex.h>
#include <linux/pev_refuse.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "base/perf.h"
#include "types.h"
#include "perf_kinds.h"
#include "perf_other.h"
#include "pmu.h"

/* ---- PMUs that are none ---- */

static const char * const probe_names[] = { "kprobe", "uprobe" };
/* Their numbers, which they keep until the machine is switched off; 0: not there. */
static u32 probe_types[ARRAY_SIZE(probe_names)];
static bool probes_known;
static DEFINE_MUTEX(probes_lock);

/* Any PMU's device leads to the list of all. */
static int find_probes(const struct pmu *any)
{
	if (!any->dev || !any->dev->bus)
		return -ENODEV;
	for (unsigned int i = 0; i < ARRAY_SIZE(probe_names); i++) {
		struct device *dev = bus_find_device_by_name(any->dev->bus, NULL, probe_names[i]);
		const struct pmu *pmu = dev ? dev_get_drvdata(dev) : NULL;

		/* it is part of the kernel, and does not go */
		if (pmu)
			probe_types[i] = pmu->type;
		put_device(dev);
	}
	probes_known = true;
	return 0;
}

static int know_probes(void)
{
	const struct perf_event_attr dummy = {
		.type	= PERF_TYPE_SOFTWARE,
		.size	= sizeof(dummy),
		.config	= PERF_COUNT_SW_DUMMY,
	};
	struct perf_event *event;
	int err;

	guard(mutex)(&probes_lock);
	if (probes_known)
		return 0;
	event = pev_perf_look(&dummy, cpumask_any(cpu_online_mask));
	if (IS_ERR(event))
		return PTR_ERR(event);
	err = find_probes(event->pmu);
	perf_event_release_kernel(event);
	return err;
}

/* What pev has sources of its own for, with rights of their own. */
static int check_number(u32 type, struct pev_refuse *r)
{
	static const char * const instead[PERF_TYPE_MAX] = {
		[PERF_TYPE_HARDWARE]	= "PEV_TYPE_HARDWARE",
		[PERF_TYPE_SOFTWARE]	= "PEV_TYPE_SOFTWARE",
		[PERF_TYPE_TRACEPOINT]	= "PEV_TYPE_TRACEPOINT",
		[PERF_TYPE_HW_CACHE]	= "PEV_TYPE_HARDWARE",
		[PERF_TYPE_RAW]		= "PEV_TYPE_RAW with pmu 0",
		[PERF_TYPE_BREAKPOINT]	= "nothing of pev's",
	};
	int err;

	/* where there are several kinds of cores, one of them may have this number */
	if (type == PERF_TYPE_RAW && pev_perf_is_kind(type))
		return 0;
	if (type < PERF_TYPE_MAX)
		return pev_refuse(r, EINVAL, PEV_FIELD(pmu),
				  "number %u of perf's is no PMU that pev counts by: take %s", type,
				  instead[type]);
	err = know_probes();
	if (err == -ENOMEM)
		return err;
	if (err)
		return pev_refuse(r, ENODEV, PEV_FIELD(pmu),
				  "the kernel does not say which PMU %u is (error %d)", type, -err);
	for (unsigned int i = 0; i < ARRAY_SIZE(probe_types); i++)
		if (type == READ_ONCE(probe_types[i]))
			return pev_refuse(r, EINVAL, PEV_FIELD(pmu),
					  "PMU %u makes a %s: take PEV_TYPE_PROBE", type,
					  probe_names[i]);
	return 0;
}

/* Events that all processors have are counted by PMUs of cores alone. */
static int check_generic(u32 type, struct pev_refuse *r)
{
	if (pev_perf_is_kind(type))
		return 0;
	return pev_refuse(r, ENODEV, PEV_FIELD(pmu),
			  "there is no PMU %u of generic events, which are those of PMU %u%s: give its code by PEV_TYPE_RAW",
			  type, PEV_PMU_CORE,
			  pev_perf_has_kinds() ? " and of each kind of core" : "");
}

/* ---- what a PMU can ---- */

/**
 * struct abilities - what counts for pev of a struct pmu, which may go with the event
 * @context: task_ctx_nr
 * @can:     capabilities
 * @samples: its driver lets the event sample, though it was asked for one that counts
 */
struct abilities {
	int	context;
	u32	can;
	bool	samples;
};

/* Looks for a CPU that the PMU is one of, if it counts on some only. */
static struct perf_event *look_at_cpus(const struct perf_event_attr *attr)
{
	struct perf_event *event = ERR_PTR(-ENODEV);
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		event = pev_perf_look(attr, cpu);
		if (!IS_ERR(event) || !pev_perf_lacks(PTR_ERR(event)))
			break;
		cond_resched();
	}
	return event;
}

/* What counts no tasks is told from what counts nothing by a CPU, for those who may have it. */
static struct perf_event *look(const struct pev_perf_code *code, const struct pev_event *opened)
{
	const struct perf_event_attr perf = pev_perf_attr(code);
	struct perf_event *event;

	if (!pev_targets_task(opened))
		return look_at_cpus(&perf);
	event = pev_perf_look(&perf, -1);
	return IS_ERR(event) && pev_hw_may_take_cpus(opened) ? look_at_cpus(&perf) : event;
}

/* Without modes and samples, which would be refused without a word. */
static int learn(const struct pev_hw_event *hw, const char *name, struct abilities *a,
		 struct pev_refuse *r)
{
	const struct pev_perf_code *code = &hw->perf;
	const struct pev_perf_code plain = {
		.type		= code->type,
		.config		= code->config,
		.config1	= code->config1,
		.config2	= code->config2,
		.some		= true,
	};
	struct perf_event *event = look(&plain, hw->event);

	if (!IS_ERR(event)) {
		a->context = event->pmu->task_ctx_nr;
		a->can = event->pmu->capabilities;
		a->samples = is_sampling_event(event);
		perf_event_release_kernel(event);
		return 0;
	}
	if (pev_perf_lacks(PTR_ERR(event)))
		return pev_refuse(r, ENODEV, PEV_FIELD(pmu),
				  "there is no PMU %u that counts %s: /sys/bus/event_source/devices has those of perf",
				  pev_perf_pmu(code), name);
	return pev_perf_refuse(PTR_ERR(event), &plain, name, r);
}

static int check_sampling(const struct abilities *a, u32 pmu, struct pev_refuse *r)
{
	if (a->can & PERF_PMU_CAP_NO_INTERRUPT || a->context == perf_invalid_context)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(channel_fd),
				  "PMU %u has no interrupt for its counters: it can count, but not sample",
				  pmu);
	/* their overflows are moved while tasks are switched, which other drivers never see */
	if (!(a->can & PERF_PMU_CAP_EXTENDED_HW_TYPE))
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(channel_fd),
				  "pev samples by PMUs of cores alone, which PMU %u is not: it can count",
				  pmu);
	return 0;
}

#define MODES	(PEV_F_EXCLUDE_USER | PEV_F_EXCLUDE_KERNEL | PEV_F_EXCLUDE_HV | \
		 PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST)

static int check_abilities(const struct pev_attr *attr, const struct abilities *a,
			   struct pev_refuse *r)
{
	if (a->can & (PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE))
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(pmu),
				  "PMU %u traces what the processor does, and counts nothing",
				  attr->pmu);
	/* AMD's IBS takes the period from config then, and interrupts each CPU that often */
	if (a->samples)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "PMU %u does not only count with this config: its driver takes a period from it, and interrupts",
				  attr->pmu);
	if (a->context == perf_invalid_context && attr->target != PEV_TARGET_CPUS)
		return pev_refuse(r, EINVAL, PEV_FIELD(target),
				  "PMU %u counts what a whole socket or device does, whatever runs: take PEV_TARGET_CPUS",
				  attr->pmu);
	if (a->can & PERF_PMU_CAP_NO_EXCLUDE && attr->flags & MODES)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "PMU %u counts in all modes: do without PEV_F_EXCLUDE_*",
				  attr->pmu);
	return attr->channel_fd < 0 ? 0 : check_sampling(a, attr->pmu, r);
}

/* ---- rights, and CPUs ---- */

/* How the opener would ask perf. */
static struct perf_event_attr as_asked(const struct pev_attr *attr, const struct pev_hw_event *hw)
{
	struct pev_perf_code code = hw->perf;

	code.samples = attr->channel_fd >= 0;
	return pev_perf_attr(&code);
}

static int ask_of_task(const struct pev_attr *attr, struct pev_hw_event *hw, const char *name,
		       struct pev_refuse *r)
{
	const struct perf_event_attr perf = as_asked(attr, hw);
	struct perf_event *event = pev_perf_ask(&perf, -1);

	if (IS_ERR(event))
		return pev_perf_refuse(PTR_ERR(event), &hw->perf, name, r);
	perf_event_release_kernel(event);
	return 0;
}

/* Finds out where it counts, too: on one CPU of those that share what is counted. */
static int ask_of_cpus(const struct pev_attr *attr, struct pev_hw_event *hw, const char *name,
		       struct pev_refuse *r)
{
	const struct perf_event_attr perf = as_asked(attr, hw);
	int last = -ENODEV;
	unsigned int cpu;

	hw->where = kzalloc(cpumask_size(), GFP_KERNEL_ACCOUNT);
	if (!hw->where)
		return -ENOMEM;
	for_each_online_cpu(cpu) {
		struct perf_event *event = pev_perf_ask(&perf, cpu);

		cond_resched();
		if (IS_ERR(event)) {
			last = PTR_ERR(event);
			if (pev_perf_lacks(last))
				continue;
			return pev_perf_refuse(last, &hw->perf, name, r);
		}
		if (pev_perf_is_place(event, cpu))
			cpumask_set_cpu(cpu, hw->where);
		perf_event_release_kernel(event);
	}
	return cpumask_empty(hw->where) ? pev_perf_refuse(last, &hw->perf, name, r) : 0;
}

int pev_perf_permit(const struct pev_attr *attr, struct pev_hw_event *hw, const char *name,
		    struct pev_refuse *r)
{
	/* users of CPUs may all that perf asks for */
	if (!pev_targets_task(hw->event) && !hw->perf.precise)
		return 0;
	return ask_of_task(attr, hw, name, r);
}

int pev_perf_other(const struct pev_attr *attr, struct pev_hw_event *hw, const char *name,
		   struct pev_refuse *r)
{
	struct abilities a;
	int err;

	if (attr->type == PEV_TYPE_RAW)
		err = check_number(attr->pmu, r);
	else
		err = check_generic(attr->pmu, r);
	err = err ?: learn(hw, name, &a, r);
	err = err ?: check_abilities(attr, &a, r);
	if (err)
		return err;
	hw->perf.always = a.context == perf_sw_context;
	hw->perf.aside = a.context == perf_invalid_context;
	return pev_targets_task(hw->event) ? ask_of_task(attr, hw, name, r) :
					     ask_of_cpus(attr, hw, name, r);
}
