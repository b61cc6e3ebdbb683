// SPDX-License-Identifier: GPL-2.0
/* perfctl sched: how long threads had to wait for a processor. */
#include "cmd/commands.h"
#include "base/output.h"
#include "base/say.h"
#include "cli/other_tools.h"
#include "cli/term.h"
#include "session/fetch.h"
#include "session/use.h"
#include "views/sched_print.h"
#include "views/timehist.h"

#include <errno.h>
#include <string.h>

#define ROWS_MOST 40

struct sched_opts {
	const char *input;
	const char *comm;
	const char *time;
	uint64_t least_us;
	bool all;
	bool programs;
	bool whole;
	bool json;
};

static const struct opt sched_options[] = {
	{ 0, OPT_HEADING, .help = "Which recording (of waits, or of sched:sched_switch)" },
	{ 'i', OPT_STRING, "input", "DIR",
	  "the trace (default: pev.trace); -: the standard input, from \"record -o -\"",
	  offsetof(struct sched_opts, input) },
	{ 0, OPT_HEADING, .help = "Which waits" },
	{ 'a', OPT_FLAG, "all", NULL,
	  "all programs (default: of a recorded command, it and its children)",
	  offsetof(struct sched_opts, all) },
	{ 0, OPT_STRING, "comm", "NAME", "only these programs (globs, several by commas)",
	  offsetof(struct sched_opts, comm) },
	{ 0, OPT_U64, "least", "US", "leave out waits shorter than so many microseconds",
	  offsetof(struct sched_opts, least_us) },
	{ 0, OPT_STRING, "time", "FROM,TO",
	  "only waits that end within, in seconds since the trace's begin",
	  offsetof(struct sched_opts, time) },
	{ 0, OPT_HEADING, .help = "Output" },
	{ 0, OPT_FLAG, "programs", NULL, "with latency: a row for all threads of a name",
	  offsetof(struct sched_opts, programs) },
	{ 0, OPT_FLAG, "whole", NULL, "with latency: all rows (default: 40)",
	  offsetof(struct sched_opts, whole) },
	{ 'j', OPT_FLAG, "json", NULL, "print JSON", offsetof(struct sched_opts, json) },
	SYMFS_OPT,
	DEBUGINFOD_OPT,
	{ 0 },
};

static int show_groups(struct session *session, const struct sched_opts *o,
		       const struct wait_filter *filter, bool histogram, struct msg *m)
{
	struct sched_groups s;
	int err;

	sched_init(&s, session);
	s.filter = *filter;
	s.by_comm = o->programs;
	err = sched_load(&s, m);
	if (!err && o->json && histogram)
		sched_histogram_json(&s, stdout);
	else if (!err && o->json)
		sched_latency_json(&s, stdout);
	else if (!err && !s.all.runnable.n)
		print_error("no wait matches");
	else if (!err && histogram)
		sched_histogram(&s, stdout);
	else if (!err)
		sched_latency(&s, o->whole ? 0 : ROWS_MOST, stdout);
	sched_free(&s);
	return err;
}

/**
 * struct wanted - what is shown
 */
struct wanted {
	const struct sched_opts *opts;
	const char *view;
};

static int show(struct session *s, const void *opts, struct msg *m)
{
	const struct wanted *wanted = opts;
	const struct sched_opts *o = wanted->opts;
	struct wait_filter filter;
	int err = wait_filter_init(&filter, s, o->comm, o->all, o->time, m);

	filter.least_ns = o->least_us * 1000;
	if (err) {
		wait_filter_free(&filter);
		return err;
	}
	term_pager_start();
	if (!strcmp(wanted->view, "timehist")) {
		err = timehist_print(s, &filter, o->json, stdout, m);
		wait_filter_free(&filter);
	} else {
		/* the filter becomes its own */
		err = show_groups(s, o, &filter, !strcmp(wanted->view, "histogram"), m);
	}
	term_pager_end();
	fflush(stdout);
	return err;
}

static bool is_view(const char *what)
{
	return !strcmp(what, "latency") || !strcmp(what, "histogram") || !strcmp(what, "timehist");
}

static int no_view(const char *what, struct msg *m)
{
	const struct other_tool *other = other_tools_command("sched", what);

	if (!*what)
		return msg_set(m, -EINVAL,
			       "say which view: sched latency, sched histogram or sched "
			       "timehist");
	return msg_set(m, -EINVAL, "sched takes latency, histogram or timehist, not \"%s\"%s%s",
		       what, other ? "; here: " : "", other ? other->answer : "");
}

static int sched_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct sched_opts *o = opts;
	const struct wanted wanted = { .opts = o, .view = n ? args[0] : "" };

	if (!is_view(wanted.view))
		return no_view(wanted.view, m);
	if ((o->programs || o->whole) && strcmp(wanted.view, "latency"))
		return msg_set(m, -EINVAL, "--%s is for \"perfctl sched latency\"",
			       o->programs ? "programs" : "whole");
	return session_use(n - 1, args + 1, o->input, show, &wanted, m);
}

const struct command command_sched = {
	.name = "sched",
	.operands = "latency|histogram|timehist [DIR]",
	.summary = "show how long threads had to wait for a processor",
	.about = "latency: for each thread what it ran, was blocked, and was runnable without a "
		 "processor, with percentiles. histogram: how many waits took how long. timehist: "
		 "a line for each wait.",
	.examples =
		"  perfctl record --waits=0 -- COMMAND\n"
		"  perfctl sched latency               which thread had to wait for a processor\n"
		"  perfctl sched latency --programs -a\n"
		"  perfctl sched timehist --comm make --least 1000\n",
	.opts = sched_options,
	.opts_size = sizeof(struct sched_opts),
	.run = sched_run,
};
