// SPDX-License-Identifier: GPL-2.0
/* perfctl hist: tables, CSV and JSON. See print.h. */
#include "print.h"
#include "keys.h"
#include "latency.h"
#include "base/json.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>

#define BAR 40

static const char bar[BAR + 1] = "########################################";

static bool has_sum(const struct pev_table *t)
{
	return t->value != PEV_TABLE_COUNT;
}

/* The sum, the least and the greatest of a field may have a sign. */
static const char *number(char buf[32], const struct hist_rows *rows, uint64_t v)
{
	char digits[32];

	if (rows->table->value == PEV_TABLE_OF_LATENCY)
		return text_ns(buf, v);
	if (!hist_values_signed(rows) || (int64_t)v >= 0)
		return text_count(buf, v);
	snprintf(buf, 32, "-%.30s", text_count(digits, -v));
	return buf;
}

static bool is_of_latencies(const struct pev_table *t)
{
	return hist_axis(t) >= 0 && t->keys[hist_axis(t)].from == PEV_TABLE_LATENCY;
}

static const char *value_name(const struct pev_table *t)
{
	if (t->value == PEV_TABLE_OF_LATENCY)
		return "latency";
	return t->value == PEV_TABLE_PERIOD ? "period" : t->field;
}

/* ---- for people ---- */

/**
 * struct columns - how wide the keys are
 * @axis: the key with the bars, -1: none
 */
struct columns {
	int axis;
	int width[PEV_MAX_TABLE_KEYS];
};

static void measure_columns(const struct hist_result *r, struct columns *c)
{
	const struct pev_table *t = r->rows->table;
	struct strbuf text = { 0 };
	char name[HIST_KEY_TEXT];

	*c = (struct columns){ .axis = hist_axis(t) };
	for (unsigned int k = 0; k < t->nr_keys; k++) {
		c->width[k] = (int)strlen(hist_key_text(&t->keys[k], name));
		for (size_t i = 0; i < r->rows->n; i++) {
			int width;

			strbuf_reset(&text);
			hist_word_shown(&text, r->words, &t->keys[k], r->rows->v[i].key[k]);
			width = text.len ? (int)text_width(text.s) : 0;
			if (width > c->width[k])
				c->width[k] = width;
		}
	}
	strbuf_free(&text);
}

static void print_padded(FILE *out, const char *text, int width, bool right)
{
	int pad = width - (int)text_width(text);

	fprintf(out, "%*s%s%*s", right && pad > 0 ? pad : 0, "", text, !right && pad > 0 ? pad : 0,
		"");
}

static void print_numbers(const struct hist_rows *rows, const struct hist_row *row, FILE *out)
{
	char buf[32];

	fprintf(out, " %12s", text_count(buf, row->count));
	if (!has_sum(rows->table))
		return;
	fprintf(out, " %16s", number(buf, rows, row->sum));
	fprintf(out, " %12s", number(buf, rows, row->min));
	fprintf(out, " %12s", number(buf, rows, row->max));
}

static void print_heading(const struct pev_table *t, const struct columns *c, FILE *out)
{
	char name[HIST_KEY_TEXT];

	if (c->axis >= 0)
		print_padded(out, hist_key_text(&t->keys[c->axis], name), c->width[c->axis] + 2,
			     true);
	fprintf(out, " %12s", "times");
	if (has_sum(t))
		fprintf(out, " %16.64s %12s %12s", value_name(t), "least", "greatest");
	for (unsigned int k = 0; c->axis < 0 && k < t->nr_keys; k++)
		fprintf(out, "  %-*s", k + 1 < t->nr_keys ? c->width[k] : 0,
			hist_key_text(&t->keys[k], name));
	fputc('\n', out);
}

