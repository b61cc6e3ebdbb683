/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl report: how tables and trees are printed. */
#ifndef PERFCTL_REPORT_H
#define PERFCTL_REPORT_H

#include "feed.h"
#include "rows.h"

/**
 * enum report_graph - what is printed below a row
 * @GRAPH_TREE:   a tree
 * @GRAPH_FLAT:   chain after chain, a function a line
 * @GRAPH_FOLDED: a chain a line, functions joined by semicolons
 */
enum report_graph {
	GRAPH_NONE,
	GRAPH_TREE,
	GRAPH_FLAT,
	GRAPH_FOLDED,
};

/**
 * struct report_style - how to print
 * @out:     where to
 * @limit:   percent of all samples below which rows are left out
 * @branch:  the same for branches of trees
 * @graph:   call trees
 * @samples: a column with the number of samples
 * @color:   large shares stand out
 * @bare:    no heading for the recording
 * @lines:   rows of a table at most, 0: all
 * @waits:   weights are ns, samples are waits
 */
struct report_style {
	FILE *out;
	double limit;
	double branch;
	enum report_graph graph;
	bool samples;
	bool color;
	bool waits;
	bool bare;
	uint64_t lines;
};

/* One event's table. @event: its name, for the heading. */
void report_print(const struct rows *rows, const struct report_style *s, const char *event,
		  const struct strtab *events);

/* Rows as CSV with a heading; @event: a first column, NULL: none. */
void report_csv(const struct rows *rows, const struct report_style *s, const char *sep,
		const char *event, const struct strtab *events, bool heading);
/* report_chains.c: below a row */
void report_chains(const struct rows *rows, const struct row *row, const struct report_style *s);

struct json;
/* The same as members of an open JSON object. */
void report_json(const struct rows *rows, const struct report_style *s, struct json *j,
		 const struct strtab *events);

/* "symbol" of a row: for tables and JSON */
void report_cell(const struct rows *rows, const struct row *row, enum sort_key key,
		 const struct strtab *events, struct strbuf *b);

/* report_out.c: all events */
bool report_has_event(const struct profile *p, uint32_t event);
/* Columns that would be empty are left out, unless nothing else is left. */
struct rows_config report_columns(const struct feed *f, const struct rows_config *config,
				  uint32_t event);
void report_text(struct feed *f, const struct rows_config *config, const struct report_style *s);
/* @path: "-": the standard output */
int report_write_json(struct feed *f, const struct rows_config *config,
		      const struct report_style *s, const char *path, struct msg *m);
int report_write_csv(struct feed *f, const struct rows_config *config,
		     const struct report_style *s, const char *sep, const char *path,
		     struct msg *m);
/* report_notes.c: on the error output; @filtered: not all samples were asked for */
void report_notes(const struct feed *f, bool filtered);

static inline double report_share(const struct rows *rows, uint64_t weight)
{
	return rows->weight ? 100.0 * (double)weight / (double)rows->weight : 0;
}

#endif
