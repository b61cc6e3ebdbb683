// SPDX-License-Identifier: GPL-2.0
/* perfctl top: where time goes now. */
#include "cmd/commands.h"
#include "base/json.h"
#include "base/stop.h"
#include "by/keys.h"
#include "by/measure.h"
#include "cli/term.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "event/plan.h"
#include "event/sampling.h"
#include "report/out.h"
#include "report/report.h"
#include "tui/tui.h"
#include "views/top.h"
#include "session/fetch.h"
#include "session/guest.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define DEFAULT_HZ    499
#define DEFAULT_DELAY 2.0
#define DEFAULT_SORT "comm,dso,symbol"

struct top_opts {
	struct target_opts target;
	struct event_list events;
	const char *sort;
	const char *by;
	const char *color;
	struct rows_config rows;
	double delay;
	double limit;
	uint64_t freq;
	uint64_t count;
	uint64_t lines;
	bool no_graph;
	bool stdio;
	bool json;
};

static const struct opt top_options[] = {
	TARGET_OPTS(struct top_opts, target, "the whole machine"),
	GUEST_OPT(struct top_opts, target),
	ENGINE_OPT,
	{ 0, OPT_HEADING, .help = "What to sample" },
	{ 'e', OPT_CALL, "event", "EVENT[,EVENT]",
	  "(default: cycles, or cpu-clock, a timer, where there is "
	  "no PMU)",
	  offsetof(struct top_opts, events), event_list_option },
	FREQ_OPT(struct top_opts, freq, "samples a second on each CPU (default: 499)"),
	{ 0, OPT_FLAG, "no-call-graph", NULL, "no call chains",
	  offsetof(struct top_opts, no_graph) },
	{ 0, OPT_HEADING, .help = "What to show" },
	{ 'd', OPT_DOUBLE, "delay", "SECONDS", "between two pictures (default: 2)",
	  offsetof(struct top_opts, delay) },
	{ 's', OPT_STRING, "sort", "KEY[,KEY]",
	  "columns: comm, pid, tid, cpu, dso, symbol, guest, vcpu "
	  "(default: " DEFAULT_SORT ")",
	  offsetof(struct top_opts, sort) },
	{ 0, OPT_STRING, "by", "NAME[,NAME]",
	  "count events instead of sampling, and show the counts of each " BY_NAMES,
	  offsetof(struct top_opts, by) },
	{ 0, OPT_FLAG, "children", NULL, "add up what a function called, and sort by that",
	  offsetof(struct top_opts, rows.children) },
	{ 0, OPT_DOUBLE, "percent-limit", "PERCENT", "leave out rows below (default: 0.5)",
	  offsetof(struct top_opts, limit) },
	{ 0, OPT_HEADING, .help = "Output" },
	{ 0, OPT_FLAG, "stdio", NULL, "print tables; so also if the output is no terminal",
	  offsetof(struct top_opts, stdio) },
	{ 'n', OPT_U64, "count", "N", "tables to print before the end (default: until Ctrl-C)",
	  offsetof(struct top_opts, count) },
	{ 'l', OPT_U64, "lines", "N", "lines of a printed table (default: 20)",
	  offsetof(struct top_opts, lines) },
	{ 0, OPT_STRING, "color", "WHEN", "auto, always or never",
	  offsetof(struct top_opts, color) },
	{ 'j', OPT_FLAG, "json", NULL, "print each table as a JSON object",
	  offsetof(struct top_opts, json) },
	GUEST_KALLSYMS_OPT,
	GUEST_MOUNT_OPT,
	DEBUGINFOD_OPT,
	{ 0 },
};

static void print_json(const struct top_opts *o, struct top *t, uint64_t before)
{
	struct report_style style = { .limit = o->limit };
	struct json j = { .out = stdout };

	stacks_resolve(&t->sampler.session.stacks);
	json_open(&j, NULL, '{');
	json_double(&j, "seconds", t->delay, 3);
	json_u64(&j, "new_samples", t->samples - before);
	json_u64(&j, "lost", t->lost);
	/* so that they can fade */
	json_u64(&j, "weight_scale", TOP_SCALE);
	report_json_events(&t->load.profile, &o->rows, &style, &j);
	json_close(&j, '}');
	json_end_line(&j);
	fflush(stdout);
}

static void print_table(const struct top_opts *o, struct top *t)
{
	struct report_style style = { .out = stdout,
				      .limit = o->limit,
				      .branch = 100,
				      .color = term_color(o->color),
				      .lines = o->lines,
				      .bare = true };

	if (isatty(STDOUT_FILENO))
		fputs("\033[H\033[2J", stdout);
	stacks_resolve(&t->sampler.session.stacks);
	printf("# %s\n", t->load.live);
	report_text(&t->load.profile, &o->rows, &style);
	fflush(stdout);
}

