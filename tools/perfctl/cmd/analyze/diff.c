// SPDX-License-Identifier: GPL-2.0
/* perfctl diff: what changed between recordings, and whether by chance. */
#include "cmd/commands.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/term.h"
#include "fleet/changes_print.h"
#include "report/print.h"
#include "session/fetch.h"
#include "report/comparison.h"

#include <inttypes.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define CSV_SEP ","
/* Between the recordings of one side and those of the other */
#define VERSUS "vs"

struct diff_opts {
	struct pull_opts pull;
	const char *span[SIDES];
	const char *by;
	const char *sort;
	const char *event;
	const char *color;
	struct rows_config rows;
	double limit;
	double p_limit;
	bool absolute;
	bool all;
	bool full_names;
	bool csv;
	bool json;
};

/*
 * @dirs: of recordings that a store's answers became
 */
struct diff_run {
	const struct diff_opts *opts;
	struct comparison c;
	struct received_dir dirs[SIDES];
	bool color;
};

static const struct opt diff_options[] = {
	{ 0, OPT_HEADING, .help = "What to compare" },
	{ 's', OPT_STRING, "sort", "KEY[,KEY]",
	  "columns: comm, dso, symbol, srcline, parent, node, socket, core, or a "
	  "field of the recorded events (default: " COMPARISON_SORT ")",
	  offsetof(struct diff_opts, sort) },
	{ 0, OPT_FLAG, "absolute", NULL,
	  "compare numbers of samples, for the same work done twice, "
	  "not shares of the whole",
	  offsetof(struct diff_opts, absolute) },
	{ 'e', OPT_STRING, "event", "EVENT", "only this event (default: the first that all have)",
	  offsetof(struct diff_opts, event) },
	{ 0, OPT_STRING, "comm", "NAME", "only these programs",
	  offsetof(struct diff_opts, rows.comm) },
	{ 0, OPT_STRING, "dso", "NAME", "only these objects",
	  offsetof(struct diff_opts, rows.dso) },
	{ 0, OPT_STRING, "symbol", "NAME", "only these functions",
	  offsetof(struct diff_opts, rows.symbol) },
	{ 0, OPT_HEADING, .help = "What to show" },
	{ 0, OPT_DOUBLE, "percent-limit", "POINTS", "leave out what changed by less (default: 0.1)",
	  offsetof(struct diff_opts, limit) },
	{ 'p', OPT_DOUBLE, "significance", "P",
	  "leave out what chance explains with a higher "
	  "probability (default: 0.05)",
	  offsetof(struct diff_opts, p_limit) },
	{ 0, OPT_FLAG, "all", NULL, "leave out nothing", offsetof(struct diff_opts, all) },
	{ 0, OPT_FLAG, "full-names", NULL,
	  "functions of C++ with parameters and the arguments of "
	  "templates",
	  offsetof(struct diff_opts, full_names) },
	PULL_STORE_OPTS(struct diff_opts, pull),
	{ 0, OPT_STRING, "before", "FROM..TO", "what to compare with: a span of time of the store",
	  offsetof(struct diff_opts, span[BEFORE]) },
	{ 0, OPT_STRING, "after", "FROM..TO", "what to compare",
	  offsetof(struct diff_opts, span[AFTER]) },
	{ 0, OPT_STRING, "by", "LABEL[,LABEL]",
	  "compare hosts, services or versions, not functions: the processor time that each takes",
	  offsetof(struct diff_opts, by) },
	{ 0, OPT_HEADING, .help = "Output" },
	{ 0, OPT_FLAG, "csv", NULL, "CSV", offsetof(struct diff_opts, csv) },
	{ 'j', OPT_FLAG, "json", NULL, "print JSON: both sides, and the figures of each recording",
	  offsetof(struct diff_opts, json) },
	{ 0, OPT_STRING, "color", "WHEN", "auto, always or never",
	  offsetof(struct diff_opts, color) },
	SYMFS_OPT,
	DEBUGINFOD_OPT,
	{ 0 },
};

static const char *event_of(const struct diff_run *r)
{
	return strtab_get(&r->c.recs[0].session.names, r->c.recs[0].event);
}

