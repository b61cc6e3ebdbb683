// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the choice of the trace clock and its place on the real-time axis.
 */
#include <linux/irqflags.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/pev_clock.h>

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
