// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Estimates what an event that shared its counter would have counted, and the error of
 * that. Documentation/design/multiplexing.rst has the reasons.
 */
#include <errno.h>
#include <math.h>
#include <pev/pev.h>
#include "core/compiler.h"

/* Rates are kept in parts of this. */
#define RATE_SHIFT 40

/* The t of Student with which 95 % lie within +-t; @f need not be whole. */
static long double student_t(long double f)
{
	static const long double few[] = { 12.706L, 4.303L, 3.182L, 2.776L, 2.571L };
	unsigned int i;

	if (f <= 1)
		return few[0];
	i = f < 5 ? (unsigned int)f : 5;
	if (i < 5)
		return few[i - 1] + (f - i) * (few[i] - few[i - 1]);
	/* Fisher's series; right within 0.1 % */
	return 1.95996L + (2.37227L + (2.8225L + 2.5556L / f) / f) / f;
}

/* Uses Newton's method, so that programs don't need libm. 0 of what rounding made negative. */
static long double root(long double v)
{
	long double x = v > 1 ? v : 1, next;

	if (v <= 0)
		return 0;
	while ((next = (x + v / x) / 2) < x)
		x = next;
	return x;
}

static long double wide(const __u64 sum[2])
{
	return sum[1] * 18446744073709551616.0L + sum[0];
}

/* Of sums that may have been subtracted from each other. */
static long double wide_signed(const __u64 sum[2])
{
	return (int64_t)sum[1] * 18446744073709551616.0L + sum[0];
}

static bool is_full(const __u64 sum[2])
{
	return (sum[0] & sum[1]) == UINT64_MAX;
}

/* Time on CPUs where no rate is known is taken for as busy as the rest. */
static long double guessed(const struct pev_multiplexed *m)
{
	return (int64_t)m->blind_ns * ((long double)m->value / m->time_running);
}

static long double scaled(const struct pev_multiplexed *m)
{
	long double missed;

	if (!m->windows)
		return (long double)m->value * m->time_enabled / m->time_running;
	missed = wide_signed(m->sum_gaps) / (2.0L * (1ULL << RATE_SHIFT)) + guessed(m);
	/* a gap that was open at the start of an interval may have been estimated too high */
	return m->value + (missed > 0 ? missed : 0);
}

/**
 * struct squares - the sums over windows as numbers
 * @first:  what @second would be if rates had nothing to do with those before
 * @second: estimate of the variance
 * @few:    how many windows it is known from, if they were alike
 */
struct squares {
	long double first;
	long double second;
	long double few;
};

static struct squares squares_of(const struct pev_multiplexed *m)
{
	long double sum = wide(m->sum_second) / 65536, fourth = wide(m->sum_fourth);

	return (struct squares){
		.first = wide(m->sum_first) / 65536 / 2,
		.second = sum / 12 * m->pairs / m->triples,
		.few = fourth > 0 && !is_full(m->sum_fourth) ? 3 * sum * sum / fourth : m->triples,
	};
}

/*
 * Second differences are too large where rates change slowly, and then they are smaller
 * than first ones by about the same factor.
 */
static long double variance_of(const struct pev_multiplexed *m, const struct squares *s)
{
	long double ratio = s->first > 0 ? s->second / s->first : 1;
	int64_t ends = (int64_t)m->ends > 0 ? (int64_t)m->ends : 0;

	if (ratio > 1.2L)
		ratio = 1.2L;
	/* gaps with one window only: the estimate is no mean of two */
	return s->second * ratio + 2 * ends * s->first / m->pairs;
}

static double bound_of(const struct pev_multiplexed *m)
{
	long double missed = m->time_enabled - m->time_running, blind = guessed(m), freedom;
	struct squares s;

	if (!m->triples || !m->pairs || !m->windows_ns || is_full(m->sum_gaps) ||
	    is_full(m->sum_first) || is_full(m->sum_second))
		return INFINITY;
	s = squares_of(m);
	freedom = m->triples / 3.0L < s.few ? m->triples / 3.0L : s.few;
	/*
	 * The last term is for events so rare that windows say nothing: where none
	 * was seen, there may have been this many with a chance of 5 %.
	 */
	return student_t(freedom) * root(variance_of(m, &s)) + (blind > 0 ? blind : -blind) +
	       3 * (missed / m->windows_ns + 0.5L);
}

static uint32_t doubts_of(const struct pev_multiplexed *m)
{
	uint64_t missed = m->time_enabled - m->time_running;
	uint32_t doubts = 0;
	struct squares s;

	if (m->triples < 30)
		doubts |= PEV_DOUBT_FEW_TURNS;
	if ((int64_t)m->blind_ns > 0 && m->blind_ns > missed / 20)
		doubts |= PEV_DOUBT_BLIND;
	if (m->throttled_ns > m->time_enabled / 100)
		doubts |= PEV_DOUBT_THROTTLED;
	if (doubts & PEV_DOUBT_FEW_TURNS)
		return doubts;
	s = squares_of(m);
	if (s.few < 6)
		doubts |= PEV_DOUBT_BURSTS;
	if (s.second > 1.2L * s.first && s.second > m->value / 50.0L * (m->value / 50.0L))
		doubts |= PEV_DOUBT_IN_STEP;
	return doubts;
}

PEV_EXPORT int pev_multiplexed_estimate(const struct pev_multiplexed *m,
					struct pev_estimate *e)
{
	long double v;

	*e = (struct pev_estimate){ .value = m->value };
	if (m->time_running >= m->time_enabled)
		return 0;
	if (!m->time_running) {
		e->bound = INFINITY;
		return -ENODATA;
	}
	v = scaled(m) + 0.5L;
	e->value = v >= 18446744073709551616.0L ? UINT64_MAX : (uint64_t)v;
	e->bound = bound_of(m);
	e->doubts = doubts_of(m);
	return 0;
}
