/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl stat --by and top --by: counts split by what ran. */
#ifndef PERFCTL_BY_MEASURE_H
#define PERFCTL_BY_MEASURE_H

#include "event/spec.h"
#include "event/target.h"
#include "record/measure.h"

/* Rows that there is room for on each CPU, unless it is said */
#define BY_ROWS 1024

/**
 * struct by_opts - as typed
 * @by:       see keys.h
 * @interval: ms, 0: all is printed at the end
 * @count:    end after so many intervals, 0: do not
 * @rows:     that there is room for on each CPU
 * @lines:    of a table for people, 0: all
 * @screen:   each interval takes the place of the one before it
 */
struct by_opts {
	struct target_opts target;
	struct span_opts span;
	struct event_list events;
	const char *by;
	uint64_t interval;
	uint64_t count;
	uint64_t rows;
	uint64_t lines;
	const char *sep;
	const char *output;
	bool json;
	bool append;
	bool screen;
};

/* @argv: NULL if there is no command. Frees the list of @opts; returns the status to exit with. */
int by_measure(const struct by_opts *opts, char **argv, struct msg *m);

#endif
