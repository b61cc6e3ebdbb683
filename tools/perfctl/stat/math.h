/* SPDX-License-Identifier: GPL-2.0 */
/* Means, deviations and the bounds of estimates. */
#ifndef PERFCTL_STAT_MATH_H
#define PERFCTL_STAT_MATH_H

#include "base/util.h"

#include <pev/pev.h>

/* Mean and deviation of numbers that come one at a time. */
struct spread {
	uint64_t n;
	double mean;
	double m2;
};

void spread_add(struct spread *s, double v);
/* Standard deviation of the sample; 0 with fewer than two numbers. */
double spread_stddev(const struct spread *s);
/* Standard error of the mean: how far it may be off for chance. */
double spread_error(const struct spread *s);
/* The same in percent of the mean; what perf shows after "+-". */
double spread_percent(const struct spread *s);

/**
 * struct reading - an event's number, from whatever place it is needed
 * @value:   as if it had been counted all the time
 * @counted: as counted
 * @enabled: ns that it should have been counted ...
 * @running: ... and was
 * @bound:   @value may be wrong by so much; 0: it was counted all the time;
 *           INFINITY: nobody knows
 */
struct reading {
	double value;
	double counted;
	double enabled;
	double running;
	double bound;
};

/* It had a counter all the time. */
bool reading_is_whole(const struct reading *v);
/* Percent of the time that it should have been counted. */
double reading_percent(const struct reading *v);

/* What was counted between two readings. */
void windows_subtract(struct pev_multiplexed *w, const struct pev_multiplexed *before);
/* One number and its bound from those of several targets. */
double windows_estimate(const struct pev_multiplexed *w, size_t n, double *bound);

#endif
