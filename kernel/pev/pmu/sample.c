// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what a sample of a hardware counter holds, periods that follow a frequency, and how
 * much of a CPU PMIs may take. Must not know who drives the counter: pmu/overflow.c and
 * pmu/perf_source.c say when a sample is due. Runs in NMIs: no locks, no timers.
 */
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/pev_clock.h>
#include <linux/pev_pmu.h>
#include <linux/ptrace.h>
#include "base/rate.h"
#include "record/guest.h"
#include "record/sample.h"
#include "record/user_regs.h"
#include "target/rights.h"
#include "counter.h"
#include "lend.h"
#include "sample.h"

/* ---- how much of the time PMIs may have ---- */

/*
 * PMIs may have half of the time. A rate says little about that: what a fast CPU does
 * on the side leaves a slow one, or many events at once, no time for a timer interrupt
 * to end before the next is due, and the program never comes to its next instruction.
 */
static u64 pmi_tick __read_mostly = TICK_NSEC;
/* The cheapest clock there is: it is read twice a sample. @pmi_tick is a tick in it. */
static u32 pmi_clock __read_mostly = PEV_CLOCK_MONOTONIC;

/**
 * struct pmi_load - what PMIs have taken of a CPU
 * @since: start of the current tick, in @pmi_clock
 * @time:  how much of that tick they have taken
 */
struct pmi_load {
	u64	since;
	u64	time;
};

static DEFINE_PER_CPU(struct pmi_load, pmi_loads);

void pev_pmi_clock_init(void)
{
	struct pev_trace_clock clock;

	pev_clock_init(&clock, PEV_CLOCK_DEFAULT);
	pmi_tick = div_u64(clock.freq, HZ);
	pmi_clock = clock.type;
}

u64 pev_pmi_begin(void)
{
	struct pmi_load *load = this_cpu_ptr(&pmi_loads);
	u64 now = pev_clock_read(pmi_clock);

	if (now - load->since >= pmi_tick) {
		load->since = now;
		load->time = 0;
	}
	return now;
}

void pev_pmi_end(u64 begin)
{
	struct pmi_load *load = this_cpu_ptr(&pmi_loads);

	load->time += max_t(s64, pev_clock_read(pmi_clock) - begin, 0);
}

/* Whatever users' events take, they leave an administrator's an eighth of a tick. */
static u64 most_time(const struct pev_event *event)
{
	return event->privileged ? pmi_tick / 2 : pmi_tick / 8 * 3;
}

static bool too_many(struct pev_hw_cpu *s)
{
	if (this_cpu_read(pmi_loads.time) > most_time(s->event))
		return true;
	if (time_after(jiffies, s->tick)) {
		s->tick = jiffies;
		s->hits = 0;
	}
	return ++s->hits > max(READ_ONCE(sysctl_pev_max_sample_rate) / HZ, 1U);
}

/* ---- samples ---- */

void pev_hw_new_period(struct pev_hw_cpu *s)
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
 * With an exact address @regs are perf's: that address, the mode that belongs to it, and otherwise
 * what the interrupt found, which may be the kernel's although the address is the program's.
 */
static bool only_ip_is_users(const struct pev_event *event, struct pt_regs *regs)
{
	return unlikely(pev_hw_of(event)->perf.precise) && user_mode(regs);
}

/*
 * A record must not show what was excluded: an interrupt that comes late finds
 * the kernel where the user's event happened. The user's registers tell where
 * it will go on.
 */
static struct pt_regs *shown_regs(const struct pev_event *event, struct pt_regs *regs)
{
	if (only_ip_is_users(event, regs))
		return pev_user_regs(NULL);
	if (!(event->flags & PEV_F_EXCLUDE_KERNEL) || user_mode(regs))
		return regs;
	return pev_user_regs(NULL);
}

static enum pev_pmu_hit hit_of(const struct pev_hw_cpu *s, const struct pev_pmu_sample *sample)
{
	if (!sample->told)
		return PEV_PMU_HIT_ASK;
	return sample->guest >> s->counter & 1 ? PEV_PMU_HIT_GUEST : PEV_PMU_HIT_HOST;
}

bool pev_hw_sample(struct pev_hw_cpu *s, const struct pev_pmu_sample *sample)
{
	enum pev_pmu_hit hit = hit_of(s, sample);
	struct pev_event *event = s->event;
	struct pev_sample_in in;

	if (static_branch_unlikely(&pev_lent_key) && pev_hw_of(event)->lent) {
		bool throttled = too_many(s);

		pev_lent_overflow(s, throttled);
		return throttled;
	}
	/* member by member: an initializer would clear the rest first, on a hot path */
	in.regs = shown_regs(event, sample->regs);
	in.ip = 0;
	in.user_ip = false;
	in.addr = hit == PEV_PMU_HIT_GUEST ? 0 : sample->addr;
	in.task = NULL;
	in.guest = 0;
	in.elsewhere = false;
	in.place = 0;
	in.kernel = NULL;
	in.owed = NULL;
	in.pair = NULL;
	in.nr_pair = 0;
	if (sample->ip && hit != PEV_PMU_HIT_GUEST &&
	    (sample->user || !(event->flags & PEV_F_EXCLUDE_KERNEL))) {
		in.ip = sample->ip;
		in.user_ip = sample->user;
	} else if (only_ip_is_users(event, sample->regs)) {
		in.ip = instruction_pointer(sample->regs);
		in.user_ip = true;
	}
	if (!pev_guest_sample(event, &in, hit)) {
		in.regs = NULL;
		in.ip = 0;
	}
	if (event->flags & PEV_F_FREQ) {
		u64 now = pev_now_ns();

		s->period.period = adapted(s, now);
		s->sampled = now;
	} else {
		s->period.period = READ_ONCE(event->period);
	}
	in.period = pev_period_take(&s->period);
	if (pev_event_sees(event) && pev_event_places(event, s->ec) &&
	    pev_sample_begin(event, s->ec, 0, &in))
		pev_sample_end(s->ec);
	return unlikely(too_many(s));
}

bool pev_hw_adapt(struct pev_hw_cpu *s, u64 now)
{
	if (now - s->sampled < 2 * NSEC_PER_SEC / READ_ONCE(s->event->period))
		return false;
	return pev_period_shorten(&s->period, adapted(s, now));
}
