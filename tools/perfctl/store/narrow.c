// SPDX-License-Identifier: GPL-2.0
/* Bounds what a store answers. See narrow.h. */
#include "narrow.h"
#include "tables.h"
#include "wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* Spans of time, seconds: round ones, of whole windows */
static const uint32_t steps[] = { 10,	30,    60,    120,   300,   600,    1200,   1800,   3600,
				  7200, 14400, 21600, 43200, 86400, 172800, 604800, 2592000 };
#define STEPS ARRAY_SIZE(steps)
/* So many of them are tried before call chains become fewer ... */
#define STEPS_FIRST 3
/* ... by a quarter each time, down to so many */
#define STACKS_LEAST 60

static const char *const columns[NARROW_KINDS] = { "event", "host", "service", "stack" };

static int ask(struct http *h, struct strbuf *sql, struct strbuf *got, struct msg *m)
{
	int err;

	strbuf_puts(sql, " FORMAT RowBinary");
	err = http_ask(h, sql->s, NULL, got, m);
	strbuf_free(sql);
	return err;
}

static int damaged(struct msg *m)
{
	return msg_set(m, -EBADMSG, "the store's answer is damaged");
}

static int count(struct http *h, const char *rows, struct narrowed *n, struct msg *m)
{
	struct strbuf sql = { 0 }, got = { 0 };
	struct wire w;
	int err;

	strbuf_puts(&sql, "SELECT toUInt64(sum(samples))");
	for (int k = 0; k < NARROW_KINDS; k++)
		strbuf_addf(&sql, ", toUInt64(%s(%s))", k == NARROW_STACK ? "uniq" : "uniqExact",
			    columns[k]);
	strbuf_puts(&sql, rows);
	err = ask(h, &sql, &got, m);
	w = (struct wire){ (const uint8_t *)got.s, (const uint8_t *)got.s + got.len, false };
	n->all = err ? 0 : wire_u64(&w);
	for (int k = 0; k < NARROW_KINDS && !err; k++)
		n->kept[k].of = wire_u64(&w);
	if (!err && w.broken)
		err = damaged(m);
	strbuf_free(&got);
	return err;
}

static int find_heaviest(struct http *h, const char *rows, struct narrowed *n, int kind,
			 unsigned int most, struct msg *m)
{
	struct store_kept *kept = &n->kept[kind];
	struct strbuf sql = { 0 }, got = { 0 };
	uint64_t samples = 0;
	struct wire w;
	int err;

	if (kind == NARROW_STACK)
		n->stacks = xcalloc(most, sizeof(*n->stacks));
	strbuf_addf(&sql,
		    "SELECT %s, toUInt64(sum(samples))%s GROUP BY %s ORDER BY sum(samples) DESC, "
		    "%s LIMIT %u",
		    columns[kind], rows, columns[kind], columns[kind], most);
	err = ask(h, &sql, &got, m);
	w = (struct wire){ (const uint8_t *)got.s, (const uint8_t *)got.s + got.len, false };
	while (!err && wire_more(&w) && kept->n < most) {
		uint64_t id = wire_u64(&w);

		samples += wire_u64(&w);
		strbuf_addf(&n->ids[kind], "%s%" PRIu64, kept->n ? "," : "", id);
		if (kind == NARROW_STACK)
			n->stacks[kept->n] = (struct narrow_stack){ samples, n->ids[kind].len };
		kept->n++;
	}
	if (!err && w.broken)
		err = damaged(m);
	kept->of = max_u64(kept->of, kept->n);
	kept->share = n->all ? (double)samples / (double)n->all : 0;
	strbuf_free(&got);
	return err;
}

void narrow_condition(const struct narrowed *n, int kind, struct strbuf *sql)
{
	if (n->kept[kind].n)
		strbuf_addf(sql, "%s IN (%s)", columns[kind], n->ids[kind].s);
	else
		strbuf_puts(sql, "0");
}

