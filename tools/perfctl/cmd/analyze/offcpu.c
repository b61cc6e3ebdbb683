// SPDX-License-Identifier: GPL-2.0
/*
 * perfctl off-cpu: where threads waited, by the call chains that they had when
 * they left the processor.
 */
#include "cmd/commands.h"
#include "base/output.h"
#include "base/say.h"
#include "base/text.h"
#include "cli/suggest.h"
#include "cli/term.h"
#include "session/session.h"
#include "profile/load.h"
#include "report/out.h"
#include "report/report.h"
#include "session/fetch.h"
#include "session/use.h"
#include "views/flame_svg.h"
#include "views/wakers_print.h"
#include "waits/offcpu.h"

#include <errno.h>
#include <stdlib.h>

#define DEFAULT_SORT  "comm,symbol"
#define DEFAULT_LIMIT 0.1
#define BRANCH_LIMIT  0.5
/* pixels, as perfctl flame has them */
#define FLAME_WIDTH   1200
#define FLAME_LEAST   0.3
/* characters of names in a message */
#define NAMES_SHOWN   300

struct offcpu_opts {
	const char *input;
	const char *sort;
	const char *time;
	const char *json;
	const char *csv;
	const char *color;
	const char *flame;
	const char *state;
	const char *comm;
	struct rows_config rows;
	double limit;
	uint64_t least_us;
	bool flat;
	bool no_open;
	bool folded;
	bool all;
	bool wakers;
};

struct offcpu_run {
	struct offcpu_opts opts;
	struct session session;
	struct offcpu waits;
};

static const struct opt offcpu_options[] = {
	{ 0, OPT_HEADING, .help = "Which recording (of waits, or of sched:sched_switch)" },
	{ 'i', OPT_STRING, "input", "DIR",
	  "the trace (default: pev.trace); -: the standard input, from \"record -o -\"",
	  offsetof(struct offcpu_opts, input) },
	{ 0, OPT_HEADING, .help = "What to show" },
	{ 's', OPT_STRING, "sort", "KEY[,KEY]",
	  "columns: comm, pid, tid, dso, symbol (the function "
	  "that waited), parent, user (the program's function, not that of a library of C), place (the same for "
	  "locks, else the kernel's function), waker (what woke the thread), by (the same without its "
	  "number), from (in which function of the kernel) (default: " DEFAULT_SORT ")",
	  offsetof(struct offcpu_opts, sort) },
	{ 0, OPT_FLAG, "wakers", NULL,
	  "in sentences: the share of each program's time that it was blocked in a function, and "
	  "what woke it from where; the recorded command first",
	  offsetof(struct offcpu_opts, wakers) },
	{ 0, OPT_FLAG, "flat", NULL, "no call trees", offsetof(struct offcpu_opts, flat) },
	{ 0, OPT_STRING, "state", "STATE",
	  "only waits of this kind: blocked (for something to "
	  "happen) or preempted (for a processor)",
	  offsetof(struct offcpu_opts, state) },
	{ 0, OPT_U64, "least", "US", "leave out waits shorter than so many microseconds",
	  offsetof(struct offcpu_opts, least_us) },
	{ 0, OPT_FLAG, "no-open", NULL, "leave out waits that had not ended when the recording did",
	  offsetof(struct offcpu_opts, no_open) },
	{ 0, OPT_DOUBLE, "percent-limit", "PERCENT",
	  "leave out rows and branches below "
	  "(default: 0.1, branches 0.5)",
	  offsetof(struct offcpu_opts, limit) },
	{ 0, OPT_FLAG, "full-names", NULL,
	  "functions of C++ with parameters and the arguments of "
	  "templates",
	  offsetof(struct offcpu_opts, rows.full_names) },
	{ 'a', OPT_FLAG, "all", NULL,
	  "all programs (default: of a recorded command, what it and its "
	  "children waited for)",
	  offsetof(struct offcpu_opts, all) },
	{ 0, OPT_STRING, "comm", "NAME", "only these programs (globs, several by commas)",
	  offsetof(struct offcpu_opts, comm) },
	{ 0, OPT_STRING, "symbol", "NAME", "only these functions",
	  offsetof(struct offcpu_opts, rows.symbol) },
	{ 0, OPT_STRING, "time", "FROM,TO",
	  "only waits that end within, in seconds since the "
	  "trace's begin",
	  offsetof(struct offcpu_opts, time) },
	{ 0, OPT_HEADING, .help = "Output" },
	{ 'j', OPT_STRING, "json", "FILE", "write JSON to a file, \"-\" for the standard output",
	  offsetof(struct offcpu_opts, json) },
	{ 0, OPT_STRING, "csv", "FILE", "the same as CSV; weights are ns",
	  offsetof(struct offcpu_opts, csv) },
	{ 0, OPT_STRING, "flame", "FILE", "draw a flame graph by the time waited, as SVG",
	  offsetof(struct offcpu_opts, flame) },
	{ 0, OPT_FLAG, "folded", NULL,
	  "call chains as text, one a line, with ns, for other programs",
	  offsetof(struct offcpu_opts, folded) },
	{ 0, OPT_STRING, "color", "WHEN", "auto, always or never",
	  offsetof(struct offcpu_opts, color) },
	SYMFS_OPT,
	DEBUGINFOD_OPT,
	{ 0 },
};

