/* SPDX-License-Identifier: GPL-2.0 */
/* Ratios of two hardware events. */
#ifndef PERFCTL_STAT_METRIC_H
#define PERFCTL_STAT_METRIC_H

#include "stat.h"

/**
 * struct metric - what two hardware events say about each other
 * @name:  as typed after -M
 * @unit:  what its number counts
 * @value: enum pev_hardware of the numerator
 * @per:   enum pev_hardware of the denominator
 * @scale: the number is @scale * @value / @per
 * @shown: beside @value whenever both were counted
 */
struct metric {
	const char *name;
	const char *unit;
	uint32_t value;
	uint32_t per;
	double scale;
	bool shown;
};

const struct metric *stat_metrics(size_t *n);
const struct metric *stat_metric_find(const char *name);

/**
 * enum ratio_state - whether there is a ratio
 * @RATIO_NONE:    one of the events was not counted
 * @RATIO_GIVEN:   there is one
 * @RATIO_REFUSED: they were counted at different times
 */
enum ratio_state {
	RATIO_NONE,
	RATIO_GIVEN,
	RATIO_REFUSED,
};

/**
 * struct ratio - a metric with its number
 * @value: index of the numerator in the plan
 * @per:   index of the denominator
 */
struct ratio {
	const struct metric *metric;
	enum ratio_state state;
	double number;
	size_t value;
	size_t per;
};

/* Computes a metric from what was counted; @part -1: of all of them. */
struct ratio stat_ratio(const struct stat_result *r, const struct metric *m, int part);
/* The same with @event, of one kind of core perhaps, as the numerator; RATIO_NONE if it isn't. */
struct ratio stat_ratio_at(const struct stat_result *r, const struct metric *m, size_t event,
			   int part);
/* Computes the metric to show beside an event; RATIO_NONE if there is none. */
struct ratio stat_ratio_beside(const struct stat_result *r, size_t event, int part);
/* Both of the sum over all kinds of cores that @event, the first of them, is part of. */
struct ratio stat_ratio_sum(const struct stat_result *r, const struct metric *m, size_t event,
			    int part);
struct ratio stat_ratio_beside_sum(const struct stat_result *r, size_t event, int part);

#endif
