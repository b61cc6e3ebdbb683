// SPDX-License-Identifier: GPL-2.0
/* Counts by key as a table, CSV or JSON. See print.h. */
#include "print.h"
#include "base/json.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- numbers ---- */

/* As if the event had had a counter all the time */
static double scaled(const struct by_picture *p, size_t event, uint64_t value)
{
	double share = p->counts->share[event];

	return share > 0 ? (double)value / share : (double)value;
}

static bool is_time(const struct planned_event *e)
{
	return !strcmp(e->unit, "ns");
}

/* Does the number have a unit that is not the event's own? */
static double unit_of(const struct planned_event *e, const char **unit)
{
	*unit = is_time(e) ? "msec" : e->unit;
	return is_time(e) ? 1e-6 : e->scale;
}

static const char *number(char buf[32], const struct by_picture *p, size_t event, uint64_t value)
{
	const struct planned_event *e = &p->plan->events[event];
	const char *unit;
	double scale = unit_of(e, &unit);

	if (p->counts->share[event] <= 0)
		snprintf(buf, 32, "<not counted>");
	else if (scale != 1)
		snprintf(buf, 32, "%.2f", scaled(p, event, value) * scale);
	else if (p->counts->share[event] < 1)
		text_count(buf, (uint64_t)llround(scaled(p, event, value)));
	else
		text_count(buf, value);
	return buf;
}

static bool is_counted(const struct by_picture *p, size_t event)
{
	return !p->plan->events[event].refused;
}

static size_t first_counted(const struct by_picture *p)
{
	for (size_t i = 0; i < p->plan->n; i++)
		if (is_counted(p, i))
			return i;
	return 0;
}

static uint64_t in_rows(const struct by_picture *p, size_t event)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->counts->rows.n; i++)
		sum += p->counts->rows.v[i].values[event];
	return sum;
}

/* ---- keys ---- */

static bool is_number(enum by_kind kind)
{
	return kind == BY_PROCESS || kind == BY_THREAD || kind == BY_CPU;
}

static void plain_key(struct strbuf *b, const struct by_picture *p, const struct by_row *row,
		      unsigned int key)
{
	if (is_number(p->keys->kind[key]))
		strbuf_addf(b, "%" PRIu64, row->key[key]);
	else
		strbuf_puts(b, strtab_get(&p->counts->rows.names, (uint32_t)row->key[key]));
}

/* "make 1234" of a process; CPUs and names as they are */
static void shown_key(struct strbuf *b, const struct by_picture *p, const struct by_row *row,
		      unsigned int key)
{
	enum by_kind kind = p->keys->kind[key];
	struct strbuf text = { 0 };

	if (kind == BY_PROCESS || kind == BY_THREAD)
		strbuf_addf(&text, "%s ", row->key[key] ? row->comm : "idle");
	plain_key(&text, p, row, key);
	text_name(b, text.s ? text.s : "");
	strbuf_free(&text);
}

/* ---- for people ---- */

#define COLUMN 18

static void print_heading(const struct by_picture *p, FILE *out)
{
	char label[64];

	for (size_t i = 0; i < p->plan->n; i++) {
		const char *unit;

		if (!is_counted(p, i))
			continue;
		unit_of(&p->plan->events[i], &unit);
		text_safe(label, sizeof(label), p->plan->events[i].label);
		if (*unit)
			fprintf(out, " %*s", COLUMN, unit);
		else
			fprintf(out, " %*s", COLUMN, "");
	}
	fputc('\n', out);
	for (size_t i = 0; i < p->plan->n; i++)
		if (is_counted(p, i))
			fprintf(out, " %*s", COLUMN,
				text_safe(label, sizeof(label), p->plan->events[i].label));
	for (unsigned int k = 0; k < p->keys->n; k++)
		fprintf(out, "  %s", by_kind_name(p->keys->kind[k]));
	fputc('\n', out);
}

static void print_values(const struct by_picture *p, const uint64_t *values, FILE *out)
{
	char buf[32];

	for (size_t i = 0; i < p->plan->n; i++)
		if (is_counted(p, i))
			fprintf(out, " %*s", COLUMN, number(buf, p, i, values[i]));
}

static void print_row(const struct by_picture *p, const struct by_row *row, FILE *out)
{
	struct strbuf text = { 0 };

	print_values(p, row->values, out);
	for (unsigned int k = 0; k < p->keys->n; k++) {
		strbuf_puts(&text, "  ");
		shown_key(&text, p, row, k);
	}
	fprintf(out, "%s\n", text.s);
	strbuf_free(&text);
}

/* What the lines leave out, and what found no row */
static void print_rest(const struct by_picture *p, size_t from, FILE *out)
{
	const struct by_rows *rows = &p->counts->rows;
	uint64_t *sums = xcalloc(p->plan->n, sizeof(*sums));
	bool other = false;

	for (size_t i = 0; i < p->plan->n; i++) {
		for (size_t k = from; k < rows->n; k++)
			sums[i] += rows->v[k].values[i];
		other |= p->counts->other[i];
	}
	if (from < rows->n) {
		print_values(p, sums, out);
		fprintf(out, "  (%zu more)\n", rows->n - from);
	}
	if (other) {
		print_values(p, p->counts->other, out);
		fputs("  (other)\n", out);
	}
	free(sums);
}

static void print_totals(const struct by_picture *p, FILE *out)
{
	uint64_t *sums = xcalloc(p->plan->n, sizeof(*sums));

	for (size_t i = 0; i < p->plan->n; i++)
		sums[i] = in_rows(p, i) + p->counts->other[i];
	print_values(p, sums, out);
	fputs("  total\n", out);
	free(sums);
}

