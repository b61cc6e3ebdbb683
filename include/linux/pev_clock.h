/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trace clock: the cycle counter where the architecture vouches for it,
 * CLOCK_MONOTONIC elsewhere; and CLOCK_MONOTONIC for durations. Readable in any context.
 */
#ifndef _LINUX_PEV_CLOCK_H
#define _LINUX_PEV_CLOCK_H

#include <linux/timekeeping.h>
#include <linux/timex.h>
#include <linux/types.h>
#include <uapi/linux/pev.h>

/*
 * A counter of which Linux makes CLOCK_MONOTONIC: how it reads it, and the mode that says that
 * it does.
 */
#if defined(CONFIG_X86_64)
#include <linux/seqlock.h>
#include <asm/msr.h>
#define pev_mono_cycles()	rdtsc_ordered()
#define PEV_MONO_MODE		VDSO_CLOCKMODE_TSC
#elif defined(CONFIG_PPC64)
#include <linux/seqlock.h>
#include <asm/vdso/timebase.h>
#define pev_mono_cycles()	mftb()
#define PEV_MONO_MODE		VDSO_CLOCKMODE_ARCHTIMER
#endif

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

#ifdef pev_mono_cycles
/**
 * struct pev_mono - how CLOCK_MONOTONIC follows from the counter, as Linux has it
 * @seq:        odd while the other members change
 * @mult:       as in struct tk_read_base
 * @shift:      as there
 * @cycle_last: the counter at Linux's last update
 * @max_cycles: so far behind @cycle_last, the product has no room: Linux is asked; all 0 says
 *              to always ask it
 * @fraction:   ns to add, shifted
 * @base:       ns to add
 *
 * All of it is in one line of the cache.
 */
struct pev_mono {
	seqcount_t	seq;
	u32		mult;
	u32		shift;
	u64		cycle_last;
	u64		max_cycles;
	u64		fraction;
	u64		base;
} ____cacheline_aligned;

extern struct pev_mono pev_mono;

/**
 * pev_mono_read() - CLOCK_MONOTONIC by the counter
 * @mono: how
 *
 * Linux is asked where @mono says nothing: during an update, of which Linux has the last one
 * then; when the counter is no clock, or halted; for long times without an update, and for a
 * counter behind that of the CPU that made it.
 *
 * Context: Any, NMI included.
 * Return: ns, the same as ktime_get_mono_fast_ns().
 */
static __always_inline u64 pev_mono_read(const struct pev_mono *mono)
{
	unsigned int seq = raw_seqcount_begin(&mono->seq);
	u64 delta = pev_mono_cycles() - mono->cycle_last;
	u64 ns;

	if (likely(delta <= mono->max_cycles)) {
		ns = ((delta * mono->mult + mono->fraction) >> mono->shift) + mono->base;
		if (likely(!read_seqcount_retry(&mono->seq, seq)))
			return ns;
	}
	return ktime_get_mono_fast_ns();
}
#endif

/**
 * pev_now_ns() - CLOCK_MONOTONIC
 *
 * What ktime_get_mono_fast_ns() gives, at a quarter of the instructions. Like that it may step
 * back by a few ns while Linux updates it: see pev_elapsed().
 *
 * Context: Any, NMI included.
 */
static __always_inline u64 pev_now_ns(void)
{
#ifdef pev_mono_cycles
	return pev_mono_read(&pev_mono);
#else
	return ktime_get_mono_fast_ns();
#endif
}

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
	return pev_now_ns();
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
