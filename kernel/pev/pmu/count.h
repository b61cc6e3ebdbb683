/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arithmetic of counters: widths and deltas, periods and what is left of
 * them, frequencies, the sums behind error bounds. Pure: no hardware, no time,
 * no locks, any context.
 */
#ifndef _PEV_COUNT_H
#define _PEV_COUNT_H

#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/types.h>

/**
 * pev_count_delta() - what a counter counted
 * @from: its value before
 * @to:   its value now, less than one lap later
 * @bits: its width, 1..64
 */
static inline u64 pev_count_delta(u64 from, u64 to, unsigned int bits)
{
	return (to - from) << (64 - bits) >> (64 - bits);
}

/* Longest distance to an overflow that leaves deltas unambiguous. */
static inline u64 pev_count_reach(unsigned int bits)
{
	return (1ULL << (bits - 1)) - 1;
}

/**
 * pev_count_raw() - what to write to a counter so that it overflows in time
 * @left: occurrences until then; what is beyond the counter's reach is cut to it
 * @min:  fewest that the hardware can do, at least 1
 * @bits: width
 *
 * Return: the value, within @bits.
 */
static inline u64 pev_count_raw(u64 left, u64 min, unsigned int bits)
{
	left = min(max(left, min), pev_count_reach(bits));
	return -left << (64 - bits) >> (64 - bits);
}

/**
 * struct pev_period - progress towards the next sample
 * @period: occurrences a sample, 0: none is ever due. Written here, it takes
 *          effect at the next sample; see also pev_period_restart() and
 *          pev_period_shorten()
 * @left:   to the next sample; 0 or less: it is overdue
 * @since:  occurrences since the last sample
 */
struct pev_period {
	u64	period;
	s64	left;
	u64	since;
};

/* Periods of more than S64_MAX count as that. */
void pev_period_init(struct pev_period *p, u64 period);

/**
 * pev_period_add() - occurrences were counted
 * @p:     progress
 * @delta: how many
 *
 * Return: is a sample due (now, or still)?
 */
static inline bool pev_period_add(struct pev_period *p, u64 delta)
{
	p->since += delta;
	/* saturate instead of wrapping when far overdue */
	if (check_sub_overflow(p->left, delta, &p->left))
		p->left = S64_MIN;
	return p->left <= 0;
}

/* The next period begins where the last one should have ended. */
void pev_period_next(struct pev_period *p);

/**
 * pev_period_take() - a sample is taken
 * @p: progress; @left is positive afterwards: a sample that comes late shortens
 *     the next period by as much, and periods that were missed altogether are
 *     part of this sample. One that comes early leaves @left as it is
 *
 * Return: occurrences that the sample stands for. Over all samples they add up
 * to all that was counted up to the last of them.
 */
static inline u64 pev_period_take(struct pev_period *p)
{
	u64 since = p->since;

	if (p->left <= 0)
		pev_period_next(p);
	p->since = 0;
	return since;
}

/* A whole @period from now on; what was counted until now is part of its sample. */
void pev_period_restart(struct pev_period *p, u64 period);

/**
 * pev_period_shorten() - a shorter period that can't wait for the next sample
 * @p:      progress; the next sample is due @period after the last one
 * @period: the new one; does nothing if it is not shorter
 *
 * For periods that follow a rate, see pev_freq_next(): one that was right for a
 * busy stretch may take hours of an idle one to end.
 *
 * Return: is anything different now?
 */
bool pev_period_shorten(struct pev_period *p, u64 period);

/**
 * pev_freq_next() - the period that gives a frequency
 * @period:  that was used
 * @count:   occurrences seen since the last sample
 * @ns:      time in which they were counted
 * @hz:      samples a second wanted, 1 .. 10^9
 * @min:     shortest period allowed
 *
 * To be called at each sample, before pev_period_take(), and now and then when one
 * is long overdue, for pev_period_shorten().
 *
 * The mean of @period and the period that would have been right for what was
 * seen, weighted by the time: what was seen in 1/@hz weighs as much as all that
 * was before. Down at once when a sample comes late, up to at most twice the
 * period at each sample: log2 of the change in rate is how many samples too many
 * a busy stretch brings. At a steady rate it settles where it should be, without
 * passing it.
 *
 * Return: the next period, at least 1.
 */
u64 pev_freq_next(u64 period, u64 count, u64 ns, u32 hz, u64 min);

/* Rates are occurrences a ns, times 2^PEV_RATE_SHIFT. */
#define PEV_RATE_SHIFT	40

/**
 * struct pev_windows - how much a rate varies; see struct pev_multiplexed
 * @nr:      windows
 * @ns:      their time
 * @pairs:   in @first
 * @triples: in @second
 * @ends:    gaps that have a window at one side only
 * @blind:   ns of gaps without a window at either side
 * @gaps:    estimate of the gaps, twice, in parts of 2^PEV_RATE_SHIFT; all sums have
 *           128 bits as low, high. One that is full stays so
 * @first:   squares of first differences
 * @second:  squares of second differences
 * @fourth:  squares of what was added to @second
 */
struct pev_windows {
	u64	nr;
	u64	ns;
	u64	pairs;
	u64	triples;
	u64	ends;
	u64	blind;
	u64	gaps[2];
	u64	first[2];
	u64	second[2];
	u64	fourth[2];
};

/**
 * struct pev_window - the last window, for what comes next
 * @rate:  in it
 * @diff:  from the rate of the one before it to @rate
 * @ns:    its time
 * @gap:   before it
 * @reach: from the middle of the one before it to its own
 * @known: 0: there is none, 1: @diff, @gap and @reach are not known, 2: all are
 * @any:   @rate is one
 */
struct pev_window {
	u64	rate;
	s64	diff;
	u64	ns;
	u64	gap;
	u64	reach;
	u8	known;
	bool	any;
};

/**
 * pev_windows_add() - a window has ended
 * @w:    sums
 * @last: the one before; becomes this one
 * @gap:  ns since that one in which the event waited
 * @x:    what was counted
 * @t:    ns, not 0
 */
void pev_windows_add(struct pev_windows *w, struct pev_window *last, u64 gap, u64 x, u64 t);

/* The last window was long ago: what comes next is not to be compared with it. */
static inline void pev_window_forget(struct pev_window *last)
{
	last->known = 0;
}

/* The event waits since @last, for @gap ns until now. */
void pev_windows_open(struct pev_windows *w, const struct pev_window *last, u64 gap);

/* @to += @from */
void pev_windows_merge(struct pev_windows *to, const struct pev_windows *from);

#endif