/* "comm dd, pid 17: 1,234 times" */
static void print_group(const struct hist_result *r, const struct hist_row *row,
			const struct columns *c, FILE *out)
{
	const struct pev_table *t = r->rows->table;
	struct strbuf text = { 0 };
	char name[HIST_KEY_TEXT], buf[32];

	if (t->nr_keys == 1)
		return;
	for (int k = 0; k < (int)t->nr_keys; k++) {
		if (k == c->axis)
			continue;
		strbuf_addf(&text, "%s%s ", text.len ? ", " : "", hist_key_text(&t->keys[k], name));
		hist_word_shown(&text, r->words, &t->keys[k], row->key[k]);
	}
	fprintf(out, " %s: %s time%s\n", text.s, text_count(buf, row->group), text_s(row->group));
	strbuf_free(&text);
}

static uint64_t most_of_group(const struct hist_rows *rows, size_t first)
{
	uint64_t most = 0;

	for (size_t i = first; i < rows->n && (i == first || !hist_rows_begins(rows, i)); i++)
		most = max_u64(most, rows->v[i].count);
	return most;
}

/* A bar is never empty: rows come at least once. */
static int bar_length(uint64_t count, uint64_t most)
{
	int length = (int)((double)count * BAR / (double)most + 0.5);

	return length < 1 ? 1 : length > BAR ? BAR : length;
}

/* "p50 1.20 us, p90 ..., p99 ..." of a group of @fine */
static void print_quantiles(const struct hist_rows *fine, size_t first, FILE *out)
{
	uint64_t values[HIST_QUANTILES];
	char buf[32];

	hist_quantiles(fine, first, values);
	for (int i = 0; i < HIST_QUANTILES; i++)
		fprintf(out, "%s %s %s", i ? "," : "", hist_quantile_names[i],
			text_ns(buf, values[i]));
	fputc('\n', out);
}

static size_t next_group(const struct hist_rows *rows, size_t first)
{
	while (++first < rows->n && !hist_rows_begins(rows, first))
		;
	return first;
}

/* @fine: of latencies, all buckets, while @r has one for each power of two; else NULL */
static void print_bars(const struct hist_result *r, const struct columns *c,
		       const struct hist_rows *fine, FILE *out)
{
	const struct hist_rows *rows = r->rows;
	const struct pev_table_key *key = &rows->table->keys[c->axis];
	struct strbuf text = { 0 };
	uint64_t most = 0;
	size_t group = 0;

	for (size_t i = 0; i < rows->n; i++) {
		const struct hist_row *row = &rows->v[i];

		if (hist_rows_begins(rows, i)) {
			most = most_of_group(rows, i);
			if (i)
				fputc('\n', out);
			print_group(r, row, c, out);
			if (fine) {
				print_quantiles(fine, group, out);
				group = next_group(fine, group);
			}
			print_heading(rows->table, c, out);
		}
		strbuf_reset(&text);
		hist_word_shown(&text, r->words, key, row->key[c->axis]);
		print_padded(out, text.s, c->width[c->axis] + 2, true);
		print_numbers(rows, row, out);
		fprintf(out, "  %.*s\n", bar_length(row->count, most), bar);
	}
	strbuf_free(&text);
}

static void print_list(const struct hist_result *r, const struct columns *c, FILE *out)
{
	const struct pev_table *t = r->rows->table;
	struct strbuf text = { 0 };

	if (r->rows->n)
		print_heading(t, c, out);
	for (size_t i = 0; i < r->rows->n; i++) {
		const struct hist_row *row = &r->rows->v[i];

		print_numbers(r->rows, row, out);
		for (unsigned int k = 0; k < t->nr_keys; k++) {
			strbuf_reset(&text);
			hist_word_shown(&text, r->words, &t->keys[k], row->key[k]);
			fputs("  ", out);
			print_padded(out, text.len ? text.s : "",
				     k + 1 < t->nr_keys ? c->width[k] : 0, false);
		}
		fputc('\n', out);
	}
	strbuf_free(&text);
}

