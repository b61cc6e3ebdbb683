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
 * @value:   over the rounds
 * @last:    of the last round, or of the last interval
 * @cpus:    by CPU, of the last round or interval; NULL if not asked for
 * @nr_cpus: elements
 */
struct stat_event {
	struct spread value;
	struct pev_value last;
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
};

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
