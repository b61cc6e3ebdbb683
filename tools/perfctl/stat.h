/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl stat: what was measured, and how it is printed. */
#ifndef PERFCTL_STAT_H
#define PERFCTL_STAT_H

#include "event_plan.h"

/* Mean and deviation of numbers that come one at a time. */
struct spread {
	uint64_t n;
	double mean;
	double m2;
};

void spread_add(struct spread *s, double v);
/* Standard deviation of the sample; 0 with fewer than two numbers. */
double spread_stddev(const struct spread *s);
/* Standard deviation of the mean, in percent of it; what perf shows after "+-". */
double spread_percent(const struct spread *s);

/**
 * struct stat_event - one event's numbers
 * @value:   over the rounds, as if it had been counted all the time
 * @last:    as counted, of the last round, or of the last interval
 * @total:   as counted, of all rounds, or of the last interval
 * @bound:   of the last round or interval, by how much it may be wrong; 0: it
 *           was counted all the time; INFINITY: nobody knows
 * @squares: sum of the squares of the rounds' bounds
 * @before:  windows at the start of the interval, by id of the target; NULL for
 *           other than hardware events
 * @cpus:    by CPU, of the last round or interval; NULL if not asked for
 * @nr_cpus: elements
 */
struct stat_event {
	struct spread value;
	struct pev_value last;
	struct pev_value total;
	double bound;
	double squares;
	struct pev_multiplexed *before;
	struct pev_value *cpus;
	unsigned int nr_cpus;
};

/**
 * struct stat_result - all numbers
 * @plan:    the events
 * @events:  plan->n of them
 * @target:  what was measured, for the heading
 * @command: it was a command, @user and @sys are known
 * @rounds:  so far
 * @wall:    seconds
 * @user:    seconds
 * @sys:     seconds
 * @at:      seconds since the start, for intervals; negative: this is the total
 * @clock_ns: task-clock or cpu-clock of the last round, for rates; 0: not known
 * @metrics: asked for by -M, ended by NULL; NULL: none
 * @cross_window: ratios of what was not counted at the same time are wanted
 */
struct stat_result {
	const struct event_plan *plan;
	struct stat_event *events;
	const char *target;
	bool command;
	unsigned int rounds;
	struct spread wall;
	struct spread user;
	struct spread sys;
	double at;
	double clock_ns;
	const struct metric **metrics;
	bool cross_window;
};

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

/* What would have been counted in all of the time. */
double stat_scale(const struct pev_value *v);
struct reading stat_read(const struct stat_result *r, size_t event, int cpu);
/* It had a counter all the time. */
bool reading_is_whole(const struct reading *v);
/* Percent of the time that it should have been counted. */
double reading_percent(const struct reading *v);
/* Why there is no number; NULL if there is one. */
char *stat_why_not(const struct stat_result *r, size_t event);

/* What was counted between two readings. */
void windows_subtract(struct pev_multiplexed *w, const struct pev_multiplexed *before);
/* One number and its bound from those of several targets. */
double windows_estimate(const struct pev_multiplexed *w, size_t n, double *bound);

/**
 * struct stat_style - how to print
 * @out:  where to
 * @sep:  CSV separator, NULL: a table
 * @json: one JSON object a line
 */
struct stat_style {
	FILE *out;
	const char *sep;
	bool json;
};

/* Everything, once all rounds are done. */
void stat_print(const struct stat_result *r, const struct stat_style *s);
/* One interval. */
void stat_print_interval(const struct stat_result *r, const struct stat_style *s, bool first);

#endif
