// SPDX-License-Identifier: GPL-2.0
/*
 * Pairs of an exit and the next entry of the same thread, by KVM's tracepoints, which the kernel keeps
 * in a table, or which are added up here by perf_event_open(2). See exits.h.
 */
#include "exits.h"
#include "exits_print.h"
#include "base/output.h"
#include "base/say.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "kvm/points.h"
#include "kvm/vmm.h"
#include "hist/source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

/* So often records are added up, where the kernel does not */
#define TAKE_MS 200

/* Keys of the table: what the first event had comes first, and the process, that of both, last */
enum { KEY_NS, KEY_REASON };

/**
 * struct exits_run - one use of the command
 * @vmms:  those that ran before, so that they have a name when they have ended
 * @start: seconds of a clock, and of the interval
 * @other: what found no room
 */
struct exits_run {
	struct exits_opts opts;
	const struct kvm_points *points;
	struct pev_table table;
	struct measure measure;
	struct event_list events;
	struct event_plan plan;
	struct hist_source source;
	struct hist_rows rows;
	struct vmms vmms;
	struct out out;
	double start;
	double last;
	uint64_t other;
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* ---- from rows of the table to those that are shown ---- */

static void add_row(struct exits *e, const struct exits_run *r, size_t first)
{
	const struct hist_rows *from = &r->rows;
	const struct hist_row *v = &from->v[first];
	struct exits_row *row = ARRAY_PUSH(e->rows, e->n_rows, e->cap_rows);
	unsigned int key = KEY_REASON, vcpu = KEY_REASON + kvm_points_reasons(r->points);

	*row = (struct exits_row){
		.pid = (uint32_t)v->key[r->table.nr_keys - 1][0],
		.reason = v->key[key][0],
		.vcpu = r->opts.per_vcpu ? (int)v->key[vcpu][0] : -1,
	};
	while (++key < vcpu)
		row->reason = row->reason << 8 | v->key[key][0];
	for (size_t i = first; i < from->n && (i == first || !hist_rows_begins(from, i)); i++) {
		row->count += from->v[i].count;
		row->ns += from->v[i].sum;
		row->most = max_u64(row->most, from->v[i].max);
	}
	hist_quantiles(from, first, row->shares);
}

static int by_guest(const void *a, const void *b)
{
	const struct exits_row *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return x->reason != y->reason ? (x->reason < y->reason ? -1 : 1) : x->vcpu - y->vcpu;
}

static int by_exits(const void *a, const void *b)
{
	const struct exits_guest *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count ? 1 : -1) : (x->pid < y->pid ? -1 : 1);
}

static char *name_of(const struct exits_run *r, uint32_t pid)
{
	struct vmm vmm;
	char *comm = NULL;

	for (size_t i = 0; i < r->vmms.n; i++)
		if (r->vmms.v[i].pid == (int)pid)
			return xstrdup(r->vmms.v[i].comm);
	if (!vmm_look(&vmm, (int)pid)) {
		comm = xstrdup(vmm.comm);
		vmm_free(&vmm);
	}
	return comm;
}

static void add_guests(struct exits *e, const struct exits_run *r)
{
	struct exits_guest *g = NULL;

	for (size_t i = 0; i < e->n_rows; i++) {
		if (!g || g->pid != e->rows[i].pid) {
			g = ARRAY_PUSH(e->guests, e->n_guests, e->cap_guests);
			*g = (struct exits_guest){
				.pid = e->rows[i].pid,
				.first = i,
				.comm = name_of(r, e->rows[i].pid),
			};
		}
		g->count += e->rows[i].count;
		g->ns += e->rows[i].ns;
		g->n++;
	}
	if (e->n_guests)
		qsort(e->guests, e->n_guests, sizeof(*e->guests), by_exits);
}

static void exits_free(struct exits *e)
{
	for (size_t i = 0; i < e->n_guests; i++)
		free(e->guests[i].comm);
	free(e->guests);
	free(e->rows);
}

/* Prints what came since the last call. */
static int print_new(struct exits_run *r, struct msg *m)
{
	struct exits e = { .at = -1 };
	int err = r->source.ops->fetch(&r->source, &r->rows, &e.sums, m);

	if (err)
		return err;
	hist_rows_sort(&r->rows);
	for (size_t i = 0; i < r->rows.n; i++)
		if (hist_rows_begins(&r->rows, i))
			add_row(&e, r, i);
	hist_rows_free(&r->rows);
	if (e.n_rows)
		qsort(e.rows, e.n_rows, sizeof(*e.rows), by_guest);
	add_guests(&e, r);
	e.seconds = now() - r->last;
	r->last += e.seconds;
	if (r->opts.interval)
		e.at = r->last - r->start;
	if (r->opts.json)
		exits_json(&e, r->out.f);
	else
		exits_print(&e, r->out.f);
	r->other += e.sums.other.count + e.sums.lost.count + e.sums.dropped;
	exits_free(&e);
	return 0;
}

/* ---- the measurement ---- */

static int exits_open(void *arg, struct msg *m)
{
	struct exits_run *r = arg;

	r->source.later = true;
	return r->source.ops->open(&r->source, m);
}

static int exits_start(void *arg, struct msg *m)
{
	struct exits_run *r = arg;
	int err = r->source.ops->on(&r->source, true, m);

	r->start = r->last = now();
	return err;
}