/* The end of the sentence about what ends pairs, and one about what begins them */
static void print_pairs(const struct pev_table_sums *s, FILE *out)
{
	char unmatched[32], begun[32], replaced[32], dropped[32], open[32];

	fprintf(out, " + %s without a begin\n%s begun: %s replaced, %s dropped, %s open",
		text_count(unmatched, s->unmatched.count), text_count(begun, s->begun),
		text_count(replaced, s->replaced), text_count(dropped, s->dropped),
		text_count(open, s->open));
}

static void print_law(const struct hist_result *r, FILE *out)
{
	const struct pev_table_sums *s = &r->sums;
	const struct pev_table *t = r->rows->table;
	char all[32], rows[32], other[32], lost[32], filtered[32];

	fprintf(out, "\n%s occurrence%s = %s in rows + %s other + %s lost + %s filtered",
		text_count(all, s->generated.count), text_s(s->generated.count),
		text_count(rows, s->rows.count), text_count(other, s->other.count),
		text_count(lost, s->lost.count), text_count(filtered, s->filtered.count));
	if (t->open)
		print_pairs(s, out);
	fputc('\n', out);
	if (has_sum(t))
		fprintf(out, "%s of %s = %s in rows + %s other + %s lost + %s filtered\n",
			number(all, r->rows, s->generated.sum), value_name(t),
			number(rows, r->rows, s->rows.sum), number(other, r->rows, s->other.sum),
			number(lost, r->rows, s->lost.sum),
			number(filtered, r->rows, s->filtered.sum));
}

static void print_latencies(const struct hist_result *r, FILE *out)
{
	struct hist_result shown = *r;
	struct hist_rows coarse;
	struct pev_table table;
	struct columns c;

	hist_rows_coarse(r->rows, &coarse, &table);
	shown.rows = &coarse;
	measure_columns(&shown, &c);
	print_bars(&shown, &c, r->rows, out);
	hist_rows_free(&coarse);
}

static void print_table(const struct hist_result *r, FILE *out)
{
	struct strbuf target = { 0 };
	struct columns c;

	if (r->first) {
		text_name(&target, r->target);
		fprintf(out, "\n Counts for %s:\n", target.s);
		strbuf_free(&target);
	}
	fputc('\n', out);
	if (r->at >= 0)
		fprintf(out, " At %.3f s:\n", r->at);
	measure_columns(r, &c);
	if (is_of_latencies(r->rows->table))
		print_latencies(r, out);
	else if (c.axis >= 0)
		print_bars(r, &c, NULL, out);
	else
		print_list(r, &c, out);
	print_law(r, out);
}

/* ---- for programs ---- */

/*
 * What becomes of all, in the order of the lines and members. Rows are not listed in CSV, which
 * has each of them.
 */
struct fate {
	const char *name;
	struct pev_table_sum sum;
};

/* The last one is of pairs. */
#define FATES 6

static size_t fates_told(const struct pev_table *t)
{
	return t->open ? FATES : FATES - 1;
}

static void fates_of(const struct pev_table_sums *s, struct fate fates[FATES])
{
	const struct fate all[FATES] = {
		{ "generated", s->generated }, { "rows", s->rows },
		{ "other", s->other },	       { "lost", s->lost },
		{ "filtered", s->filtered },   { "unmatched", s->unmatched },
	};

	memcpy(fates, all, sizeof(all));
}

static const char *plain(char buf[32], const struct hist_rows *rows, uint64_t v)
{
	snprintf(buf, 32, hist_values_signed(rows) ? "%" PRId64 : "%" PRIu64, v);
	return buf;
}

static void csv_text(FILE *out, const char *text)
{
	struct strbuf cell = { 0 };

	text_csv(&cell, text, ",");
	fprintf(out, ",%s", cell.len ? cell.s : "");
	strbuf_free(&cell);
}

/* A bucket takes two columns: its least and its greatest value. */
static void csv_heading(const struct hist_result *r, FILE *out)
{
	const struct pev_table *t = r->rows->table;
	char name[HIST_KEY_TEXT];

	fputs(r->at >= 0 ? "kind,time" : "kind", out);
	for (unsigned int k = 0; k < t->nr_keys; k++) {
		csv_text(out, hist_key_text(&t->keys[k], name));
		if (t->keys[k].bucket != PEV_TABLE_EXACT)
			fputs(",to", out);
	}
	fprintf(out, ",count%s\n", has_sum(t) ? ",sum,min,max" : "");
}

