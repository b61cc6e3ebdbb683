// SPDX-License-Identifier: GPL-2.0
/*
 * perfctl report --brief: few lines for pipes and for programs that read text. Shares
 * of samples come with the bounds in which the true share lies 19 times of 20.
 */
#include "brief.h"
#include "out.h"
#include "print.h"
#include "report.h"
#include "base/text.h"
#include "profile/tree.h"

#include <math.h>
#include <stdlib.h>

#define LINES 40
#define COLUMNS 120
#define HEAD 4 /* lines before the first event */
#define AROUND 5 /* lines of an event beside its rows, an empty one included */
#define EVENTS_MOST 5
#define LISTED 80 /* columns after which no more programs and objects are named */
#define CALLERS 6
#define Z 1.96 /* standard deviations that 19 of 20 lie within */

struct brief {
	struct profile *profile;
	const struct rows_config *config;
	FILE *out;
};

/* Prints a line, which ends in dots where it is too long. */
static void put_line(const struct brief *b, struct strbuf *line)
{
	size_t columns = 0, at = 0, cut = 0;

	strbuf_add(line, "", 0);
	while (line->s[at] && columns < COLUMNS) {
		size_t n = text_utf8_len((const unsigned char *)line->s + at);

		if (columns == COLUMNS - 3)
			cut = at;
		at += n ? n : 1;
		columns++;
	}
	if (line->s[at])
		fprintf(b->out, "%.*s...\n", (int)cut, line->s);
	else
		fprintf(b->out, "%s\n", line->s);
	strbuf_reset(line);
}

static void put_info(struct strbuf *line, const struct pev_trace *t, const char *key,
		     const char *before)
{
	const char *value = pev_trace_info(t, key);

	if (!value || !*value)
		return;
	strbuf_puts(line, before);
	text_name(line, value);
}

static void print_head(const struct brief *b)
{
	const struct session *f = b->profile->session;
	const struct pev_trace *t = f->trace;
	uint64_t lost = pev_trace_lost(t);
	struct strbuf line = { 0 };
	char text[512], a[32];

	strbuf_puts(&line, "# ");
	text_name(&line, pev_trace_path(t));
	put_info(&line, t, "command", ": ");
	put_line(b, &line);
	strbuf_addf(&line, "# %s",
		    text_ns(a, (uint64_t)(pev_trace_end_ns(t) - pev_trace_begin_ns(t))));
	put_info(&line, t, "hostname", " on ");
	put_info(&line, t, "machine", ", ");
	put_info(&line, t, "cpus", ", CPUs: ");
	put_info(&line, t, "release", ", kernel ");
	put_info(&line, t, "engine", ", engine ");
	put_line(b, &line);
	if (session_incomplete(f, text, sizeof(text)))
		strbuf_addf(&line, "# incomplete: %s; ", text);
	else
		strbuf_puts(&line, pev_trace_nr_warnings(t) ? "# damaged; " : "# complete; ");
	if (lost)
		strbuf_addf(&line, "%s record%s lost, which no bound allows for",
			    text_count(a, lost), text_s(lost));
	else
		strbuf_puts(&line, "nothing lost");
	put_line(b, &line);
	strbuf_free(&line);
}

/* Are its records a part of what happened? */
static bool is_sampled(const struct session *f, uint32_t event)
{
	for (unsigned int c = 0; c < f->n_classes; c++) {
		const struct pev_class *cls = pev_trace_class(f->trace, c);

		if (f->classes[c].event == event &&
		    (cls->freq || cls->period > 1 || cls->type == PEV_TYPE_TIMER))
			return true;
	}
	return false;
}

/* Wilson's interval for a share of @n samples, in percent */
static void bounds(double share, double n, double *from, double *to)
{
	double p = share / 100, z2 = Z * Z, mid = (p + z2 / (2 * n)) / (1 + z2 / n);
	double half = Z / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));

	*from = 100 * fmax(0, mid - half);
	*to = 100 * fmin(1, mid + half);
}

/* "programs: a 81.8 %, b 18.2 %" */
static void print_list(const struct brief *b, uint32_t event, enum sort_key key, const char *what)
{
	struct rows_config config = *b->config;
	struct strbuf line = { 0 };
	struct rows rows;
	size_t i;

	config.children = false;
	config.sort = (struct sort_list){ .keys = { key }, .n = 1, .mask = 1u << key };
	rows_make(&rows, b->profile, &config, event);
	strbuf_addf(&line, "  %s:", what);
	for (i = 0; i < rows.n && line.len < LISTED; i++) {
		strbuf_puts(&line, i ? ", " : " ");
		report_cell(&rows, &rows.r[i], key, &b->profile->session->names, &line);
		strbuf_addf(&line, " %.1f %%", report_share(&rows, rows.r[i].self));
	}
	if (i < rows.n)
		strbuf_addf(&line, ", and %zu more", rows.n - i);
	put_line(b, &line);
	strbuf_free(&line);
	rows_free(&rows);
}