void narrow_column(const struct narrowed *n, int kind, struct strbuf *sql)
{
	if (n->kept[kind].n >= n->kept[kind].of) {
		strbuf_puts(sql, columns[kind]);
		return;
	}
	strbuf_puts(sql, "if(");
	narrow_condition(n, kind, sql);
	strbuf_addf(sql, ", %s, toUInt64(0))", columns[kind]);
}

/*
 * How many rows are answered with @nr spans of time from the @first on? Counted in one go, and where
 * the rows are: what a column is answered as is said once, as a list of call chains is long.
 */
static int count_rows(struct http *h, const char *rows, const struct narrowed *n, uint32_t from,
		      size_t first, size_t nr, uint64_t counts[STEPS], struct msg *m)
{
	struct strbuf sql = { 0 }, got = { 0 };
	struct wire w;
	int err;

	strbuf_addf(&sql, "SELECT toUInt64(uniqHLL12(intDiv(time - %u, %u), event, ", from,
		    steps[first]);
	narrow_column(n, NARROW_HOST, &sql);
	strbuf_puts(&sql, " AS h, ");
	narrow_column(n, NARROW_SERVICE, &sql);
	strbuf_puts(&sql, " AS s, ");
	narrow_column(n, NARROW_STACK, &sql);
	strbuf_puts(&sql, " AS c))");
	for (size_t i = 1; i < nr; i++)
		strbuf_addf(&sql, ", toUInt64(uniqHLL12(intDiv(time - %u, %u), event, h, s, c))",
			    from, steps[first + i]);
	strbuf_addf(&sql, "%s AND ", rows);
	narrow_condition(n, NARROW_EVENT, &sql);
	err = ask(h, &sql, &got, m);
	w = (struct wire){ (const uint8_t *)got.s, (const uint8_t *)got.s + got.len, false };
	for (size_t i = 0; i < nr && !err; i++)
		counts[i] = wire_u64(&w);
	if (!err && w.broken)
		err = damaged(m);
	strbuf_free(&got);
	return err;
}

/* Leaves the heaviest call chains apart. */
static void leave_stacks(struct narrowed *n, size_t left)
{
	struct store_kept *kept = &n->kept[NARROW_STACK];
	const struct narrow_stack *last = &n->stacks[left - 1];

	n->ids[NARROW_STACK].len = last->end;
	n->ids[NARROW_STACK].s[last->end] = '\0';
	kept->n = left;
	kept->share = n->all ? (double)last->samples / (double)n->all : 0;
}

/* Chooses spans of time, the shortest that do, and how many call chains are apart. */
static int fit(struct http *h, const struct store_limits *most, const char *rows, uint32_t from,
	       uint32_t step, struct narrowed *n, struct msg *m)
{
	uint64_t counts[STEPS];
	size_t first = 0, nr, stacks;
	int err;

	while (first < STEPS - 1 && steps[first] < step)
		first++;
	for (;;) {
		stacks = n->kept[NARROW_STACK].n;
		nr = STEPS - first;
		if (stacks > STACKS_LEAST)
			nr = min_u64(nr, STEPS_FIRST);
		err = count_rows(h, rows, n, from, first, nr, counts, m);
		if (err)
			return err;
		for (size_t i = 0; i < nr; i++) {
			n->step = steps[first + i];
			if (counts[i] <= most->rows)
				return 0;
		}
		if (stacks <= 1)
			return 0;
		leave_stacks(n, stacks > 4 ? stacks / 4 : 1);
	}
}

int narrow(struct http *h, const struct store_limits *most, const char *rows, uint32_t from,
	   uint32_t step, struct narrowed *n, struct msg *m)
{
	const unsigned int mosts[NARROW_KINDS] = { most->events, most->hosts, most->services,
						   most->stacks };
	int err;

	*n = (struct narrowed){ .step = step };
	err = count(h, rows, n, m);
	for (int k = 0; k < NARROW_KINDS && !err; k++)
		err = find_heaviest(h, rows, n, k, mosts[k], m);
	return err || !n->all ? err : fit(h, most, rows, from, step, n, m);
}

void narrow_free(struct narrowed *n)
{
	for (int k = 0; k < NARROW_KINDS; k++)
		strbuf_free(&n->ids[k]);
	free(n->stacks);
}
