// SPDX-License-Identifier: GPL-2.0
/* perfctl diff: what changed between two recordings, and whether by chance. */
#include "cmd/commands.h"
#include "base/text.h"
#include "cli/term.h"
#include "profile/load.h"
#include "report/out.h"
#include "report/print.h"
#include "views/diff_math.h"
#include "session/fetch.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define DEFAULT_SORT "comm,dso,symbol"
#define CSV_SEP	     ","

struct diff_opts {
	const char *sort;
	const char *event;
	const char *color;
	struct rows_config rows;
	double limit;
	double p_limit;
	bool absolute;
	bool all;
	bool csv;
};

/* Joins the columns of a row, to find it in the other recording. */
struct diff_row {
	uint32_t name;
	uint64_t samples[2];
	uint64_t weight[2];
	double p;
};

struct side {
	struct session session;
	struct load load;
	uint64_t samples;
	uint64_t weight;
	double seconds;
};

struct diff_run {
	struct diff_opts opts;
	struct side sides[2];
	struct strtab names;
	bool renamed;
	struct diff_row *rows;
	size_t n, cap;
	bool color;
};

static const struct opt diff_options[] = {
	{ 0, OPT_HEADING, .help = "What to compare" },
	{ 's', OPT_STRING, "sort", "KEY[,KEY]", "columns: comm, dso, symbol, srcline, parent, or a "
	  "field of the recorded events (default: " DEFAULT_SORT ")",
	  offsetof(struct diff_opts, sort) },
	{ 0, OPT_FLAG, "absolute", NULL, "compare numbers of samples, for the same work done twice, "
	  "not shares of the whole", offsetof(struct diff_opts, absolute) },
	{ 'e', OPT_STRING, "event", "EVENT", "only this event (default: the first that both have)",
	  offsetof(struct diff_opts, event) },
	{ 0, OPT_STRING, "comm", "NAME", "only these programs",
	  offsetof(struct diff_opts, rows.comm) },
	{ 0, OPT_STRING, "dso", "NAME", "only these objects", offsetof(struct diff_opts, rows.dso) },
	{ 0, OPT_STRING, "symbol", "NAME", "only these functions",
	  offsetof(struct diff_opts, rows.symbol) },
	{ 0, OPT_HEADING, .help = "What to show" },
	{ 0, OPT_DOUBLE, "percent-limit", "POINTS", "leave out what changed by less (default: 0.1)",
	  offsetof(struct diff_opts, limit) },
	{ 'p', OPT_DOUBLE, "significance", "P", "leave out what chance explains with a higher "
	  "probability (default: 0.05)", offsetof(struct diff_opts, p_limit) },
	{ 0, OPT_FLAG, "all", NULL, "leave out nothing", offsetof(struct diff_opts, all) },
	{ 0, OPT_HEADING, .help = "Output" },
	{ 0, OPT_FLAG, "csv", NULL, "CSV", offsetof(struct diff_opts, csv) },
	{ 0, OPT_STRING, "color", "WHEN", "auto, always or never", offsetof(struct diff_opts, color) },
	SYMFS_OPT,
	DEBUGINFOD_OPT,
	{ 0 },
};

static struct diff_row *row_get(struct diff_run *r, const char *name)
{
	uint32_t id = strtab_id(&r->names, name);

	while (r->n <= id)
		ARRAY_PUSH(r->rows, r->n, r->cap);
	r->rows[id].name = id;
	return &r->rows[id];
}

static void add_rows(struct diff_run *r, int s, uint32_t event)
{
	struct side *side = &r->sides[s];
	struct strbuf b = { 0 };
	struct rows rows;

	/* by which rows of both are the same */
	r->opts.rows.full_names = true;
	rows_make(&rows, &side->load.profile, &r->opts.rows, event);
	side->samples = rows.samples;
	side->weight = rows.weight;
	for (size_t i = 0; i < rows.n; i++) {
		struct diff_row *row;

		strbuf_reset(&b);
		for (unsigned int k = 0; k < r->opts.rows.sort.n; k++) {
			if (k)
				strbuf_putc(&b, '\t');
			report_cell(&rows, &rows.r[i], r->opts.rows.sort.keys[k],
				    &side->session.names, &b);
		}
		row = row_get(r, b.s ? b.s : "");
		row->samples[s] += rows.r[i].samples;
		row->weight[s] += rows.r[i].self;
	}
	strbuf_free(&b);
	rows_free(&rows);
}

