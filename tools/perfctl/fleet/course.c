// SPDX-License-Identifier: GPL-2.0
/* A line for each label, in which the height of a column is what was taken then. See course.h. */
#include "course.h"
#include "base/json.h"
#include "base/text.h"
#include "views/timeline_print.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

/* The figures before a line */
#define FIGURES 22u
#define COLUMNS_LEAST 10u

/**
 * struct course - what a row took
 * @total: of all blocks
 * @most:  of one block
 */
struct course {
	const struct sums_row *row;
	double total;
	double most;
};

static int by_total(const void *va, const void *vb)
{
	const struct course *a = va, *b = vb;
	int order = 0;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	for (int l = 0; l < LABELS && !order; l++)
		order = strcmp(a->row->text[l], b->row->text[l]);
	return order;
}

static struct course *sort_rows(const struct sums *s)
{
	struct course *c = xcalloc(s->n, sizeof(*c));

	for (size_t i = 0; i < s->n; i++) {
		c[i].row = &s->rows[i];
		for (unsigned int b = 0; b < s->nr[0]; b++) {
			c[i].total += s->rows[i].block[0][b];
			c[i].most = fmax(c[i].most, s->rows[i].block[0][b]);
		}
	}
	qsort(c, s->n, sizeof(*c), by_total);
	return c;
}

/* ---- for programs ---- */

static void print_json(const struct sums *s, const struct course *c, size_t n)
{
	struct json j = { .out = stdout };

	json_open(&j, NULL, '{');
	json_string(&j, "event", s->event);
	json_string(&j, "unit", sums_unit(s));
	json_u64(&j, "from", s->query[0].from);
	json_u64(&j, "step", s->query[0].step);
	json_u64(&j, "rows_in_all", s->n);
	json_open(&j, "rows", '[');
	for (size_t i = 0; i < n; i++) {
		json_open(&j, NULL, '{');
		for (int l = 0; l < LABELS; l++)
			if (s->by[l])
				json_string(&j, sums_label(l), c[i].row->text[l]);
		json_u64(&j, "samples", c[i].row->samples[0]);
		json_open(&j, "columns", '[');
		for (unsigned int b = 0; b < s->nr[0]; b++)
			json_double(&j, NULL, c[i].row->block[0][b] / sums_scale(s), 6);
		json_close(&j, ']');
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	json_end_line(&j);
}

/* ---- for people ---- */

static void print_time(uint32_t seconds, char text[20])
{
	time_t at = seconds;
	struct tm tm;

	strftime(text, 20, "%Y-%m-%d %H:%M:%S", gmtime_r(&at, &tm));
}

static void print_axis(const struct sums *s)
{
	const struct store_query *q = &s->query[0];
	char from[20], to[20];
	int room;

	print_time(q->from, from);
	print_time(q->from + s->nr[0] * q->step, to);
	room = (int)s->nr[0] - (int)strlen(from);
	printf("%*s%s%*s\n", (int)FIGURES, "", from, room > (int)strlen(to) ? room : 0,
	       room > (int)strlen(to) ? to + 11 : "");
}

static void print_line(const struct sums *s, const struct course *c)
{
	static const char *const heights[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	const int top = ARRAY_SIZE(heights) - 1;

	for (unsigned int b = 0; b < s->nr[0]; b++) {
		double v = c->row->block[0][b];
		/* nothing is shown as nothing only */
		int height = c->most > 0 ? (int)ceil(v / c->most * top) : 0;

		fputs(heights[height > top ? top : height], stdout);
	}
}

static void print_text(const struct sums *s, const struct course *c, size_t n)
{
	struct sums_widths widths = { 0 };
	char event[256], of[32];

	sums_measure(s, NULL, &widths);
	for (size_t i = 0; i < n; i++)
		sums_measure(s, c[i].row, &widths);
	printf("# %s of %s (UTC); a column is %u s, and the highest of each line is its most\n",
	       sums_unit(s), text_safe(event, sizeof(event), s->event), s->query[0].step);
	print_axis(s);
	printf("# %9s %9s %-*s", "Mean", "Most", (int)s->nr[0], "");
	sums_print_head(s, &widths);
	putchar('\n');
	for (size_t i = 0; i < n; i++) {
		printf("  %9.4g %9.4g ", c[i].total / s->nr[0] / sums_scale(s),
		       c[i].most / sums_scale(s));
		print_line(s, &c[i]);
		sums_print_labels(s, c[i].row, &widths);
		putchar('\n');
	}
	if (n < s->n)
		printf("# %s more: --most shows them, --where chooses\n",
		       text_count(of, s->n - n));
}

/* ---- the question ---- */

/* Columns of at least a window each, as many as there is room for */
static int make_query(struct sums *s, const struct pull_opts *pull, const struct course_opts *o,
		      struct msg *m)
{
	const struct pull_shape shape = sums_shape(s);
	struct store_query *q = &s->query[0];
	unsigned int columns = timeline_print_width(o->width), windows, seconds;
	int err = pull_since(q, pull, &shape, m);

	if (err)
		return err;
	/* behind a line there is room for labels */
	columns = columns > FIGURES + COLUMNS_LEAST ? columns - FIGURES : COLUMNS_LEAST;
	windows = (q->to - q->from) / STORE_WINDOW;
	q->step = (windows + columns - 1) / columns * STORE_WINDOW;
	/* whole columns, of which none is still to come */
	seconds = (q->to - q->from + q->step - 1) / q->step * q->step;
	q->from = q->to > seconds ? q->to - seconds : 0;
	s->spans = 1;
	return 0;
}

int course_show(const struct pull_opts *pull, const struct course_opts *o, struct msg *m)
{
	struct sums s = { 0 };
	struct course *c;
	size_t n;
	int err = sums_parse_by(&s, o->by, m);

	if (!err)
		err = make_query(&s, pull, o, m);
	if (!err)
		err = sums_ask(&s, pull, o->event, m);
	if (!err) {
		c = sort_rows(&s);
		n = min_u64(s.n, o->most);
		if (o->json)
			print_json(&s, c, n);
		else
			print_text(&s, c, n);
		free(c);
	}
	sums_free(&s);
	return err;
}
