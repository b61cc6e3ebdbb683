// SPDX-License-Identifier: GPL-2.0
/* Counts events while a command, or what runs already, does its work. See measure.h. */
#include "measure.h"
#include "base/clock.h"
#include "events.h"
#include "metric.h"
#include "print.h"
#include "read.h"
#include "stat.h"
#include "topdown.h"
#include "base/output.h"
#include "base/say.h"
#include "event/cpu_watch.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "event/set.h"
#include "record/measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define THREAD_TRIES 16

/**
 * struct stat_run - one use of the command
 * @opts:   as typed
 * @set:    while it is measured
 * @cpus:   those that come and go
 * @start:  of the round, seconds of a clock
 * @result: numbers so far
 * @before: values at the start of the interval
 * @parts_before: the same by part, of each event; NULL if not asked for
 * @threads: what is counted instead of measure.target, if asked for
 */
struct stat_run {
	struct stat_opts opts;
	struct measure measure;
	struct event_plan plan;
	struct event_set set;
	struct cpu_watch cpus;
	double start;
	struct stat_result result;
	struct stat_style style;
	struct out out;
	struct pev_value *before;
	struct pev_value **parts_before;
	struct target threads;
	bool stopped;
};

static void subtract(struct pev_value *v, const struct pev_value *before)
{
	v->value -= before->value;
	v->time_enabled -= before->time_enabled;
	v->time_running -= before->time_running;
	v->lost -= before->lost;
	v->filtered -= before->filtered;
	v->samples -= before->samples;
}

/* Turns the parts' totals into those of the interval, and keeps them for the next one. */
static void subtract_parts(struct stat_run *r, size_t event)
{
	struct pev_value *parts = r->result.events[event].parts;
	struct pev_value **before = &r->parts_before[event];

	if (!parts)
		return;
	if (!*before)
		*before = xcalloc(r->result.parts.n, sizeof(**before));
	for (size_t k = 0; k < r->result.parts.n; k++) {
		struct pev_value total = parts[k];

		subtract(&parts[k], &(*before)[k]);
		(*before)[k] = total;
	}
}

/*
 * Estimates what a hardware event would have counted with a counter all the time
 * since the last call. There is no bound if the kernel does not say when it had one.
 */
static void read_windows(struct stat_event *e, const struct event_set *set, size_t i, bool interval)
{
	struct pev_multiplexed *now = xcalloc(set->n_ids, sizeof(*now));

	e->bound = 0;
	e->estimated = !event_set_read_windows(set, i, now);
	if (e->estimated) {
		struct pev_multiplexed *windows = xcalloc(set->n_ids, sizeof(*now));
		uint32_t doubts;

		for (size_t k = 0; k < set->n_ids; k++) {
			windows[k] = now[k];
			if (e->before)
				windows_subtract(&windows[k], &e->before[k]);
		}
		e->estimate = windows_estimate(windows, set->n_ids, &e->bound, &doubts);
		e->doubts = doubts | (interval ? 0 : e->doubts);
		free(windows);
	} else if (event_is_hardware(&set->plan->events[i])) {
		e->bound = INFINITY;
	}
	free(e->before);
	e->before = now;
}

/* Of rounds their sum is kept, as in total; @parts is taken. */
static void take_parts(const struct stat_run *r, struct stat_event *e, struct pev_value *parts)
{
	for (size_t k = 0; e->parts && parts && !r->opts.interval && k < r->result.parts.n; k++)
		event_value_add(&parts[k], &e->parts[k]);
	free(e->parts);
	e->parts = parts;
}

/* Reads all events into result.events[].last (and .parts). */
static int read_all(struct stat_run *r, struct msg *m)
{
	const struct event_set *set = &r->set;
	struct pev_value *values = xcalloc(r->plan.n, sizeof(*values));
	int err = event_set_read(set, values, m);

	for (size_t i = 0; i < r->plan.n && !err; i++) {
		struct stat_event *e = &r->result.events[i];
		struct pev_value *parts;

		e->last = values[i];
		read_windows(e, set, i, r->opts.interval);
		if (!r->opts.by)
			continue;
		err = stat_parts_read(&r->result.parts, set, i, &parts, m);
		if (!err)
			take_parts(r, e, parts);
	}
	free(values);
	return err;
}

/* The whole first, then each part */
static void share_waiting(struct stat_run *r)
{
	struct pev_value **values = xcalloc(r->plan.n, sizeof(*values));

	for (size_t part = 0; r->plan.sums && part <= r->result.parts.n; part++) {
		for (size_t i = 0; i < r->plan.n; i++) {
			struct stat_event *e = &r->result.events[i];

			values[i] = !part ? &e->last : e->parts ? &e->parts[part - 1] : NULL;
		}
		event_share_waiting(&r->plan, &r->measure.target, values);
	}
	free(values);
}