/* Returns the first event that both recordings have, of those that were asked for. */
static int choose_event(struct diff_run *r, uint32_t event[2], struct msg *m)
{
	const struct load *a = &r->sides[0].load, *b = &r->sides[1].load;
	const struct strtab *names = &a->session->names, *others = &b->session->names;

	for (uint32_t x = 0; x < names->n; x++)
		for (uint32_t y = 0; y < others->n; y++)
			if (!strcmp(strtab_get(names, x), strtab_get(others, y)) &&
			    report_has_event(&a->profile, x) && report_has_event(&b->profile, y)) {
				event[0] = x;
				event[1] = y;
				return 0;
			}
	return msg_set(m, -EBADMSG, "there is no event of which both recordings have samples");
}

static double share(const struct diff_run *r, const struct diff_row *row, int s)
{
	uint64_t all = r->sides[s].weight;

	return all ? 100.0 * (double)row->weight[s] / (double)all : 0;
}

/* Prints percentage points; for numbers of samples, percent of the first recording's. */
static double change(const struct diff_run *r, const struct diff_row *row)
{
	if (!r->opts.absolute)
		return share(r, row, 1) - share(r, row, 0);
	return r->sides[0].weight ? 100.0 * ((double)row->weight[1] - (double)row->weight[0]) /
				    (double)r->sides[0].weight : 0;
}

static void test_rows(struct diff_run *r)
{
	double all = (double)(r->sides[0].samples + r->sides[1].samples);
	double expected = r->opts.absolute || all <= 0 ? 0.5 : (double)r->sides[0].samples / all;
	double *p = xcalloc(r->n, sizeof(*p));

	for (size_t i = 0; i < r->n; i++)
		p[i] = binomial_two_sided(r->rows[i].samples[0], r->rows[i].samples[1], expected);
	adjust_p(p, r->n);
	for (size_t i = 0; i < r->n; i++)
		r->rows[i].p = p[i];
	free(p);
}

