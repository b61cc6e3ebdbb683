// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the choice of the trace clock and its place on the real-time axis, and what makes
 * CLOCK_MONOTONIC of a counter.
 *
 * Linux tells of each of its updates, with the timekeeper locked and interrupts off, before it
 * updates its own fast clock: for that moment the two may differ by what the update changes,
 * which is what two CPUs may see of Linux's clock alone, too.
 */
#include <linux/clocksource.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/notifier.h>
#include <linux/pev_clock.h>
#include <linux/pvclock_gtod.h>
#include <linux/timekeeper_internal.h>
#include "clock.h"
#include "work.h"

/* ---- CLOCK_MONOTONIC ---- */

#ifdef pev_mono_cycles

struct pev_mono pev_mono;

void pev_mono_follow(struct pev_mono *mono, const struct tk_read_base *tkr, bool halted)
{
	bool usable = !halted && tkr->clock->vdso_clock_mode == PEV_MONO_MODE &&
		      tkr->mask == CLOCKSOURCE_MASK(64);

	raw_write_seqcount_begin(&mono->seq);
	mono->mult = tkr->mult;
	mono->shift = tkr->shift;
	/* a counter is beyond 0 */
	mono->cycle_last = usable ? tkr->cycle_last : 0;
	mono->max_cycles = usable ? tkr->clock->max_cycles : 0;
	mono->fraction = tkr->xtime_nsec;
	mono->base = ktime_to_ns(tkr->base);
	raw_write_seqcount_end(&mono->seq);
}

/*
 * A sleep's last update is with this state set: Linux's clock is then about to halt. So is the
 * first one after it; the next one, a tick later, has the counter again.
 */
static int updated(struct notifier_block *nb, unsigned long stepped, void *timekeeper)
{
	const struct timekeeper *tk = timekeeper;

	pev_mono_follow(&pev_mono, &tk->tkr_mono, system_state == SYSTEM_SUSPEND);
	return NOTIFY_OK;
}

static struct notifier_block updates = { .notifier_call = updated };

int __init pev_clock_setup(void)
{
	return pvclock_gtod_register_notifier(&updates);
}

void __pev_teardown pev_clock_teardown(void)
{
	pvclock_gtod_unregister_notifier(&updates);
}

#else

int __init pev_clock_setup(void)
{
	return 0;
}

void __pev_teardown pev_clock_teardown(void)
{
}

#endif

/* ---- the trace clock ---- */

u64 __weak pev_clock_cycles_hz(void)
{
	return 0;
}

/* The epoch of @clock, from two clocks read as close together as can be. */
static void anchor(struct pev_trace_clock *clock)
{
	unsigned long flags;
	u64 now, real, rem_ns, ticks;

	local_irq_save(flags);
	now = pev_clock_read(clock->type);
	real = ktime_get_real_ns();
	local_irq_restore(flags);

	/* epoch + offset_s + offset / freq is when the clock showed 0 */
	ticks = now % clock->freq;
	clock->offset_s = div64_u64_rem(real, NSEC_PER_SEC, &rem_ns);
	clock->offset_s -= div64_u64(now, clock->freq) + 1;
	clock->offset = clock->freq - ticks +
			mul_u64_u64_div_u64(rem_ns, clock->freq, NSEC_PER_SEC);
	if (clock->offset >= clock->freq) {
		clock->offset -= clock->freq;
		clock->offset_s++;
	}
}

/* Clocks that go on in a sleep tell seconds. */
#define SLEEP_ERROR_S	2

u64 pev_clock_lag(u64 before, u64 now, u64 ns, u64 hz)
{
	u64 due = before + mul_u64_u64_div_u64(ns, hz, NSEC_PER_SEC);

	if (now >= before && abs_diff(due, now) <= SLEEP_ERROR_S * hz)
		return 0;
	return due - now;
}

int pev_clock_init(struct pev_trace_clock *clock, u32 type)
{
	u64 hz = pev_clock_cycles_hz();

	if (type == PEV_CLOCK_CYCLES && !hz)
		return -EOPNOTSUPP;
	if (type == PEV_CLOCK_MONOTONIC || !hz) {
		clock->type = PEV_CLOCK_MONOTONIC;
		clock->freq = NSEC_PER_SEC;
	} else {
		clock->type = PEV_CLOCK_CYCLES;
		clock->freq = hz;
	}
	anchor(clock);
	return 0;
}
