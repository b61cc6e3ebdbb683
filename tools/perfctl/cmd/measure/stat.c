// SPDX-License-Identifier: GPL-2.0
/* perfctl stat: counts events while a command, or what runs already, does its work. */
#include "cmd/commands.h"
#include "base/status.h"
#include "by/keys.h"
#include "by/measure.h"
#include "cli/suggest.h"
#include "event/engine.h"
#include "stat/measure.h"
#include "stat/metric.h"

#include <errno.h>
#include <stdlib.h>

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
	struct suggestion near = { .word = name };
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
		suggest_offer(&near, all[i].name);
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

static int choose_by(enum stat_by *by, enum stat_by chosen, struct msg *m)
{
	if (*by && *by != chosen)
		return msg_set(m, -EINVAL, "%s and %s exclude each other", stat_by_option(*by),
			       stat_by_option(chosen));
	*by = chosen;
	return 0;
}

static int by_cpu(void *by, const char *arg, struct msg *m)
{
	(void)arg;
	return choose_by(by, STAT_BY_CPU, m);
}

static int by_core(void *by, const char *arg, struct msg *m)
{
	(void)arg;
	return choose_by(by, STAT_BY_CORE, m);
}

static int by_socket(void *by, const char *arg, struct msg *m)
{
	(void)arg;
	return choose_by(by, STAT_BY_SOCKET, m);
}

static int by_node(void *by, const char *arg, struct msg *m)
{
	(void)arg;
	return choose_by(by, STAT_BY_NODE, m);
}

static int by_thread(void *by, const char *arg, struct msg *m)
{
	(void)arg;
	return choose_by(by, STAT_BY_THREAD, m);
}

static const struct opt stat_options[] = {
	TARGET_OPTS(struct stat_opts, target, TARGET_COMMAND),
	GUEST_OPT(struct stat_opts, target),
	ENGINE_OPT,
	{ 0, OPT_HEADING, .help = "What to count" },
	{ 'e', OPT_CALL, "event", "EVENT[,EVENT]",
	  "events; {a,b} is a group; may be repeated "
	  "(default: " STAT_EVENTS ", and cycles, instructions, branches and branch-misses where "
	  "the processor counts them)",
	  offsetof(struct stat_opts, events), event_list_option },
	{ 'M', OPT_CALL, "metrics", "METRIC[,METRIC]",
	  "ratios, with the events that they need; "
	  "\"list\" shows them",
	  0, add_metrics },
	{ 0, OPT_FLAG, "topdown", NULL,
	  "what became of the slots in which the cores could have started operations, where the "
	  "processor counts them",
	  offsetof(struct stat_opts, topdown) },
	{ 'd', OPT_FLAG, "detailed", NULL,
	  "the misses of caches and of the TLB, too, where the processor counts them",
	  offsetof(struct stat_opts, detailed) },
	{ 0, OPT_CALL, "filter", "EXPR",
	  "count only what fulfils EXPR, for the events of the -e before: tracepoints, markers, "
	  "software events and timers",
	  offsetof(struct stat_opts, events), event_list_filter_option },
	{ 0, OPT_HEADING, .help = "How" },
	{ 'r', OPT_U64, "repeat", "N", "run the command N times; show means with their errors",
	  offsetof(struct stat_opts, repeat) },
	DELAY_OPT(struct stat_opts, span),
	TIMEOUT_OPT(struct stat_opts, span),
	{ 'I', OPT_MS, "interval-print", "TIME",
	  "print what was counted each TIME: 10s, 500ms; a number alone is milliseconds",
	  offsetof(struct stat_opts, interval) },
	{ 'A', OPT_CALL, "per-cpu", NULL, "show each CPU's counts", offsetof(struct stat_opts, by),
	  by_cpu },
	{ 0, OPT_CALL, "per-core", NULL, "... each core's", offsetof(struct stat_opts, by),
	  by_core },
	{ 0, OPT_CALL, "per-socket", NULL, "... each socket's", offsetof(struct stat_opts, by),
	  by_socket },
	{ 0, OPT_CALL, "per-node", NULL, "... each NUMA node's", offsetof(struct stat_opts, by),
	  by_node },
	{ 0, OPT_CALL, "per-thread", NULL,
	  "show the counts of each thread that runs at the start, "
	  "with -p or -t",
	  offsetof(struct stat_opts, by), by_thread },
	{ 0, OPT_STRING, "by", "NAME[,NAME]",
	  "show the counts of each " BY_NAMES "; the kernel adds them up as tasks leave their CPUs",
	  offsetof(struct stat_opts, split) },
	{ 0, OPT_U64, "rows", "N",
	  "with --by, rows that there is room for on each CPU (default: 1024)",
	  offsetof(struct stat_opts, rows) },
	{ 0, OPT_FLAG, "allow-cross-window", NULL,
	  "show ratios of events that shared counters "
	  "and were not counted at the same time",
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

static int split_run(const struct stat_opts *o, char **argv, struct msg *m)
{
	const struct by_opts by = {
		.target = o->target,
		.span = o->span,
		.events = o->events,
		.by = o->split,
		.interval = o->interval,
		.rows = o->rows,
		.sep = o->sep,
		.output = o->output,
		.json = o->json,
		.append = o->append,
	};

	if (o->target.guests)
		return msg_set(
			m, -EINVAL,
			"--by is of tasks, which a guest's are not to its host: leave --by out");
	if (o->by)
		return msg_set(m, -EINVAL, "--by and %s exclude each other", stat_by_option(o->by));
	if (o->repeat > 1 || o->n_metrics || o->detailed || o->topdown)
		return msg_set(m, -EINVAL, "--by goes without -r, -M, -d and --topdown");
	return by_measure(&by, argv, m);
}

static int stat_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct stat_opts *o = opts;

	if (o->target.guests && o->target.all)
		return msg_set(
			m, -EINVAL,
			"-a and --guest exclude each other: \"-e cpu-clock:G,cpu-clock:H -a\" counts "
			"guests and the host, each apart");
	if (o->split)
		return split_run(o, n ? args : NULL, m);
	return stat_measure(opts, n ? args : NULL, m);
}

const struct command command_stat = {
	.name = "stat",
	.operands = "[--] [COMMAND [ARG]...]",
	.summary = "count events while a command runs",
	.about = "Counts events of a command with all processes that it starts, of processes that "
		 "run, of CPUs or of a cgroup, until the command ends, the processes end or Ctrl-C "
		 "is pressed. Exits with the command's status.",
	.examples =
		"  perfctl stat -- make -j2             the usual counters of a build\n"
		"  perfctl stat -r 5 -- ./bench         five runs, with the error of their means\n"
		"  perfctl stat -e '{cycles,instructions}:u' -- ./bench   of user mode, together\n"
		"  perfctl stat -M ipc,l1d-mpki -- ./bench   ratios\n"
		"  perfctl stat -e 'sched:*' -a -- sleep 1   all scheduler events, everywhere\n"
		"  perfctl stat --guest qemu-system-x86 -- sleep 10   a virtual machine's own time\n"
		"  perfctl stat -I 1000 -p 1234         a line of counts each second\n"
		"  perfctl stat --by cgroup -e cycles,instructions -I 10000 -a   of each container\n",
	.opts = stat_options,
	.runs_command = true,
	.opts_size = sizeof(struct stat_opts),
	.defaults = &(const struct stat_opts){ .rows = BY_ROWS },
	.run = stat_run,
};