static bool comm_known(const struct strtab *comms, const char *globs)
{
	for (size_t i = 0; i < comms->n; i++)
		if (globs_match(globs, comms->s[i]))
			return true;
	return false;
}

/* The names that there are help those who mistyped one. */
static void no_waits(const struct offcpu_run *r)
{
	const struct offcpu_opts *o = &r->opts;
	const struct strtab *comms = &r->session.machine.comms;
	struct suggestion near = { .word = o->comm ? o->comm : "" };
	struct strbuf names = { 0 };

	for (size_t i = 0; o->comm && i < comms->n; i++) {
		suggest_offer(&near, comms->s[i]);
		if (i != COMM_UNKNOWN && names.len < NAMES_SHOWN) {
			strbuf_puts(&names, names.len ? ", " : "");
			text_name(&names, comms->s[i]);
		}
	}
	if (o->comm && !comm_known(comms, o->comm))
		print_error("no wait matches: no program is called \"%s\"; %s%s%s", o->comm,
			    near.best ? "did you mean \"" : "there are ",
			    near.best ? near.best : names.s, near.best ? "\"?" : "");
	else if (o->time || o->state || o->least_us || o->comm)
		print_error("no wait matches");
	else
		print_error("no wait%s began or ended in the recording%s",
			    r->waits.filter.family.n ? " of the command" : "",
			    r->waits.filter.family.n ? "; --all shows those of other programs" :
						       "");
	strbuf_free(&names);
}

/* The same pictures as of samples: weights are ns. */
static int write_flame(struct offcpu_run *r, struct msg *m)
{
	static const struct flame_style style = { .width = FLAME_WIDTH, .least = FLAME_LEAST,
						  .waits = true };
	struct flame f;
	struct out out;
	int err = out_open(&out, r->opts.flame ? r->opts.flame : "-", OUT_WHOLE, m);

	if (err)
		return err;
	flame_make(&f, &r->waits.profile, r->waits.profile.cells[0].key.event, NULL);
	if (r->opts.folded)
		flame_folded(&f, out.f);
	else
		flame_svg(&f, &style, out.f);
	flame_free(&f);
	return out_close(&out, 0, m);
}

static int write_out(struct offcpu_run *r, struct msg *m)
{
	struct offcpu_opts *o = &r->opts;
	struct offcpu *w = &r->waits;
	struct report_style style = { .out = stdout,
				      .limit = DEFAULT_LIMIT,
				      .branch = BRANCH_LIMIT,
				      .waits = true,
				      .spreads = &w->spreads };

	if (o->limit >= 0)
		style.limit = style.branch = o->limit;
	style.graph = w->waits.chains && !o->flat ? GRAPH_TREE : GRAPH_NONE;
	if (w->profile.n_cells && (o->flame || o->folded))
		return write_flame(r, m);
	if (o->json)
		return report_write_json(&w->profile, &o->rows, &style, o->json, m);
	if (o->csv)
		return report_write_csv(&w->profile, &o->rows, &style, ",", o->csv, m);
	if (!w->profile.n_cells) {
		no_waits(r);
		return 0;
	}
	style.color = term_color(o->color);
	term_pager_start();
	if (w->filter.family.n)
		printf("# of the command and what it started; --all: of all programs\n");
	if (o->wakers)
		wakers_print(w, &o->rows, style.limit, stdout);
	else
		report_text(&w->profile, &o->rows, &style);
	term_pager_end();
	return 0;
}