/* Several recordings a side: their spread is known. */
static bool has_spread(const struct diff_run *r)
{
	return comparison_nr(&r->c) > SIDES;
}

static bool shown(const struct diff_run *r, const struct compared *row)
{
	return r->opts->all || (fabs(row->change) >= r->opts->limit && row->p <= r->opts->p_limit);
}

/* Returns the row's mean share of a side, in percent. */
static double share(const struct diff_run *r, const struct compared *row, int side)
{
	const struct comparison *c = &r->c;
	double sum = 0;

	for (unsigned int i = 0; i < comparison_nr(c); i++)
		if (c->recs[i].side == side && c->recs[i].weight)
			sum += 100.0 * row->weight[i] / (double)c->recs[i].weight;
	return sum / c->nr[side];
}

static void print_csv(const struct diff_run *r)
{
	const struct sort_list *sort = &r->c.filter.sort;
	struct strbuf b = { 0 };

	printf("before,after,change,samples_before,samples_after,p");
	for (unsigned int k = 0; k < sort->n; k++)
		printf(",%s", sort_name(sort, sort->keys[k]));
	putchar('\n');
	for (size_t i = 0; i < r->c.n; i++) {
		const struct compared *row = &r->c.rows[i];
		char *copy = xstrdup(strtab_get(&r->c.names, row->name)), *next = copy, *cell;

		strbuf_reset(&b);
		while ((cell = strsep(&next, "\t"))) {
			strbuf_puts(&b, CSV_SEP);
			text_csv(&b, cell, CSV_SEP);
		}
		if (shown(r, row))
			printf("%.4f,%.4f,%.4f,%" PRIu64 ",%" PRIu64 ",%.3g%s\n",
			       share(r, row, BEFORE), share(r, row, AFTER), row->change,
			       row->samples[BEFORE], row->samples[AFTER], row->p, b.s);
		free(copy);
	}
	strbuf_free(&b);
}

