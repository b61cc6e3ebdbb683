/* SPDX-License-Identifier: GPL-2.0 */
/* Counts as a table, CSV or JSON. */
#ifndef PERFCTL_STAT_PRINT_H
#define PERFCTL_STAT_PRINT_H

#include "stat.h"

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

/* Prints everything, once all rounds are done. */
void stat_print(const struct stat_result *r, const struct stat_style *s);
/* Prints one interval. */
void stat_print_interval(const struct stat_result *r, const struct stat_style *s, bool first);

#endif
