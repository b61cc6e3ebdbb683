/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl stat: what was measured, and how it is printed. */
#ifndef PERFCTL_STAT_STAT_H
#define PERFCTL_STAT_STAT_H

#include "math.h"
#include "parts.h"
#include "event/plan.h"

struct metric;
struct topdown;

/**
 * struct stat_event - one event's numbers
 * @value:   over the rounds, as if it had been counted all the time
 * @last:    as counted, of the last round, or of the last interval
 * @total:   as counted, of all rounds, or of the last interval
 * @estimate: of the last round or interval, as if it had been counted all the time
 * @estimated: the kernel told enough for that
 * @bound:   of the last round or interval, by how much it may be wrong; 0: it
 *           was counted all the time; INFINITY: unknown
 * @doubts:  PEV_DOUBT_* of all rounds, or of the last interval
 * @squares: sum of the squares of the rounds' bounds
 * @before:  windows at the start of the interval, by id of the target; NULL for
 *           other than hardware events
 * @parts:   of each part, of all rounds, or of the last interval; NULL if not asked for
 */
struct stat_event {
	struct spread value;
	struct pev_value last;
	struct pev_value total;
	double estimate;
	bool estimated;
	double bound;
	uint32_t doubts;
	double squares;
	struct pev_multiplexed *before;
	struct pev_value *parts;
};

/**
 * struct stat_result - all numbers
 * @plan:    the events
 * @events:  plan->n of them
 * @sums:    of what is counted for each kind of core, over the rounds: by planned_event.sum
 * @parts:   by CPU, core and so on; none if not asked for
 * @target:  what was measured, for the heading
 * @command: the target is a command, @user and @sys are known
 * @rounds:  so far
 * @wall:    seconds
 * @user:    seconds
 * @sys:     seconds
 * @at:      seconds since the start, for intervals; negative: this is the total
 * @metrics: asked for by -M, ended by NULL; NULL: none
 * @topdown: NULL: its shares were not asked for
 * @cross_window: show ratios of events that were not counted at the same time
 */
struct stat_result {
	const struct event_plan *plan;
	struct stat_event *events;
	struct spread *sums;
	struct stat_parts parts;
	const char *target;
	bool command;
	unsigned int rounds;
	struct spread wall;
	struct spread user;
	struct spread sys;
	double at;
	const struct metric **metrics;
	const struct topdown *topdown;
	bool cross_window;
};

#endif
