// SPDX-License-Identifier: GPL-2.0
/* perfctl annotate: which instructions of a function the samples hit. */
#include "cmd/commands.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/term.h"
#include "profile/load.h"
#include "report/out.h"
#include "annotate/annotate.h"
#include "session/fetch.h"
#include "session/running.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct annotate_opts {
	const char *vmlinux;
	const char *input;
	const char *event;
	const char *dso;
	const char *comm;
	const char *time;
	const char *color;
	double limit;
	uint64_t most;
	bool no_source;
	bool json;
};

struct annotate_run {
	struct annotate_opts opts;
	struct session session;
	struct load load;
	struct json json;
	bool color;
};

static const struct opt annotate_options[] = {
	{ 0, OPT_HEADING, .help = "Which recording" },
	{ 'i', OPT_STRING, "input", "DIR",
	  "the trace (default: pev.trace); -: the standard input, from \"record -o -\"",
	  offsetof(struct annotate_opts, input) },
	VMLINUX_OPT(struct annotate_opts, vmlinux),
	SYMFS_OPT,
	DEBUGINFOD_OPT,
	{ 0, OPT_HEADING, .help = "What to show" },
	{ 'm', OPT_U64, "most", "N",
	  "without a name: so many functions, the hottest first "
	  "(default: 1)",
	  offsetof(struct annotate_opts, most) },
	{ 0, OPT_DOUBLE, "percent-limit", "PERCENT",
	  "leave out what is far from instructions with "
	  "such a share of the function (default: 0, nothing is left out)",
	  offsetof(struct annotate_opts, limit) },
	{ 0, OPT_FLAG, "no-source", NULL, "only instructions",
	  offsetof(struct annotate_opts, no_source) },
	{ 0, OPT_HEADING, .help = "Which samples (names may be globs, several by commas)" },
	{ 'e', OPT_STRING, "event", "EVENT",
	  "of these events the first that has "
	  "samples",
	  offsetof(struct annotate_opts, event) },
	{ 0, OPT_STRING, "comm", "NAME", "only these programs",
	  offsetof(struct annotate_opts, comm) },
	{ 0, OPT_STRING, "dso", "NAME", "only functions of these objects",
	  offsetof(struct annotate_opts, dso) },
	{ 0, OPT_STRING, "time", "FROM,TO",
	  "seconds since the trace's begin; either may be "
	  "missing",
	  offsetof(struct annotate_opts, time) },
	{ 0, OPT_HEADING, .help = "Output" },
	{ 'j', OPT_FLAG, "json", NULL, "print JSON: each line with its samples' weight",
	  offsetof(struct annotate_opts, json) },
	{ 0, OPT_STRING, "color", "WHEN", "auto, always or never",
	  offsetof(struct annotate_opts, color) },
	{ 0 },
};

