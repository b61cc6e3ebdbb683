/* SPDX-License-Identifier: GPL-2.0 */
/* Ratios of two hardware events. */
#ifndef PERFCTL_STAT_METRIC_H
#define PERFCTL_STAT_METRIC_H

#include "stat.h"

/**
 * struct metric - what two hardware events say about each other
 * @name:  as typed after -M
 * @unit:  what its number counts
 * @value: enum pev_hardware ...
 * @per:   ... for so many of this one
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
 * @RATIO_GIVEN:   there it is
 * @RATIO_REFUSED: they were counted at different times
 */
enum ratio_state {
	RATIO_NONE,
	RATIO_GIVEN,
	RATIO_REFUSED,
};

/**
 * struct ratio - a metric with its number
 * @value: index in the plan of the event ...
 * @per:   ... and of the other
 */
struct ratio {
	const struct metric *metric;
	enum ratio_state state;
	double number;
	size_t value;
	size_t per;
};

/* A metric from what was counted; @cpu -1: in all. */
struct ratio stat_ratio(const struct stat_result *r, const struct metric *m, int cpu);
/* The metric that belongs beside an event; RATIO_NONE if there is none. */
struct ratio stat_ratio_beside(const struct stat_result *r, size_t event, int cpu);

#endif
