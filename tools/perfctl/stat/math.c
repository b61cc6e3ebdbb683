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
	w->throttled -= before->throttled;
	w->throttled_ns -= before->throttled_ns;
	w->windows_ns -= before->windows_ns;
	w->pairs -= before->pairs;
	w->triples -= before->triples;
	w->ends -= before->ends;
	w->blind_ns -= before->blind_ns;
	wide_subtract(w->sum_gaps, before->sum_gaps);
	wide_subtract(w->sum_first, before->sum_first);
	wide_subtract(w->sum_second, before->sum_second);
	wide_subtract(w->sum_fourth, before->sum_fourth);
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
double windows_estimate(const struct pev_multiplexed *w, size_t n, double *bound, uint32_t *doubts)
{
	double value = 0, squares = 0;

	*doubts = 0;
	for (size_t i = 0; i < n; i++) {
		struct pev_estimate e;

		if (!pev_multiplexed_estimate(&w[i], &e)) {
			value += (double)e.value;
			squares += e.bound * e.bound;
			*doubts |= e.doubts;
		} else if (w[i].time_enabled) {
			squares = INFINITY;
		}
	}
	*bound = sqrt(squares);
	return value;
}

const char *windows_doubt(uint32_t doubts)
{
	static const struct {
		uint32_t doubt;
		const char *why;
	} reasons[] = {
		{ PEV_DOUBT_THROTTLED,
		  "sampling was held up when it came fastest, so that the number "
		  "is too low: take a longer period" },
		{ PEV_DOUBT_BLIND, "on some CPUs its turn never came, and what happened there is "
				   "guessed: measure longer" },
		{ PEV_DOUBT_FEW_TURNS,
		  "it had less than 30 turns: measure longer, or fewer events at "
		  "once" },
		{ PEV_DOUBT_BURSTS,
		  "most of it came in a few turns, and others like these may have been "
		  "missed: measure longer" },
		{ PEV_DOUBT_IN_STEP,
		  "its rate changes about as fast as turns: choose another length of "
		  "turns (sysctl kernel.pev_rotate_us)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (doubts & reasons[i].doubt)
			return reasons[i].why;
	return NULL;
}
