// SPDX-License-Identifier: GPL-2.0
/* perfctl report: where the samples of a recording were taken. */
#include "cmd/commands.h"
#include "base/say.h"
#include "cli/suggest.h"
#include "cli/term.h"
#include "fleet/pull.h"
#include "profile/inline.h"
#include "profile/load.h"
#include "profile/topology.h"
#include "report/brief.h"
#include "report/notes.h"
#include "report/out.h"
#include "report/report.h"
#include "report/times.h"
#include "html/html.h"
#include "tui/tui.h"
#include "session/fetch.h"
#include "session/guest.h"
#include "session/use.h"
#include "waits/parallel.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define DEFAULT_SORT  "comm,dso,symbol"
#define DEFAULT_LIMIT 0.1
#define BRANCH_LIMIT  0.5
#define TIME_SPANS    20

struct report_opts {
	struct pull_opts pull;
	const char *vmlinux;
	const char *input;
	const char *sort;
	const char *event;
	const char *time;
	const char *quantum;
	const char *json;
	const char *csv;
	const char *html;
	const char *separator;
	const char *color;
	struct rows_config rows;
	enum report_graph graph;
	double limit;
	uint64_t threads;
	bool latency;
	bool inlined;
	bool samples;
	bool stdio;
	bool brief;
};

struct report_run {
	struct report_opts opts;
	struct session session;
	struct load load;
	struct report_style style;
	struct times times;
	struct parallel parallel;
};

static const char *const graph_modes[] = {
	"none", "no", "tree", "caller", "callee", "flat", "folded",
};

static bool is_graph_mode(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(graph_modes); i++)
		if (!strcmp(word, graph_modes[i]))
			return true;
	return false;
}

static int set_graph(void *opts, const char *arg, struct msg *m)
{
	struct report_opts *o = opts;
	struct suggestion near = { .word = arg };

	o->graph = GRAPH_TREE;
	o->rows.order = TREE_AUTO;
	if (!arg || !strcmp(arg, "tree"))
		return 0;
	if (!strcmp(arg, "none") || !strcmp(arg, "no"))
		o->graph = GRAPH_NONE;
	else if (!strcmp(arg, "flat"))
		o->graph = GRAPH_FLAT;
	else if (!strcmp(arg, "folded"))
		o->graph = GRAPH_FOLDED;
	else if (!strcmp(arg, "caller"))
		o->rows.order = TREE_CALLER;
	else if (!strcmp(arg, "callee"))
		o->rows.order = TREE_CALLEE;
	else {
		for (size_t i = 0; i < ARRAY_SIZE(graph_modes); i++)
			suggest_offer(&near, graph_modes[i]);
		return msg_set(m, -EINVAL, "--call-graph: %s%s%s",
			       near.best ? "did you mean \"" : "takes none, tree, caller, callee, "
			       "flat or folded", near.best ? near.best : "", near.best ? "\"?" : "");
	}
	return 0;
}

