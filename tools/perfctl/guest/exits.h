/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl guest exits: why processors left guests, and how long they were away. */
#ifndef PERFCTL_GUEST_EXITS_H
#define PERFCTL_GUEST_EXITS_H

#include "event/target.h"
#include "hist/latency.h"
#include "record/measure.h"

/**
 * struct exits_opts - as typed
 * @interval: ms, 0: all is printed at the end
 */
struct exits_opts {
	struct target_opts target;
	struct span_opts span;
	const char *output;
	uint64_t interval;
	uint64_t rows;
	bool per_vcpu;
	bool json;
};

/**
 * struct exits_row - exits of a guest for one reason
 * @vcpu:   -1: of all
 * @ns:     from exits to the next entries, together
 * @shares: of exits that take no longer, see hist_quantiles()
 */
struct exits_row {
	uint32_t pid;
	int vcpu;
	uint64_t reason;
	uint64_t count;
	uint64_t ns;
	uint64_t most;
	uint64_t shares[HIST_QUANTILES];
};

/**
 * struct exits_guest - what one process ran
 * @comm: NULL: it ended before it was looked at
 * @first: of its rows
 */
struct exits_guest {
	uint32_t pid;
	char *comm;
	uint64_t count;
	uint64_t ns;
	size_t first;
	size_t n;
};

/**
 * struct exits - what was counted, in the order in which it is shown
 * @seconds: that it was counted for
 * @at:      of the measurement, the end of the interval; less than 0: all of it
 * @sums:    what became of all
 */
struct exits {
	struct exits_guest *guests;
	size_t n_guests, cap_guests;
	struct exits_row *rows;
	size_t n_rows, cap_rows;
	double seconds;
	double at;
	struct pev_table_sums sums;
};

/* Returns the status to exit with. */
int exits_measure(const struct exits_opts *opts, char **argv, struct msg *m);

#endif