static double share(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

/* Marks the lines near one that is hot enough; all without a limit. */
static bool *choose(const struct annotate_run *r, const struct annotation *a)
{
	bool *near = xcalloc(a->n, sizeof(*near));

	for (size_t i = 0; i < a->n; i++) {
		if (a->lines[i].is_source || share(a->lines[i].weight, a->weight) < r->opts.limit)
			continue;
		for (size_t k = i > 5 ? i - 5 : 0; k < a->n && k <= i + 3; k++)
			near[k] = true;
	}
	return near;
}

static void print_line(const struct annotate_run *r, const struct annotation *a,
		       const struct annotate_line *l)
{
	double s = share(l->weight, a->weight);
	const char *on = !r->color    ? "" :
			 l->is_source ? "\033[36m" :
			 s >= 5	      ? "\033[31m" :
			 s >= 0.5     ? "\033[32m" :
					"";
	const char *off = *on ? "\033[m" : "";

	if (l->is_source && r->opts.no_source)
		return;
	if (l->is_source)
		printf("%s           %s%s\n", on, l->text, off);
	else if (l->weight)
		printf("%s%8.2f%%%s  %8" PRIx64 ":  %s\n", on, s, off, l->at, l->text);
	else
		printf("%9s  %8" PRIx64 ":  %s\n", "", l->at, l->text);
}

static void print_text(const struct annotate_run *r, const struct annotation *a, uint32_t event,
		       uint64_t all)
{
	bool *near = choose(r, a), gap = false;
	char n[32], safe[128];

	printf("# %s in %s: %s sample%s of %s, %.2f %% of all\n", a->name,
	       object_name(&r->session.objects, a->object), text_count(n, a->samples),
	       text_s(a->samples),
	       text_safe(safe, sizeof(safe), strtab_get(&r->session.names, event)),
	       share(a->weight, all));
	if (a->note)
		printf("# instructions are not shown: %s\n", a->note);
	printf("#\n#  Share     Offset  Instruction\n");
	for (size_t i = 0; i < a->n; i++) {
		if (!near[i] && !gap)
			printf("%9s  ...\n", "");
		gap = !near[i];
		if (near[i])
			print_line(r, a, &a->lines[i]);
	}
	putchar('\n');
	free(near);
}

static void json_line(struct annotate_run *r, const struct annotate_line *l)
{
	struct json *j = &r->json;

	if (l->is_source && r->opts.no_source)
		return;
	json_open(j, NULL, '{');
	if (!l->is_source)
		json_u64(j, "offset", l->at);
	json_string(j, l->is_source ? "source" : "instruction", l->text);
	json_u64(j, "weight", l->weight);
	json_close(j, '}');
}

static void print_json(struct annotate_run *r, const struct annotation *a, uint32_t event,
		       uint64_t all)
{
	struct json *j = &r->json;
	bool *near = choose(r, a);

	json_open(j, NULL, '{');
	json_string(j, "function", a->name);
	json_string(j, "dso", object_name(&r->session.objects, a->object));
	json_string(j, "event", strtab_get(&r->session.names, event));
	json_u64(j, "samples", a->samples);
	json_u64(j, "weight", a->weight);
	json_double(j, "percent", share(a->weight, all), 4);
	if (a->note)
		json_string(j, "missing", a->note);
	json_open(j, "lines", '[');
	for (size_t i = 0; i < a->n; i++)
		if (near[i])
			json_line(r, &a->lines[i]);
	json_close(j, ']');
	json_close(j, '}');
	free(near);
}

static void print_function(struct annotate_run *r, uint32_t func, uint32_t event, uint64_t all)
{
	struct annotation a;

	annotate_make(&a, &r->load.profile, func, event);
	if (r->opts.json)
		print_json(r, &a, event, all);
	else
		print_text(r, &a, event, all);
	annotate_free(&a);
}

/* Returns the first event with samples: shares of different events cannot be added up. */
static uint32_t first_event(const struct load *l)
{
	for (uint32_t e = 0; e < l->session->names.n; e++)
		if (report_has_event(&l->profile, e))
			return e;
	return 0;
}

/* Chooses the functions that were asked for, else the hottest ones. */
static int print_functions(struct annotate_run *r, const char *name, struct msg *m)
{
	struct rows_config config = { .symbol = name, .dso = r->opts.dso, .comm = r->opts.comm };
	struct profile *p = &r->load.profile;
	uint32_t event = first_event(&r->load);
	struct rows rows;
	size_t most = name ? 16 : r->opts.most, shown = 0;

	sort_parse(&config.sort, "symbol", NULL, NULL, m);
	rows_make(&rows, p, &config, event);
	for (size_t i = 0; i < rows.n && shown < most; i++)
		if (rows.r[i].self &&
		    p->stacks->funcs[rows.r[i].key.func].object != OBJECT_ID_UNKNOWN) {
			print_function(r, rows.r[i].key.func, event, rows.weight);
			shown++;
		}
	rows_free(&rows);
	if (shown)
		return 0;
	if (name)
		return msg_set(m, -ENOENT,
			       "no sample is in a function \"%s\"; \"perfctl report "
			       "--sort symbol\" lists those that have some",
			       name);
	return msg_set(m, -ENOENT, "no sample is in a known place");
}

static int annotate(struct annotate_run *r, const char *name, struct msg *m)
{
	struct load_config config = { .event = r->opts.event };
	int err;

	if (r->opts.comm)
		config.mask |= 1u << SORT_COMM;
	err = load_parse_time(r->opts.time, pev_trace_begin_ns(r->session.trace), &config.from,
			      &config.to, m);
	if (err)
		return err;
	err = load_samples(&r->load, &r->session, &config, m);
	if (err)
		return err;
	if (r->opts.json) {
		r->json.out = stdout;
		json_open(&r->json, NULL, '[');
		err = print_functions(r, name, m);
		json_close(&r->json, ']');
		json_end_line(&r->json);
		return err;
	}
	r->color = term_color(r->opts.color);
	term_pager_start();
	err = print_functions(r, name, m);
	term_pager_end();
	return err;
}

static int annotate_run(const void *opts, int n, char **args, struct msg *m)
{
	struct annotate_run r = { .opts = *(const struct annotate_opts *)opts };
	int err;

	if (n > 2 || (n == 2 && r.opts.input))
		return msg_set(m, -EINVAL,
			       "one function and one trace at a time: \"%s\" is one too many",
			       args[n - 1]);
	err = term_check_color(r.opts.color, m);
	if (!err)
		err = session_open(&r.session, n == 2 ? args[1] : r.opts.input, m);
	if (!err)
		err = session_vmlinux(&r.session, r.opts.vmlinux, m);
	if (!err)
		session_add_running(&r.session);
	if (!err)
		err = annotate(&r, n ? args[0] : NULL, m);
	if (r.session.trace && !err)
		session_note_damage(&r.session);
	load_free(&r.load);
	session_close(&r.session);
	/* a recording without what was asked for is no mistake in the command line */
	return err == -ENOENT ? -ENODATA : err;
}

const struct command command_annotate = {
	.name = "annotate",
	.operands = "[FUNCTION] [DIR]",
	.summary = "show which instructions of a function were sampled",
	.about = "Prints the instructions of a function with the share of its samples that each has, "
		 "and the source lines that they came from. Without a name, of the function with "
		 "the most samples.",
	.examples = "  perfctl annotate                     the hottest function\n"
		    "  perfctl annotate sqlite3VdbeExec --percent-limit 1\n"
		    "  perfctl annotate 'str*' --dso libc.so.6\n",
	.opts = annotate_options,
	.opts_size = sizeof(struct annotate_opts),
	.defaults = &(const struct annotate_opts){ .most = 1 },
	.run = annotate_run,
};