static const struct opt report_options[] = {
	{ 0, OPT_HEADING, .help = "Which recording" },
	{ 'i', OPT_STRING, "input", "DIR",
	  "the trace (default: pev.trace); -: the standard input, from \"record -o -\"",
	  offsetof(struct report_opts, input) },
	VMLINUX_OPT(struct report_opts, vmlinux),
	SYMFS_OPT,
	GUEST_KALLSYMS_OPT,
	GUEST_MOUNT_OPT,
	DEBUGINFOD_OPT,
	{ 0, OPT_HEADING, .help = "What to show" },
	{ 's', OPT_STRING, "sort", "KEY[,KEY]",
	  "columns: comm, pid, tid, cpu, dso, symbol, srcline, "
	  "parent, event, time, guest (which process runs it), vcpu (the thread of its processor), exit (why the guest was left for which the host works, with record --exits), request (with record --context), node, socket, core (SOCKET:CORE), or a field of the recorded events (EVENT.FIELD where a column has "
	  "its name) "
	  "(default: " DEFAULT_SORT ")",
	  offsetof(struct report_opts, sort) },
	{ 'g', OPT_CALL, "call-graph", "MODE",
	  "call trees below the rows: callee (a function and "
	  "its callers), caller (from the outermost caller inwards), flat or folded (whole chains), "
	  "none (default if the recording has call chains: callee; with --children: caller)",
	  0, set_graph, is_graph_mode },
	{ 0, OPT_FLAG, "inline", NULL,
	  "show what was inlined as functions of their own, by debug "
	  "information",
	  offsetof(struct report_opts, inlined) },
	{ 0, OPT_FLAG, "children", NULL, "add up what a function called, and sort by that",
	  offsetof(struct report_opts, rows.children) },
	{ 0, OPT_FLAG, "latency", NULL,
	  "shares of the time that passed, of a recording by \"record --waits\": while several "
	  "threads ran, each counts for its part only",
	  offsetof(struct report_opts, latency) },
	{ 0, OPT_FLAG, "group", NULL, "several events side by side in one table",
	  offsetof(struct report_opts, rows.group) },
	{ 0, OPT_STRING, "parent", "NAME", "--sort parent: the nearest caller of such a name",
	  offsetof(struct report_opts, rows.parent) },
	{ 0, OPT_STRING, "time-quantum", "TIME",
	  "--sort time: the spans, such as 100ms "
	  "(default: a twentieth of the recording)",
	  offsetof(struct report_opts, quantum) },
	{ 0, OPT_DOUBLE, "percent-limit", "PERCENT",
	  "leave out rows and branches below "
	  "(default: 0.1, branches 0.5)",
	  offsetof(struct report_opts, limit) },
	{ 'n', OPT_FLAG, "show-nr-samples", NULL, "a column with the number of samples",
	  offsetof(struct report_opts, samples) },
	{ 0, OPT_FLAG, "full-names", NULL,
	  "functions of C++ with parameters and the arguments of "
	  "templates",
	  offsetof(struct report_opts, rows.full_names) },
	{ 0, OPT_HEADING, .help = "Which samples (names may be globs, several by commas)" },
	{ 'e', OPT_STRING, "event", "EVENT", "only these events",
	  offsetof(struct report_opts, event) },
	{ 0, OPT_STRING, "time", "FROM,TO",
	  "seconds since the trace's begin; either may be "
	  "missing",
	  offsetof(struct report_opts, time) },
	{ 0, OPT_STRING, "comm", "NAME", "only these programs",
	  offsetof(struct report_opts, rows.comm) },
	{ 0, OPT_STRING, "pid", "PID", "only these processes",
	  offsetof(struct report_opts, rows.pids) },
	{ 0, OPT_STRING, "tid", "TID", "only these threads",
	  offsetof(struct report_opts, rows.tids) },
	{ 'C', OPT_STRING, "cpu", "CPU", "only these CPUs, as numbers",
	  offsetof(struct report_opts, rows.cpus) },
	{ 0, OPT_STRING, "dso", "NAME", "only these objects",
	  offsetof(struct report_opts, rows.dso) },
	{ 0, OPT_STRING, "symbol", "NAME", "only these functions",
	  offsetof(struct report_opts, rows.symbol) },
	PULL_OPTS(struct report_opts, pull),
	{ 0, OPT_HEADING, .help = "Output" },
	{ 0, OPT_FLAG, "stdio", NULL, "print text; on a terminal, rows can be browsed without this",
	  offsetof(struct report_opts, stdio) },
	{ 0, OPT_FLAG, "brief", NULL,
	  "at most 40 lines of text: what was recorded, how complete it is, "
	  "and the largest shares with their bounds",
	  offsetof(struct report_opts, brief) },
	{ 'j', OPT_STRING, "json", "FILE", "write JSON to a file, \"-\" for the standard output",
	  offsetof(struct report_opts, json) },
	{ 0, OPT_STRING, "csv", "FILE", "the same as CSV", offsetof(struct report_opts, csv) },
	{ 0, OPT_STRING, "html", "FILE",
	  "write a page for a browser: flame graph, call tree, table, "
	  "timeline, search, and with --from hosts and services to choose from; it needs nothing else",
	  offsetof(struct report_opts, html) },
	{ 'x', OPT_STRING, "separator", "SEP",
	  "what stands between the columns of CSV "
	  "(default: a comma)",
	  offsetof(struct report_opts, separator) },
	{ 0, OPT_STRING, "color", "WHEN", "auto, always or never",
	  offsetof(struct report_opts, color) },
	{ 0, OPT_U64, "threads", "N",
	  "threads that read the recording (default: as many as there "
	  "are CPUs; the result is always the same)",
	  offsetof(struct report_opts, threads) },
	{ 0 },
};