static int print_interval(struct stat_run *r, struct msg *m)
{
	bool first = r->result.at < 0;
	double last = first ? 0 : r->result.at;
	int err = read_all(r, m);

	if (err)
		return err;
	for (size_t i = 0; i < r->plan.n; i++) {
		struct stat_event *e = &r->result.events[i];
		struct pev_value total = e->last;

		subtract(&e->last, &r->before[i]);
		r->before[i] = total;
		subtract_parts(r, i);
	}
	share_waiting(r);
	for (size_t i = 0; i < r->plan.n; i++)
		r->result.events[i].total = r->result.events[i].last;
	r->result.at = now_s() - r->start;
	r->result.wall = (struct spread){ .n = 1, .mean = r->result.at - last };
	stat_print_interval(&r->result, &r->style, first);
	return 0;
}

static int stat_start(void *arg, struct msg *m)
{
	struct stat_run *r = arg;
	bool on_exec = r->measure.target.workload && !r->opts.span.delay;
	int err = on_exec ? 0 : event_set_enable(&r->set, true, m);

	r->start = now_s();
	return err;
}

/* Waits until the command, the target or the user ends it. */
static int wait_for_end(struct stat_run *r, struct msg *m)
{
	double step = (double)r->opts.interval / 1e3, next = now_s() + step;

	for (;;) {
		double left = next - now_s();
		int timeout = step > 0 ? (left > 0 ? (int)(left * 1e3) + 1 : 0) : -1;
		unsigned int got;

		if (r->cpus.target && (timeout < 0 || timeout > CPU_WATCH_MS))
			timeout = CPU_WATCH_MS;
		got = wait_loop_wait(&r->measure.wait, -1, timeout);
		cpu_watch_look(&r->cpus);
		if (got & WAIT_STOP)
			r->stopped = true;
		if (got & WAIT_BEGIN) {
			int err = stat_start(r, m);

			if (!err)
				err = measure_begins(&r->measure, m);
			if (err)
				return err;
			next = r->start + step;
		}
		if (!measure_goes_on(&r->measure, got))
			return 0;
		if (step > 0 && now_s() >= next) {
			int err = print_interval(r, m);

			if (err)
				return err;
			while (next <= now_s())
				next += step;
		}
	}
}

static void add_round(struct stat_run *r, double wall)
{
	const struct rusage *u = &r->measure.workload.usage;

	share_waiting(r);
	for (unsigned int sum = 1; sum <= r->plan.sums; sum++) {
		double all = 0;

		for (size_t i = 0; i < r->plan.n; i++)
			if (r->plan.events[i].sum == sum)
				all += stat_scale(&r->result.events[i]);
		spread_add(&r->result.sums[sum], all);
	}
	for (size_t i = 0; i < r->plan.n; i++) {
		struct stat_event *e = &r->result.events[i];

		event_value_add(&e->total, &e->last);
		e->squares += e->bound * e->bound;
		spread_add(&e->value, stat_scale(e));
		/* the next round opens events of its own */
		free(e->before);
		e->before = NULL;
	}
	spread_add(&r->result.wall, wall);
	spread_add(&r->result.user, (double)u->ru_utime.tv_sec + (double)u->ru_utime.tv_usec / 1e6);
	spread_add(&r->result.sys, (double)u->ru_stime.tv_sec + (double)u->ru_stime.tv_usec / 1e6);
	r->result.rounds++;
}

/* A thread may end between the look at /proc and the opening. */
static int open_threads(struct stat_run *r, uint64_t flags, struct msg *m)
{
	int err = -ESRCH;

	for (int i = 0; i < THREAD_TRIES && err == -ESRCH; i++) {
		target_free(&r->threads);
		stat_parts_free(&r->result.parts);
		err = target_threads(&r->threads, &r->measure.target, m);
		if (err)
			return err;
		stat_parts_make(&r->result.parts, STAT_BY_THREAD, &r->threads, m);
		err = event_set_open(&r->set, &r->plan, &r->threads, flags, m);
	}
	return err;
}

static int stat_open(void *arg, struct msg *m)
{
	struct stat_run *r = arg;
	bool on_exec = r->measure.target.workload && !r->opts.span.delay;
	uint64_t flags = PEV_F_DISABLED | (on_exec ? PEV_F_ENABLE_ON_EXEC : 0);
	int err = r->opts.by == STAT_BY_THREAD ?
			  open_threads(r, flags, m) :
			  event_set_open(&r->set, &r->plan, &r->measure.target, flags, m);

	cpu_watch_init(&r->cpus, &r->measure.target);
	return err;
}

