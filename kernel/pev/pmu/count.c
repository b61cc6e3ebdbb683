// SPDX-License-Identifier: GPL-2.0
/*
 * The arithmetic of counters, see count.h. All of it may run in an NMI: plain
 * integer arithmetic of bounded length, nothing that is called beyond this file.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/time64.h>
#include "count.h"

/* Periods in s64; one of 0 is never over. */
static s64 distance(u64 period)
{
	return period && period < S64_MAX ? period : S64_MAX;
}

void pev_period_init(struct pev_period *p, u64 period)
{
	p->period = period;
	p->left = distance(period);
	p->since = 0;
}

void pev_period_restart(struct pev_period *p, u64 period)
{
	p->period = period;
	p->left = distance(period);
}

bool pev_period_shorten(struct pev_period *p, u64 period)
{
	s64 left = distance(period);

	if (left >= distance(p->period))
		return false;
	p->period = period;
	/* a sample that is overdue is due at once */
	left = (u64)left > p->since ? left - p->since : 1;
	p->left = min(p->left, left);
	return true;
}

void pev_period_next(struct pev_period *p)
{
	u64 late = -(u64)p->left, period = distance(p->period);

	/* divide only if needed: it is slow, and samples are rarely that late */
	if (late >= period)
		late %= period;
	p->left = period - late;
}

/*
 * The law, with w = ns * hz / 10^9, the samples wanted in the time seen:
 *
 *	next = (period + count) / (1 + w)
 *
 * That is the mean of the old period and of the one that would have been right,
 * count / w, weighted 1 : w. So it never goes past what is right, and comes to
 * the same in many short steps as in a few long ones. A sample too early, with
 * count == period and w near 0, doubles the period: from 1, 25 samples reach
 * any rate that there is. One that is late brings it down at once.
 *
 * 34 bits of the sum times 10^9 fill 64 bits. What is beyond loses its low bits,
 * a sum that is smaller loses none.
 */
u64 pev_freq_next(u64 period, u64 count, u64 ns, u32 hz, u64 min)
{
	u32 dice = (u32)ns * 0x9e3779b1U;
	u64 sum, weight, whole, rest;
	unsigned int shift;

	if (check_add_overflow(period, count, &sum))
		sum = U64_MAX;
	shift = fls64(sum >> 34);
	sum = (sum >> shift) * NSEC_PER_SEC;
	/* 10^9 * (1 + w), w cut where that would be 2^63 */
	weight = NSEC_PER_SEC + min(ns, (u64)S64_MAX / max(hz, 1U)) * hz;
	whole = sum / weight;
	rest = sum % weight;
	/*
	 * Short periods move by less than 1 in short times. Such steps must add up
	 * to what they are: the fraction is the chance that it counts, and the low
	 * bits of the time are the dice.
	 */
	if (rest > (u64)((u128)weight * dice >> 32))
		whole++;
	return max3(whole << shift, min, 1ULL);
}

/* @to += @v; a sum that is full stays so */
static void sum_add(u64 to[2], u128 v)
{
	u128 sum = (u128)to[1] << 64 | to[0];

	if (check_add_overflow(sum, v, &sum))
		sum = ~(u128)0;
	to[0] = sum;
	to[1] = sum >> 64;
}

void pev_windows_add(struct pev_windows *w, u64 x, u64 t)
{
	if (!t)
		return;
	w->nr++;
	sum_add(w->tt, (u128)t * t);
	sum_add(w->xt, (u128)x * t);
	sum_add(w->xx, (u128)x * x);
}

void pev_windows_merge(struct pev_windows *to, const struct pev_windows *from)
{
	to->nr += from->nr;
	sum_add(to->tt, (u128)from->tt[1] << 64 | from->tt[0]);
	sum_add(to->xt, (u128)from->xt[1] << 64 | from->xt[0]);
	sum_add(to->xx, (u128)from->xx[1] << 64 | from->xx[0]);
}
