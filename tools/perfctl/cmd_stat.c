// SPDX-License-Identifier: GPL-2.0
/* perfctl stat: counts events while a command or something that runs does its work. */
#include "kernel.h"
#include "perfctl.h"
#include "stat.h"
#include "waiter.h"
#include "workload.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_EVENTS "task-clock,context-switches,cpu-migrations,page-faults"

struct stat_opts {
	struct target_opts target;
	struct event_list events;
	uint64_t interval;
	uint64_t repeat;
	const char *sep;
	const char *output;
	bool json;
	bool per_cpu;
	bool append;
	bool cross_window;
	const struct metric **metrics;
	size_t n_metrics;
	size_t cap_metrics;
};

/**
 * struct stat_run - one use of the command
 * @opts:   as typed
 * @argv:   the command, NULL if there is none
 * @result: numbers so far
 * @before: values at the start of the interval
 * @cpus_before: the same by CPU, of each event; NULL if not asked for
 */
struct stat_run {
	struct stat_opts opts;
	char **argv;
	struct target target;
	struct event_plan plan;
	struct waiter waiter;
	struct stat_result result;
	struct stat_style style;
	struct pev_value *before;
	struct pev_value **cpus_before;
	bool stopped;
	int status;
};

static int add_events(void *opts, const char *arg, struct msg *m)
{
	return event_list_parse(&((struct stat_opts *)opts)->events, arg, m);
}

static int add_filter(void *opts, const char *arg, struct msg *m)
{
	return event_list_filter(&((struct stat_opts *)opts)->events, arg, m);
}

static void list_metrics(void)
{
	size_t n;
	const struct metric *m = stat_metrics(&n);

	for (size_t i = 0; i < n; i++)
		printf("%-18s %-20s %s and %s\n", m[i].name, m[i].unit,
		       pev_config_name(PEV_TYPE_HARDWARE, m[i].value),
		       pev_config_name(PEV_TYPE_HARDWARE, m[i].per));
}

static int add_metric(struct stat_opts *o, const char *name, struct msg *m)
{
	const struct metric *metric = stat_metric_find(name), *all;
	struct nearest near = { .word = name };
	const struct metric **slot;
	size_t n;

	if (metric) {
		slot = (const struct metric **)ARRAY_PUSH(o->metrics, o->n_metrics,
							  o->cap_metrics);
		*slot = metric;
		return 0;
	}
	all = stat_metrics(&n);
	for (size_t i = 0; i < n; i++)
		nearest_offer(&near, all[i].name);
	if (near.best)
		return msg_set(m, -EINVAL, "unknown metric \"%s\"; did you mean \"%s\"?", name,
			       near.best);
	return msg_set(m, -EINVAL, "unknown metric \"%s\"; \"perfctl stat -M list\" shows them",
		       name);
}

static int add_metrics(void *opts, const char *arg, struct msg *m)
{
	char *copy, *save, *p;
	int err = 0;

	if (!strcmp(arg, "list") || !strcmp(arg, "help")) {
		list_metrics();
		exit(STATUS_OK);
	}
	copy = xstrdup(arg);
	for (p = strtok_r(copy, ",", &save); p && !err; p = strtok_r(NULL, ",", &save))
		err = add_metric(opts, p, m);
	free(copy);
	return err;
}

