// SPDX-License-Identifier: GPL-2.0
/* Counts in a table while a command, or what runs already, does its work. See measure.h. */
#include "measure.h"
#include "base/output.h"
#include "base/say.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "event/sampling.h"
#include "event/set.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

/* Samples a second of timers and hardware events, unless the event says another number */
#define USUAL_FREQ 1000

/**
 * struct hist_run - one use of the command
 * @rows:   of what came since they were printed
 * @event_of: the number of the event by its id in the table
 * @start:  seconds of a clock
 * @other:  what found no row
 * @printed: something was
 */
struct hist_run {
	struct hist_opts opts;
	struct pev_table table;
	struct measure measure;
	struct event_plan plan;
	struct event_set set;
	struct pev_table_reader *reader;
	struct hist_rows rows;
	struct hist_words words;
	uint32_t *event_of;
	size_t n_ids;
	struct out out;
	double start;
	uint64_t other;
	bool printed;
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static enum hist_form form_of(const struct hist_opts *o)
{
	return o->json ? HIST_JSON : o->csv ? HIST_CSV : HIST_TABLE;
}

/* Prints what came since the last call. */
static int print_new(struct hist_run *r, struct msg *m)
{
	struct hist_result result = {
		.rows = &r->rows,
		.words = &r->words,
		.target = r->measure.target.text,
		.at = r->opts.interval ? now() - r->start : -1,
		.first = !r->printed,
	};
	const struct pev_table_row *row;
	int err = pev_table_fetch(r->reader);

	if (err)
		return msg_set(m, err, "reading the table: %s", strerror(-err));
	r->rows.sign = pev_table_sign(r->reader);
	for (size_t i = 0; (row = pev_table_row(r->reader, i)); i++)
		hist_rows_add(&r->rows, row);
	pev_table_sums(r->reader, &result.sums);
	pev_table_clear(r->reader);
	hist_rows_sort(&r->rows);
	hist_words_refresh(&r->words);
	hist_print(&result, form_of(&r->opts), r->out.f);
	hist_rows_free(&r->rows);
	r->other += result.sums.other.count;
	r->printed = true;
	return 0;
}

/* ---- the measurement ---- */

static bool begins_on_exec(const struct hist_run *r)
{
	return r->measure.target.workload && !r->opts.span.delay;
}

static int keep_ids(struct hist_run *r, struct msg *m)
{
	size_t n = r->plan.n * r->set.n_ids;

	for (size_t i = 0; i < n; i++) {
		struct pev_id id;
		int err = pev_fd_id(r->set.fds[i], &id, NULL, 0);

		if (err)
			return msg_set(m, err, "the number of an event: %s", strerror(-err));
		if (id.id >= r->n_ids) {
			r->event_of = map_grow(r->event_of, r->n_ids, id.id + 1);
			r->n_ids = id.id + 1;
		}
		r->event_of[id.id] = (uint32_t)(i / r->set.n_ids);
	}
	r->rows.events = r->event_of;
	r->rows.n_events = r->n_ids;
	return 0;
}

static int hist_open(void *arg, struct msg *m)
{
	struct hist_run *r = arg;
	struct pev_error why;
	int err = pev_table_open(&r->table, 0, &r->reader, &why);

	if (err)
		return kernel_refused(m, err, &why, "the table");
	for (size_t i = 0; i < r->plan.n; i++) {
		r->plan.events[i].attr.channel_fd = pev_table_fd(r->reader);
		r->plan.events[i].attr.sample = 0;
		if (r->table.open && !i)
			r->plan.events[i].attr.flags |= PEV_F_BEGIN;
	}
	err = event_set_open(&r->set, &r->plan, &r->measure.target,
			     PEV_F_DISABLED | (begins_on_exec(r) ? PEV_F_ENABLE_ON_EXEC : 0), m);
	return err ? err : keep_ids(r, m);
}

static int hist_start(void *arg, struct msg *m)
{
	struct hist_run *r = arg;
	int err = begins_on_exec(r) ? 0 : event_set_enable(&r->set, true, m);

	r->start = now();
	return err;
}

/* Returns ms to wait, -1: until something happens. */
static int wait_ms(const struct hist_run *r, double next)
{
	double left = next - now();

	if (!r->opts.interval)
		return -1;
	return left > 0 ? (int)(left * 1e3) + 1 : 0;
}

/* Waits until the command, the target or the user ends it. */
static int hist_wait(void *arg, struct msg *m)
{
	struct hist_run *r = arg;
	double step = (double)r->opts.interval / 1e3, next = now() + step;
	int err = 0;

	for (;;) {
		unsigned int got = wait_loop_wait(&r->measure.wait, -1, wait_ms(r, next));

		if (got & WAIT_BEGIN) {
			err = hist_start(r, m);
			if (!err)
				err = measure_begins(&r->measure, m);
			next = r->start + step;
		}
		if (err || !measure_goes_on(&r->measure, got))
			break;
		if (r->opts.interval && now() >= next) {
			err = print_new(r, m);
			while (next <= now())
				next += step;
		}
		if (err)
			break;
	}
	if (!err)
		err = event_set_enable(&r->set, false, m);
	return err ? err : print_new(r, m);
}

static void hist_close(void *arg)
{
	struct hist_run *r = arg;

	event_set_close(&r->set);
	pev_table_close(r->reader);
	r->reader = NULL;
}

static const struct measure_ops hist_ops = {
	.open = hist_open,
	.start = hist_start,
	.run = hist_wait,
	.close = hist_close,
};

/* ---- before and after it ---- */

static int need_tables(struct msg *m)
{
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (err || (engine_is_pev() && info.types & 1ULL << PEV_TYPE_TABLE))
		return err;
	return msg_set(
		m, -ENOSYS,
		"%s: \"perfctl record -e EVENT\" writes each occurrence down, and "
		"\"perfctl report --sort FIELD\" counts them then; \"perfctl stat -e EVENT\" "
		"counts without keys",
		engine_is_pev() ?
			"the running kernel's pev has no tables" :
			"tables are kept by a kernel with pev, not by perf_event_open(2)");
}

static int prepare(struct hist_run *r, struct msg *m)
{
	struct sampling sampling = { .usual_freq = USUAL_FREQ };
	int err = need_tables(m);

	if (!err)
		err = target_make(&r->measure.target, &r->opts.target, r->measure.argv, m);
	if (!err)
		err = event_plan_make(&r->plan, &r->opts.events, PLAN_SAMPLE, m);
	if (err)
		return err;
	if (r->table.open && r->plan.n != 2)
		return msg_set(m, -EINVAL, "--latency takes two events, not %zu", r->plan.n);
	event_plan_sampling(&r->plan, &sampling);
	err = out_open(&r->out, r->opts.output, OUT_LINES, m);
	return err ? err : measure_init(&r->measure, m);
}

static void note_other(const struct hist_run *r)
{
	uint64_t more = r->table.rows < PEV_MAX_TABLE_ROWS / 4 ? r->table.rows * 4ULL :
								 PEV_MAX_TABLE_ROWS;

	if (r->other && r->table.rows < PEV_MAX_TABLE_ROWS)
		note("%" PRIu64 " occurrences found no row left: --rows %" PRIu64
		     " gives more room, or "
		     "choose keys with fewer values, as log2(FIELD)",
		     r->other, more);
	else if (r->other)
		note("%" PRIu64 " occurrences found no row left: choose keys with fewer values, as "
		     "log2(FIELD)",
		     r->other);
}

int hist_measure(const struct hist_opts *opts, const struct pev_table *table, char **argv,
		 struct msg *m)
{
	struct hist_run r = {
		.opts = *opts, .table = *table, .measure.argv = argv, .measure.span = opts->span
	};
	int err;

	r.rows.table = &r.table;
	r.words.plan = &r.plan;
	err = prepare(&r, m);
	if (!err)
		err = measure_run(&r.measure, &hist_ops, &r, m);
	if (!err) {
		event_plan_note_user_only(&r.plan);
		note_other(&r);
	}
	err = out_close(&r.out, err, m);
	hist_rows_free(&r.rows);
	hist_words_free(&r.words);
	free(r.event_of);
	event_plan_free(&r.plan);
	event_list_free(&r.opts.events);
	return measure_exit(&r.measure, err, m);
}
