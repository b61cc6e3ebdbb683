/* SPDX-License-Identifier: GPL-2.0 */
/* Counts by key as a table, CSV or JSON. */
#ifndef PERFCTL_BY_PRINT_H
#define PERFCTL_BY_PRINT_H

#include "source.h"

/**
 * struct by_picture - what is printed
 * @at:    seconds since the start; negative: all of it
 * @first: nothing was printed yet
 */
struct by_picture {
	struct by_counts *counts;
	const struct by_keys *keys;
	const struct event_plan *plan;
	const char *target;
	double at;
	bool first;
};

/**
 * struct by_style - how
 * @sep:    of CSV; NULL: none
 * @lines:  rows of a table, 0: all
 * @screen: begin at the top of the terminal
 */
struct by_style {
	FILE *out;
	const char *sep;
	uint64_t lines;
	bool json;
	bool screen;
};

/* Sorts the rows. */
void by_print(const struct by_picture *p, const struct by_style *s);

#endif