static const struct opt stat_options[] = {
	TARGET_OPTS(struct stat_opts, target, TARGET_COMMAND),
	{ 0, OPT_HEADING, .help = "What to count" },
	{ 'e', OPT_CALL, "event", "EVENT[,EVENT]", "events; {a,b} is a group; may be repeated "
	  "(default: " DEFAULT_EVENTS ", and cycles, instructions, branches and branch-misses where "
	  "the processor counts them)", 0, add_events },
	{ 'M', OPT_CALL, "metrics", "METRIC[,METRIC]", "ratios, with the events that they need; "
	  "\"list\" shows them", 0, add_metrics },
	{ 0, OPT_CALL, "filter", "EXPR", "count only what fulfils EXPR, for the tracepoints "
	  "and markers of the -e before", 0, add_filter },
	{ 0, OPT_HEADING, .help = "How" },
	{ 'r', OPT_U64, "repeat", "N", "run the command N times; show means and deviations",
	  offsetof(struct stat_opts, repeat) },
	{ 'I', OPT_U64, "interval-print", "MS", "print what was counted each MS milliseconds",
	  offsetof(struct stat_opts, interval) },
	{ 'A', OPT_FLAG, "per-cpu", NULL, "show each CPU's counts",
	  offsetof(struct stat_opts, per_cpu) },
	{ 0, OPT_FLAG, "allow-cross-window", NULL, "show ratios of events that shared counters by "
	  "turns and were not counted at the same time",
	  offsetof(struct stat_opts, cross_window) },
	{ 0, OPT_HEADING, .help = "Output" },
	{ 'x', OPT_STRING, "field-separator", "SEP", "print fields separated by SEP",
	  offsetof(struct stat_opts, sep) },
	{ 'j', OPT_FLAG, "json-output", NULL, "print one JSON object a line",
	  offsetof(struct stat_opts, json) },
	{ 'o', OPT_STRING, "output", "FILE", "write there instead of to the error output",
	  offsetof(struct stat_opts, output) },
	{ 0, OPT_FLAG, "append", NULL, "add to the end of that file",
	  offsetof(struct stat_opts, append) },
	{ 0 },
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void add_value(struct pev_value *sum, const struct pev_value *v)
{
	sum->value += v->value;
	sum->time_enabled += v->time_enabled;
	sum->time_running += v->time_running;
	sum->lost += v->lost;
	sum->filtered += v->filtered;
	sum->samples += v->samples;
}

static void subtract(struct pev_value *v, const struct pev_value *before)
{
	v->value -= before->value;
	v->time_enabled -= before->time_enabled;
	v->time_running -= before->time_running;
	v->lost -= before->lost;
	v->filtered -= before->filtered;
	v->samples -= before->samples;
}

/* The CPUs' part of an interval; what the next one starts from is kept. */
static void subtract_cpus(struct stat_run *r, size_t event)
{
	struct stat_event *e = &r->result.events[event];
	struct pev_value **before = &r->cpus_before[event];

	if (!e->cpus)
		return;
	if (!*before)
		*before = xcalloc(e->nr_cpus, sizeof(**before));
	for (unsigned int cpu = 0; cpu < e->nr_cpus; cpu++) {
		struct pev_value total = e->cpus[cpu];

		subtract(&e->cpus[cpu], &(*before)[cpu]);
		(*before)[cpu] = total;
	}
}

/*
 * What a hardware event would have counted with a counter all the time since the
 * last call; without windows there is no bound, and that is all.
 */
static void read_windows(struct stat_event *e, const struct event_set *set, size_t i)
{
	struct pev_multiplexed *now = xcalloc(set->n_ids, sizeof(*now));

	e->bound = 0;
	if (!event_set_read_windows(set, i, now)) {
		struct pev_multiplexed *windows = xcalloc(set->n_ids, sizeof(*now));

		for (size_t k = 0; k < set->n_ids; k++) {
			windows[k] = now[k];
			if (e->before)
				windows_subtract(&windows[k], &e->before[k]);
		}
		windows_estimate(windows, set->n_ids, &e->bound);
		free(windows);
	} else if (event_is_hardware(&set->plan->events[i])) {
		e->bound = INFINITY;
	}
	free(e->before);
	e->before = now;
}

/* Reads all events into result.events[].last (and .cpus). */
static int read_all(struct stat_run *r, const struct event_set *set, struct msg *m)
{
	struct pev_value *values = xcalloc(r->plan.n, sizeof(*values));
	int err = event_set_read(set, values, m);

	r->result.clock_ns = 0;
	for (size_t i = 0; i < r->plan.n && !err; i++) {
		struct stat_event *e = &r->result.events[i];

		e->last = values[i];
		read_windows(e, set, i);
		if (!r->opts.per_cpu)
			continue;
		free(e->cpus);
		e->cpus = NULL;
		err = event_set_read_cpus(set, i, &e->cpus, &e->nr_cpus, m);
	}
	free(values);
	return err;
}

static void find_clock(struct stat_run *r)
{
	for (size_t i = 0; i < r->plan.n; i++)
		if (!strcmp(r->plan.events[i].unit, "ns") && !r->result.clock_ns)
			r->result.clock_ns = (double)r->result.events[i].last.value;
}

static int print_interval(struct stat_run *r, const struct event_set *set, double start,
			  struct msg *m)
{
	bool first = r->result.at < 0;
	double last = first ? 0 : r->result.at;
	int err = read_all(r, set, m);

	if (err)
		return err;
	for (size_t i = 0; i < r->plan.n; i++) {
		struct stat_event *e = &r->result.events[i];
		struct pev_value total = e->last;

		subtract(&e->last, &r->before[i]);
		e->total = e->last;
		r->before[i] = total;
		subtract_cpus(r, i);
	}
	find_clock(r);
	r->result.at = now() - start;
	r->result.wall = (struct spread){ .n = 1, .mean = r->result.at - last };
	stat_print_interval(&r->result, &r->style, first);
	return 0;
}

/* Until the command, the target or the user ends it. */
static int wait_for_end(struct stat_run *r, struct workload *w, const struct event_set *set,
			double start, struct msg *m)
{
	double step = (double)r->opts.interval / 1e3, next = start + step;

	for (;;) {
		double left = next - now();
		int timeout = step > 0 ? (left > 0 ? (int)(left * 1e3) + 1 : 0) : -1;
		unsigned int got = waiter_wait(&r->waiter, -1, timeout);

		if (got & WAIT_STOP)
			r->stopped = true;
		if (r->argv ? workload_wait(w, false) || r->stopped :
			      r->stopped || (got & WAIT_GONE))
			return 0;
		if (step > 0 && now() >= next) {
			int err = print_interval(r, set, start, m);

			if (err)
				return err;
			while (next <= now())
				next += step;
		}
	}
}

static void add_round(struct stat_run *r, const struct workload *w, double wall)
{
	const struct rusage *u = &w->usage;

	for (size_t i = 0; i < r->plan.n; i++) {
		struct stat_event *e = &r->result.events[i];

		add_value(&e->total, &e->last);
		e->squares += e->bound * e->bound;
		spread_add(&e->value, stat_scale(&e->last));
		/* the next round opens events of its own */
		free(e->before);
		e->before = NULL;
	}
	find_clock(r);
	spread_add(&r->result.wall, wall);
	spread_add(&r->result.user, (double)u->ru_utime.tv_sec + (double)u->ru_utime.tv_usec / 1e6);
	spread_add(&r->result.sys, (double)u->ru_stime.tv_sec + (double)u->ru_stime.tv_usec / 1e6);
	r->result.rounds++;
}

/* Between opening and closing of the events. */
static int measure(struct stat_run *r, struct workload *w, const struct event_set *set,
		   struct msg *m)
{
	double start;
	int err;

	if (!r->target.workload) {
		err = event_set_enable(set, true, m);
		if (err)
			return err;
	}
	start = now();
	if (r->argv) {
		err = workload_go(w, r->argv[0], &r->status, m);
		if (err)
			return err;
	}
	err = wait_for_end(r, w, set, start, m);
	if (err)
		return err;
	err = event_set_enable(set, false, m);
	if (err)
		return err;
	if (r->opts.interval)
		return print_interval(r, set, start, m);
	err = read_all(r, set, m);
	if (!err)
		add_round(r, w, now() - start);
	return err;
}

static int one_round(struct stat_run *r, struct msg *m)
{
	uint64_t flags = PEV_F_DISABLED | (r->target.workload ? PEV_F_ENABLE_ON_EXEC : 0);
	struct workload w = { .go = -1, .failed = -1 };
	struct event_set set;
	int err;

	if (r->argv) {
		err = workload_hold(&w, r->argv, &r->waiter.old, &r->status, m);
		if (err)
			return err;
		if (r->target.workload)
			r->target.ids[0] = w.pid;
	}
	err = event_set_open(&set, &r->plan, &r->target, flags, m);
	if (!err) {
		err = measure(r, &w, &set, m);
		event_set_close(&set);
	}
	workload_end(&w);
	if (!err && w.ended)
		r->status = workload_status(&w);
	return err;
}

static int run_rounds(struct stat_run *r, struct msg *m)
{
	uint64_t rounds = r->opts.repeat ? r->opts.repeat : 1;

	for (uint64_t i = 0; i < rounds && !r->stopped; i++) {
		int err = one_round(r, m);

		if (err)
			return err;
	}
	return 0;
}

static int open_output(struct stat_run *r, struct msg *m)
{
	r->style = (struct stat_style){ .out = stderr, .sep = r->opts.sep, .json = r->opts.json };
	if (!r->opts.output)
		return 0;
	r->style.out = fopen(r->opts.output, r->opts.append ? "ae" : "we");
	if (!r->style.out)
		return msg_set(m, -EIO, "%s: %s", r->opts.output, strerror(errno));
	return 0;
}

static int close_output(struct stat_run *r, struct msg *m)
{
	if (r->style.out == stderr)
		return 0;
	if (fclose(r->style.out))
		return msg_set(m, -EIO, "%s: %s", r->opts.output, strerror(errno));
	return 0;
}

static bool has(const struct pev_info *info, uint32_t event)
{
	return info->pmu_counters && info->hardware >> event & 1;
}

/* Two that belong together are a group, so that their ratio is of one time. */
static int add_pair(struct event_list *list, const struct pev_info *info, uint32_t a, uint32_t b,
		    struct msg *m)
{
	const char *na = pev_config_name(PEV_TYPE_HARDWARE, a);
	const char *nb = pev_config_name(PEV_TYPE_HARDWARE, b);
	char text[128];
	int err;

	if (has(info, a) && has(info, b))
		snprintf(text, sizeof(text), "{%s,%s}", na, nb);
	else if (has(info, a) || has(info, b))
		snprintf(text, sizeof(text), "%s", has(info, a) ? na : nb);
	else
		return 0;
	err = event_list_parse(list, text, m);
	for (size_t i = list->n - list->last_n; !err && i < list->n; i++)
		list->specs[i].loose = true;
	return err;
}

static int default_events(struct stat_run *r, const struct pev_info *info, struct msg *m)
{
	struct event_list *list = &r->opts.events;
	int err = event_list_parse(list, DEFAULT_EVENTS, m);

	if (!err)
		err = add_pair(list, info, PEV_HW_CYCLES, PEV_HW_INSTRUCTIONS, m);
	if (!err)
		err = add_pair(list, info, PEV_HW_BRANCHES, PEV_HW_BRANCH_MISSES, m);
	return err;
}

/* Another one has the same two events already. */
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

/* Each metric's two events, as a group of their own */
static int metric_events(struct stat_run *r, const struct pev_info *info, struct msg *m)
{
	for (size_t i = 0; i < r->opts.n_metrics; i++) {
		const struct metric *metric = r->opts.metrics[i];
		uint32_t missing = has(info, metric->value) ? metric->per : metric->value;
		int err = 0;

		if (!info->pmu_counters)
			return msg_set(m, -ENOENT, "metrics are made of hardware events, and there "
				       "is no PMU here that pev can use; \"perfctl doctor\" says why");
		if (!has(info, metric->value) || !has(info, metric->per))
			return msg_set(m, -ENOENT, "%s needs %s, which this processor does not "
				       "count", metric->name,
				       pev_config_name(PEV_TYPE_HARDWARE, missing));
		if (!has_pair(&r->opts, i, metric))
			err = add_pair(&r->opts.events, info, metric->value, metric->per, m);
		if (err)
			return err;
	}
	if (r->opts.n_metrics) {
		ARRAY_PUSH(r->opts.metrics, r->opts.n_metrics, r->opts.cap_metrics);
		r->result.metrics = r->opts.metrics;
	}
	return 0;
}

static int prepare(struct stat_run *r, struct msg *m)
{
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (err)
		return err;
	if (!r->opts.events.n && !r->opts.n_metrics)
		err = default_events(r, &info, m);
	if (!err)
		err = metric_events(r, &info, m);
	if (!err)
		err = target_make(&r->target, &r->opts.target, r->argv, m);
	if (!err)
		err = event_plan_make(&r->plan, &r->opts.events, PLAN_COUNT, m);
	if (!err && r->opts.repeat > 1 && !r->argv)
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
	r->before = xcalloc(r->plan.n, sizeof(*r->before));
	r->cpus_before = xcalloc(r->plan.n, sizeof(*r->cpus_before));
	r->result.target = r->target.text;
	r->result.command = r->argv != NULL;
	r->result.at = -1;
	r->result.cross_window = r->opts.cross_window;
	err = waiter_init(&r->waiter, m);
	if (!err)
		waiter_watch(&r->waiter, &r->target);
	return err;
}

static void stat_free(struct stat_run *r)
{
	for (size_t i = 0; r->result.events && i < r->plan.n; i++) {
		free(r->result.events[i].cpus);
		free(r->result.events[i].before);
	}
	for (size_t i = 0; r->cpus_before && i < r->plan.n; i++)
		free(r->cpus_before[i]);
	free(r->cpus_before);
	free(r->result.events);
	free(r->before);
	free(r->opts.metrics);
	event_plan_free(&r->plan);
	event_list_free(&r->opts.events);
	target_free(&r->target);
}

static int stat_run(int argc, char **argv)
{
	struct stat_run r = { 0 };
	struct msg m;
	int n, err;

	r.status = command_options(&command_stat, &r.opts, argc, argv, &n);
	if (r.status >= 0)
		return r.status;
	r.status = 0;
	argv[n + 1] = NULL;
	r.argv = n ? argv + 1 : NULL;
	err = prepare(&r, &m);
	if (!err)
		err = run_rounds(&r, &m);
	if (!err) {
		event_plan_note_user_only(&r.plan);
		if (!r.opts.interval)
			stat_print(&r.result, &r.style);
		err = close_output(&r, &m);
	}
	if (err) {
		complain("%s", m.text);
		if (!r.status)
			r.status = status_of(err);
	}
	waiter_free(&r.waiter);
	stat_free(&r);
	return r.status;
}

const struct command command_stat = {
	.name = "stat",
	.operands = "[--] [COMMAND [ARG]...]",
	.summary = "count events while a command runs",
	.about = "Counts events of a command with all processes that it starts, of processes that "
		 "run, of CPUs or of a cgroup, until the command ends, the processes end or Ctrl-C "
		 "is pressed. Exits with the command's status.",
	.examples = "  perfctl stat -- make -j2             the usual counters of a build\n"
		    "  perfctl stat -r 5 -- ./bench         five runs, with deviations\n"
		    "  perfctl stat -e '{cycles,instructions}:u' -- ./bench   of user mode, together\n"
		    "  perfctl stat -M ipc,l1d-mpki -- ./bench   ratios\n"
		    "  perfctl stat -e 'sched:*' -a -- sleep 1   all scheduler events, everywhere\n"
		    "  perfctl stat -I 1000 -p 1234         a line of counts each second\n",
	.opts = stat_options,
	.runs_command = true,
	.run = stat_run,
};
