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

/* The greatest rate; the difference of two differences still has a sign. */
#define MAX_RATE	(U64_MAX >> 3)

/*
 * x / t with PEV_RATE_SHIFT binary digits behind the point, in two steps: not all
 * architectures divide 128 bits.
 */
static u64 rate_of(u64 x, u64 t)
{
	const unsigned int step = PEV_RATE_SHIFT / 2;
	u64 rate = x / t, rest = x % t;

	/* beyond any counter; and windows of hours */
	if (rate >= MAX_RATE >> PEV_RATE_SHIFT || t >> (64 - step))
		return rate >= MAX_RATE >> PEV_RATE_SHIFT ? MAX_RATE : rate << PEV_RATE_SHIFT;
	for (unsigned int i = 0; i < 2; i++) {
		rest <<= step;
		rate = rate << step | rest / t;
		rest %= t;
	}
	return rate;
}

/* Occurrences in @ns at @rate, in parts of 2^8; more than any counter counts is cut. */
static u64 occurrences(u64 ns, u64 rate)
{
	u128 n = (u128)ns * rate >> (PEV_RATE_SHIFT - 8);

	return n >> 48 ? 1ULL << 48 : n;
}

/*
 * The variance that a gap of @gap ns adds, if those of rates are @rate squared: its own
 * occurrences are not known, and those of its two windows stand for it. In parts of 2^16.
 */
static u128 spread(u64 gap, u64 reach, u64 rate)
{
	return (u128)occurrences(gap, rate) * occurrences(reach, rate);
}

static u64 distance_of(s64 a, s64 b)
{
	return a > b ? a - b : b - a;
}

void pev_windows_add(struct pev_windows *w, struct pev_window *last, u64 gap, u64 x, u64 t)
{
	struct pev_window this = {
		.rate = rate_of(x, t), .ns = t, .gap = gap, .known = 1, .any = true,
	};

	w->nr++;
	w->ns += t;
	sum_add(w->gaps, (u128)gap * this.rate);
	sum_add(w->gaps, (u128)gap * (last->known ? last->rate : this.rate));
	w->ends += gap && !last->known;
	if (last->known) {
		this.known = 2;
		this.diff = this.rate - last->rate;
		this.reach = gap + (t / 2 + last->ns / 2);
		w->pairs++;
		sum_add(w->first, spread(gap, this.reach, distance_of(this.diff, 0)));
	}
	if (last->known == 2) {
		u64 bend = distance_of(this.diff, last->diff);
		u128 both = spread(gap, this.reach, bend) + spread(last->gap, last->reach, bend);
		u64 whole = both >> 80 ? U64_MAX : both >> 16;

		w->triples++;
		sum_add(w->second, both);
		sum_add(w->fourth, (u128)whole * whole);
	}
	*last = this;
}

void pev_windows_open(struct pev_windows *w, const struct pev_window *last, u64 gap)
{
	if (!gap)
		return;
	if (!last->any) {
		w->blind += gap;
		return;
	}
	sum_add(w->gaps, (u128)gap * last->rate);
	sum_add(w->gaps, (u128)gap * last->rate);
	w->ends++;
}

static void sum_merge(u64 to[2], const u64 from[2])
{
	sum_add(to, (u128)from[1] << 64 | from[0]);
}

void pev_windows_merge(struct pev_windows *to, const struct pev_windows *from)
{
	to->nr += from->nr;
	to->ns += from->ns;
	to->pairs += from->pairs;
	to->triples += from->triples;
	to->ends += from->ends;
	to->blind += from->blind;
	sum_merge(to->gaps, from->gaps);
	sum_merge(to->first, from->first);
	sum_merge(to->second, from->second);
	sum_merge(to->fourth, from->fourth);
}