static int stat_round(void *arg, struct msg *m)
{
	struct stat_run *r = arg;
	int err = wait_for_end(r, m);

	if (!err)
		err = event_set_enable(&r->set, false, m);
	if (err)
		return err;
	if (r->opts.interval)
		return print_interval(r, m);
	err = read_all(r, m);
	if (!err)
		add_round(r, now_s() - r->start);
	return err;
}

static void stat_close(void *arg)
{
	struct stat_run *r = arg;

	event_set_close(&r->set);
	cpu_watch_free(&r->cpus);
}

static const struct measure_ops stat_ops = {
	.open = stat_open,
	.start = stat_start,
	.run = stat_round,
	.close = stat_close,
};

static int run_rounds(struct stat_run *r, struct msg *m)
{
	uint64_t rounds = r->opts.repeat ? r->opts.repeat : 1;

	for (uint64_t i = 0; i < rounds && !r->stopped; i++) {
		int err = measure_run(&r->measure, &stat_ops, r, m);

		if (err)
			return err;
	}
	return 0;
}

static int open_output(struct stat_run *r, struct msg *m)
{
	int err = out_open(&r->out, r->opts.output, r->opts.append ? OUT_APPEND : OUT_LINES, m);

	r->style = (struct stat_style){ .out = r->out.f, .sep = r->opts.sep, .json = r->opts.json };
	return err;
}

/* Does another metric have the same two events already? */
static bool has_pair(const struct stat_opts *o, size_t n, const struct metric *metric)
{
	for (size_t i = 0; i < n; i++) {
		const struct metric *m = o->metrics[i];

		if ((m->value == metric->value && m->per == metric->per) ||
		    (m->value == metric->per && m->per == metric->value))
			return true;
	}
	return false;
}

/* -d: what programs usually wait for in memory, as far as this processor counts it */
static void add_detailed(struct stat_run *r, const struct pev_info *info)
{
	static const char *const names[] = { "l1d-miss-rate", "llc-miss-rate", "dtlb-miss-rate" };
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct metric *metric = stat_metric_find(names[i]), **slot;

		if (!stat_counts(info, metric->value) || !stat_counts(info, metric->per))
			continue;
		slot = (const struct metric **)ARRAY_PUSH(r->opts.metrics, r->opts.n_metrics,
							  r->opts.cap_metrics);
		*slot = metric;
		any = true;
	}
	if (!any)
		note("-d adds misses of caches, which %s", info->pmu_counters ?
		     "this processor does not count" :
		     "need a PMU, and there is none here that pev can use; \"perfctl doctor\" says why");
}

/* Leaves metrics out that this processor has no events for, unless they are all that is wanted. */
static int choose_metrics(struct stat_run *r, const struct pev_info *info, struct msg *m)
{
	struct stat_opts *o = &r->opts;
	size_t n = 0;

	for (size_t i = 0; i < o->n_metrics; i++) {
		const struct metric *metric = o->metrics[i];
		uint32_t missing = stat_counts(info, metric->value) ? metric->per : metric->value;

		if (stat_counts(info, metric->value) && stat_counts(info, metric->per)) {
			o->metrics[n++] = metric;
			continue;
		}
		msg_set(m, -ENOENT, "%s needs %s, which this processor does not count",
			metric->name, pev_config_name(PEV_TYPE_HARDWARE, missing));
		if (n || o->events.n || i + 1 < o->n_metrics)
			note("%s", m->text);
	}
	o->n_metrics = n;
	return n || o->events.n ? 0 : -ENOENT;
}

/* Adds the two events of each metric, as a group of their own. */
static int metric_events(struct stat_run *r, const struct pev_info *info, struct msg *m)
{
	int err = 0;

	if (!r->opts.n_metrics)
		return 0;
	err = choose_metrics(r, info, m);
	for (size_t i = 0; i < r->opts.n_metrics && !err; i++) {
		const struct metric *metric = r->opts.metrics[i];

		if (!has_pair(&r->opts, i, metric))
			err = stat_add_pair(&r->opts.events, info, metric->value, metric->per, m);
	}
	if (err)
		return err;
	ARRAY_PUSH(r->opts.metrics, r->opts.n_metrics, r->opts.cap_metrics);
	r->result.metrics = r->opts.metrics;
	return 0;
}

