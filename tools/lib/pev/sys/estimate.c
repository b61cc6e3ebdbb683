// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Estimates what an event that shared its counter would have counted, and the error of
 * that. Documentation/design/multiplexing.rst has the reasons.
 */
#include <errno.h>
#include <math.h>
#include <pev/pev.h>
#include "core/compiler.h"

/*
 * Turns are not a random sample: an event that has had one waits for the others. For
 * workloads with a period near the time between turns, the spread of the estimate is
 * therefore a quarter larger than the spread of the windows says.
 */
#define TURNS_ARE_NOT_RANDOM	1.3L

/* The t of Student with which 95 % lie within +-t */
static long double student_t(uint64_t freedom)
{
	static const long double few[] = { 0, 12.706L, 4.303L, 3.182L, 2.776L };
	long double f = freedom;

	if (freedom < ARRAY_SIZE(few))
		return few[freedom];
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

static bool is_full(const __u64 sum[2])
{
	return (sum[0] & sum[1]) == UINT64_MAX;
}

static uint64_t scaled(const struct pev_multiplexed *m)
{
	unsigned __int128 v = (unsigned __int128)m->value * m->time_enabled;

	v = (v + m->time_running / 2) / m->time_running;
	return v > UINT64_MAX ? UINT64_MAX : (uint64_t)v;
}

static double bound_of(const struct pev_multiplexed *m)
{
	long double n = m->windows, running = m->time_running, enabled = m->time_enabled;
	long double rate = m->value / running, unseen = 1 - running / enabled, squares;

	if (m->windows < 2 || is_full(m->sum_tt) || is_full(m->sum_xt) || is_full(m->sum_xx))
		return INFINITY;
	/* squares of what each window is off the mean rate */
	squares = wide(m->sum_xx) - 2 * rate * wide(m->sum_xt) + rate * rate * wide(m->sum_tt);
	/*
	 * The second term is for events so rare that windows say nothing: where none
	 * was seen, there may have been this many with a chance of 5 %.
	 */
	return TURNS_ARE_NOT_RANDOM * student_t(m->windows - 1) * enabled / running *
		root(squares * unseen * n / (n - 1)) + 3 * (enabled / running - 0.5L);
}

PEV_EXPORT int pev_multiplexed_estimate(const struct pev_multiplexed *m,
					struct pev_estimate *e)
{
	*e = (struct pev_estimate){ .value = m->value };
	if (m->time_running >= m->time_enabled)
		return 0;
	if (!m->time_running) {
		e->bound = INFINITY;
		return -ENODATA;
	}
	e->value = scaled(m);
	e->bound = bound_of(m);
	return 0;
}