/* Says what to load by the options. */
static int plan(struct report_run *r, struct load_config *c, struct msg *m)
{
	struct report_opts *o = &r->opts;
	const struct sort_list *s = &o->rows.sort;
	int err;

	*c = (struct load_config){ .event = o->event, .threads = o->threads, .mask = s->mask };
	if (o->rows.comm)
		c->mask |= 1u << SORT_COMM;
	if (o->rows.pids)
		c->mask |= 1u << SORT_PID;
	if (o->rows.tids)
		c->mask |= 1u << SORT_TID;
	if (o->rows.cpus)
		c->mask |= 1u << SORT_CPU;
	for (unsigned int k = 0; k < s->n_fields; k++)
		c->fields[k] = s->fields[k];
	if (o->brief)
		c->mask |= BRIEF_MASK;
	c->chains = o->graph || o->rows.children || (s->mask & (1u << SORT_PARENT));
	err = load_parse_time(o->time, pev_trace_begin_ns(r->session.trace), &c->from, &c->to, m);
	if (!err && o->quantum)
		err = load_parse_quantum(&r->session, o->quantum, &c->quantum, m);
	else
		c->quantum = load_quantum(&r->session, TIME_SPANS);
	/* what tells of waits is shown as such */
	if (!o->event && times_has(&r->session))
		c->except = times_events();
	if (o->html)
		html_load_config(&r->session, c);
	o->rows.quantum = c->quantum;
	return err;
}

/* Has samples weighed by how many threads ran when they were taken. */
static int weigh(struct report_run *r, struct load_config *c, struct msg *m)
{
	bool any = false;

	for (unsigned int i = 0; i < r->session.n_classes; i++)
		any |= load_weighs(&r->session, i);
	if (!any)
		return msg_set(m, -EBADMSG,
			       "%s has no samples, which --latency would weigh; record with "
			       "\"perfctl record --waits -e task-clock -- COMMAND\"",
			       pev_trace_path(r->session.trace));
	c->weigh = parallel_weigh;
	c->weigher = &r->parallel;
	return parallel_read(&r->parallel, &r->session, m);
}

/* Rows are browsed on a terminal, unless the options ask for something else. */
static bool is_interactive(const struct report_opts *o)
{
	const char *term = getenv("TERM");

	return TUI_AVAILABLE && !o->stdio && !o->brief && !o->json && !o->csv && !o->html &&
	       !o->rows.group && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term &&
	       strcmp(term, "dumb");
}

static int browse(struct report_run *r, struct load_config *config, struct msg *m)
{
	struct report_opts *o = &r->opts;
	int err;

	config->mask |= TUI_MASK;
	config->chains = true;
	load_init(&r->load, &r->session, config);
	err = tui_run(&r->load, &o->rows, o->limit >= 0 ? o->limit : DEFAULT_LIMIT,
		      term_color(o->color), m);
	if (!err)
		report_notes(&r->load.profile, o->event || o->time);
	return err;
}

static int write_out(struct report_run *r, struct msg *m)
{
	struct report_opts *o = &r->opts;
	const char *sep = o->separator ? o->separator : ",";

	if (o->html)
		return html_write(&r->load, !o->event && !o->time && times_has(&r->session),
				  o->html, m);
	if (o->json)
		return report_write_json(&r->load.profile, &o->rows, &r->style, o->json, m);
	if (o->csv)
		return report_write_csv(&r->load.profile, &o->rows, &r->style, sep, o->csv, m);
	if (o->brief) {
		report_brief(&r->load.profile, &o->rows, stdout);
	} else if (r->load.profile.n_cells || r->style.times) {
		r->style.color = term_color(o->color);
		term_pager_start();
		report_text(&r->load.profile, &o->rows, &r->style);
		term_pager_end();
	}
	return 0;
}

