/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trace clock: the cycle counter where the architecture vouches for it,
 * CLOCK_MONOTONIC's fast accessor elsewhere. Readable in any context.
 */
#ifndef _LINUX_PEV_CLOCK_H
#define _LINUX_PEV_CLOCK_H

#include <linux/timekeeping.h>
#include <linux/timex.h>
#include <linux/types.h>
#include <uapi/linux/pev.h>

/**
 * struct pev_trace_clock - a clock as CTF describes one
 * @type:     PEV_CLOCK_MONOTONIC or PEV_CLOCK_CYCLES
 * @freq:     Hz
 * @offset_s: time of the clock's zero since the epoch, whole seconds
 * @offset:   the rest of that time, in ticks
 */
struct pev_trace_clock {
	u32	type;
	u64	freq;
	u64	offset_s;
	u64	offset;
};

/**
 * pev_clock_read() - now
 * @type: PEV_CLOCK_MONOTONIC or PEV_CLOCK_CYCLES
 *
 * Context: Any, NMI included.
 */
static __always_inline u64 pev_clock_read(u32 type)
{
	if (likely(type == PEV_CLOCK_CYCLES))
		return get_cycles();
	return ktime_get_mono_fast_ns();
}

/**
 * pev_clock_cycles_hz() - frequency of get_cycles()
 *
 * The architecture overrides it in arch/<arch>/pev/clock.c.
 *
 * Return: Hz, or 0 if the counter can't serve as a clock: absent, not
 * synchronous between CPUs, or changing its rate.
 */
u64 pev_clock_cycles_hz(void);

/**
 * pev_clock_lag() - what a counter lacks after the machine slept
 * @before: its value then
 * @now:    its value now
 * @ns:     that have passed
 * @hz:     its frequency
 *
 * Return: ticks to add so that it shows the time that has passed; 0 if it does so
 * already, within what is known of the time in a sleep.
 */
u64 pev_clock_lag(u64 before, u64 now, u64 ns, u64 hz);

/**
 * pev_clock_init() - choose and anchor a clock
 * @clock: filled in
 * @type:  enum pev_clock that the user asked for
 *
 * Return: 0, -EOPNOTSUPP if PEV_CLOCK_CYCLES was asked for and is unstable.
 */
int pev_clock_init(struct pev_trace_clock *clock, u32 type);

#endif