static int show(struct offcpu_run *r, struct msg *m)
{
	struct offcpu_opts *o = &r->opts;
	struct offcpu *w = &r->waits;
	int err;

	w->state = o->state;
	w->no_open = o->no_open;
	err = wait_filter_init(&w->filter, &r->session, o->comm, o->all, o->time, m);
	w->filter.least_ns = o->least_us * 1000;
	if (!err)
		err = offcpu_load(w, m);
	if (err)
		return err;
	err = write_out(r, m);
	if (!w->waits.chains)
		note("%s", waits_without_chains(&w->waits));
	return err;
}

static int check(const struct offcpu_opts *o, int n, char **args, struct msg *m)
{
	if (session_given_twice(n, args, o->input, m))
		return -EINVAL;
	if (!!o->json + !!o->csv + !!o->flame + o->folded > 1)
		return msg_set(m, -EINVAL, "--json, --csv, --flame and --folded exclude each other");
	if (o->wakers && (o->sort || o->flame || o->folded))
		return msg_set(m, -EINVAL, "--wakers has rows of its own: leave %s out",
			       o->sort	? "--sort" :
			       o->flame ? "--flame" :
					  "--folded");
	if (o->state && strcmp(o->state, "blocked") && strcmp(o->state, "preempted"))
		return msg_set(m, -EINVAL, "--state takes blocked or preempted, not \"%s\"",
			       o->state);
	return term_check_color(o->color, m);
}

static bool is_own_column(void *arg, const char *name, struct suggestion *near, struct strbuf *all)
{
	(void)arg;
	for (int c = 0; c < OFFCPU_COLUMNS; c++) {
		if (!strcmp(name, offcpu_columns[c]))
			return true;
		suggest_offer(near, offcpu_columns[c]);
		strbuf_addf(all, "%s%s", c ? ", " : "", offcpu_columns[c]);
	}
	return false;
}

static void find_columns(struct offcpu_run *r)
{
	const struct sort_list *s = &r->opts.rows.sort;

	for (int c = 0; c < OFFCPU_COLUMNS; c++)
		for (unsigned int k = 0; k < s->n_fields; k++)
			if (!strcmp(s->fields[k], offcpu_columns[c]))
				r->waits.columns[c] = (int)k;
}

static int offcpu_run(const void *opts, int n, char **args, struct msg *m)
{
	struct offcpu_run r = { .opts = *(const struct offcpu_opts *)opts };
	int err;

	err = check(&r.opts, n, args, m);
	if (!err)
		err = sort_parse(&r.opts.rows.sort,
				 r.opts.wakers ? WAKERS_SORT :
				 r.opts.sort   ? r.opts.sort :
						 DEFAULT_SORT,
				 is_own_column, NULL, m);
	if (!err)
		err = session_open(&r.session, n ? args[0] : r.opts.input, m);
	if (!err) {
		offcpu_init(&r.waits, &r.session);
		find_columns(&r);
		err = show(&r, m);
	}
	fflush(stdout);
	if (r.session.trace && !err)
		session_note_damage(&r.session);
	offcpu_free(&r.waits);
	session_close(&r.session);
	sort_free(&r.opts.rows.sort);
	return err;
}

const struct command command_offcpu = {
	.name = "off-cpu",
	.operands = "[DIR]",
	.summary = "show where threads waited, and for how long",
	.about = "Adds up the time between a thread's leaving the processor and its coming back, by "
		 "the call chain that it left with. The recording has records of waits, or "
		 "sched:sched_switch of all CPUs, with call chains.",
	.examples = "  perfctl record --waits -- COMMAND\n"
		    "  perfctl off-cpu\n"
		    "  perfctl off-cpu --wakers    what kept the command waiting, and what woke it\n"
		    "  perfctl off-cpu --comm sqlite3 --state blocked\n"
		    "  perfctl off-cpu --flat --sort comm,user,waker   who waits for whom\n",
	.opts = offcpu_options,
	.opts_size = sizeof(struct offcpu_opts),
	.defaults = &(const struct offcpu_opts){ .limit = -1 },
	.run = offcpu_run,
};
