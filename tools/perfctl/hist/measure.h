/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl hist: counting in a table of the kernel. */
#ifndef PERFCTL_HIST_MEASURE_H
#define PERFCTL_HIST_MEASURE_H

#include "print.h"
#include "event/spec.h"
#include "event/target.h"
#include "record/measure.h"

/**
 * struct hist_opts - as typed
 * @sum:      what is summed up, NULL: nothing
 * @latency:  of which events, see latency.h; NULL: of none
 * @open:     pairs that may be open
 * @interval: ms, 0: all is printed at the end
 */
struct hist_opts {
	struct target_opts target;
	struct span_opts span;
	struct event_list events;
	const char *sum;
	const char *latency;
	uint64_t open;
	uint64_t interval;
	uint64_t rows;
	const char *output;
	bool json;
	bool csv;
};

/*
 * @table: its keys and its value are set; @argv: NULL if there is no command. Frees the list of
 * @opts; returns the status to exit with.
 */
int hist_measure(const struct hist_opts *opts, const struct pev_table *table, char **argv,
		 struct msg *m);

#endif
