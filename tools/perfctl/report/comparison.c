// SPDX-License-Identifier: GPL-2.0
/* Compares recordings row by row. See comparison.h. */
#include "report/comparison.h"
#include "report/out.h"
#include "report/print.h"
#include "session/fetch.h"
#include "profile/diff_math.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static struct compared *row_get(struct comparison *c, const char *name)
{
	uint32_t id = strtab_id(&c->names, name);

	while (c->n <= id) {
		struct compared *row = ARRAY_PUSH(c->rows, c->n, c->cap);

		row->name = (uint32_t)(row - c->rows);
		row->each = xcalloc(comparison_nr(c), sizeof(*row->each));
		row->weight = xcalloc(comparison_nr(c), sizeof(*row->weight));
	}
	return &c->rows[id];
}

static void add_rows(struct comparison *c, unsigned int i)
{
	const struct sort_list *sort = &c->filter.sort;
	struct recording *rec = &c->recs[i];
	struct strbuf b = { 0 };
	struct rows rows;

	/* by which rows of both are the same */
	c->filter.full_names = true;
	rows_make(&rows, &rec->load.profile, &c->filter, rec->event);
	rec->samples = rows.samples;
	rec->weight = rows.weight;
	for (size_t k = 0; k < rows.n; k++) {
		struct compared *row;

		strbuf_reset(&b);
		for (unsigned int key = 0; key < sort->n; key++) {
			if (key)
				strbuf_putc(&b, '\t');
			report_cell(&rows, &rows.r[k], sort->keys[key], &rec->session.names, &b);
		}
		row = row_get(c, b.s ? b.s : "");
		row->samples[rec->side] += rows.r[k].samples;
		row->weight[i] += (double)rows.r[k].self;
		if (c->by_count)
			row->each[i] += (double)rows.r[k].samples;
		else if (rec->weight)
			row->each[i] += 100.0 * (double)rows.r[k].self / (double)rec->weight;
	}
	strbuf_free(&b);
	rows_free(&rows);
}

/* Finds the event of this name that @rec has samples of. */
static bool find_event(struct recording *rec, const char *name)
{
	const struct strtab *names = &rec->session.names;

	for (uint32_t i = 0; i < names->n; i++) {
		rec->event = i;
		if (!strcmp(strtab_get(names, i), name) && report_has_event(&rec->load.profile, i))
			return true;
	}
	return false;
}

/* Chooses the first event that all recordings have, of those that were asked for. */
static int choose_event(struct comparison *c, struct msg *m)
{
	const struct strtab *names = &c->recs[0].session.names;
	unsigned int nr = comparison_nr(c);

	for (uint32_t i = 0; i < names->n; i++) {
		unsigned int k = 0;

		while (k < nr && find_event(&c->recs[k], strtab_get(names, i)))
			k++;
		if (k == nr)
			return 0;
	}
	return msg_set(m, -EBADMSG, "there is no event of which %s recordings have samples",
		       nr == SIDES ? "both" : "all");
}

/* ---- Figures of a row ---- */

static double mean_of(const struct comparison *c, const double *each, int side)
{
	unsigned int from = side == BEFORE ? 0 : c->nr[BEFORE];
	double sum = 0;

	for (unsigned int i = from; i < from + c->nr[side]; i++)
		sum += each[i];
	return sum / c->nr[side];
}

/* Returns the sum of squares of what the recordings of a side differ by from their mean. */
static double squares(const struct comparison *c, const struct compared *row, int side)
{
	unsigned int from = side == BEFORE ? 0 : c->nr[BEFORE];
	double sum = 0;

	for (unsigned int i = from; i < from + c->nr[side]; i++)
		sum += (row->each[i] - row->mean[side]) * (row->each[i] - row->mean[side]);
	return sum;
}

double comparison_weight(const struct comparison *c, int side)
{
	double sum = 0;

	for (unsigned int i = 0; i < comparison_nr(c); i++)
		sum += c->recs[i].side == side ? (double)c->recs[i].weight : 0;
	return sum / c->nr[side];
}

double comparison_seconds(const struct comparison *c, int side)
{
	double sum = 0;

	for (unsigned int i = 0; i < comparison_nr(c); i++)
		sum += c->recs[i].side == side ? c->recs[i].seconds : 0;
	return sum / c->nr[side];
}

/* Samples are taken at random: recordings of the same differ by this much at least. */
static double counting_variance(const struct comparison *c, const struct compared *row)
{
	double samples = (double)(row->samples[BEFORE] + row->samples[AFTER]), all = 0, share;

	if (c->by_count)
		return samples / comparison_nr(c);
	for (unsigned int i = 0; i < comparison_nr(c); i++)
		all += (double)c->recs[i].samples;
	if (all <= 0)
		return 0;
	share = samples / all;
	return 100.0 * 100.0 * share * (1 - share) / (all / comparison_nr(c));
}

/* Returns how likely chance is, from how much recordings of one side differ. */
static double by_spread(const struct comparison *c, const struct compared *row)
{
	unsigned int freedom = comparison_nr(c) - SIDES;
	double variance = (squares(c, row, BEFORE) + squares(c, row, AFTER)) / freedom;
	double error;

	variance = fmax(variance, counting_variance(c, row));
	error = sqrt(variance * (1.0 / c->nr[BEFORE] + 1.0 / c->nr[AFTER]));
	if (error <= 0)
		return 1;
	return student_two_sided((row->mean[AFTER] - row->mean[BEFORE]) / error, freedom);
}