static int report_trace(struct report_run *r, struct msg *m)
{
	struct report_opts *o = &r->opts;
	struct load_config config;
	int err = plan(r, &config, m);

	if (!err && o->latency)
		err = weigh(r, &config, m);
	if (err)
		return err;
	if (is_interactive(o))
		return browse(r, &config, m);
	err = load_samples(&r->load, &r->session, &config, m);
	if (err)
		return err;
	if (o->inlined)
		profile_inline(&r->load.profile);
	r->style = (struct report_style){ .out = stdout,
					  .limit = DEFAULT_LIMIT,
					  .branch = BRANCH_LIMIT,
					  .samples = o->samples,
					  .parallel = o->latency ? &r->parallel : NULL };
	if (o->limit >= 0)
		r->style.limit = r->style.branch = o->limit;
	r->style.graph = r->load.chains ? o->graph : GRAPH_NONE;
	if (o->rows.children && !r->load.chains) {
		note("the recording has no call chains (record -g): --children has no effect");
		o->rows.children = false;
	}
	if (config.except && !o->brief && !o->csv && !o->html) {
		err = times_read(&r->times, &r->session, m);
		r->style.times = &r->times;
	}
	if (!err)
		err = write_out(r, m);
	fflush(stdout);
	/* what did not run has no samples */
	if (r->style.times && !r->load.profile.n_cells)
		session_note_damage(&r->session);
	else
		report_notes(&r->load.profile, o->event || o->time);
	return err;
}

static int check(const struct report_opts *o, int n, char **args, struct msg *m)
{
	if (session_given_twice(n, args, o->input, m))
		return -EINVAL;
	if (!!o->json + !!o->csv + !!o->html + o->brief > 1)
		return msg_set(m, -EINVAL, "--brief, --json, --csv and --html exclude each other");
	if (o->brief && (o->rows.children || o->rows.group))
		return msg_set(m, -EINVAL, "--brief has no room for --%s",
			       o->rows.group ? "group" : "children");
	if (o->latency && (o->brief || o->html))
		return msg_set(m, -EINVAL, "--latency is for tables: --%s has shares of its own",
			       o->brief ? "brief" : "html");
	return term_check_color(o->color, m);
}

static int report_run(const void *opts, int n, char **args, struct msg *m)
{
	struct report_run r = { .opts = *(const struct report_opts *)opts };
	struct pull_shape shape = r.opts.html ? pull_shape_page() : pull_shape_of(r.opts.sort);
	int err;

	err = check(&r.opts, n, args, m);
	if (!err)
		err = pull_session(&r.session, n ? args[0] : r.opts.input, &r.opts.pull, &shape, m);
	if (!err)
		err = session_vmlinux(&r.session, r.opts.vmlinux, m);
	if (!err)
		err = sort_parse(&r.opts.rows.sort, r.opts.sort, load_has_field, &r.session, m);
	if (!err)
		err = topology_check(&r.session, r.opts.rows.sort.mask, m);
	if (!err)
		err = report_trace(&r, m);
	load_free(&r.load);
	times_free(&r.times);
	parallel_free(&r.parallel);
	session_close(&r.session);
	sort_free(&r.opts.rows.sort);
	return err;
}

const struct command command_report = {
	.name = "report",
	.operands = "[DIR]",
	.summary = "show where the samples of a recording were taken",
	.about = "Adds up the samples of a recording by program, object and function, and prints a "
		 "table for each event, with call trees if call chains were recorded.",
	.examples =
		"  perfctl report                       of pev.trace\n"
		"  perfctl report --sort dso            by object\n"
		"  perfctl report --sort node,comm      by NUMA node; also socket and core\n"
		"  perfctl report --brief               a page, for pipes and programs that read text\n"
		"  perfctl report --children            with what functions called\n"
		"  perfctl report --comm sqlite3 -g none  one program, no trees\n"
		"  perfctl report --latency             what the time passes with, of several threads\n"
		"  perfctl report -e sched:sched_switch --sort prev_state,comm\n"
		"  perfctl report --from http://store:8123 --since 2h --sort host,symbol\n"
		"  perfctl report --from http://store:8123 --since 1d --html fleet.html\n",
	.opts = report_options,
	.opts_size = sizeof(struct report_opts),
	.defaults = &(
		const struct report_opts){ .sort = DEFAULT_SORT, .limit = -1, .graph = GRAPH_TREE },
	.run = report_run,
};
