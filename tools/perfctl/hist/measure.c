// SPDX-License-Identifier: GPL-2.0
/* Counts in a table while a command, or what runs already, does its work. See measure.h. */
#include "measure.h"
#include "base/clock.h"
#include "source.h"
#include "base/output.h"
#include "base/say.h"
#include "base/text.h"
#include "event/engine.h"
#include "event/sampling.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* Samples a second of timers and hardware events, unless the event says another number */
#define USUAL_FREQ 1000
/* So often records are added up, where the kernel does not */
#define TAKE_MS 200

/**
 * struct hist_run - one use of the command
 * @source: of the rows
 * @rows:   of what came since they were printed
 * @start:  seconds of a clock
 * @other:  what found no row
 * @printed: something was
 */
struct hist_run {
	struct hist_opts opts;
	struct pev_table table;
	struct measure measure;
	struct event_plan plan;
	struct hist_source source;
	struct hist_rows rows;
	struct hist_words words;
	struct out out;
	double start;
	uint64_t other;
	bool printed;
};

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
		.at = r->opts.interval ? now_s() - r->start : -1,
		.first = !r->printed,
	};
	int err = r->source.ops->fetch(&r->source, &r->rows, &result.sums, m);

	if (err)
		return err;
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

static int hist_open(void *arg, struct msg *m)
{
	struct hist_run *r = arg;

	r->source.later = !begins_on_exec(r);
	return r->source.ops->open(&r->source, m);
}

static int hist_start(void *arg, struct msg *m)
{
	struct hist_run *r = arg;
	int err = begins_on_exec(r) ? 0 : r->source.ops->on(&r->source, true, m);

	r->start = now_s();
	return err;
}

/* Returns ms to wait, -1: until something happens. */
static int wait_ms(const struct hist_run *r, double next)
{
	double left = next - now_s();
	int most = r->source.ops->take ? TAKE_MS : -1, ms = left > 0 ? (int)(left * 1e3) + 1 : 0;

	if (!r->opts.interval)
		return most;
	return most < 0 || ms < most ? ms : most;
}

static unsigned int wait_once(struct hist_run *r, double next)
{
	const struct hist_source_ops *ops = r->source.ops;

	return wait_loop_wait(&r->measure.wait, ops->fd ? ops->fd(&r->source) : -1,
			      wait_ms(r, next));
}

/* Waits until the command, the target or the user ends it. */
static int hist_wait(void *arg, struct msg *m)
{
	struct hist_run *r = arg;
	double step = (double)r->opts.interval / 1e3, next = now_s() + step;
	int err = 0;

	for (;;) {
		unsigned int got = wait_once(r, next);

		if (r->source.ops->take)
			err = r->source.ops->take(&r->source, m);
		if (!err && got & WAIT_BEGIN) {
			err = hist_start(r, m);
			if (!err)
				err = measure_begins(&r->measure, m);
			next = r->start + step;
		}
		if (err || !measure_goes_on(&r->measure, got))
			break;
		if (r->opts.interval && now_s() >= next) {
			err = print_new(r, m);
			while (next <= now_s())
				next += step;
		}
		if (err)
			break;
	}
	if (!err)
		err = r->source.ops->on(&r->source, false, m);
	return err ? err : print_new(r, m);
}

static void hist_close(void *arg)
{
	struct hist_run *r = arg;

	r->source.ops->close(&r->source);
}

static const struct measure_ops hist_ops = {
	.open = hist_open,
	.start = hist_start,
	.run = hist_wait,
	.close = hist_close,
};

/* ---- before and after it ---- */

static int prepare(struct hist_run *r, struct msg *m)
{
	struct sampling sampling = { .usual_freq = USUAL_FREQ };
	int err = hist_source_init(&r->source, m);

	if (!err)
		err = target_make(&r->measure.target, &r->opts.target, r->measure.argv, m);
	if (!err)
		err = event_plan_make(&r->plan, &r->opts.events, PLAN_SAMPLE, m);
	if (err)
		return err;
	if (r->table.open && r->plan.n != 2)
		return msg_set(m, -EINVAL, "--latency takes two events, not %zu", r->plan.n);
	event_plan_sampling(&r->plan, &sampling);
	if (!engine_is_pev())
		note("each occurrence is recorded by perf_event_open(2) and added up here; tables of a "
		     "kernel with pev cost less");
	err = out_open(&r->out, r->opts.output, OUT_LINES, m);
	return err ? err : measure_init(&r->measure, m);
}

static void note_other(const struct hist_run *r)
{
	uint64_t more = r->table.rows < PEV_MAX_TABLE_ROWS / 4 ? r->table.rows * 4ULL :
								 PEV_MAX_TABLE_ROWS;

	if (r->other && r->table.rows < PEV_MAX_TABLE_ROWS)
		note("%" PRIu64 " occurrence%s found no row left: --rows %" PRIu64
		     " gives more room, or "
		     "choose keys with fewer values, as log2(FIELD)",
		     r->other, text_s(r->other), more);
	else if (r->other)
		note("%" PRIu64
		     " occurrence%s found no row left: choose keys with fewer values, as "
		     "log2(FIELD)",
		     r->other, text_s(r->other));
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
	r.source.table = &r.table;
	r.source.plan = &r.plan;
	r.source.target = &r.measure.target;
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
	event_plan_free(&r.plan);
	event_list_free(&r.opts.events);
	return measure_exit(&r.measure, err, m);
}
