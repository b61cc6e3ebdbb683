// SPDX-License-Identifier: GPL-2.0
/* Call trees below the rows of a report. See rows.h. */
#include "tree.h"
#include "rows.h"

#include <stdlib.h>

static uint32_t node_get(struct tree *t, uint32_t parent, uint32_t func)
{
	struct tree_node *n;

	if (HTAB_GET(n, &t->h, hash_2u64(parent, func), n->parent == parent && n->func == func,
		     t->nodes, t->n, t->cap)) {
		n->func = func;
		n->parent = parent;
		n->next = t->nodes[parent].child;
		t->nodes[parent].child = (uint32_t)(t->n - 1);
	}
	return (uint32_t)(n - t->nodes);
}

static uint32_t func_at(const struct profile *p, const struct chain *c, uint32_t i)
{
	return stacks_frame_func(p->stacks, p->stacks->chain_frames[c->first + i]);
}

/* Adds the path from the function outwards to its callers. */
static void add_callers(struct tree *t, const struct rows *rows, const struct cell *cell,
			uint32_t start)
{
	const struct profile *p = rows->profile;
	const struct chain *c = &p->stacks->chains[cell->key.chain];
	bool by_symbol = rows->config->sort.mask & (1u << SORT_SYMBOL);
	uint32_t at = 0;

	/* below a row that is not a function, functions are the first level */
	for (uint32_t i = by_symbol ? start + 1 : start; i < c->n; i++) {
		at = node_get(t, at, func_at(p, c, i));
		t->nodes[at].weight += cell->weight;
	}
	t->nodes[at].self += cell->weight;
}

/* Adds the path from the outermost caller inwards to the row's function. */
static void add_inwards(struct tree *t, const struct rows *rows, const struct cell *cell,
			uint32_t start)
{
	const struct profile *p = rows->profile;
	const struct chain *c = &p->stacks->chains[cell->key.chain];
	uint32_t at = 0;

	for (uint32_t i = c->n; i-- > start;) {
		at = node_get(t, at, func_at(p, c, i));
		t->nodes[at].weight += cell->weight;
	}
	t->nodes[at].self += cell->weight;
}

/* Finds the row's function, outermost, in a chain; without --children the innermost frame. */
static uint32_t place_of(const struct rows *rows, const struct row *row, const struct chain *c)
{
	const struct profile *p = rows->profile;
	unsigned int mask = rows->config->sort.mask;

	if (!rows->config->children || !(mask & (1u << SORT_SYMBOL | 1u << SORT_DSO)))
		return 0;
	for (uint32_t i = c->n; i-- > 0;) {
		uint32_t func = func_at(p, c, i);

		if ((!(mask & (1u << SORT_SYMBOL)) || func == row->key.func) &&
		    (!(mask & (1u << SORT_DSO)) ||
		     p->stacks->funcs[func].object == row->key.object))
			return i;
	}
	return 0;
}

/* Adds the path from the outermost occurrence of the row's function to its callees. */
static void add_callees(struct tree *t, const struct rows *rows, const struct row *row,
			const struct cell *cell)
{
	const struct profile *p = rows->profile;
	const struct chain *c = &p->stacks->chains[cell->key.chain];
	bool by_symbol = rows->config->sort.mask & (1u << SORT_SYMBOL);
	bool by_object = rows->config->sort.mask & (1u << SORT_DSO);
	uint32_t at = 0, i;

	for (i = c->n; i > 0; i--) {
		uint32_t func = func_at(p, c, i - 1);

		if ((!by_symbol || func == row->key.func) &&
		    (!by_object || p->stacks->funcs[func].object == row->key.object))
			break;
	}
	if (!by_symbol)
		i++; /* below a row that is not a function, functions are the first level */
	while (i-- > 1) {
		at = node_get(t, at, func_at(p, c, i - 1));
		t->nodes[at].weight += cell->weight;
	}
	t->nodes[at].self += cell->weight;
}

static int by_weight(const void *va, const void *vb, void *arg)
{
	const struct tree_node *nodes = arg;
	const struct tree_node *a = &nodes[*(const uint32_t *)va];
	const struct tree_node *b = &nodes[*(const uint32_t *)vb];

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return a->func < b->func ? -1 : a->func > b->func;
}

static void sort_children(struct tree *t, uint32_t node)
{
	uint32_t *list = NULL;
	size_t n = 0, cap = 0;

	for (uint32_t c = t->nodes[node].child; c; c = t->nodes[c].next)
		*ARRAY_PUSH(list, n, cap) = c;
	if (n > 1) {
		qsort_r(list, n, sizeof(*list), by_weight, t->nodes);
		t->nodes[node].child = list[0];
		for (size_t i = 0; i < n; i++)
			t->nodes[list[i]].next = i + 1 < n ? list[i + 1] : 0;
	}
	free(list);
}

void tree_make(struct tree *t, const struct rows *rows, const struct row *row)
{
	enum tree_order order = rows->config->order;
	uint32_t place;

	if (order == TREE_AUTO)
		order = rows->config->children ? TREE_CALLER : TREE_CALLEE;
	*t = (struct tree){ 0 };
	ARRAY_PUSH(t->nodes, t->n, t->cap);
	for (uint32_t l = row->first_cell; l != ROW_END; l = rows->links[l].next) {
		const struct cell *cell = &rows->profile->cells[rows->links[l].cell];

		if (cell->key.chain == CHAIN_NONE)
			continue;
		t->nodes[0].weight += cell->weight;
		place = place_of(rows, row, &rows->profile->stacks->chains[cell->key.chain]);
		if (order == TREE_CALLEE)
			add_callers(t, rows, cell, place);
		else if (rows->config->children)
			add_callees(t, rows, row, cell);
		else
			add_inwards(t, rows, cell, place);
	}
	for (uint32_t i = 0; i < t->n; i++)
		sort_children(t, i);
}

void tree_free(struct tree *t)
{
	free(t->nodes);
	htab_free(&t->h);
	*t = (struct tree){ 0 };
}