/* The callers that at least half of a row came by */
static void add_callers(const struct rows *rows, const struct row *row, struct strbuf *line)
{
	struct tree tree;
	uint32_t at;

	tree_make(&tree, rows, row);
	at = tree.nodes[0].child;
	for (unsigned int i = 0; i < CALLERS && at && tree.nodes[at].weight * 2 >= row->self; i++) {
		if (rows->profile->stacks->funcs[tree.nodes[at].func].object == OBJECT_ID_UNKNOWN)
			break;
		strbuf_puts(line, i ? " < " : "  < ");
		rows_func_name(rows, tree.nodes[at].func, line);
		at = tree.nodes[at].child;
	}
	tree_free(&tree);
}

static void print_row(const struct brief *b, const struct rows *rows, const struct row *row,
		      bool sampled)
{
	const struct sort_list *sort = &rows->config->sort;
	double share = report_share(rows, row->self), from, to;
	struct strbuf line = { 0 };

	strbuf_addf(&line, "  %6.2f%%", share);
	if (sampled) {
		bounds(share, (double)rows->samples, &from, &to);
		strbuf_addf(&line, " %6.2f..%-6.2f", from, to);
	}
	for (unsigned int k = 0; k < sort->n; k++) {
		strbuf_puts(&line, "  ");
		report_cell(rows, row, sort->keys[k], &b->profile->session->names, &line);
	}
	if (sort->mask & (1u << SORT_SYMBOL))
		add_callers(rows, row, &line);
	put_line(b, &line);
	strbuf_free(&line);
}

static void print_rest(const struct rows *rows, size_t shown, FILE *out)
{
	uint64_t weight = 0;
	char a[32];

	for (size_t i = shown; i < rows->n; i++)
		weight += rows->r[i].self;
	if (shown < rows->n)
		fprintf(out, "  %6.2f%% in %s more row%s%s", report_share(rows, weight),
			text_count(a, rows->n - shown), text_s(rows->n - shown),
			rows->hidden ? ", " : "\n");
	if (rows->hidden)
		fprintf(out, "%s%.2f %% filtered out\n", shown < rows->n ? "" : "  ",
			report_share(rows, rows->hidden));
}

static void print_event(const struct brief *b, uint32_t event, size_t most)
{
	struct rows_config config = report_columns(b->profile, b->config, event);
	bool sampled = is_sampled(b->profile->session, event);
	const struct strtab *names = &b->profile->session->names;
	char a[32], safe[COLUMNS / 2];
	struct rows rows;
	size_t shown;

	config.children = false;
	config.order = TREE_CALLEE;
	rows_make(&rows, b->profile, &config, event);
	fprintf(b->out, "\n%s: %s %s\n", text_safe(safe, sizeof(safe), strtab_get(names, event)),
		text_count(a, rows.samples),
		sampled ? "samples; share, bounds (95 % sure), what" : "records; share, what");
	print_list(b, event, SORT_COMM, "programs");
	if (config.sort.mask & (1u << SORT_DSO | 1u << SORT_SYMBOL))
		print_list(b, event, SORT_DSO, "objects");
	shown = min_u64(rows.n, most);
	for (size_t i = 0; i < shown; i++)
		print_row(b, &rows, &rows.r[i], sampled);
	print_rest(&rows, shown, b->out);
	rows_free(&rows);
}

static void print_others(const struct brief *b, const uint32_t *events, size_t n)
{
	struct strbuf line = { 0 };

	strbuf_addf(&line, "%zu more events (-e):", n);
	for (size_t i = 0; i < n; i++) {
		strbuf_puts(&line, i ? ", " : " ");
		text_name(&line, strtab_get(&b->profile->session->names, events[i]));
	}
	put_line(b, &line);
	strbuf_free(&line);
}

void report_brief(struct profile *p, const struct rows_config *config, FILE *out)
{
	const struct brief b = { .profile = p, .config = config, .out = out };
	uint32_t *events = xcalloc(p->session->names.n + 1, sizeof(*events));
	size_t n = 0, shown;

	for (uint32_t e = 0; e < p->session->names.n; e++)
		if (report_has_event(p, e))
			events[n++] = e;
	shown = min_u64(n, EVENTS_MOST);
	print_head(&b);
	for (size_t i = 0; i < shown; i++)
		print_event(&b, events[i], (LINES - HEAD) / shown - AROUND);
	if (n > shown)
		print_others(&b, events + shown, n - shown);
	free(events);
}