static void csv_some_keys(const struct hist_result *r, const struct hist_row *row, int without,
			  FILE *out)
{
	const struct pev_table *t = r->rows->table;
	struct strbuf text = { 0 };
	uint64_t low, high;

	for (unsigned int k = 0; k < t->nr_keys; k++) {
		bool told = row && (int)k != without;

		strbuf_reset(&text);
		if (told)
			hist_word_plain(&text, r->words, &t->keys[k], row->key[k]);
		csv_text(out, text.len ? text.s : "");
		if (t->keys[k].bucket == PEV_TABLE_EXACT)
			continue;
		if (told && !pev_table_bounds(&t->keys[k], row->key[k][0], &low, &high))
			fprintf(out, r->rows->sign >> k & 1 ? ",%" PRId64 : ",%" PRIu64, high);
		else
			fputc(',', out);
	}
	strbuf_free(&text);
}

/* @row: NULL: of none */
static void csv_keys(const struct hist_result *r, const struct hist_row *row, FILE *out)
{
	csv_some_keys(r, row, -1, out);
}

/* All but the one with the bars */
static void csv_group(const struct hist_result *r, const struct hist_row *row, FILE *out)
{
	csv_some_keys(r, row, hist_axis(r->rows->table), out);
}

static void csv_begin(const struct hist_result *r, const char *kind, FILE *out)
{
	fputs(kind, out);
	if (r->at >= 0)
		fprintf(out, ",%.9f", r->at);
}

/* Of each group a line for each: how often all came, and the value in place of the sum */
static void csv_quantiles(const struct hist_result *r, FILE *out)
{
	const struct hist_rows *rows = r->rows;

	for (size_t i = 0; i < rows->n; i = next_group(rows, i)) {
		uint64_t values[HIST_QUANTILES];

		hist_quantiles(rows, i, values);
		for (int q = 0; q < HIST_QUANTILES; q++) {
			csv_begin(r, hist_quantile_names[q], out);
			csv_group(r, &rows->v[i], out);
			fprintf(out, ",%" PRIu64 ",%" PRIu64 ",,\n", rows->v[i].group, values[q]);
		}
	}
}

static void print_csv(const struct hist_result *r, FILE *out)
{
	const struct pev_table *t = r->rows->table;
	struct fate fates[FATES];
	char sum[32], min[32], max[32];

	if (r->first)
		csv_heading(r, out);
	for (size_t i = 0; i < r->rows->n; i++) {
		const struct hist_row *row = &r->rows->v[i];

		csv_begin(r, "row", out);
		csv_keys(r, row, out);
		fprintf(out, ",%" PRIu64, row->count);
		if (has_sum(t))
			fprintf(out, ",%s,%s,%s", plain(sum, r->rows, row->sum),
				plain(min, r->rows, row->min), plain(max, r->rows, row->max));
		fputc('\n', out);
	}
	if (is_of_latencies(t))
		csv_quantiles(r, out);
	fates_of(&r->sums, fates);
	for (size_t i = 0; i < fates_told(t); i++) {
		csv_begin(r, fates[i].name, out);
		csv_keys(r, NULL, out);
		fprintf(out, ",%" PRIu64, (uint64_t)fates[i].sum.count);
		if (has_sum(t))
			fprintf(out, ",%s,,", plain(sum, r->rows, fates[i].sum.sum));
		fputc('\n', out);
	}
}

static void json_number(struct json *j, bool sign, const char *key, uint64_t v)
{
	if (sign)
		json_i64(j, key, (int64_t)v);
	else
		json_u64(j, key, v);
}