static double by_counts(const struct comparison *c, const struct compared *row)
{
	double all = (double)(c->recs[BEFORE].samples + c->recs[AFTER].samples);
	double expected = c->by_count || all <= 0 ? 0.5 : (double)c->recs[BEFORE].samples / all;

	return binomial_two_sided(row->samples[BEFORE], row->samples[AFTER], expected);
}

static void judge(struct comparison *c)
{
	double *p = xcalloc(c->n, sizeof(*p)), before = comparison_weight(c, BEFORE);

	for (size_t i = 0; i < c->n; i++) {
		struct compared *row = &c->rows[i];

		for (int s = 0; s < SIDES; s++) {
			row->mean[s] = mean_of(c, row->each, s);
			row->spread[s] = c->nr[s] > 1 ? sqrt(squares(c, row, s) / (c->nr[s] - 1)) :
							0;
		}
		if (!c->by_count)
			row->change = row->mean[AFTER] - row->mean[BEFORE];
		else if (before > 0)
			row->change = 100.0 *
				      (mean_of(c, row->weight, AFTER) -
				       mean_of(c, row->weight, BEFORE)) /
				      before;
		p[i] = comparison_nr(c) > SIDES ? by_spread(c, row) : by_counts(c, row);
	}
	adjust_p(p, c->n);
	for (size_t i = 0; i < c->n; i++)
		c->rows[i].p = p[i];
	free(p);
}

static int by_change(const void *va, const void *vb)
{
	const struct compared *a = va, *b = vb;
	double x = fabs(a->change), y = fabs(b->change);

	if (x != y)
		return x < y ? 1 : -1;
	return a->name < b->name ? -1 : a->name > b->name;
}

/* ---- Recordings ---- */

static int load_recording(struct comparison *c, struct recording *rec, const char *path,
			  struct msg *m)
{
	struct sort_list *sort = &c->filter.sort;
	struct load_config config = { .event = c->event, .from = INT64_MIN, .to = INT64_MAX };
	int err = session_open(&rec->session, path, m);

	if (err)
		return err;
	sort_free(sort);
	err = sort_parse(sort, c->sort ? c->sort : COMPARISON_SORT, load_has_field, &rec->session,
			 m);
	if (!err && (sort->mask & (1u << SORT_TIME)))
		err = msg_set(m, -EINVAL, "--sort: recordings cannot be compared by time");
	if (!err)
		err = topology_check(&rec->session, sort->mask, m);
	if (err)
		return err;
	config.mask = sort->mask | (c->filter.comm ? 1u << SORT_COMM : 0);
	for (unsigned int k = 0; k < sort->n_fields; k++)
		config.fields[k] = sort->fields[k];
	config.chains = sort->mask & (1u << SORT_PARENT);
	err = load_samples(&rec->load, &rec->session, &config, m);
	if (err)
		return err;
	rec->seconds = (double)(pev_trace_end_ns(rec->session.trace) -
				pev_trace_begin_ns(rec->session.trace)) /
		       1e9;
	return 0;
}

/* Returns the program with the most samples, NULL: there are none. */
static const char *main_program(struct recording *rec)
{
	struct rows_config by_comm = {
		.sort = { .keys = { SORT_COMM }, .n = 1, .mask = 1u << SORT_COMM }
	};
	const char *name = NULL;
	struct rows rows;

	rows_make(&rows, &rec->load.profile, &by_comm, rec->event);
	if (rows.n)
		name = machine_comm_name(&rec->session.machine, rows.r[0].key.comm);
	rows_free(&rows);
	return name;
}

static bool side_has_program(const struct comparison *c, int side, const char *name)
{
	for (unsigned int i = 0; i < comparison_nr(c); i++) {
		const struct strtab *comms = &c->recs[i].session.machine.comms;

		for (size_t k = 0; c->recs[i].side == side && k < comms->n; k++)
			if (!strcmp(comms->s[k], name))
				return true;
	}
	return false;
}

/*
 * Two versions of a program may lie in files of other names: by these, all functions
 * would have gone, and others come.
 */
static void match_programs(struct comparison *c)
{
	const char *a, *b;
	struct msg m;

	if (c->sort)
		return;
	a = main_program(&c->recs[0]);
	b = main_program(&c->recs[c->nr[BEFORE]]);
	if (!a || !b || side_has_program(c, AFTER, a) || side_has_program(c, BEFORE, b))
		return;
	sort_free(&c->filter.sort);
	sort_parse(&c->filter.sort, "symbol", NULL, NULL, &m);
	c->renamed = true;
}

int comparison_make(struct comparison *c, char **paths, const unsigned int nr[SIDES], struct msg *m)
{
	unsigned int all = nr[BEFORE] + nr[AFTER];
	int err = 0;

	c->recs = xcalloc(all, sizeof(*c->recs));
	for (unsigned int i = 0; i < all && !err; i++) {
		int side = i < nr[BEFORE] ? BEFORE : AFTER;

		c->recs[i].side = side;
		c->nr[side]++;
		err = load_recording(c, &c->recs[i], paths[i], m);
	}
	if (!err)
		err = choose_event(c, m);
	if (err)
		return err;
	match_programs(c);
	for (unsigned int i = 0; i < all; i++)
		add_rows(c, i);
	judge(c);
	if (c->n)
		qsort(c->rows, c->n, sizeof(*c->rows), by_change);
	return 0;
}

void comparison_free(struct comparison *c)
{
	for (unsigned int i = 0; i < comparison_nr(c); i++) {
		load_free(&c->recs[i].load);
		session_close(&c->recs[i].session);
	}
	for (size_t i = 0; i < c->n; i++) {
		free(c->rows[i].each);
		free(c->rows[i].weight);
	}
	sort_free(&c->filter.sort);
	strtab_free(&c->names);
	free(c->rows);
	free(c->recs);
}
