// SPDX-License-Identifier: GPL-2.0
/*
 * Mean and deviation of numbers that come one at a time (Welford), and estimates
 * for events that were rotated.
 */
#include "math.h"

#include <math.h>

/* A larger share of the time counts as all of it */
#define WHOLE 0.995

void spread_add(struct spread *s, double v)
{
	double delta = v - s->mean;

	s->n++;
	s->mean += delta / (double)s->n;
	s->m2 += delta * (v - s->mean);
}

double spread_stddev(const struct spread *s)
{
	return s->n > 1 ? sqrt(s->m2 / (double)(s->n - 1)) : 0;
}

double spread_error(const struct spread *s)
{
	return s->n > 1 ? spread_stddev(s) / sqrt((double)s->n) : 0;
}

double spread_percent(const struct spread *s)
{
	return s->mean != 0 ? 100 * spread_error(s) / s->mean : 0;
}

static void wide_subtract(__u64 sum[2], const __u64 less[2])
{
	sum[1] -= less[1] + (sum[0] < less[0]);
	sum[0] -= less[0];
}

void windows_subtract(struct pev_multiplexed *w, const struct pev_multiplexed *before)
{
	w->windows -= before->windows;
	w->value -= before->value;
	w->time_enabled -= before->time_enabled;
	w->time_running -= before->time_running;
	wide_subtract(w->sum_tt, before->sum_tt);
	wide_subtract(w->sum_xt, before->sum_xt);
	wide_subtract(w->sum_xx, before->sum_xx);
	w->throttled -= before->throttled;
	w->throttled_ns -= before->throttled_ns;
}

bool reading_is_whole(const struct reading *v)
{
	return v->running >= WHOLE * v->enabled;
}

double reading_percent(const struct reading *v)
{
	return v->enabled > 0 ? fmin(100, 100 * v->running / v->enabled) : 100;
}

/* Adds squares, as the errors of different targets are independent. */
double windows_estimate(const struct pev_multiplexed *w, size_t n, double *bound)
{
	double value = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		struct pev_estimate e;

		if (!pev_multiplexed_estimate(&w[i], &e)) {
			value += (double)e.value;
			squares += e.bound * e.bound;
		} else if (w[i].time_enabled) {
			squares = INFINITY;
		}
	}
	*bound = sqrt(squares);
	return value;
}
