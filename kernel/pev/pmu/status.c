// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what is told about the PMU and its events: which events this processor
 * counts, who holds the counters, how much multiplexed values can be trusted.
 */
#include <kunit/visibility.h>
#include <linux/cpu.h>
#include <linux/fs.h>
#include <linux/pev_refuse.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/string.h>
#include "base/lock.h"
#include "base/strbuf.h"
#include "base/turn.h"
#include "choose.h"
#include "names.h"
#include "overflow.h"
#include "perf_kinds.h"
#include "pmu.h"
#include "status.h"

static bool can_count(unsigned int config, struct pev_refuse *r)
{
	struct pev_pmu_request req = { .type = PEV_TYPE_HARDWARE, .config = config };
	struct pev_pmu_code code = { };

	return !pev_pmu_encode(&req, &code, r);
}

/* As the PMU is called where only perf knows it; it does not say how many counters it has. */
#define PERF_NAME	"cpu, by perf"

static void perf_info(struct pev_info *info)
{
	info->hardware = pev_perf_hardware();
	if (!info->hardware)
		return;
	info->pmu_counters = 1;
	strscpy_pad(info->pmu, PERF_NAME, sizeof(info->pmu));
}

void pev_pmu_info(struct pev_info *info)
{
	struct pev_refuse r = { };
	unsigned int i;

	if (pev_pmu_only_perf()) {
		perf_info(info);
		return;
	}
	if (!pev_pmu)
		return;
	for (i = 0; i < PEV_HW_MAX; i++)
		if (can_count(i, &r))
			info->hardware |= 1ULL << i;
	info->pmu_counters = hweight64(pev_pmu->present);
	info->pmu_features = pev_pmu->features;
	strscpy_pad(info->pmu, pev_pmu->name, sizeof(info->pmu));
}

void pev_pmu_catalog(struct pev_strbuf *text)
{
	struct pev_info info = { };

	pev_pmu_info(&info);
	for (unsigned int i = 0; i < PEV_HW_MAX; i++)
		if (info.hardware >> i & 1)
			pev_strbuf_printf(text, "hardware %s -\n", pev_hardware_names[i]);
}

/* ---- PEV_TYPE_PMU; the lines are ABI, see Documentation/userspace-api/pev.rst ---- */

static const char * const feature_names[] = { "freezes", "user-reads", "marks" };

static const char * const incident_names[PEV_PMU_INCIDENTS] = {
	[PEV_PMU_LATE]		= "late",
	[PEV_PMU_FOREIGN]	= "foreign",
	[PEV_PMU_STUCK]		= "stuck",
	[PEV_PMU_LOST]		= "lost",
	[PEV_PMU_PAUSED]	= "paused",
};

static void put_counters(struct pev_strbuf *text)
{
	u64 left;

	for (left = pev_pmu->present; left; left &= left - 1) {
		unsigned int i = __ffs64(left);
		const struct pev_pmu_counter *counter = &pev_pmu->counters[i];
		const char *holder = pev_pmu_is_ours() ? "pev" : pev_pmu->ops->holder(i);

		pev_strbuf_printf(text, "counter %u %s %u bits user ", i, counter->name,
				  counter->bits);
		if (counter->user < 0)
			pev_strbuf_printf(text, "-\n");
		else
			pev_strbuf_printf(text, "%d\n", counter->user);
		if (holder)
			pev_strbuf_printf(text, "holder %s %s\n", counter->name, holder);
	}
}

/* Show names of events only to the administrator: they belong to other users. */
static void put_use(struct pev_strbuf *text, unsigned int cpu, unsigned int counter)
{
	char name[PEV_MAX_NAME] = "free";
	struct pev_event *event;

	/* events are freed after a grace period of RCU-sched */
	preempt_disable();
	event = pev_pmu_cpu_user(cpu, counter);
	if (event)
		strscpy(name, perfmon_capable() ? event->name : "in use");
	preempt_enable();
	pev_strbuf_printf(text, "cpu %u %s %s\n", cpu, pev_pmu->counters[counter].name, name);
}

/* What an event that is opened now counts by. */
static void put_driver(struct pev_strbuf *text, u64 hardware)
{
	pev_strbuf_printf(text, "driver %s\n", hardware && pev_pmu_by_perf() ? "perf" : "pev");
}

static void put_perf(struct pev_strbuf *text, u64 hardware)
{
	if (!hardware)
		return;
	pev_strbuf_printf(text, "pmu %u " PERF_NAME "\n", PEV_PMU_CORE);
	scoped_guard(mutex, &pev_control)
		put_driver(text, hardware);
	for (unsigned int i = 0; i < PEV_HW_MAX; i++)
		if (!(hardware >> i & 1))
			pev_strbuf_printf(text, "event %s perf does not count it here\n",
					  pev_hardware_names[i]);
	pev_perf_put_kinds(text);
}