static int print_tables(const struct top_opts *o, struct top *t)
{
	stop_catch(&t->load.stop);
	for (uint64_t n = 0; !t->load.stop && (!o->count || n < o->count); n++) {
		uint64_t before = t->samples;

		top_gather(t);
		if (o->json)
			print_json(o, t, before);
		else
			print_table(o, t);
		if (ferror(stdout))
			break;
	}
	return 0;
}

static int show(const struct top_opts *o, struct top *t, struct msg *m)
{
	const char *term = getenv("TERM");
	bool screen = TUI_AVAILABLE && !o->stdio && !o->json && !o->count && isatty(STDIN_FILENO) &&
		      isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");

	if (!screen)
		return print_tables(o, t);
	t->load.run = top_live;
	return tui_run(&t->load, &o->rows, o->limit, term_color(o->color), m);
}

/* What is measured unless it is said */
static void choose_target(struct target_opts *t)
{
	if (!t->pids && !t->tids && !t->subtree && !t->cpus && !t->cgroup && !t->guests)
		t->all = true;
}

/* Plans what to sample, and how rows are made. */
static int plan_top(struct top_opts *o, struct event_plan *plan, struct target *target,
		    struct msg *m)
{
	struct sampling sampling = { .freq = o->freq,
				     .usual_freq = DEFAULT_HZ,
				     .chains = !o->no_graph,
				     .guests = o->target.guests };
	struct target_opts *t = &o->target;
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (err)
		return err;
	choose_target(t);
	if (!o->events.n)
		err = event_list_parse(&o->events,
				       t->guests ? "cpu-clock" : event_to_sample(&info, true), m);
	if (!err)
		err = sort_parse(&o->rows.sort, o->sort, NULL, NULL, m);
	if (!err)
		err = target_make(target, t, NULL, m);
	if (!err)
		err = event_plan_make(plan, &o->events, PLAN_SAMPLE, m);
	if (!err)
		event_plan_sampling(plan, &sampling);
	return err;
}

static int top(struct top_opts *o, struct msg *m)
{
	struct top t = { .delay = o->delay, .sampler = { .recorder = { .fd = -1 } } };
	struct event_plan plan = { 0 };
	struct target target = { 0 };
	int err = plan_top(o, &plan, &target, m);

	/* what is in a temporary directory is removed */
	stop_catch(NULL);
	if (!err)
		err = top_open(&t, &plan, &target, o->rows.sort.mask | TUI_MASK, m);
	if (!err && stop_wanted())
		err = msg_set(m, -EINTR, "interrupted before anything was sampled");
	if (!err)
		err = show(o, &t, m);
	top_close(&t);
	event_plan_free(&plan);
	target_free(&target);
	return err;
}

static int top_by(struct top_opts *o, struct msg *m)
{
	bool screen = !o->stdio && !o->json && isatty(STDOUT_FILENO);
	struct by_opts by = {
		.target = o->target,
		.events = o->events,
		.by = o->by,
		.rows = BY_ROWS,
		.interval = (uint64_t)(o->delay * 1e3),
		.count = o->count,
		.lines = o->lines,
		.output = "-",
		.json = o->json,
		.screen = screen,
	};

	if (o->target.guests)
		return msg_set(
			m, -EINVAL,
			"--by is of tasks, which a guest's are not to its host: leave --by out");
	if (o->freq || o->rows.children)
		return msg_set(m, -EINVAL, "--by counts: -F and --children are for samples");
	choose_target(&by.target);
	o->events = (struct event_list){ 0 };
	return by_measure(&by, NULL, m);
}

static int top_run(const void *opts, int n, char **args, struct msg *m)
{
	struct top_opts o = *(const struct top_opts *)opts;
	int err;

	if (n)
		return msg_set(m, -EINVAL, "top takes no operand: \"%s\"", args[0]);
	if (!(o.delay >= 0.1 && o.delay <= 3600))
		return msg_set(m, -EINVAL, "--delay takes 0.1 to 3600 seconds");
	err = term_check_color(o.color, m);
	if (!err)
		err = o.by ? top_by(&o, m) : top(&o, m);
	event_list_free(&o.events);
	sort_free(&o.rows.sort);
	return err;
}

const struct command command_top = {
	.name = "top",
	.operands = "",
	.summary = "show where time goes now",
	.about = "Samples the whole machine, or what is asked for, and shows where the time of the "
		 "last seconds went, again and again, with call trees to open. What that costs "
		 "stands above the table.",
	.examples = "  perfctl top\n"
		    "  perfctl top -p 1234 --children\n"
		    "  perfctl top --guest all             what virtual machines do\n"
		    "  perfctl top --stdio -n 1 -d 5       one table of five seconds\n"
		    "  perfctl top --by service -e cycles,page-faults\n",
	.opts = top_options,
	.opts_size = sizeof(struct top_opts),
	.defaults = &(const struct top_opts){ .sort = DEFAULT_SORT,
					      .limit = 0.5,
					      .delay = DEFAULT_DELAY,
					      .lines = 20 },
	.run = top_run,
};
