// SPDX-License-Identifier: GPL-2.0
/* perfctl report: tables as CSV. */
#include "csv.h"
#include "print.h"
#include "report.h"
#include "base/text.h"
#include "waits/spreads.h"

#include <inttypes.h>

static void put_heading(const struct rows *rows, const struct report_style *s, const char *sep,
			bool event)
{
	const struct sort_list *sort = &rows->config->sort;

	if (event)
		fprintf(s->out, "event%s", sep);
	fprintf(s->out, "share%sweight%ssamples", sep, sep);
	if (rows->config->children)
		fprintf(s->out, "%stotal_share%stotal_weight", sep, sep);
	if (s->spreads)
		fprintf(s->out, "%sp50_ns%sp95_ns%sp99_ns%smost_ns", sep, sep, sep, sep);
	for (unsigned int k = 0; k < sort->n; k++)
		fprintf(s->out, "%s%s", sep, sort_name(sort, sort->keys[k]));
	fputc('\n', s->out);
}

static void put_spread(const struct rows *rows, const struct row *row,
		       const struct spreads *spreads, const char *sep, struct strbuf *b)
{
	static const double shares[] = { 50, 95, 99, 100 };
	struct durations waits = { 0 };

	spreads_of_row(spreads, rows, row, &waits);
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
		strbuf_addf(b, "%s%" PRIu64, sep, durations_at(&waits, shares[i]));
	durations_free(&waits);
}

void report_csv(const struct rows *rows, const struct report_style *s, const char *sep,
		const char *event, const struct strtab *events, bool heading)
{
	const struct sort_list *sort = &rows->config->sort;
	struct strbuf b = { 0 }, cell = { 0 };

	if (heading)
		put_heading(rows, s, sep, event != NULL);
	for (size_t i = 0; i < rows->n; i++) {
		const struct row *row = &rows->r[i];

		if (report_share(rows, row->total) < s->limit)
			continue;
		strbuf_reset(&b);
		if (event) {
			text_csv(&b, event, sep);
			strbuf_puts(&b, sep);
		}
		strbuf_addf(&b, "%.4f%s%" PRIu64 "%s%" PRIu64, report_share(rows, row->self), sep,
			    row->self, sep, row->samples);
		if (rows->config->children)
			strbuf_addf(&b, "%s%.4f%s%" PRIu64, sep, report_share(rows, row->total),
				    sep, row->total);
		if (s->spreads)
			put_spread(rows, row, s->spreads, sep, &b);
		for (unsigned int k = 0; k < sort->n; k++) {
			strbuf_reset(&cell);
			strbuf_add(&cell, "", 0);
			report_cell(rows, row, sort->keys[k], events, &cell);
			strbuf_puts(&b, sep);
			text_csv(&b, cell.s, sep);
		}
		fprintf(s->out, "%s\n", b.s);
	}
	strbuf_free(&b);
	strbuf_free(&cell);
}