static int by_change(const void *va, const void *vb, void *arg)
{
	const struct diff_row *a = va, *b = vb;
	double x = fabs(change(arg, a)), y = fabs(change(arg, b));

	if (x != y)
		return x < y ? 1 : -1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static bool shown(const struct diff_run *r, const struct diff_row *row)
{
	return r->opts.all ||
	       (fabs(change(r, row)) >= r->opts.limit && row->p <= r->opts.p_limit);
}

static void print_csv(const struct diff_run *r)
{
	struct strbuf b = { 0 };

	printf("before,after,change,samples_before,samples_after,p");
	for (unsigned int k = 0; k < r->opts.rows.sort.n; k++)
		printf(",%s", sort_name(&r->opts.rows.sort, r->opts.rows.sort.keys[k]));
	putchar('\n');
	for (size_t i = 0; i < r->n; i++) {
		char *copy = xstrdup(strtab_get(&r->names, r->rows[i].name)), *next = copy, *cell;

		strbuf_reset(&b);
		while ((cell = strsep(&next, "\t"))) {
			strbuf_puts(&b, CSV_SEP);
			text_csv(&b, cell, CSV_SEP);
		}
		if (shown(r, &r->rows[i]))
			printf("%.4f,%.4f,%.4f,%" PRIu64 ",%" PRIu64 ",%.3g%s\n",
			       share(r, &r->rows[i], 0), share(r, &r->rows[i], 1),
			       change(r, &r->rows[i]), r->rows[i].samples[0],
			       r->rows[i].samples[1], r->rows[i].p, b.s);
		free(copy);
	}
	strbuf_free(&b);
}

static const char *stars(double p)
{
	return p <= 0.001 ? "***" : p <= 0.01 ? "** " : p <= 0.05 ? "*  " : "   ";
}

static void print_row(const struct diff_run *r, const struct diff_row *row, const size_t *widths)
{
	char *copy = xstrdup(strtab_get(&r->names, row->name)), *next = copy, *cell;
	double c = change(r, row);
	const char *on = !r->color || row->p > 0.05 ? "" : c > 0 ? "\033[31m" : "\033[32m";
	char p[16];

	if (row->p < 0.0001)
		snprintf(p, sizeof(p), "<0.0001");
	else
		snprintf(p, sizeof(p), "%.4f", row->p);
	if (r->opts.absolute)
		printf("%10" PRIu64 " %10" PRIu64, row->samples[0], row->samples[1]);
	else
		printf("%9.2f%% %9.2f%%", share(r, row, 0), share(r, row, 1));
	printf("  %s%+8.2f%s%s  %7s %s", on, c, r->opts.absolute ? "%" : " ", *on ? "\033[m" : "", p,
	       stars(row->p));
	for (unsigned int k = 0; (cell = strsep(&next, "\t")); k++)
		printf("  %s%*s", cell, next ? (int)(widths[k] - text_width(cell)) : 0, "");
	putchar('\n');
	free(copy);
}

static void measure(const struct diff_run *r, size_t *widths)
{
	for (size_t i = 0; i < r->n; i++) {
		char *copy, *next, *cell;

		if (!shown(r, &r->rows[i]))
			continue;
		copy = next = xstrdup(strtab_get(&r->names, r->rows[i].name));
		for (unsigned int k = 0; (cell = strsep(&next, "\t")); k++)
			widths[k] = max_u64(widths[k], text_width(cell));
		free(copy);
	}
}

/* Shares say nothing of the whole. */
static void print_ratio(const struct diff_run *r, const char *event)
{
	const struct side *a = &r->sides[0], *b = &r->sides[1];

	if (a->weight && a->seconds > 0)
		printf("# after has %.2f times the %s, and took %.2f times as long\n",
		       (double)b->weight / (double)a->weight, event, b->seconds / a->seconds);
}

static void print_text(const struct diff_run *r, const char *event)
{
	static const char *const headings[] = { "before", "after" };
	size_t widths[SORT_MAX] = { 0 }, left = 0;
	char n[32], safe[256];

	for (int s = 0; s < 2; s++)
		printf("# %-7s %s: %s samples of %s in %.2f s\n", headings[s],
		       text_safe(safe, sizeof(safe), pev_trace_path(r->sides[s].session.trace)),
		       text_count(n, r->sides[s].samples), event, r->sides[s].seconds);
	print_ratio(r, event);
	if (r->renamed)
		printf("# the programs have other names: functions are compared by name; --sort "
		       DEFAULT_SORT " keeps them apart\n");
	printf("# change in %s\n", r->opts.absolute ? "percent of all samples before" :
	       "percentage points of each recording's samples");
	printf("#\n#%9s %10s  %8s   %7s\n", "Before", "After", "Change", "P");
	measure(r, widths);
	for (size_t i = 0; i < r->n; i++) {
		if (shown(r, &r->rows[i]))
			print_row(r, &r->rows[i], widths);
		else
			left++;
	}
	if (left)
		printf("# %s more changed by less than %.2f %s or may have done so by chance "
		       "(P above %.3g)\n", text_count(n, left), r->opts.limit,
		       r->opts.absolute ? "%" : "points", r->opts.p_limit);
}

static int load_side(struct diff_run *r, int s, const char *path, struct msg *m)
{
	struct side *side = &r->sides[s];
	struct sort_list *sort = &r->opts.rows.sort;
	struct load_config config = { .event = r->opts.event, .from = INT64_MIN, .to = INT64_MAX };
	int err = session_open(&side->session, path, m);

	if (err)
		return err;
	sort_free(sort);
	err = sort_parse(sort, r->opts.sort ? r->opts.sort : DEFAULT_SORT, load_has_field, &side->session, m);
	if (!err && (sort->mask & (1u << SORT_TIME)))
		err = msg_set(m, -EINVAL, "--sort: recordings cannot be compared by time");
	if (err)
		return err;
	config.mask = sort->mask | (r->opts.rows.comm ? 1u << SORT_COMM : 0);
	for (unsigned int k = 0; k < sort->n_fields; k++)
		config.fields[k] = sort->fields[k];
	config.chains = sort->mask & (1u << SORT_PARENT);
	err = load_samples(&side->load, &side->session, &config, m);
	if (err)
		return err;
	side->seconds = (double)(pev_trace_end_ns(side->session.trace) -
				 pev_trace_begin_ns(side->session.trace)) /
			1e9;
	return 0;
}

/* Returns the program with the most samples, NULL: there are none. */
static const char *main_program(struct side *side, uint32_t event)
{
	struct rows_config by_comm = { .sort = { .keys = { SORT_COMM }, .n = 1,
						 .mask = 1u << SORT_COMM } };
	const char *name = NULL;
	struct rows rows;

	rows_make(&rows, &side->load.profile, &by_comm, event);
	if (rows.n)
		name = machine_comm_name(&side->session.machine, rows.r[0].key.comm);
	rows_free(&rows);
	return name;
}

static bool has_program(const struct side *side, const char *name)
{
	const struct strtab *comms = &side->session.machine.comms;

	for (size_t i = 0; i < comms->n; i++)
		if (!strcmp(comms->s[i], name))
			return true;
	return false;
}

/*
 * Two versions of a program may lie in files of other names: by these, all functions
 * would have gone, and others come.
 */
static void match_programs(struct diff_run *r, const uint32_t event[2])
{
	const char *a, *b;
	struct msg m;

	if (r->opts.sort)
		return;
	a = main_program(&r->sides[0], event[0]);
	b = main_program(&r->sides[1], event[1]);
	if (!a || !b || has_program(&r->sides[1], a) || has_program(&r->sides[0], b))
		return;
	sort_free(&r->opts.rows.sort);
	sort_parse(&r->opts.rows.sort, "symbol", NULL, NULL, &m);
	r->renamed = true;
}

static int diff(struct diff_run *r, char **paths, struct msg *m)
{
	uint32_t event[2] = { 0 };
	char safe[256];
	int err = 0;

	for (int s = 0; s < 2 && !err; s++)
		err = load_side(r, s, paths[s], m);
	if (!err)
		err = choose_event(r, event, m);
	if (err)
		return err;
	match_programs(r, event);
	for (int s = 0; s < 2; s++)
		add_rows(r, s, event[s]);
	test_rows(r);
	if (r->n)
		qsort_r(r->rows, r->n, sizeof(*r->rows), by_change, r);
	if (r->opts.csv) {
		print_csv(r);
		return 0;
	}
	r->color = term_color(r->opts.color);
	term_pager_start();
	print_text(r,
		   text_safe(safe, sizeof(safe), strtab_get(&r->sides[0].session.names, event[0])));
	term_pager_end();
	return 0;
}

static int diff_run(const void *opts, int n, char **args, struct msg *m)
{
	struct diff_run r = { .opts = *(const struct diff_opts *)opts };
	int err;

	if (n != 2)
		return msg_set(m, -EINVAL, "two recordings are needed: perfctl diff BEFORE AFTER");
	err = term_check_color(r.opts.color, m);
	if (!err)
		err = diff(&r, args, m);
	fflush(stdout);
	for (int s = 0; s < 2; s++) {
		if (r.sides[s].session.trace && !err)
			session_note_damage(&r.sides[s].session);
		load_free(&r.sides[s].load);
		session_close(&r.sides[s].session);
	}
	sort_free(&r.opts.rows.sort);
	strtab_free(&r.names);
	free(r.rows);
	return err;
}

const struct command command_diff = {
	.name = "diff",
	.operands = "BEFORE AFTER",
	.summary = "show what changed between two recordings",
	.about =
		"Compares the shares that functions have in two recordings, the largest change first, "
		"and says how likely it is that chance alone makes such a difference: what may well "
		"be chance is left out.",
	.examples = "  perfctl record -o before -- ./old; perfctl record -o after -- ./new\n"
		    "  perfctl diff before after\n"
		    "  perfctl diff --sort dso --all before after\n",
	.opts = diff_options,
	.opts_size = sizeof(struct diff_opts),
	.defaults = &(
		const struct diff_opts){ .limit = 0.1, .p_limit = 0.05 },
	.run = diff_run,
};