/* Which events are not there, and which had a counter for a part of the time only */
static void print_notes(const struct by_picture *p, FILE *out)
{
	char label[64];

	for (size_t i = 0; i < p->plan->n; i++) {
		double share = p->counts->share[i];

		text_safe(label, sizeof(label), p->plan->events[i].label);
		if (!is_counted(p, i))
			fprintf(out, "\n %s: <not supported>", label);
		else if (share < 1)
			fprintf(out, "\n %s: scaled, as it had a counter %.2f%% of the time", label,
				share * 100);
	}
	fputc('\n', out);
}

static void print_table(const struct by_picture *p, const struct by_style *s)
{
	const struct by_rows *rows = &p->counts->rows;
	size_t lines = s->lines && s->lines < rows->n ? s->lines : rows->n;
	struct strbuf target = { 0 };

	if (s->screen)
		fputs("\033[H\033[2J", s->out);
	text_name(&target, p->target);
	if (p->first || s->screen)
		fprintf(s->out, "\n Counts for %s:\n", target.s);
	strbuf_free(&target);
	if (p->at >= 0)
		fprintf(s->out, "\n At %.3f s:\n", p->at);
	print_heading(p, s->out);
	for (size_t i = 0; i < lines; i++)
		print_row(p, &rows->v[i], s->out);
	print_rest(p, lines, s->out);
	print_totals(p, s->out);
	print_notes(p, s->out);
}

/* ---- for programs ---- */

static void csv_cell(const struct by_style *s, const char *text)
{
	struct strbuf cell = { 0 };

	text_csv(&cell, text, s->sep);
	fprintf(s->out, "%s%s", cell.len ? cell.s : "", s->sep);
	strbuf_free(&cell);
}

/* [time,]key[,key]...[,comm],value,unit,event,percent; a sum has its name in place of keys */
static void csv_line(const struct by_picture *p, const struct by_style *s, const struct by_row *row,
		     const char *name, size_t event, uint64_t value)
{
	const char *unit;
	double scale = unit_of(&p->plan->events[event], &unit);

	if (p->at >= 0)
		fprintf(s->out, "%.9f%s", p->at, s->sep);
	for (unsigned int k = 0; k < p->keys->n; k++) {
		struct strbuf text = { 0 };

		if (row)
			plain_key(&text, p, row, k);
		csv_cell(s, row ? text.s : k ? "" : name);
		strbuf_free(&text);
	}
	if (by_keys_named(p->keys))
		csv_cell(s, row ? row->comm : "");
	fprintf(s->out, scale == 1 ? "%.0f%s" : "%.6f%s", scaled(p, event, value) * scale, s->sep);
	csv_cell(s, unit);
	csv_cell(s, p->plan->events[event].label);
	fprintf(s->out, "%.2f\n", p->counts->share[event] * 100);
}

static void print_csv(const struct by_picture *p, const struct by_style *s)
{
	const struct by_rows *rows = &p->counts->rows;

	for (size_t i = 0; i < p->plan->n; i++) {
		if (!is_counted(p, i))
			continue;
		for (size_t k = 0; k < rows->n; k++)
			csv_line(p, s, &rows->v[k], NULL, i, rows->v[k].values[i]);
		csv_line(p, s, NULL, "(other)", i, p->counts->other[i]);
		csv_line(p, s, NULL, "(total)", i, in_rows(p, i) + p->counts->other[i]);
	}
}

static void json_row(struct json *j, const struct by_picture *p, const struct by_row *row)
{
	json_open(j, NULL, '{');
	for (unsigned int k = 0; k < p->keys->n; k++) {
		const char *name = by_kind_name(p->keys->kind[k]);

		if (is_number(p->keys->kind[k]))
			json_u64(j, name, row->key[k]);
		else
			json_string(j, name,
				    strtab_get(&p->counts->rows.names, (uint32_t)row->key[k]));
	}
	if (by_keys_named(p->keys) && !by_keys_have(p->keys, BY_COMM))
		json_string(j, "comm", row->comm);
	json_open(j, "counts", '[');
	for (size_t i = 0; i < p->plan->n; i++)
		json_u64(j, NULL, row->values[i]);
	json_close(j, ']');
	json_close(j, '}');
}

/* What the rows leave out, and what the event counted itself: as counted, not scaled. */
static void json_event(struct json *j, const struct by_picture *p, size_t event)
{
	json_open(j, NULL, '{');
	json_string(j, "event", p->plan->events[event].label);
	json_string(j, "unit", p->plan->events[event].unit);
	json_bool(j, "supported", is_counted(p, event));
	json_double(j, "counted_share", p->counts->share[event], 6);
	json_u64(j, "rows", in_rows(p, event));
	json_u64(j, "other", p->counts->other[event]);
	json_u64(j, "counter", p->counts->total[event]);
	json_close(j, '}');
}

static void print_json(const struct by_picture *p, FILE *out)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	if (p->at >= 0)
		json_double(&j, "time", p->at, 9);
	json_open(&j, "events", '[');
	for (size_t i = 0; i < p->plan->n; i++)
		json_event(&j, p, i);
	json_close(&j, ']');
	json_open(&j, "rows", '[');
	for (size_t i = 0; i < p->counts->rows.n; i++)
		json_row(&j, p, &p->counts->rows.v[i]);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end_line(&j);
}

void by_print(const struct by_picture *p, const struct by_style *s)
{
	by_rows_sort(&p->counts->rows, first_counted(p));
	if (s->json)
		print_json(p, s->out);
	else if (s->sep)
		print_csv(p, s);
	else
		print_table(p, s);
	fflush(s->out);
}
