// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what happens at an overflow: samples, periods that follow a frequency, and
 * how much of a CPU PMIs may take. pev_pmu_overflow() runs in an NMI: no locks, no
 * timers. Must not know any processor.
 */
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/pev_clock.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include "base/rate.h"
#include "record/sample.h"
#include "target/rights.h"
#include "counter.h"
#include "overflow.h"
#include "page.h"

/* ---- how much of the time PMIs may have ---- */

static void throttle(struct pev_pmu_cpu *cpu, struct pev_hw_cpu *s)
{
	pev_hw_count_end(s, ktime_get_mono_fast_ns());
	s->throttled = true;
	WRITE_ONCE(s->throttles, s->throttles + 1);
	cpu->active &= ~BIT_ULL(s->counter);
	/* a PMI can't start a timer */
	irq_work_queue(&cpu->start_tick);
}

/*
 * PMIs may have half of the time. A rate says little about that: what a fast CPU does
 * on the side leaves a slow one, or many events at once, no time for a timer interrupt
 * to end before the next is due, and the program never comes to its next instruction.
 */
static u64 pmi_tick __read_mostly = TICK_NSEC;
/* The cheapest clock there is: it is read twice a sample. @pmi_tick is a tick in it. */
static u32 pmi_clock __read_mostly = PEV_CLOCK_MONOTONIC;

void pev_pmu_overflow_clock(void)
{
	struct pev_trace_clock clock;

	pev_clock_init(&clock, PEV_CLOCK_DEFAULT);
	pmi_tick = div_u64(clock.freq, HZ);
	pmi_clock = clock.type;
}

static u64 pmi_begin(struct pev_pmu_cpu *cpu)
{
	u64 now = pev_clock_read(pmi_clock);

	if (now - cpu->pmi_since >= pmi_tick) {
		cpu->pmi_since = now;
		cpu->pmi_time = 0;
	}
	return now;
}

static void pmi_end(struct pev_pmu_cpu *cpu, u64 begin)
{
	cpu->pmi_time += max_t(s64, pev_clock_read(pmi_clock) - begin, 0);
}

static bool too_many(const struct pev_pmu_cpu *cpu, struct pev_hw_cpu *s)
{
	if (cpu->pmi_time > pmi_tick / 2)
		return true;
	if (time_after(jiffies, s->tick)) {
		s->tick = jiffies;
		s->hits = 0;
	}
	return ++s->hits > max(READ_ONCE(sysctl_pev_max_sample_rate) / HZ, 1U);
}

/* ---- samples ---- */

void pev_pmu_new_period(struct pev_hw_cpu *s)
{
	s->changes = READ_ONCE(pev_hw_of(s->event)->changes);
	/* with a frequency, the period is adapted at the next sample */
	if (!(s->event->flags & PEV_F_FREQ))
		pev_period_restart(&s->period, READ_ONCE(s->event->period));
}

/* Return: the period that gives the wanted frequency at the rate since the last sample. */
static u64 adapted(const struct pev_hw_cpu *s, u64 now)
{
	return pev_freq_next(s->period.period, s->period.since, max(now - s->sampled, 1),
			     READ_ONCE(s->event->period),
			     pev_hw_of(s->event)->code.period_min);
}

/*
 * A record must not show what was excluded: an interrupt that comes late finds
 * the kernel where the user's event happened. The user's registers tell where
 * it will go on.
 */
static struct pt_regs *shown_regs(const struct pev_event *event, struct pt_regs *regs)
{
	if (!(event->flags & PEV_F_EXCLUDE_KERNEL) || user_mode(regs))
		return regs;
	if (current->flags & (PF_KTHREAD | PF_USER_WORKER) || !current->mm)
		return NULL;
	return task_pt_regs(current);
}

static void take_sample(struct pev_pmu_cpu *cpu, struct pev_hw_cpu *s,
			const struct pev_pmu_sample *sample)
{
	struct pev_event *event = s->event;
	struct pev_sample_in in;

	/* member by member: an initializer would clear the rest first, on a hot path */
	in.regs = shown_regs(event, sample->regs);
	in.ip = 0;
	in.user_ip = false;
	in.addr = sample->addr;
	in.task = NULL;
	if (sample->ip && (sample->user || !(event->flags & PEV_F_EXCLUDE_KERNEL))) {
		in.ip = sample->ip;
		in.user_ip = sample->user;
	}
	if (event->flags & PEV_F_FREQ) {
		u64 now = ktime_get_mono_fast_ns();

		s->period.period = adapted(s, now);
		s->sampled = now;
	} else {
		s->period.period = READ_ONCE(event->period);
	}
	in.period = pev_period_take(&s->period);
	if (pev_event_sees(event) && pev_sample_begin(event, s->ec, 0, &in))
		pev_sample_end(s->ec);
	if (unlikely(too_many(cpu, s)))
		throttle(cpu, s);
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
	begin = pmi_begin(cpu);
	for (left = counters & cpu->active; left; left &= left - 1) {
		struct pev_hw_cpu *s = cpu->on[__ffs64(left)];

		if (pev_hw_fold(s))
			take_sample(cpu, s, sample);
		pev_hw_load(s);
		pev_hw_show(s);
	}
	pmi_end(cpu, begin);
	if (cpu->up)
		static_call(pev_hw_thaw)(cpu->active, pev_pmu_readable());
}

void pev_pmu_report(enum pev_pmu_incident what)
{
	local64_inc(this_cpu_ptr(&pev_pmu_cpus.incidents[what]));
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

/* Shorten the period of an event that has become rare before that period is over. */
static void adapt_silent(struct pev_hw_cpu *s, u64 now)
{
	if (now - s->sampled < 2 * NSEC_PER_SEC / READ_ONCE(s->event->period))
		return;
	if (pev_period_shorten(&s->period, adapted(s, now)))
		pev_hw_load(s);
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct pev_pmu_cpu *cpu = container_of(timer, struct pev_pmu_cpu, tick);
	bool again = false;
	unsigned int i;
	u64 now;

	pev_pmu_update_begin();
	now = ktime_get_mono_fast_ns();
	for (i = 0; i < PEV_PMU_MAX_COUNTERS; i++) {
		struct pev_hw_cpu *s = cpu->on[i];

		if (!s)
			continue;
		if (s->throttled) {
			pev_hw_wait_end(s, now);
			s->throttled = false;
			cpu->active |= BIT_ULL(i);
		}
		if (s->event->flags & PEV_F_FREQ && s->sampling) {
			again = true;
			pev_hw_fold(s);
			adapt_silent(s, now);
		}
	}
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

void pev_pmu_overflow_init(struct pev_pmu_cpu *cpu)
{
	hrtimer_init(&cpu->tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	cpu->tick.function = tick;
	cpu->start_tick = IRQ_WORK_INIT_HARD(start_tick);
}
