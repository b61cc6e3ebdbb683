// SPDX-License-Identifier: GPL-2.0
/* perfctl report: tables and trees as JSON. */
#include "json.h"
#include "print.h"
#include "report.h"
#include "profile/tree.h"
#include "waits/spreads.h"

/* levels of a tree that are written; struct json has room for 32 */
#define DEPTH_MOST 12

static void put_text(struct json *j, const char *key, struct strbuf *b)
{
	strbuf_add(b, "", 0);
	json_string(j, key, b->s);
	strbuf_reset(b);
}

static void put_node(const struct rows *rows, const struct tree *t, uint32_t node,
		     const struct report_style *s, struct json *j, unsigned int depth)
{
	struct strbuf b = { 0 };

	json_open(j, NULL, '{');
	stacks_func_name(rows->profile->stacks, t->nodes[node].func, &b);
	put_text(j, "symbol", &b);
	strbuf_free(&b);
	json_u64(j, "weight", t->nodes[node].weight);
	json_double(j, "share", report_share(rows, t->nodes[node].weight), 4);
	if (t->nodes[node].child && depth < DEPTH_MOST) {
		json_open(j, "children", '[');
		for (uint32_t c = t->nodes[node].child; c; c = t->nodes[c].next)
			if (report_share(rows, t->nodes[c].weight) >= s->branch)
				put_node(rows, t, c, s, j, depth + 1);
		json_close(j, ']');
	}
	json_close(j, '}');
}

static void put_tree(const struct rows *rows, const struct row *row,
		     const struct report_style *s, struct json *j)
{
	struct tree t;

	tree_make(&t, rows, row);
	json_open(j, tree_inwards(rows->config) ? "callees" : "callers", '[');
	for (uint32_t c = t.nodes[0].child; c; c = t.nodes[c].next)
		if (report_share(rows, t.nodes[c].weight) >= s->branch)
			put_node(rows, &t, c, s, j, 0);
	json_close(j, ']');
	tree_free(&t);
}

static void put_spread(const struct rows *rows, const struct row *row,
		       const struct spreads *spreads, struct json *j)
{
	struct durations waits = { 0 };

	spreads_of_row(spreads, rows, row, &waits);
	durations_json(&waits, "waits", j);
	durations_free(&waits);
}

static void put_row(const struct rows *rows, const struct row *row, const struct report_style *s,
		    struct json *j, const struct strtab *events)
{
	const struct sort_list *sort = &rows->config->sort;
	struct strbuf b = { 0 };

	json_open(j, NULL, '{');
	for (unsigned int k = 0; k < sort->n; k++) {
		const char *name = sort_name(sort, sort->keys[k]);

		report_cell(rows, row, sort->keys[k], events, &b);
		put_text(j, name, &b);
	}
	strbuf_free(&b);
	json_u64(j, "samples", row->samples);
	json_u64(j, "weight", row->self);
	json_double(j, "share", report_share(rows, row->self), 4);
	if (rows->config->children) {
		json_u64(j, "total_weight", row->total);
		json_double(j, "total_share", report_share(rows, row->total), 4);
	}
	if (s->spreads)
		put_spread(rows, row, s->spreads, j);
	if (s->graph)
		put_tree(rows, row, s, j);
	json_close(j, '}');
	fputc('\n', j->out);
}

void report_json(const struct rows *rows, const struct report_style *s, struct json *j,
		 const struct strtab *events)
{
	json_u64(j, "samples", rows->samples);
	json_u64(j, "weight", rows->weight);
	json_open(j, "rows", '[');
	for (size_t i = 0; i < rows->n; i++)
		if (report_share(rows, rows->r[i].total) >= s->limit)
			put_row(rows, &rows->r[i], s, j, events);
	json_close(j, ']');
}
