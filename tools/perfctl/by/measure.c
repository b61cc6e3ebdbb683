// SPDX-License-Identifier: GPL-2.0
/* Counts split by what ran, while a command, or what runs already, does its work. See measure.h. */
#include "measure.h"
#include "base/clock.h"
#include "print.h"
#include "base/output.h"
#include "base/say.h"
#include "event/kernel.h"
#include "stat/events.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/**
 * struct by_run - one use of the command
 * @start: seconds of a clock
 * @shown: pictures printed
 * @other: of each event, all that found no row left
 */
struct by_run {
	struct by_opts opts;
	struct measure measure;
	struct event_plan plan;
	struct by_keys keys;
	struct by_source source;
	struct by_counts counts;
	struct out out;
	double start;
	uint64_t shown;
	uint64_t *other;
};

/* Prints what came since the last call. */
static int print_new(struct by_run *r, struct msg *m)
{
	const struct by_style style = {
		.out = r->out.f,
		.sep = r->opts.sep,
		.lines = r->opts.lines,
		.json = r->opts.json,
		.screen = r->opts.screen,
	};
	const struct by_picture picture = {
		.counts = &r->counts,
		.keys = &r->keys,
		.plan = &r->plan,
		.target = r->measure.target.text,
		.at = r->opts.interval ? now_s() - r->start : -1,
		.first = !r->shown,
	};
	int err = by_source_fetch(&r->source, &r->counts, m);

	if (err)
		return err;
	by_print(&picture, &style);
	for (size_t i = 0; i < r->plan.n; i++)
		r->other[i] += r->counts.other[i];
	r->shown++;
	return 0;
}

/* ---- the measurement ---- */

static bool begins_on_exec(const struct by_run *r)
{
	return r->measure.target.workload && !r->opts.span.delay;
}

static int by_open(void *arg, struct msg *m)
{
	struct by_run *r = arg;

	return by_source_open(&r->source,
			      PEV_F_DISABLED | (begins_on_exec(r) ? PEV_F_ENABLE_ON_EXEC : 0), m);
}

static int by_start(void *arg, struct msg *m)
{
	struct by_run *r = arg;
	int err = begins_on_exec(r) ? 0 : by_source_enable(&r->source, true, m);

	r->start = now_s();
	return err;
}

/* Returns ms to wait, -1: until something happens. */
static int wait_ms(const struct by_run *r, double next)
{
	double left = next - now_s();

	if (!r->opts.interval)
		return -1;
	return left > 0 ? (int)(left * 1e3) + 1 : 0;
}

static bool has_all(const struct by_run *r)
{
	return r->opts.count && r->shown >= r->opts.count;
}

/* Waits until the command, the target or the user ends it, or all that was asked for is shown. */
static int by_wait(void *arg, struct msg *m)
{
	struct by_run *r = arg;
	double step = (double)r->opts.interval / 1e3, next = now_s() + step;
	int err = 0;

	while (!err && !has_all(r)) {
		unsigned int got = wait_loop_wait(&r->measure.wait, by_source_fd(&r->source),
						  wait_ms(r, next));

		if (got & WAIT_BEGIN) {
			err = by_start(r, m);
			if (!err)
				err = measure_begins(&r->measure, m);
			next = r->start + step;
		}
		if (!err)
			err = by_source_take(&r->source, m);
		if (err || !measure_goes_on(&r->measure, got))
			break;
		if (r->opts.interval && now_s() >= next) {
			err = print_new(r, m);
			while (next <= now_s())
				next += step;
		}
	}
	if (!err)
		err = by_source_enable(&r->source, false, m);
	return err || has_all(r) ? err : print_new(r, m);
}

static void by_close(void *arg)
{
	struct by_run *r = arg;

	by_source_close(&r->source);
}

static const struct measure_ops by_ops = {
	.open = by_open,
	.start = by_start,
	.run = by_wait,
	.close = by_close,
};

/* ---- before and after it ---- */

static int choose_events(struct by_run *r, struct msg *m)
{
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (err || r->opts.events.n)
		return err;
	return stat_default_events(&r->opts.events, &info, false, m);
}

static int prepare(struct by_run *r, struct msg *m)
{
	int err = by_keys_parse(&r->keys, r->opts.by, m);

	if (!err && (!r->opts.rows || r->opts.rows > PEV_MAX_TABLE_ROWS))
		err = msg_set(m, -EINVAL, "--rows takes 1 to %d, not %" PRIu64, PEV_MAX_TABLE_ROWS,
			      r->opts.rows);
	r->opts.events.by_kind = true;
	if (!err)
		err = choose_events(r, m);
	if (!err)
		err = target_make(&r->measure.target, &r->opts.target, r->measure.argv, m);
	if (!err)
		err = event_plan_make(&r->plan, &r->opts.events, PLAN_COUNT, m);
	if (err)
		return err;
	r->plan.some = true;
	r->source = (struct by_source){
		.keys = &r->keys,
		.room = r->opts.rows,
		.target = &r->measure.target,
		.plan = &r->plan,
	};
	r->other = xcalloc(r->plan.n, sizeof(*r->other));
	by_counts_init(&r->counts, &r->keys, r->plan.n);
	err = by_source_init(&r->source, m);
	if (!err)
		err = out_open(&r->out, r->opts.output, r->opts.append ? OUT_APPEND : OUT_LINES, m);
	return err ? err : measure_init(&r->measure, m);
}

static void note_other(const struct by_run *r)
{
	const struct by_source_ops *ops = r->source.ops;
	uint64_t more = min_u64(r->opts.rows * 4, PEV_MAX_TABLE_ROWS);
	bool any = false;

	for (size_t i = 0; i < r->plan.n; i++)
		any |= r->other[i];
	if (any && ops->note)
		ops->note(&r->source);
	else if (any && r->opts.rows < PEV_MAX_TABLE_ROWS)
		note("what is (other) found no row left: --rows %" PRIu64 " gives more room", more);
	else if (any)
		note("what is (other) found no row left: split the counts by something that has fewer values");
}

int by_measure(const struct by_opts *opts, char **argv, struct msg *m)
{
	struct by_run r = { .opts = *opts, .measure.argv = argv, .measure.span = opts->span };
	int err = prepare(&r, m);

	if (!err)
		err = measure_run(&r.measure, &by_ops, &r, m);
	if (!err) {
		event_plan_note_user_only(&r.plan);
		note_other(&r);
	}
	err = out_close(&r.out, err, m);
	by_source_free(&r.source);
	by_counts_free(&r.counts);
	free(r.other);
	event_plan_free(&r.plan);
	event_list_free(&r.opts.events);
	return measure_exit(&r.measure, err, m);
}
