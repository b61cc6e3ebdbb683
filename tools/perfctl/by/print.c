// SPDX-License-Identifier: GPL-2.0
/* Counts by key as a table, CSV or JSON. See print.h. */
#include "print.h"
#include "base/json.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/**
 * struct column - what has a column of the table, and lines of CSV
 * @event: index in the plan
 * @sum:   it is of all kinds of cores, and @event is the first of them
 */
struct column {
	size_t event;
	bool sum;
};

/**
 * struct view - a picture as it is printed
 * @columns: @n of them
 */
struct view {
	const struct by_picture *p;
	const struct by_style *s;
	struct column *columns;
	size_t n, cap;
};

/* ---- columns ---- */

/* Is @event what the column shows, or part of that? */
static bool is_of(const struct view *v, const struct column *c, size_t event)
{
	const struct planned_event *events = v->p->plan->events;

	return c->sum ? events[event].sum == events[c->event].sum : event == c->event;
}

static bool is_counted(const struct view *v, const struct column *c)
{
	for (size_t i = 0; i < v->p->plan->n; i++)
		if (is_of(v, c, i) && v->p->plan->events[i].refused)
			return false;
	return true;
}

static char *label_of(const struct view *v, const struct column *c)
{
	const struct planned_event *e = &v->p->plan->events[c->event];

	return c->sum ? planned_event_sum_name(e) : xstrdup(e->label);
}

static void add_column(struct view *v, size_t event, bool sum)
{
	struct column *c = ARRAY_PUSH(v->columns, v->n, v->cap);

	*c = (struct column){ .event = event, .sum = sum };
}

/* Sums over kinds of cores are behind the last event of what was typed together. */
static void make_columns(struct view *v)
{
	const struct event_plan *plan = v->p->plan;

	for (size_t i = 0; i < plan->n; i++) {
		add_column(v, i, false);
		for (size_t k = 0; (k = event_plan_sum_behind(plan, i, k)) < plan->n; k++)
			add_column(v, k, true);
	}
}

/* ---- numbers ---- */

/* As if the event had had a counter all the time */
static double scaled(const struct by_picture *p, size_t event, uint64_t value)
{
	double share = p->counts->share[event];

	return share > 0 ? (double)value / share : (double)value;
}

static double scaled_column(const struct view *v, const struct column *c, const uint64_t *values)
{
	double sum = 0;

	for (size_t i = 0; i < v->p->plan->n; i++)
		if (is_of(v, c, i))
			sum += scaled(v->p, i, values[i]);
	return sum;
}

static uint64_t plain_column(const struct view *v, const struct column *c, const uint64_t *values)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < v->p->plan->n; i++)
		if (is_of(v, c, i))
			sum += values[i];
	return sum;
}