static void json_key(struct json *j, const struct hist_result *r, unsigned int k,
		     const uint64_t *word)
{
	const struct pev_table_key *key = &r->rows->table->keys[k];
	bool sign = r->rows->sign >> k & 1;
	char name[HIST_KEY_TEXT];
	uint64_t low, high;

	hist_key_text(key, name);
	if (!hist_word_is_number(key)) {
		struct strbuf text = { 0 };

		hist_word_plain(&text, r->words, key, word);
		json_string(j, name, text.len ? text.s : "");
		strbuf_free(&text);
		return;
	}
	if (pev_table_bounds(key, *word, &low, &high))
		return;
	if (key->bucket == PEV_TABLE_EXACT) {
		json_number(j, sign, name, low);
		return;
	}
	json_open(j, name, '{');
	json_number(j, sign, "from", low);
	json_number(j, sign, "to", high);
	json_close(j, '}');
}

static void json_row(struct json *j, const struct hist_result *r, const struct hist_row *row)
{
	const struct pev_table *t = r->rows->table;

	json_open(j, NULL, '{');
	json_open(j, "key", '{');
	for (unsigned int k = 0; k < t->nr_keys; k++)
		json_key(j, r, k, row->key[k]);
	json_close(j, '}');
	json_u64(j, "count", row->count);
	if (has_sum(t)) {
		json_number(j, hist_values_signed(r->rows), "sum", row->sum);
		json_number(j, hist_values_signed(r->rows), "min", row->min);
		json_number(j, hist_values_signed(r->rows), "max", row->max);
	}
	json_close(j, '}');
}

/* All keys but the one with the bars, and what so much of the group is not longer than */
static void json_quantiles(struct json *j, const struct hist_result *r)
{
	const struct hist_rows *rows = r->rows;

	json_open(j, "quantiles", '[');
	for (size_t i = 0; i < rows->n; i = next_group(rows, i)) {
		uint64_t values[HIST_QUANTILES];

		hist_quantiles(rows, i, values);
		json_open(j, NULL, '{');
		json_open(j, "key", '{');
		for (int k = 0; k < (int)rows->table->nr_keys; k++)
			if (k != hist_axis(rows->table))
				json_key(j, r, (unsigned int)k, rows->v[i].key[k]);
		json_close(j, '}');
		json_u64(j, "count", rows->v[i].group);
		for (int q = 0; q < HIST_QUANTILES; q++)
			json_u64(j, hist_quantile_names[q], values[q]);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* Pairs that began, and what became of those that did not end */
static void json_pairs(struct json *j, const struct pev_table_sums *s)
{
	json_u64(j, "begun", s->begun);
	json_u64(j, "replaced", s->replaced);
	json_u64(j, "dropped", s->dropped);
	json_u64(j, "open", s->open);
}

static void print_json(const struct hist_result *r, FILE *out)
{
	const struct pev_table *t = r->rows->table;
	struct json j = { .out = out };
	struct fate fates[FATES];

	json_open(&j, NULL, '{');
	if (r->at >= 0)
		json_double(&j, "time", r->at, 9);
	json_open(&j, "table", '[');
	for (size_t i = 0; i < r->rows->n; i++)
		json_row(&j, r, &r->rows->v[i]);
	json_close(&j, ']');
	if (is_of_latencies(t))
		json_quantiles(&j, r);
	if (t->open)
		json_pairs(&j, &r->sums);
	fates_of(&r->sums, fates);
	for (size_t i = 0; i < fates_told(t); i++) {
		json_open(&j, fates[i].name, '{');
		json_u64(&j, "count", fates[i].sum.count);
		if (has_sum(t))
			json_number(&j, hist_values_signed(r->rows), "sum", fates[i].sum.sum);
		json_close(&j, '}');
	}
	json_close(&j, '}');
	json_end_line(&j);
}

void hist_print(const struct hist_result *r, enum hist_form form, FILE *out)
{
	if (form == HIST_JSON)
		print_json(r, out);
	else if (form == HIST_CSV)
		print_csv(r, out);
	else
		print_table(r, out);
	fflush(out);
}
