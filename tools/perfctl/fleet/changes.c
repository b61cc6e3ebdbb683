// SPDX-License-Identifier: GPL-2.0
/*
 * Compares what labels had in two spans of time. Each span is cut into blocks of the same length,
 * which the store adds up: by how much they differ from each other, on one side, tells which
 * difference between the sides means nothing.
 */
#include "changes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Blocks of the shorter span, and at most of the longer one */
#define BLOCKS 15u
#define BLOCKS_MOST 240u

static uint32_t seconds_of(const struct sums *s, int side)
{
	return s->query[side].to - s->query[side].from;
}

static uint32_t whole_windows(uint32_t seconds)
{
	return seconds < STORE_WINDOW ? STORE_WINDOW : seconds / STORE_WINDOW * STORE_WINDOW;
}

/* Blocks are of one length, so that those of both sides vary alike. */
static int cut_spans(struct sums *s, struct msg *m)
{
	uint32_t before = seconds_of(s, BEFORE), after = seconds_of(s, AFTER);
	uint32_t shorter = before < after ? before : after, longer = before < after ? after : before;
	uint32_t step = whole_windows(shorter / BLOCKS);
	uint32_t least = whole_windows(longer / BLOCKS_MOST + STORE_WINDOW - 1);

	step = step > least ? step : least;
	if (shorter < LEVEL_LEAST * STORE_WINDOW)
		return msg_set(m, -EINVAL,
			       "--by compares spans of a minute and more: in %u s it does not show "
			       "by how much a service varies anyway",
			       shorter);
	if (shorter / step < LEVEL_LEAST)
		return msg_set(m, -EINVAL,
			       "the spans are %u s and %u s long: --by takes one that is up to 40 "
			       "times as long as the other",
			       before, after);
	for (int side = 0; side < SIDES; side++)
		s->query[side].step = step;
	return 0;
}

static int make_queries(struct sums *s, const struct pull_opts *o, const char *const spans[SIDES],
			struct msg *m)
{
	const struct pull_shape shape = sums_shape(s);
	int err = 0;

	s->spans = SIDES;
	for (int side = 0; side < SIDES && !err; side++)
		err = pull_query(&s->query[side], spans[side], o, &shape, m);
	return err ? err : cut_spans(s, m);
}

/* From sums of blocks to what a second has */
static struct level level_a_second(const struct sums *s, const struct sums_row *row, int side)
{
	struct level l = level_of(row->block[side], s->nr[side], (double)row->samples[side]);

	l.mean /= sums_scale(s);
	l.error /= sums_scale(s);
	return l;
}

static void judge(struct changes *c)
{
	const struct sums *s = &c->sums;
	double *p = xcalloc(s->n, sizeof(*p));

	c->rows = xcalloc(s->n, sizeof(*c->rows));
	for (size_t i = 0; i < s->n; i++) {
		struct changed *changed = &c->rows[i];

		changed->row = &s->rows[i];
		for (int side = 0; side < SIDES; side++)
			changed->level[side] = level_a_second(s, changed->row, side);
		p[i] = level_differs(&changed->level[BEFORE], &changed->level[AFTER]);
	}
	adjust_p(p, s->n);
	for (size_t i = 0; i < s->n; i++)
		c->rows[i].p = p[i];
	free(p);
}

static int by_change(const void *va, const void *vb)
{
	const struct changed *a = va, *b = vb;
	double x = fabs(a->level[AFTER].mean - a->level[BEFORE].mean);
	double y = fabs(b->level[AFTER].mean - b->level[BEFORE].mean);
	int order = 0;

	if (x != y)
		return x < y ? 1 : -1;
	for (int l = 0; l < LABELS && !order; l++)
		order = strcmp(a->row->text[l], b->row->text[l]);
	return order;
}

double changed_percent(const struct changed *changed)
{
	double before = changed->level[BEFORE].mean, after = changed->level[AFTER].mean;

	return before > 0 ? 100 * (after - before) / before : HUGE_VAL;
}

int changes_make(struct changes *c, const struct pull_opts *o, const char *const spans[SIDES],
		 const char *by, const char *event, struct msg *m)
{
	int err = sums_parse_by(&c->sums, by, m);

	if (!err)
		err = make_queries(&c->sums, o, spans, m);
	if (!err)
		err = sums_ask(&c->sums, o, event, m);
	if (err)
		return err;
	judge(c);
	qsort(c->rows, c->sums.n, sizeof(*c->rows), by_change);
	return 0;
}

void changes_free(struct changes *c)
{
	free(c->rows);
	c->rows = NULL;
	sums_free(&c->sums);
}
