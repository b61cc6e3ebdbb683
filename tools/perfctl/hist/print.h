/* SPDX-License-Identifier: GPL-2.0 */
/* Rows as a table with bars, CSV or JSON. */
#ifndef PERFCTL_HIST_PRINT_H
#define PERFCTL_HIST_PRINT_H

#include "rows.h"
#include "words.h"

/* How it is printed */
enum hist_form {
	HIST_TABLE,
	HIST_CSV,
	HIST_JSON,
};

/**
 * struct hist_result - what came since the last one
 * @rows:   sorted
 * @sums:   what became of all
 * @target: what was measured, for the heading
 * @at:     seconds since the start, of an interval; negative: there are no intervals
 * @first:  nothing was printed before
 */
struct hist_result {
	const struct hist_rows *rows;
	struct pev_table_sums sums;
	struct hist_words *words;
	const char *target;
	double at;
	bool first;
};

void hist_print(const struct hist_result *r, enum hist_form form, FILE *out);

#endif