static void put_pmu(struct pev_strbuf *text, u64 hardware)
{
	struct pev_refuse r = { };
	unsigned int cpu, i;
	u64 left;

	if (!pev_pmu)
		return;
	pev_strbuf_printf(text, "pmu %u %s\n", PEV_PMU_CORE, pev_pmu->name);
	put_driver(text, hardware);
	for (i = 0; i < ARRAY_SIZE(feature_names); i++)
		if (pev_pmu->features & BIT(i))
			pev_strbuf_printf(text, "feature %s\n", feature_names[i]);
	put_counters(text);
	if (pev_pmu_is_ours())
		for_each_online_cpu(cpu)
			for (left = pev_pmu->present; left; left &= left - 1)
				put_use(text, cpu, __ffs64(left));
	for (i = 0; i < PEV_PMU_INCIDENTS; i++)
		pev_strbuf_printf(text, "incident %s %llu\n", incident_names[i],
				  pev_pmu_incidents(i));
	for (i = 0; i < PEV_HW_MAX; i++)
		if (!can_count(i, &r))
			pev_strbuf_printf(text, "event %s %s\n", pev_hardware_names[i], r.text);
}

VISIBLE_IF_KUNIT void pev_pmu_put_status(struct pev_strbuf *text, void *arg)
{
	const struct pev_pmu_status *status = arg;

	/* who has the lock of perf's kinds may be waiting for memory */
	if (status->only_perf)
		put_perf(text, status->hardware);
	else
		scoped_guard(mutex, &pev_control)
			put_pmu(text, status->hardware);
	if (perfmon_capable())
		status->more(text);
}

struct file *pev_pmu_file(void (*more)(struct pev_strbuf *text))
{
	struct pev_pmu_status status = { .only_perf = pev_pmu_only_perf(), .more = more };
	struct pev_turn *turn = pev_turn_take();
	struct file *file;

	if (IS_ERR(turn))
		return ERR_CAST(turn);
	status.hardware = pev_perf_hardware();
	file = pev_strbuf_file("[pev-pmu]", pev_pmu_put_status, &status);
	pev_turn_end(turn);
	return file;
}

/* ---- PEV_IOC_READ_MULTIPLEXED ---- */

/**
 * struct multiplexed - an event on all CPUs
 * @hw:      the event
 * @m:       sums over all CPUs
 * @windows: sums over its slices
 */
struct multiplexed {
	struct pev_hw_event	*hw;
	struct pev_multiplexed	m;
	struct pev_windows	windows;
};

static void add_one_cpu(struct multiplexed *all, const struct pev_hw_cpu *s)
{
	struct pev_multiplexed *m = &all->m;
	u64 enabled, running, waited;

	pev_event_cpu_times(s->ec, &enabled, &running);
	m->value += local64_read(&s->ec->count);
	m->time_enabled += enabled;
	m->time_running += running;
	m->throttled += READ_ONCE(s->throttles);
	m->throttled_ns += s->throttled_ns;
	pev_windows_merge(&all->windows, &s->windows);
	waited = enabled - running;
	pev_windows_open(&all->windows, &s->window, waited - min(waited, s->gap_from));
}

static void add_here(void *data)
{
	struct multiplexed *all = data;

	add_one_cpu(all, this_cpu_ptr(all->hw->percpu));
}

/*
 * Where the event does not run no slice ends, and nothing of it changes. Return: false, with
 * nothing added, if it runs, or has begun to.
 */
static bool add_from_here(struct multiplexed *all, const struct pev_hw_cpu *s)
{
	/* pev_pmu_slice:L, pairs with K in pmu/sched.c */
	u64 since = smp_load_acquire(&s->ec->since);
	struct pev_hw_cpu then;

	if (READ_ONCE(s->ec->running))
		return false;
	smp_rmb();	/* as above: what it did before is there */
	then = data_race(*s);
	smp_rmb();	/* as above: what it has done meanwhile is seen */
	if (READ_ONCE(s->ec->running) || READ_ONCE(s->ec->since) != since)
		return false;
	add_one_cpu(all, &then);
	return true;
}

/*
 * Sums of 128 bits, and of which one says something only beside the others: read where slices end,
 * for none ends there meanwhile. CPUs where the event does not run are left alone.
 */
static void add_all(struct multiplexed *all)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_possible_cpu(cpu)
		if (!add_from_here(all, per_cpu_ptr(all->hw->percpu, cpu)))
			smp_call_function_single(cpu, add_here, all, 1);
	cpus_read_unlock();
}

void pev_pmu_read_multiplexed(struct pev_event *event, struct pev_multiplexed *m)
{
	struct multiplexed all = { .hw = event->private };

	add_all(&all);
	all.m.size = m->size;
	*m = all.m;
	m->windows = all.windows.nr;
	m->windows_ns = all.windows.ns;
	m->pairs = all.windows.pairs;
	m->triples = all.windows.triples;
	m->ends = all.windows.ends;
	m->blind_ns = all.windows.blind;
	memcpy(m->sum_gaps, all.windows.gaps, sizeof(m->sum_gaps));
	memcpy(m->sum_first, all.windows.first, sizeof(m->sum_first));
	memcpy(m->sum_second, all.windows.second, sizeof(m->sum_second));
	memcpy(m->sum_fourth, all.windows.fourth, sizeof(m->sum_fourth));
}