/* Adds what -M and --topdown are computed from. */
static int add_computed(struct stat_run *r, const struct pev_info *info, struct msg *m)
{
	int err = 0;

	if (!r->opts.n_metrics && !r->opts.topdown)
		return 0;
	if (!info->pmu_counters)
		return msg_set(m, -ENOENT,
			       "metrics are made of hardware events, and there "
			       "is no PMU here that pev can use; \"perfctl doctor\" says why");
	if (r->opts.topdown)
		err = topdown_here(&r->result.topdown, m);
	if (!err && r->opts.topdown)
		err = topdown_events(r->result.topdown, &r->opts.events, m);
	return err ? err : metric_events(r, info, m);
}

static int make_parts(struct stat_run *r, struct msg *m)
{
	const struct target *t = &r->measure.target;
	bool of_tasks = t->type != PEV_TARGET_CPUS && t->type != PEV_TARGET_CGROUP;

	/* opened with the threads that are there then */
	if (r->opts.by == STAT_BY_THREAD)
		return target_has_threads(t, m);
	if (r->opts.by && of_tasks && !engine_is_pev())
		return msg_set(m, -EINVAL, "%s: perf_event_open(2) counts by CPU with -a, -C and -G only",
			       stat_by_option(r->opts.by));
	return stat_parts_make(&r->result.parts, r->opts.by, t, m);
}

static int prepare(struct stat_run *r, struct msg *m)
{
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (err)
		return err;
	r->opts.events.by_kind = true;
	if (!r->opts.events.n && !r->opts.n_metrics && !r->opts.topdown)
		err = stat_default_events(&r->opts.events, &info, r->opts.target.guests, m);
	if (!err && r->opts.detailed)
		add_detailed(r, &info);
	if (!err)
		err = add_computed(r, &info, m);
	if (!err)
		err = target_make(&r->measure.target, &r->opts.target, r->measure.argv, m);
	if (!err)
		err = event_plan_make(&r->plan, &r->opts.events,
				      r->opts.target.guests ? PLAN_GUESTS : PLAN_COUNT, m);
	if (!err)
		err = make_parts(r, m);
	if (!err && r->opts.repeat > 1 && !r->measure.argv)
		err = msg_set(m, -EINVAL, "-r repeats a command: give one behind \"--\"");
	if (!err && r->opts.repeat > 1 && r->opts.interval)
		err = msg_set(m, -EINVAL, "-r and -I exclude each other");
	if (!err)
		err = open_output(r, m);
	if (err)
		return err;
	r->plan.some = true;
	r->result.plan = &r->plan;
	r->result.events = xcalloc(r->plan.n, sizeof(*r->result.events));
	r->result.sums = xcalloc(r->plan.sums + 1, sizeof(*r->result.sums));
	r->before = xcalloc(r->plan.n, sizeof(*r->before));
	r->parts_before = xcalloc(r->plan.n, sizeof(*r->parts_before));
	r->result.target = r->measure.target.text;
	/* a command beside another target only says how long, and not all of it is counted */
	r->result.command = r->measure.target.workload && !r->opts.span.delay;
	r->result.at = -1;
	r->result.cross_window = r->opts.cross_window;
	return measure_init(&r->measure, m);
}

static void print_all(const struct stat_run *r)
{
	struct pev_value *counted = xcalloc(r->plan.n, sizeof(*counted));

	stat_print(&r->result, &r->style);
	for (size_t i = 0; i < r->plan.n; i++)
		counted[i] = r->result.events[i].total;
	event_plan_note_ended(&r->plan, r->measure.target.type, counted);
	free(counted);
}

static void stat_free(struct stat_run *r)
{
	for (size_t i = 0; r->result.events && i < r->plan.n; i++) {
		free(r->result.events[i].parts);
		free(r->result.events[i].before);
	}
	for (size_t i = 0; r->parts_before && i < r->plan.n; i++)
		free(r->parts_before[i]);
	free(r->parts_before);
	free(r->result.events);
	free(r->result.sums);
	stat_parts_free(&r->result.parts);
	target_free(&r->threads);
	free(r->before);
	free(r->opts.metrics);
	event_plan_free(&r->plan);
	event_list_free(&r->opts.events);
}

int stat_measure(const struct stat_opts *opts, char **argv, struct msg *m)
{
	struct stat_run r = { .opts = *opts, .measure.argv = argv,
			      .measure.span = opts->span };
	int err = prepare(&r, m);

	if (!err)
		err = run_rounds(&r, m);
	if (!err) {
		event_plan_note_user_only(&r.plan);
		if (!r.opts.interval)
			print_all(&r);
	}
	err = out_close(&r.out, err, m);
	stat_free(&r);
	return measure_exit(&r.measure, err, m);
}
