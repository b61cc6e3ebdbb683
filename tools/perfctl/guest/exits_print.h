/* SPDX-License-Identifier: GPL-2.0 */
/* Exits of guests as tables and as JSON. */
#ifndef PERFCTL_GUEST_EXITS_PRINT_H
#define PERFCTL_GUEST_EXITS_PRINT_H

#include "hist/latency.h"

#include <pev/pev.h>

#include <stdio.h>

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

void exits_print(const struct exits *e, FILE *out);
void exits_json(const struct exits *e, FILE *out);

#endif