static void json_side(const struct diff_run *r, struct json *j, int side)
{
	const struct comparison *c = &r->c;

	json_open(j, side == BEFORE ? "before" : "after", '[');
	for (unsigned int i = 0; i < comparison_nr(c); i++) {
		const struct recording *rec = &c->recs[i];

		if (rec->side != side)
			continue;
		json_open(j, NULL, '{');
		json_string(j, "recording", pev_trace_path(rec->session.trace));
		json_u64(j, "samples", rec->samples);
		json_u64(j, "weight", rec->weight);
		json_double(j, "seconds", rec->seconds, 9);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_row(const struct diff_run *r, struct json *j, const struct compared *row)
{
	static const char *const keys[] = { "before", "after" };
	const struct sort_list *sort = &r->c.filter.sort;
	char *copy = xstrdup(strtab_get(&r->c.names, row->name)), *next = copy, *cell;

	json_open(j, NULL, '{');
	for (unsigned int k = 0; (cell = strsep(&next, "\t")); k++)
		json_string(j, sort_name(sort, sort->keys[k]), cell);
	for (unsigned int i = 0, side = BEFORE; side < SIDES; side++) {
		json_open(j, keys[side], '[');
		for (; i < comparison_nr(&r->c) && r->c.recs[i].side == (int)side; i++)
			json_double(j, NULL, row->each[i], 4);
		json_close(j, ']');
	}
	json_double(j, "change", row->change, 4);
	json_double(j, "p", row->p, 9);
	json_close(j, '}');
	free(copy);
}

static void print_json(const struct diff_run *r)
{
	struct json j = { .out = stdout };

	json_open(&j, NULL, '{');
	json_string(&j, "event", event_of(r));
	json_string(&j, "unit", r->opts->absolute ? "samples" : "percent");
	json_side(r, &j, BEFORE);
	json_side(r, &j, AFTER);
	json_open(&j, "rows", '[');
	for (size_t i = 0; i < r->c.n; i++)
		if (shown(r, &r->c.rows[i]))
			json_row(r, &j, &r->c.rows[i]);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end_line(&j);
}

static const char *stars(double p)
{
	return p <= 0.001 ? "***" : p <= 0.01 ? "** " : p <= 0.05 ? "*  " : "   ";
}

static void print_side(const struct diff_run *r, const struct compared *row, int side)
{
	if (r->opts->absolute)
		printf("%s%10.0f", side == BEFORE ? "" : " ", row->mean[side]);
	else
		printf("%s%9.2f%%", side == BEFORE ? "" : " ", row->mean[side]);
	if (has_spread(r) && r->c.nr[side] > 1)
		printf(" ±%-6.*f", r->opts->absolute ? 0 : 2, row->spread[side]);
	else if (has_spread(r))
		printf(" %7s", "");
}

/* Returns what is shown of column @k; @b has it if it is shortened. */
static const char *visible(const struct diff_run *r, unsigned int k, const char *cell,
			   struct strbuf *b)
{
	if (r->opts->full_names || r->c.filter.sort.keys[k] != SORT_SYMBOL)
		return cell;
	strbuf_reset(b);
	strbuf_add(b, "", 0);
	text_short_name(b, cell);
	return b->s;
}

static void print_row(const struct diff_run *r, const struct compared *row, const size_t *widths)
{
	char *copy = xstrdup(strtab_get(&r->c.names, row->name)), *next = copy, *cell;
	const char *on = !r->color || row->p > 0.05 ? "" :
			 row->change > 0	    ? "\033[31m" :
						      "\033[32m";
	struct strbuf b = { 0 };
	char p[16];

	if (row->p < 0.0001)
		snprintf(p, sizeof(p), "<0.0001");
	else
		snprintf(p, sizeof(p), "%.4f", row->p);
	print_side(r, row, BEFORE);
	print_side(r, row, AFTER);
	printf("  %s%+8.2f%s%s  %7s %s", on, row->change, r->opts->absolute ? "%" : " ",
	       *on ? "\033[m" : "", p, stars(row->p));
	for (unsigned int k = 0; (cell = strsep(&next, "\t")); k++) {
		const char *text = visible(r, k, cell, &b);

		printf("  %s%*s", text, next ? (int)(widths[k] - text_width(text)) : 0, "");
	}
	putchar('\n');
	strbuf_free(&b);
	free(copy);
}

static void measure(const struct diff_run *r, size_t *widths)
{
	struct strbuf b = { 0 };

	for (size_t i = 0; i < r->c.n; i++) {
		char *copy, *next, *cell;

		if (!shown(r, &r->c.rows[i]))
			continue;
		copy = next = xstrdup(strtab_get(&r->c.names, r->c.rows[i].name));
		for (unsigned int k = 0; (cell = strsep(&next, "\t")); k++)
			widths[k] = max_u64(widths[k], text_width(visible(r, k, cell, &b)));
		free(copy);
	}
	strbuf_free(&b);
}

/* Are shares of one side so much of another whole that they mislead? */
static bool is_other_whole(const struct diff_run *r)
{
	double before = comparison_weight(&r->c, BEFORE), after = comparison_weight(&r->c, AFTER);

	return !r->opts->absolute && before > 0 && after > 0 &&
	       (after < 0.8 * before || after > 1.25 * before);
}

static void print_head(const struct diff_run *r)
{
	static const char *const headings[] = { "before", "after" };
	const struct comparison *c = &r->c;
	char n[32], safe[256], event[256];

	text_safe(event, sizeof(event), event_of(r));
	for (unsigned int i = 0; i < comparison_nr(c); i++)
		printf("# %-7s %s: %s sample%s of %s in %.2f s\n", headings[c->recs[i].side],
		       text_safe(safe, sizeof(safe),
				 r->opts->pull.from ? r->opts->span[c->recs[i].side] :
						      pev_trace_path(c->recs[i].session.trace)),
		       text_count(n, c->recs[i].samples), text_s(c->recs[i].samples), event,
		       c->recs[i].seconds);
	/* shares say nothing of the whole */
	if (comparison_weight(c, BEFORE) > 0 && comparison_seconds(c, BEFORE) > 0)
		printf("# after has %.2f times the %s, and took %.2f times as long\n",
		       comparison_weight(c, AFTER) / comparison_weight(c, BEFORE), event,
		       comparison_seconds(c, AFTER) / comparison_seconds(c, BEFORE));
	if (c->renamed)
		printf("# the programs have other names: functions are compared by name; --sort " COMPARISON_SORT
		       " keeps them apart\n");
	printf("# change in %s%s\n",
	       r->opts->absolute ? "percent of all samples before" :
				   "percentage points of each recording's samples",
	       is_other_whole(r) ? ": what took as long as before has another share of them; "
				   "--absolute compares the samples themselves" :
				   "");
}

static void print_text(const struct diff_run *r)
{
	size_t widths[SORT_MAX] = { 0 }, left = 0;
	int width = has_spread(r) ? 8 : 0;
	char n[32];

	print_head(r);
	printf("#\n#%9s%*s %10s%*s  %8s   %7s\n", "Before", width, "", "After", width, "", "Change",
	       "P");
	measure(r, widths);
	for (size_t i = 0; i < r->c.n; i++) {
		if (shown(r, &r->c.rows[i]))
			print_row(r, &r->c.rows[i], widths);
		else
			left++;
	}
	if (left)
		printf("# %s more changed by less than %.2f %s or may have done so by chance "
		       "(P above %.3g)\n",
		       text_count(n, left), r->opts->limit, r->opts->absolute ? "%" : "points",
		       r->opts->p_limit);
}

static void print(struct diff_run *r)
{
	if (r->opts->csv || r->opts->json) {
		(r->opts->json ? print_json : print_csv)(r);
		return;
	}
	r->color = term_color(r->opts->color);
	term_pager_start();
	print_text(r);
	term_pager_end();
}

/* Finds both sides in what was typed, and takes the word between them away. */
static int find_sides(int n, char **paths, unsigned int nr[SIDES], struct msg *m)
{
	int at = 0;

	nr[BEFORE] = 1;
	nr[AFTER] = 1;
	/* of two, either may have any name */
	if (n == 2)
		return 0;
	while (at < n && strcmp(paths[at], VERSUS))
		at++;
	if (n < 2 || at == n)
		return msg_set(
			m, -EINVAL,
			n < 2 ? "two recordings are needed: perfctl diff BEFORE AFTER" :
				"more than two recordings: say where those of the other side begin: "
				"perfctl diff BEFORE... " VERSUS " AFTER...");
	if (!at || at == n - 1)
		return msg_set(m, -EINVAL,
			       "\"" VERSUS "\" stands between recordings: perfctl diff "
			       "BEFORE... " VERSUS " AFTER...");
	nr[BEFORE] = (unsigned int)at;
	nr[AFTER] = (unsigned int)(n - at - 1);
	memmove(&paths[at], &paths[at + 1], nr[AFTER] * sizeof(*paths));
	return 0;
}

static int check_spans(const struct diff_opts *o, struct msg *m)
{
	if (o->span[BEFORE] && o->span[AFTER])
		return 0;
	return msg_set(m, -EINVAL,
		       "--from compares two spans of time: --before FROM..TO and --after FROM..TO");
}

/* Both sides come from a store, as recordings of their own. */
static int pull_sides(struct diff_run *r, char *paths[SIDES], unsigned int nr[SIDES], struct msg *m)
{
	const struct diff_opts *o = r->opts;
	struct pull_shape shape = pull_shape_of(o->sort);
	int err = check_spans(o, m);

	shape.spans = 0;
	for (int side = 0; side < SIDES && !err; side++) {
		err = pull_span(&r->dirs[side], o->span[side], &o->pull, &shape, m);
		paths[side] = r->dirs[side].path;
		nr[side] = 1;
	}
	return err;
}

static int find_or_pull(struct diff_run *r, int n, char **args, char *pulled[SIDES],
			unsigned int nr[SIDES], struct msg *m)
{
	const struct diff_opts *o = r->opts;

	if (o->pull.from && n)
		return msg_set(m, -EINVAL, "--from takes the place of recordings: leave %s out",
			       args[0]);
	if (o->pull.from)
		return pull_sides(r, pulled, nr, m);
	if (o->span[BEFORE] || o->span[AFTER] || o->pull.where)
		return msg_set(m, -EINVAL,
			       "--before, --after and --where are asked of a store: name it with "
			       "--from URL");
	return find_sides(n, args, nr, m);
}

/* What has labels: only a store has. */
static int check_by(const struct diff_opts *o, int n, struct msg *m)
{
	if (!o->pull.from || n)
		return msg_set(m, -EINVAL,
			       "--by compares what a store has of two spans of time: diff --from URL "
			       "--before FROM..TO --after FROM..TO --by %s",
			       o->by);
	if (o->sort || o->absolute || o->rows.comm || o->rows.dso || o->rows.symbol)
		return msg_set(m, -EINVAL,
			       "--by adds up all functions: leave out --%s, or --by",
			       o->sort	      ? "sort" :
			       o->absolute    ? "absolute" :
			       o->rows.comm   ? "comm" :
			       o->rows.dso    ? "dso" :
						"symbol");
	return 0;
}

static int diff_by(const struct diff_opts *o, int n, struct msg *m)
{
	struct changes_shape shape = { o->limit, o->p_limit, o->all, false };
	struct changes c = { 0 };
	int err = check_by(o, n, m);

	if (!err)
		err = check_spans(o, m);
	if (!err)
		err = changes_make(&c, &o->pull, o->span, o->by, o->event, m);
	if (err) {
		changes_free(&c);
		return err;
	}
	if (o->json) {
		changes_print_json(&c, &shape);
	} else if (o->csv) {
		changes_print_csv(&c, &shape);
	} else {
		shape.color = term_color(o->color);
		term_pager_start();
		changes_print(&c, o->span, &shape);
		term_pager_end();
	}
	changes_free(&c);
	return 0;
}

static int check_output(const struct diff_opts *o, struct msg *m)
{
	if (o->csv && o->json)
		return msg_set(m, -EINVAL, "--csv and --json exclude each other");
	return term_check_color(o->color, m);
}

static int diff_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct diff_opts *o = opts;
	struct diff_run r = { .opts = o,
			      .c = { .sort = o->sort,
				     .event = o->event,
				     .by_count = o->absolute,
				     .filter = o->rows } };
	char *pulled[SIDES];
	unsigned int nr[SIDES];
	int err = check_output(o, m);

	if (!err && o->by)
		return diff_by(o, n, m);
	if (!err)
		err = find_or_pull(&r, n, args, pulled, nr, m);
	if (!err)
		err = comparison_make(&r.c, o->pull.from ? pulled : args, nr, m);
	if (!err)
		print(&r);
	fflush(stdout);
	for (unsigned int i = 0; i < comparison_nr(&r.c) && !err; i++)
		session_note_damage(&r.c.recs[i].session);
	comparison_free(&r.c);
	for (int side = 0; side < SIDES; side++)
		received_dir_remove(&r.dirs[side]);
	return err;
}

const struct command command_diff = {
	.name = "diff",
	.operands = "BEFORE AFTER | BEFORE... " VERSUS " AFTER... | --from URL",
	.summary = "show what changed between recordings",
	.about =
		"Compares the shares that functions have in two recordings, the largest change first, "
		"and says how likely it is that chance alone makes such a difference: what may well "
		"be chance is left out. Several recordings of each side tell by how much runs of the "
		"same differ anyway.",
	.examples = "  perfctl record -o before -- ./old; perfctl record -o after -- ./new\n"
		    "  perfctl diff before after\n"
		    "  perfctl diff --sort dso --all before after\n"
		    "  perfctl diff old1 old2 old3 old4 " VERSUS " new1 new2 new3 new4\n"
		    "  perfctl diff --from http://store:8123 --before 26h..25h --after 2h..1h\n"
		    "  perfctl diff --from http://store:8123 --before 26h..25h --after 2h..1h "
		    "--by service\n",
	.opts = diff_options,
	.opts_size = sizeof(struct diff_opts),
	.defaults = &(const struct diff_opts){ .limit = 0.1, .p_limit = 0.05 },
	.run = diff_run,
};
