// SPDX-License-Identifier: GPL-2.0
/*
 * Owns which kinds of cores there are, as far as their PMUs differ. perf finds the PMU of a CPU
 * for events that all processors have: it is asked for one of these on each CPU. Must not know what
 * else counts by them.
 *
 * Locks: kinds_lock for the list.
 */
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "base/perf.h"
#include "base/strbuf.h"
#include "perf_kinds.h"

/* More than any processor has. */
#define MOST_KINDS	8

/**
 * struct kind - cores that have the same PMU
 * @type: its number
 * @cpu:  one of them, which was online; nr_cpu_ids: all were offline when they were looked for
 * @name: of the PMU
 */
struct kind {
	u32		type;
	unsigned int	cpu;
	char		name[32];
};

/* PMUs of cores are part of the kernel: what was found once is there. */
static struct kind kinds[MOST_KINDS];
static unsigned int nr_kinds;
/* CPUs of which the kind is known: who asks in vain has them looked at once. */
static cpumask_t looked;
static DEFINE_MUTEX(kinds_lock);

static struct kind *find(u32 type)
{
	for (unsigned int i = 0; i < nr_kinds; i++)
		if (kinds[i].type == type)
			return &kinds[i];
	return NULL;
}

static void note(const struct pmu *pmu, unsigned int cpu)
{
	struct kind *kind = find(pmu->type);

	cpumask_set_cpu(cpu, &looked);
	if (!kind) {
		if (nr_kinds == MOST_KINDS)
			return;
		kind = &kinds[nr_kinds++];
		kind->type = pmu->type;
		strscpy(kind->name, pmu->name ?: "");
		kind->cpu = cpu;
	}
	if (kind->cpu == nr_cpu_ids)
		kind->cpu = cpu;
}

/*
 * A kind is asked something on a CPU that is there. Another one is looked for once, as that
 * interrupts all: where all of the kind are offline, the first that comes has not been looked at.
 */
static void forget_those_gone(void)
{
	for (unsigned int i = 0; i < nr_kinds; i++) {
		if (kinds[i].cpu == nr_cpu_ids || cpu_online(kinds[i].cpu))
			continue;
		kinds[i].cpu = nr_cpu_ids;
		cpumask_clear(&looked);
	}
}

static void look(void)
{
	const struct perf_event_attr cycles = {
		.type	= PERF_TYPE_HARDWARE,
		.size	= sizeof(cycles),
		.config	= PERF_COUNT_HW_CPU_CYCLES,
	};
	unsigned int cpu;

	forget_those_gone();
	for_each_cpu_andnot(cpu, cpu_online_mask, &looked) {
		struct perf_event *event = pev_perf_look(&cycles, cpu);

		cond_resched();
		if (IS_ERR(event))
			continue;
		note(event->pmu, cpu);
		perf_event_release_kernel(event);
	}
}

bool pev_perf_is_kind(u32 type)
{
	guard(mutex)(&kinds_lock);
	/* the first CPU of a kind may come online at any time */
	if (nr_kinds < 2 || !find(type))
		look();
	return nr_kinds > 1 && find(type);
}

bool pev_perf_has_kinds(void)
{
	guard(mutex)(&kinds_lock);
	if (nr_kinds < 2)
		look();
	return nr_kinds > 1;
}

unsigned int pev_perf_look_for_kinds(void)
{
	unsigned int there = 0;

	guard(mutex)(&kinds_lock);
	look();
	for (unsigned int i = 0; i < nr_kinds; i++)
		there |= kinds[i].cpu == nr_cpu_ids ? 0 : BIT(i);
	return there;
}

bool pev_perf_each_kind(bool (*good)(unsigned int cpu, void *arg), void *arg)
{
	bool any = false;

	guard(mutex)(&kinds_lock);
	for (unsigned int i = 0; i < nr_kinds; i++) {
		if (kinds[i].cpu == nr_cpu_ids)
			continue;
		if (!good(kinds[i].cpu, arg))
			return false;
		any = true;
	}
	return any;
}

void pev_perf_put_kinds(struct pev_strbuf *text)
{
	guard(mutex)(&kinds_lock);
	for (unsigned int i = 0; nr_kinds > 1 && i < nr_kinds; i++)
		pev_strbuf_printf(text, "pmu %u %s\n", kinds[i].type, kinds[i].name);
}
