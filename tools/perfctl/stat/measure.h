/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl stat: counting, once or in rounds. */
#ifndef PERFCTL_STAT_MEASURE_H
#define PERFCTL_STAT_MEASURE_H

#include "events.h"
#include "parts.h"
#include "event/spec.h"
#include "event/target.h"
#include "record/measure.h"

struct metric;

/**
 * struct stat_opts - as typed
 * @split: see by/keys.h; NULL: not at all
 * @rows:  for @split, that there is room for on each CPU
 */
struct stat_opts {
	struct target_opts target;
	struct span_opts span;
	struct event_list events;
	uint64_t interval;
	uint64_t repeat;
	const char *sep;
	const char *output;
	bool json;
	enum stat_by by;
	bool append;
	bool cross_window;
	bool detailed;
	bool topdown;
	const char *split;
	uint64_t rows;
	const struct metric **metrics;
	size_t n_metrics;
	size_t cap_metrics;
};

/* @argv: NULL if there is no command. Frees the lists of @opts; returns the status to exit with. */
int stat_measure(const struct stat_opts *opts, char **argv, struct msg *m);

#endif