/* How much of what is shown was counted; 0: one of the events was not. */
static double share_of(const struct view *v, const struct column *c)
{
	const struct by_counts *counts = v->p->counts;
	double all;

	if (!c->sum)
		return counts->share[c->event];
	for (size_t i = 0; i < v->p->plan->n; i++)
		if (is_of(v, c, i) && counts->share[i] <= 0)
			return 0;
	all = scaled_column(v, c, counts->total);
	return all > 0 ? (double)plain_column(v, c, counts->total) / all : 1;
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

static const char *number(char buf[32], const struct view *v, const struct column *c,
			  const uint64_t *values)
{
	const char *unit;
	double scale = unit_of(&v->p->plan->events[c->event], &unit), share = share_of(v, c);

	if (share <= 0)
		snprintf(buf, 32, "<not counted>");
	else if (scale != 1)
		snprintf(buf, 32, "%.2f", scaled_column(v, c, values) * scale);
	else if (share < 1)
		text_count(buf, (uint64_t)llround(scaled_column(v, c, values)));
	else
		text_count(buf, plain_column(v, c, values));
	return buf;
}

/* What all rows have of each event, and what found none: to be freed */
static uint64_t *sums_from(const struct by_picture *p, size_t from)
{
	uint64_t *sums = xcalloc(p->plan->n, sizeof(*sums));

	for (size_t i = 0; i < p->plan->n; i++)
		for (size_t k = from; k < p->counts->rows.n; k++)
			sums[i] += p->counts->rows.v[k].values[i];
	return sums;
}

static uint64_t *totals(const struct by_picture *p)
{
	uint64_t *sums = sums_from(p, 0);

	for (size_t i = 0; i < p->plan->n; i++)
		sums[i] += p->counts->other[i];
	return sums;
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

/* Returns the number of characters that a column takes, and its name. */
static int column_name(char *buf, size_t size, const struct view *v, const struct column *c)
{
	char *label = label_of(v, c);

	text_safe(buf, size, label);
	free(label);
	return (int)max_u64(COLUMN, strlen(buf));
}

static void print_heading(const struct view *v, FILE *out)
{
	char label[64];

	for (size_t i = 0; i < v->n; i++) {
		const struct column *c = &v->columns[i];
		const char *unit;

		if (!is_counted(v, c))
			continue;
		unit_of(&v->p->plan->events[c->event], &unit);
		fprintf(out, " %*s", column_name(label, sizeof(label), v, c), unit);
	}
	fputc('\n', out);
	for (size_t i = 0; i < v->n; i++) {
		int width = column_name(label, sizeof(label), v, &v->columns[i]);

		if (is_counted(v, &v->columns[i]))
			fprintf(out, " %*s", width, label);
	}
	for (unsigned int k = 0; k < v->p->keys->n; k++)
		fprintf(out, "  %s", by_kind_name(v->p->keys->kind[k]));
	fputc('\n', out);
}

static void print_values(const struct view *v, const uint64_t *values, FILE *out)
{
	char buf[32], label[64];

	for (size_t i = 0; i < v->n; i++) {
		const struct column *c = &v->columns[i];

		if (is_counted(v, c))
			fprintf(out, " %*s", column_name(label, sizeof(label), v, c),
				number(buf, v, c, values));
	}
}

static void print_row(const struct view *v, const struct by_row *row, FILE *out)
{
	struct strbuf text = { 0 };

	print_values(v, row->values, out);
	for (unsigned int k = 0; k < v->p->keys->n; k++) {
		strbuf_puts(&text, "  ");
		shown_key(&text, v->p, row, k);
	}
	fprintf(out, "%s\n", text.s);
	strbuf_free(&text);
}

/* What the lines leave out, and what found no row */
static void print_rest(const struct view *v, size_t from, FILE *out)
{
	const struct by_counts *counts = v->p->counts;
	bool other = false;

	for (size_t i = 0; i < v->p->plan->n; i++)
		other |= counts->other[i];
	if (from < counts->rows.n) {
		uint64_t *sums = sums_from(v->p, from);

		print_values(v, sums, out);
		fprintf(out, "  (%zu more)\n", counts->rows.n - from);
		free(sums);
	}
	if (other) {
		print_values(v, counts->other, out);
		fputs("  (other)\n", out);
	}
}

static void print_totals(const struct view *v, FILE *out)
{
	uint64_t *sums = totals(v->p);

	print_values(v, sums, out);
	fputs("  total\n", out);
	free(sums);
}

/* Which events are not there, and which had a counter for a part of the time only */
static void print_notes(const struct view *v, FILE *out)
{
	char label[64];

	for (size_t i = 0; i < v->n; i++) {
		const struct column *c = &v->columns[i];
		double share = share_of(v, c);

		column_name(label, sizeof(label), v, c);
		if (!is_counted(v, c))
			fprintf(out, "\n %s: <%s>", label,
				c->sum ? "not counted on each kind of core" : "not supported");
		else if (share < 1 && !c->sum)
			fprintf(out, "\n %s: scaled, as it had a counter %.2f%% of the time", label,
				share * 100);
	}
	fputc('\n', out);
}

static void print_table(const struct view *v)
{
	const struct by_picture *p = v->p;
	const struct by_style *s = v->s;
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
	print_heading(v, s->out);
	for (size_t i = 0; i < lines; i++)
		print_row(v, &rows->v[i], s->out);
	print_rest(v, lines, s->out);
	print_totals(v, s->out);
	print_notes(v, s->out);
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
static void csv_line(const struct view *v, const struct by_row *row, const char *name,
		     const struct column *c, const uint64_t *values)
{
	const struct by_picture *p = v->p;
	const struct by_style *s = v->s;
	const char *unit;
	double scale = unit_of(&p->plan->events[c->event], &unit);
	char *label = label_of(v, c);

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
	fprintf(s->out, scale == 1 ? "%.0f%s" : "%.6f%s", scaled_column(v, c, values) * scale,
		s->sep);
	csv_cell(s, unit);
	csv_cell(s, label);
	fprintf(s->out, "%.2f\n", share_of(v, c) * 100);
	free(label);
}

static void print_csv(const struct view *v)
{
	const struct by_counts *counts = v->p->counts;
	uint64_t *all = totals(v->p);

	for (size_t i = 0; i < v->n; i++) {
		const struct column *c = &v->columns[i];

		if (!is_counted(v, c))
			continue;
		for (size_t k = 0; k < counts->rows.n; k++)
			csv_line(v, &counts->rows.v[k], NULL, c, counts->rows.v[k].values);
		csv_line(v, NULL, "(other)", c, counts->other);
		csv_line(v, NULL, "(total)", c, all);
	}
	free(all);
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
static void json_event(struct json *j, const struct by_picture *p, size_t event, uint64_t in_rows)
{
	const struct planned_event *e = &p->plan->events[event];
	char *sum;

	json_open(j, NULL, '{');
	json_string(j, "event", e->label);
	json_string(j, "unit", e->unit);
	json_bool(j, "supported", !e->refused);
	json_double(j, "counted_share", p->counts->share[event], 6);
	json_u64(j, "rows", in_rows);
	json_u64(j, "other", p->counts->other[event]);
	json_u64(j, "counter", p->counts->total[event]);
	if (e->sum) {
		sum = planned_event_sum_name(e);
		json_string(j, "sum", sum);
		free(sum);
	}
	json_close(j, '}');
}

static void print_json(const struct by_picture *p, FILE *out)
{
	struct json j = { .out = out };
	uint64_t *in_rows = sums_from(p, 0);

	json_open(&j, NULL, '{');
	if (p->at >= 0)
		json_double(&j, "time", p->at, 9);
	json_open(&j, "events", '[');
	for (size_t i = 0; i < p->plan->n; i++)
		json_event(&j, p, i, in_rows[i]);
	json_close(&j, ']');
	json_open(&j, "rows", '[');
	for (size_t i = 0; i < p->counts->rows.n; i++)
		json_row(&j, p, &p->counts->rows.v[i]);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end_line(&j);
	free(in_rows);
}

/* By the first event that is counted: of all kinds of cores, where there are several */
static void sort_rows(const struct view *v)
{
	const struct event_plan *plan = v->p->plan;
	double *weights = xcalloc(plan->n, sizeof(*weights));
	struct column first = { 0 };

	while (first.event + 1 < plan->n && plan->events[first.event].refused)
		first.event++;
	first.sum = plan->events[first.event].sum;
	for (size_t i = 0; i < plan->n; i++)
		weights[i] = is_of(v, &first, i) ? scaled(v->p, i, 1) : 0;
	by_rows_sort(&v->p->counts->rows, weights);
	free(weights);
}

void by_print(const struct by_picture *p, const struct by_style *s)
{
	struct view v = { .p = p, .s = s };

	make_columns(&v);
	sort_rows(&v);
	if (s->json)
		print_json(p, s->out);
	else if (s->sep)
		print_csv(&v);
	else
		print_table(&v);
	fflush(s->out);
	free(v.columns);
}
