// SPDX-License-Identifier: GPL-2.0
/* perfctl report -g flat, -g folded: chains below a row. */
#include "chains.h"
#include "report.h"
#include "profile/tree.h"

#include <stdlib.h>

/* A chain of functions: the end of a way through the tree. */
struct way {
	uint32_t node;
	uint64_t weight;
};

static int by_weight(const void *va, const void *vb)
{
	const struct way *a = va, *b = vb;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Prints a way from the root on, after walking up to it. */
static void print_way(const struct rows *rows, const struct tree *t, const struct way *w,
		      const struct report_style *s)
{
	uint32_t nodes[512];
	struct strbuf name = { 0 };
	unsigned int n = 0;

	for (uint32_t at = w->node; at && n < ARRAY_SIZE(nodes); at = t->nodes[at].parent)
		nodes[n++] = at;
	fprintf(s->out, "%14.2f%%%s", report_share(rows, w->weight),
		s->graph == GRAPH_FLAT ? "\n" : " ");
	while (n--) {
		strbuf_reset(&name);
		rows_func_name(rows, t->nodes[nodes[n]].func, &name);
		if (s->graph == GRAPH_FLAT)
			fprintf(s->out, "                %s\n", name.s);
		else
			fprintf(s->out, "%s%s", name.s, n ? ";" : "");
	}
	fputc('\n', s->out);
	strbuf_free(&name);
}

void report_chains(const struct rows *rows, const struct row *row, const struct report_style *s)
{
	struct way *ways = NULL;
	size_t n = 0, cap = 0;
	struct tree t;

	tree_make(&t, rows, row);
	for (uint32_t i = 1; i < t.n; i++)
		if (t.nodes[i].self && report_share(rows, t.nodes[i].self) >= s->branch) {
			struct way *w = ARRAY_PUSH(ways, n, cap);

			w->node = i;
			w->weight = t.nodes[i].self;
		}
	if (n)
		qsort(ways, n, sizeof(*ways), by_weight);
	for (size_t i = 0; i < n; i++)
		print_way(rows, &t, &ways[i], s);
	if (n && s->graph == GRAPH_FOLDED)
		fputc('\n', s->out);
	free(ways);
	tree_free(&t);
}
