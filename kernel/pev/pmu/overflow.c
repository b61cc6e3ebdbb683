// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what happens when a counter of pev's own backend overflows: which sample is due, and
 * which event is throttled; and overflows that nobody tells. pev_pmu_overflow() runs in an
 * NMI: no locks, no timers. Must not know any processor, nor what a sample holds
 * (pmu/sample.c).
 */
#include <linux/pev_marker.h>
#include "counter.h"
#include "overflow.h"
#include "page.h"
#include "sample.h"
#include "sched.h"

static void throttle(struct pev_pmu_cpu *cpu, struct pev_hw_cpu *s)
{
	pev_hw_count_end(s, pev_now_ns());
	s->throttled = true;
	WRITE_ONCE(s->throttles, s->throttles + 1);
	PEV_MARK(pev, throttle, "event %s times %llu", s->event->name, s->throttles);
	cpu->active &= ~BIT_ULL(s->counter);
	/* a PMI can't start a timer */
	irq_work_queue(&cpu->start_tick);
}

void pev_pmu_overflow(u64 counters, const struct pev_pmu_sample *sample)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pev_pmu_cpus);
	u64 left, begin;

	/* the code this PMI interrupted runs on this CPU: it cannot change @updating under us */
	if (data_race(cpu->updating)) {
		WRITE_ONCE(cpu->deferred, true);
		return;
	}
	begin = pev_pmi_begin();
	for (left = counters & cpu->active; left; left &= left - 1) {
		struct pev_hw_cpu *s = cpu->on[__ffs64(left)];

		if (pev_hw_fold(s) && pev_hw_sample(s, sample))
			throttle(cpu, s);
		pev_hw_load(s);
		pev_hw_show(s);
	}
	pev_pmi_end(begin);
	if (cpu->up)
		pev_hw_go(cpu);
}

void pev_pmu_stand(u64 counters, bool stand)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pev_pmu_cpus);
	u64 now = pev_now_ns(), left;

	for (left = counters & cpu->active; left; left &= left - 1) {
		struct pev_hw_cpu *s = cpu->on[__ffs64(left)];

		if (stand) {
			pev_hw_count_end(s, now);
		} else {
			pev_hw_wait_end(s, now);
			pev_hw_show(s);
		}
	}
}

bool pev_pmu_stood(unsigned int counter, u64 ns, bool pmi)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pev_pmu_cpus);
	struct pev_hw_cpu *s = cpu->on[counter];

	/* as in pev_pmu_overflow() */
	if (pmi && data_race(cpu->updating))
		return false;
	if (!s || s->throttled)
		return true;
	pev_hw_wait_end(s, s->since + min(ns, pev_hw_ran(s, pev_now_ns())));
	pev_hw_show(s);
	return true;
}

void pev_pmu_report(enum pev_pmu_incident what)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pev_pmu_cpus);

	local64_inc(&cpu->incidents[what]);
	cpu->changes++;
	/* counters that no event has may have counted: attach() writes those with 0 */
	if (what == PEV_PMU_FOREIGN)
		memset(cpu->raw, 0, sizeof(cpu->raw));
}

void pev_pmu_lose(u64 counters)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pev_pmu_cpus);

	cpu->present &= ~counters;
	cpu->changes++;
	/* the next tick takes their events away */
	if (cpu->up)
		irq_work_queue(&cpu->start_tick);
}

u64 pev_pmu_incidents(enum pev_pmu_incident what)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += local64_read(&per_cpu(pev_pmu_cpus.incidents[what], cpu));
	return sum;
}

/* ---- the tick; interrupts are off ---- */

void pev_pmu_tick_start(struct pev_pmu_cpu *cpu)
{
	if (cpu->ticking)
		return;
	cpu->ticking = true;
	hrtimer_start(&cpu->tick, ns_to_ktime(TICK_NSEC), HRTIMER_MODE_REL_PINNED_HARD);
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct pev_pmu_cpu *cpu = container_of(timer, struct pev_pmu_cpu, tick);
	bool again = false;
	unsigned int i;
	u64 now;

	pev_pmu_update_begin();
	now = pev_now_ns();
	for (i = 0; i < PEV_PMU_MAX_COUNTERS; i++) {
		struct pev_hw_cpu *s = cpu->on[i];

		if (!s)
			continue;
		cpu->dirty |= !(cpu->present >> i & 1);
		if (s->throttled) {
			pev_hw_wait_end(s, now);
			s->throttled = false;
			cpu->active |= BIT_ULL(i);
		}
		if (s->event->flags & PEV_F_FREQ && s->sampling) {
			again = true;
			pev_hw_fold(s);
			if (pev_hw_adapt(s, now))
				pev_hw_load(s);
		}
		pev_hw_show(s);
	}
	if (unlikely(cpu->dirty))
		pev_pmu_reschedule(cpu, now);
	pev_pmu_update_end(cpu);
	cpu->ticking = again;
	if (!again)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(TICK_NSEC));
	return HRTIMER_RESTART;
}

static void start_tick(struct irq_work *work)
{
	struct pev_pmu_cpu *cpu = container_of(work, struct pev_pmu_cpu, start_tick);

	/* hrtimers of a CPU that goes offline move to another: do not start one */
	if (cpu->up)
		pev_pmu_tick_start(cpu);
}

/* ---- overflows that nobody tells ---- */

/*
 * An overflow whose interrupt got lost is followed by nearly a lap without one, for hours: on
 * POWER8 while counters were frozen, on x86 where perf's handler acknowledged it or
 * a hypervisor forgot it. An event that is found overdue twice, this far apart, has not
 * merely an interrupt on its way.
 */
#define HEAL_NS		NSEC_PER_SEC

void pev_pmu_heal_start(struct pev_pmu_cpu *cpu)
{
	if (cpu->healing)
		return;
	cpu->healing = true;
	hrtimer_start(&cpu->heal, ns_to_ktime(HEAL_NS), HRTIMER_MODE_REL_PINNED_HARD);
}

static enum hrtimer_restart heal(struct hrtimer *timer)
{
	struct pev_pmu_cpu *cpu = container_of(timer, struct pev_pmu_cpu, heal);
	u64 overdue = 0;
	unsigned int i;

	cpu->healing = false;
	pev_pmu_update_begin();
	for (i = 0; i < PEV_PMU_MAX_COUNTERS; i++) {
		struct pev_hw_cpu *s = cpu->on[i];

		if (!s || !s->sampling)
			continue;
		cpu->healing = true;
		if (s->throttled || !pev_hw_fold(s))
			continue;
		if (cpu->overdue >> i & 1) {
			pev_hw_load(s);
			pev_pmu_report(PEV_PMU_LOST);
		} else {
			overdue |= BIT_ULL(i);
		}
		pev_hw_show(s);
	}
	cpu->overdue = overdue;
	pev_pmu_update_end(cpu);
	if (!cpu->healing)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(HEAL_NS));
	return HRTIMER_RESTART;
}

void pev_pmu_overflow_init(struct pev_pmu_cpu *cpu)
{
	hrtimer_init(&cpu->heal, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	cpu->heal.function = heal;
	hrtimer_init(&cpu->tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	cpu->tick.function = tick;
	cpu->start_tick = IRQ_WORK_INIT_HARD(start_tick);
}