/* Returns ms to wait, -1: until something happens. */
static int wait_ms(const struct exits_run *r, double next)
{
	double left = next - now();
	int most = r->source.ops->take ? TAKE_MS : -1, ms = left > 0 ? (int)(left * 1e3) + 1 : 0;

	if (!r->opts.interval)
		return most;
	return most < 0 || ms < most ? ms : most;
}

/* What is due of what was waited for. Returns 1: it goes on, 0: it is over, or -errno. */
static int go_on(struct exits_run *r, double *next, struct msg *m)
{
	const struct hist_source_ops *ops = r->source.ops;
	double step = (double)r->opts.interval / 1e3;
	unsigned int got = wait_loop_wait(&r->measure.wait, ops->fd ? ops->fd(&r->source) : -1,
					  wait_ms(r, *next));
	int err = ops->take ? ops->take(&r->source, m) : 0;

	if (!err && got & WAIT_BEGIN) {
		err = exits_start(r, m);
		if (!err)
			err = measure_begins(&r->measure, m);
		*next = r->start + step;
	}
	if (err || !measure_goes_on(&r->measure, got))
		return err;
	if (r->opts.interval && now() >= *next) {
		err = print_new(r, m);
		while (*next <= now())
			*next += step;
	}
	return err ? err : 1;
}

static int exits_wait(void *arg, struct msg *m)
{
	struct exits_run *r = arg;
	double next = now() + (double)r->opts.interval / 1e3;
	int err;

	while ((err = go_on(r, &next, m)) > 0)
		;
	if (!err)
		err = r->source.ops->on(&r->source, false, m);
	return err ? err : print_new(r, m);
}

static void exits_close(void *arg)
{
	struct exits_run *r = arg;

	r->source.ops->close(&r->source);
}

static const struct measure_ops exits_ops = {
	.open = exits_open,
	.start = exits_start,
	.run = exits_wait,
	.close = exits_close,
};

/* ---- before and after it ---- */

/* The host's work for a guest is the VMM's, in any of its threads. */
static int choose_target(struct exits_run *r, struct msg *m)
{
	struct target_opts t = r->opts.target;
	int err;

	t.all = !t.guests;
	err = target_make(&r->measure.target, &t, r->measure.argv, m);
	if (!err && t.guests)
		r->measure.target.type = PEV_TARGET_PROCESS;
	r->measure.guests = t.guests;
	return err;
}

static int check_kvm(const struct exits_run *r, struct msg *m)
{
	struct pev_catalog *catalog;
	bool found = false;
	int err = kernel_catalog(&catalog, m);

	if (err)
		return err;
	for (size_t i = 0; i < pev_catalog_count(catalog) && !found; i++)
		found = !strcmp(pev_catalog_entry(catalog, i)->name, r->points->exit);
	pev_catalog_free(catalog);
	if (!found)
		return msg_set(m, -ENOENT, "this kernel has no tracepoint %s: %s", r->points->exit,
			       r->points->missing);
	if (r->opts.per_vcpu && !r->points->vcpu_id)
		return msg_set(m, -EOPNOTSUPP,
			       "--per-vcpu: %s does not say here which virtual processor it is of",
			       r->points->exit);
	return 0;
}

static int make_table(struct exits_run *r, struct msg *m)
{
	char *pair = kvm_points_pair(r->points, r->opts.per_vcpu);
	int err = hist_latency_parse(&r->table, &r->events, pair, m);

	free(pair);
	r->table.keys[r->table.nr_keys++] = (struct pev_table_key){ .from = PEV_TABLE_PID };
	return err;
}

static int prepare(struct exits_run *r, struct msg *m)
{
	int err = hist_source_init(&r->source, m);

	if (!err)
		err = check_kvm(r, m);
	if (!err)
		err = make_table(r, m);
	if (err)
		return err;
	err = choose_target(r, m);
	if (!err)
		err = event_plan_make(&r->plan, &r->events, PLAN_RECORD, m);
	if (!err)
		err = out_open(&r->out, r->opts.output, OUT_LINES, m);
	if (err)
		return err;
	for (size_t i = 0; i < r->plan.n; i++)
		r->plan.events[i].attr.period = 1;
	vmms_find(&r->vmms);
	return measure_init(&r->measure, m);
}

int exits_measure(const struct exits_opts *opts, char **argv, struct msg *m)
{
	struct exits_run r = {
		.opts = *opts,
		.points = kvm_points(guest_isa_here()),
		.table = { .rows = (uint32_t)opts->rows, .open = HIST_OPEN },
		.measure.argv = argv,
		.measure.span = opts->span,
	};
	int err;

	r.rows.table = &r.table;
	r.source.table = &r.table;
	r.source.plan = &r.plan;
	r.source.target = &r.measure.target;
	err = prepare(&r, m);
	if (!err)
		err = measure_run(&r.measure, &exits_ops, &r, m);
	if (!err && r.other)
		note("%" PRIu64 " exits found no room, and are in no row: --rows %" PRIu64
		     " gives more",
		     r.other, min_u64(opts->rows * 4, PEV_MAX_TABLE_ROWS));
	err = out_close(&r.out, err, m);
	hist_rows_free(&r.rows);
	vmms_free(&r.vmms);
	event_plan_free(&r.plan);
	event_list_free(&r.events);
	return measure_exit(&r.measure, err, m);
}
