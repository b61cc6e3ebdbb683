// SPDX-License-Identifier: GPL-2.0
/* perfctl stat: counts events while a command or something that runs does its work. */
#include "kernel.h"
#include "perfctl.h"
#include "stat.h"
#include "waiter.h"
#include "workload.h"

#include <errno.h>
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

static const struct opt stat_options[] = {
	TARGET_OPTS(struct stat_opts, target),
	{ 0, OPT_HEADING, .help = "What to count" },
	{ 'e', OPT_CALL, "event", "EVENT[,EVENT]", "events; {a,b} is a group; may be repeated "
	  "(default: " DEFAULT_EVENTS ")", 0, add_events },
	{ 0, OPT_CALL, "filter", "EXPR", "count only what fulfils EXPR, for the tracepoints "
	  "and markers of the -e before", 0, add_filter },
	{ 0, OPT_HEADING, .help = "How" },
	{ 'r', OPT_U64, "repeat", "N", "run the command N times; show means and deviations",
	  offsetof(struct stat_opts, repeat) },
	{ 'I', OPT_U64, "interval-print", "MS", "print what was counted each MS milliseconds",
	  offsetof(struct stat_opts, interval) },
	{ 'A', OPT_FLAG, "per-cpu", NULL, "show each CPU's counts",
	  offsetof(struct stat_opts, per_cpu) },
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

/* Reads all events into result.events[].last (and .cpus). */
static int read_all(struct stat_run *r, const struct event_set *set, struct msg *m)
{
	struct pev_value *values = xcalloc(r->plan.n, sizeof(*values));
	int err = event_set_read(set, values, m);

	r->result.clock_ns = 0;
	for (size_t i = 0; i < r->plan.n && !err; i++) {
		struct stat_event *e = &r->result.events[i];

		e->last = values[i];
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
		struct pev_value total = r->result.events[i].last;

		subtract(&r->result.events[i].last, &r->before[i]);
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

	for (size_t i = 0; i < r->plan.n; i++)
		spread_add(&r->result.events[i].value, (double)r->result.events[i].last.value);
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
		err = workload_go(w, r->argv[0], m);
		if (err) {
			r->status = err == -ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
			return err;
		}
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
		err = workload_check(r->argv[0], m);
		if (err) {
			r->status = err == -ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
			return err;
		}
		err = workload_fork(&w, r->argv, &r->waiter.old, m);
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

static int prepare(struct stat_run *r, struct msg *m)
{
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (err)
		return err;
	if (!r->opts.events.n)
		err = event_list_parse(&r->opts.events, DEFAULT_EVENTS, m);
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
	r->result.plan = &r->plan;
	r->result.events = xcalloc(r->plan.n, sizeof(*r->result.events));
	r->before = xcalloc(r->plan.n, sizeof(*r->before));
	r->cpus_before = xcalloc(r->plan.n, sizeof(*r->cpus_before));
	r->result.target = r->target.text;
	r->result.command = r->argv != NULL;
	r->result.at = -1;
	err = waiter_init(&r->waiter, m);
	if (!err)
		waiter_watch(&r->waiter, &r->target);
	return err;
}

static void stat_free(struct stat_run *r)
{
	for (size_t i = 0; r->result.events && i < r->plan.n; i++)
		free(r->result.events[i].cpus);
	for (size_t i = 0; r->cpus_before && i < r->plan.n; i++)
		free(r->cpus_before[i]);
	free(r->cpus_before);
	free(r->result.events);
	free(r->before);
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
		    "  perfctl stat -e 'sched:*' -a -- sleep 1   all scheduler events, everywhere\n"
		    "  perfctl stat -I 1000 -p 1234         a line of counts each second\n",
	.opts = stat_options,
	.runs_command = true,
	.run = stat_run,
};
