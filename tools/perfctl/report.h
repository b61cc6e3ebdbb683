/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl report: how tables and trees are printed. */
#ifndef PERFCTL_REPORT_H
#define PERFCTL_REPORT_H

#include "rows.h"

/**
 * struct report_style - how to print
 * @out:     where to
 * @limit:   percent of all samples below which rows are left out
 * @branch:  the same for branches of trees
 * @graph:   print call trees
 * @samples: a column with the number of samples
 */
struct report_style {
	FILE *out;
	double limit;
	double branch;
	bool graph;
	bool samples;
};

/* One event's table. @event: its name, for the heading. */
void report_print(const struct rows *rows, const struct report_style *s, const char *event,
		  const struct strtab *events);

struct json;
/* The same as members of an open JSON object. */
void report_json(const struct rows *rows, const struct report_style *s, struct json *j,
		 const struct strtab *events);

/* "symbol" of a row: for tables and JSON */
void report_cell(const struct rows *rows, const struct row *row, enum sort_key key,
		 const struct strtab *events, struct strbuf *b);

static inline double report_share(const struct rows *rows, uint64_t weight)
{
	return rows->weight ? 100.0 * (double)weight / (double)rows->weight : 0;
}

#endif
