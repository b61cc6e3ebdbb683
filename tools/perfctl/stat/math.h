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
 * struct reading - an event's number, with what is known of its error
 * @value:   as if it had been counted all the time
 * @counted: as counted
 * @enabled: ns in which it should have been counted
 * @running: ns in which it was counted
 * @bound:   @value may be wrong by so much; 0: it was counted all the time;
 *           INFINITY: unknown
 */
struct reading {
	double value;
	double counted;
	double enabled;
	double running;
	double bound;
};

/* Did it have a counter all the time? */
bool reading_is_whole(const struct reading *v);
/* Returns the percentage of the time in which it had a counter. */
double reading_percent(const struct reading *v);

/* Returns what was counted between two readings. */
void windows_subtract(struct pev_multiplexed *w, const struct pev_multiplexed *before);
/* Adds up several targets: one number, its bound and PEV_DOUBT_*. */
double windows_estimate(const struct pev_multiplexed *w, size_t n, double *bound, uint32_t *doubts);
/* Returns the gravest of @doubts in words; NULL: there is none. */
const char *windows_doubt(uint32_t doubts);

#endif
