// SPDX-License-Identifier: GPL-2.0
/* See changes_print.h. */
#include "changes_print.h"
#include "base/json.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char *const sides[SIDES] = { "before", "after" };

static bool shown(const struct changed *row, const struct changes_shape *s)
{
	return s->all || (fabs(changed_percent(row)) >= s->limit && row->p <= s->p_limit);
}

/* ---- for programs ---- */

void changes_print_csv(const struct changes *c, const struct changes_shape *shape)
{
	const struct sums *s = &c->sums;
	struct strbuf b = { 0 };

	for (int l = 0; l < LABELS; l++)
		if (s->by[l])
			printf("%s,", sums_label(l));
	puts("before,error_before,after,error_after,change_percent,samples_before,samples_after,p");
	for (size_t i = 0; i < s->n; i++) {
		const struct changed *row = &c->rows[i];

		if (!shown(row, shape))
			continue;
		strbuf_reset(&b);
		for (int l = 0; l < LABELS; l++) {
			if (!s->by[l])
				continue;
			text_csv(&b, row->row->text[l], ",");
			strbuf_putc(&b, ',');
		}
		fputs(b.s, stdout);
		for (int side = 0; side < SIDES; side++)
			printf("%.6g,%.3g,", row->level[side].mean, row->level[side].error);
		if (isfinite(changed_percent(row)))
			printf("%.2f", changed_percent(row));
		printf(",%" PRIu64 ",%" PRIu64 ",%.3g\n", row->row->samples[BEFORE],
		       row->row->samples[AFTER], row->p);
	}
	strbuf_free(&b);
}

static void json_row(const struct changes *c, struct json *j, const struct changed *row)
{
	json_open(j, NULL, '{');
	for (int l = 0; l < LABELS; l++)
		if (c->sums.by[l])
			json_string(j, sums_label(l), row->row->text[l]);
	for (int side = 0; side < SIDES; side++) {
		json_open(j, sides[side], '{');
		json_double(j, "mean", row->level[side].mean, 6);
		json_double(j, "error", row->level[side].error, 6);
		json_u64(j, "samples", row->row->samples[side]);
		json_close(j, '}');
	}
	if (isfinite(changed_percent(row)))
		json_double(j, "change_percent", changed_percent(row), 4);
	json_double(j, "p", row->p, 9);
	json_close(j, '}');
}

void changes_print_json(const struct changes *c, const struct changes_shape *shape)
{
	const struct sums *s = &c->sums;
	struct json j = { .out = stdout };

	json_open(&j, NULL, '{');
	json_string(&j, "event", s->event);
	json_string(&j, "unit", sums_unit(s));
	for (int side = 0; side < SIDES; side++) {
		json_open(&j, sides[side], '{');
		json_u64(&j, "from", s->query[side].from);
		json_u64(&j, "to", s->query[side].to);
		json_close(&j, '}');
	}
	json_u64(&j, "compared", s->n);
	json_open(&j, "rows", '[');
	for (size_t i = 0; i < s->n; i++)
		if (shown(&c->rows[i], shape))
			json_row(c, &j, &c->rows[i]);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end_line(&j);
}

/* ---- for people ---- */

static void print_row(const struct changes *c, const struct changed *row,
		      const struct sums_widths *widths, const struct changes_shape *shape)
{
	double percent = changed_percent(row);
	const char *on = !shape->color || row->p > 0.05 ? "" : percent > 0 ? "\033[31m" : "\033[32m";
	char change[32], p[16];

	snprintf(change, sizeof(change), isfinite(percent) ? "%+.1f%%" : "new", percent);
	snprintf(p, sizeof(p), row->p < 0.0001 ? "<0.0001" : "%.4f", row->p);
	for (int side = 0; side < SIDES; side++)
		printf(" %9.4g ±%-8.2g", row->level[side].mean, row->level[side].error);
	printf("  %s%9s%s  %7s", on, change, *on ? "\033[m" : "", p);
	sums_print_labels(&c->sums, row->row, widths);
	putchar('\n');
}

static void print_head(const struct changes *c, const char *const spans[SIDES],
		       const struct sums_widths *widths)
{
	const struct sums *s = &c->sums;
	uint64_t samples[SIDES] = { 0 };
	char n[32], safe[256], event[256];

	text_safe(event, sizeof(event), s->event);
	for (size_t i = 0; i < s->n; i++)
		for (int side = 0; side < SIDES; side++)
			samples[side] += s->rows[i].samples[side];
	for (int side = 0; side < SIDES; side++)
		printf("# %-7s %s: %s samples of %s in %u s\n", sides[side],
		       text_safe(safe, sizeof(safe), spans[side]), text_count(n, samples[side]),
		       event, s->query[side].to - s->query[side].from);
	printf("# %s, each with its standard error by blocks of %u s\n#\n", sums_unit(s),
	       s->query[BEFORE].step);
	printf("#%9s %9s %9s %9s  %9s  %7s", "Before", "", "After", "", "Change", "P");
	sums_print_head(s, widths);
	putchar('\n');
}

void changes_print(const struct changes *c, const char *const spans[SIDES],
		   const struct changes_shape *shape)
{
	struct sums_widths widths = { 0 };
	char n[32], of[32];
	size_t left = 0;

	for (size_t i = 0; i < c->sums.n; i++)
		if (shown(&c->rows[i], shape))
			sums_measure(&c->sums, c->rows[i].row, &widths);
	print_head(c, spans, &widths);
	for (size_t i = 0; i < c->sums.n; i++) {
		if (shown(&c->rows[i], shape))
			print_row(c, &c->rows[i], &widths, shape);
		else
			left++;
	}
	if (left)
		printf("# %s of %s changed by less than %.3g %% or may have done so by chance "
		       "(P above %.3g, for all of them together)\n",
		       text_count(n, left), text_count(of, c->sums.n), shape->limit,
		       shape->p_limit);
}
