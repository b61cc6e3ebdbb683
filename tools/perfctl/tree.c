// SPDX-License-Identifier: GPL-2.0
/* Call trees below the rows of a report. See rows.h. */
#include "rows.h"

#include <stdlib.h>

static uint32_t node_get(struct tree *t, uint32_t parent, uint32_t func)
{
	uint32_t hash = hash_2u64(parent, func), pos, ref;
	struct tree_node *n;

	for (ref = htab_first(&t->h, hash, &pos); ref; ref = htab_next(&t->h, hash, &pos)) {
		n = &t->nodes[ref - 1];
		if (n->parent == parent && n->func == func)
			return ref - 1;
	}
	n = ARRAY_PUSH(t->nodes, t->n, t->cap);
	n->func = func;
	n->parent = parent;
	n->next = t->nodes[parent].child;
	t->nodes[parent].child = (uint32_t)(t->n - 1);
	htab_add(&t->h, hash, (uint32_t)(t->n - 1));
	return (uint32_t)(t->n - 1);
}

static uint32_t func_at(const struct profile *p, const struct chain *c, uint32_t i)
{
	return profile_frame_func(p, p->chain_frames[c->first + i]);
}

/* From the function outwards to who called it. */
static void add_callers(struct tree *t, const struct rows *rows, const struct cell *cell,
			uint32_t start)
{
	const struct profile *p = rows->profile;
	const struct chain *c = &p->chains[cell->key.chain];
	bool by_symbol = rows->config->sort.mask & (1u << SORT_SYMBOL);
	uint32_t at = 0;

	/* a row that is no function: the functions in it are the first level */
	for (uint32_t i = by_symbol ? start + 1 : start; i < c->n; i++) {
		at = node_get(t, at, func_at(p, c, i));
		t->nodes[at].weight += cell->weight;
	}
	t->nodes[at].self += cell->weight;
}

/* From the outermost caller inwards to the row's function. */
static void add_inwards(struct tree *t, const struct rows *rows, const struct cell *cell,
			uint32_t start)
{
	const struct profile *p = rows->profile;
	const struct chain *c = &p->chains[cell->key.chain];
	uint32_t at = 0;

	for (uint32_t i = c->n; i-- > start;) {
		at = node_get(t, at, func_at(p, c, i));
		t->nodes[at].weight += cell->weight;
	}
	t->nodes[at].self += cell->weight;
}

/* Where the row's function is in a chain, outermost; the innermost frame without --children. */
static uint32_t place_of(const struct rows *rows, const struct row *row, const struct chain *c)
{
	const struct profile *p = rows->profile;
	unsigned int mask = rows->config->sort.mask;

	if (!rows->config->children || !(mask & (1u << SORT_SYMBOL | 1u << SORT_DSO)))
		return 0;
	for (uint32_t i = c->n; i-- > 0;) {
		uint32_t func = func_at(p, c, i);

		if ((!(mask & (1u << SORT_SYMBOL)) || func == row->key.func) &&
		    (!(mask & (1u << SORT_DSO)) || p->funcs[func].object == row->key.object))
			return i;
	}
	return 0;
}

/* From the outermost occurrence of the row's function inwards to what it called. */
static void add_callees(struct tree *t, const struct rows *rows, const struct row *row,
			const struct cell *cell)
{
	const struct profile *p = rows->profile;
	const struct chain *c = &p->chains[cell->key.chain];
	bool by_symbol = rows->config->sort.mask & (1u << SORT_SYMBOL);
	bool by_object = rows->config->sort.mask & (1u << SORT_DSO);
	uint32_t at = 0, i;

	for (i = c->n; i > 0; i--) {
		uint32_t func = func_at(p, c, i - 1);

		if ((!by_symbol || func == row->key.func) &&
		    (!by_object || p->funcs[func].object == row->key.object))
			break;
	}
	if (!by_symbol)
		i++; /* a row that is no function: its functions are the first level */
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
		place = place_of(rows, row, &rows->profile->chains[cell->key.chain]);
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
