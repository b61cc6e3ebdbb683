// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains as one tree, no larger than what can be shown. See heavy_tree.h.
 *
 * A recording may have as many different places in chains as it has addresses, so
 * the whole tree is never built: starting at the root, the heaviest node found so
 * far is made, and its samples lead to the nodes below it. Since no node is heavier
 * than its caller, the nodes that were made are the heaviest ones of the tree.
 */
#include "heavy_tree.h"

#include <stdlib.h>

#define FUNC_END UINT32_MAX /* behind the innermost function of a chain */
#define FOLDED (1u << 31) /* of a leaf: it is below the node */
#define SAME(a, b) ((a) <= (b) * (1 + 1e-9)) /* of two shares, @a not the smaller one */

/**
 * struct found - a node that could be made
 * @begin: its ways, in maker.ways
 * @end:   behind the last of them
 * @depth: of what is below it
 */
struct found {
	double share;
	uint32_t parent;
	uint32_t func;
	uint32_t begin;
	uint32_t end;
	uint32_t depth;
};

/**
 * struct maker - a tree that is being made
 *
 * Samples with the same way from the root have a number: that of their chain or,
 * behind all chains, of their frame.
 *
 * @shares: of the samples of a way
 * @leaf:   the node in which it ends
 * @ways:   those that have samples, side by side if they are below the same
 *          node; in the upper half what the last sorting was by
 * @heap:   the heaviest is the first
 */
struct maker {
	const struct profile *p;
	struct heavy_tree *t;
	double *shares;
	uint32_t *leaf;
	uint64_t *ways;
	uint32_t n_ways;
	struct found *heap;
	size_t n, cap;
};

static bool heavier(const struct found *a, const struct found *b)
{
	if (a->share != b->share)
		return a->share > b->share;
	return a->parent != b->parent ? a->parent < b->parent : a->func < b->func;
}

static void push(struct maker *m, const struct found *f)
{
	size_t at = m->n;

	ARRAY_PUSH(m->heap, m->n, m->cap);
	for (; at && heavier(f, &m->heap[(at - 1) / 2]); at = (at - 1) / 2)
		m->heap[at] = m->heap[(at - 1) / 2];
	m->heap[at] = *f;
}

static struct found pop(struct maker *m)
{
	struct found first = m->heap[0], last = m->heap[--m->n];
	size_t at = 0, kid;

	for (; (kid = 2 * at + 1) < m->n; at = kid) {
		if (kid + 1 < m->n && heavier(&m->heap[kid + 1], &m->heap[kid]))
			kid++;
		if (!heavier(&m->heap[kid], &last))
			break;
		m->heap[at] = m->heap[kid];
	}
	m->heap[at] = last;
	return first;
}

static uint32_t way_of(const struct profile *p, const struct cell_key *key)
{
	return key->chain == CHAIN_NONE ? (uint32_t)p->stacks->n_chains + key->frame : key->chain;
}

/* Returns the function @depth steps inwards from the outermost caller. */
static uint32_t func_at(const struct profile *p, uint32_t way, uint32_t depth)
{
	const struct chain *c;

	if (way >= p->stacks->n_chains) {
		way -= (uint32_t)p->stacks->n_chains;
		return depth || way == FRAME_NONE ? FUNC_END : stacks_frame_func(p->stacks, way);
	}
	c = &p->stacks->chains[way];
	if (depth >= c->n)
		return FUNC_END;
	return stacks_frame_func(p->stacks, p->stacks->chain_frames[c->first + c->n - 1 - depth]);
}

static int ascending(const void *va, const void *vb)
{
	uint64_t a = *(const uint64_t *)va, b = *(const uint64_t *)vb;

	return a < b ? -1 : a > b;
}

/* Puts the ways through one function side by side. */
static void sort_by_func(struct maker *m, const struct found *of)
{
	bool sorted = true;

	for (uint32_t i = of->begin; i < of->end; i++) {
		uint32_t way = (uint32_t)m->ways[i];

		m->ways[i] = hash_pair(func_at(m->p, way, of->depth), way);
		sorted &= i == of->begin || m->ways[i - 1] < m->ways[i];
	}
	if (!sorted)
		qsort(m->ways + of->begin, of->end - of->begin, sizeof(*m->ways), ascending);
}

/* Finds the nodes below one that was made. */
static void look_below(struct maker *m, const struct found *of, uint32_t node)
{
	struct found f = { .parent = node, .depth = of->depth + 1 };

	sort_by_func(m, of);
	for (f.end = of->begin; f.end < of->end;) {
		f.begin = f.end;
		f.func = (uint32_t)(m->ways[f.begin] >> 32);
		f.share = 0;
		for (; f.end < of->end && m->ways[f.end] >> 32 == f.func; f.end++) {
			uint32_t way = (uint32_t)m->ways[f.end];

			f.share += m->shares[way];
			m->leaf[way] = node;
		}
		if (f.func != FUNC_END)
			push(m, &f);
	}
}

/* Adds a node for the folded ways below each node in which such ways end. */
static void make_rests(struct maker *m, size_t kept)
{
	uint32_t *rest = xcalloc(kept, sizeof(*rest));
	struct heavy_tree *t = m->t;

	t->n = kept;
	for (uint32_t i = 0; i < m->n_ways; i++) {
		uint32_t way = (uint32_t)m->ways[i], node = m->leaf[way] & ~FOLDED;

		if (node == m->leaf[way])
			continue;
		if (!rest[node]) {
			rest[node] = (uint32_t)t->n;
			*ARRAY_PUSH(t->nodes, t->n,
				    t->cap) = (struct heavy_node){ .parent = node,
								   .func = HEAVY_REST };
		}
		m->leaf[way] = rest[node];
		t->rest += m->shares[way];
	}
	free(rest);
}

/* Folds nodes that were not made; nodes of equal weight are kept or folded together. */
static void fold(struct maker *m)
{
	struct heavy_tree *t = m->t;
	double least = t->nodes[t->n - 1].share;
	size_t kept = t->n;

	if (SAME(least, m->heap[0].share))
		while (kept > 1 && SAME(t->nodes[kept - 1].share, least))
			kept--;
	for (size_t i = 0; i < m->n; i++)
		for (uint32_t k = m->heap[i].begin; k < m->heap[i].end; k++)
			m->leaf[(uint32_t)m->ways[k]] |= FOLDED;
	for (uint32_t i = 0; i < m->n_ways; i++) {
		uint32_t *leaf = &m->leaf[(uint32_t)m->ways[i]], node = *leaf & ~FOLDED;

		if (node < kept)
			continue;
		while (node >= kept)
			node = t->nodes[node].parent;
		*leaf = node | FOLDED;
	}
	make_rests(m, kept);
}

static void add_shares(struct maker *m, uint32_t n_events)
{
	uint64_t *weights = xcalloc(n_events, sizeof(*weights));
	const struct profile *p = m->p;

	for (size_t i = 0; i < p->n_cells; i++)
		weights[p->cells[i].key.event] += p->cells[i].weight;
	for (size_t i = 0; i < p->n_cells; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t way = way_of(p, &c->key);

		if (!c->weight)
			continue;
		if (!m->shares[way])
			m->ways[m->n_ways++] = way;
		m->shares[way] += (double)c->weight / (double)weights[c->key.event];
	}
	for (uint32_t i = 0; i < n_events; i++)
		m->t->events += !!weights[i];
	free(weights);
}

static void make_heaviest(struct maker *m, size_t most)
{
	struct found f = { .end = m->n_ways };
	struct heavy_tree *t = m->t;

	ARRAY_PUSH(t->nodes, t->n, t->cap);
	look_below(m, &f, 0);
	while (m->n && t->n < most) {
		f = pop(m);
		*ARRAY_PUSH(t->nodes, t->n, t->cap) = (struct heavy_node){ .parent = f.parent,
									   .func = f.func,
									   .share = f.share };
		look_below(m, &f, (uint32_t)t->n - 1);
	}
	if (m->n)
		fold(m);
}

void heavy_tree_make(struct heavy_tree *t, const struct profile *p, uint32_t n_events, size_t most)
{
	size_t n = p->stacks->n_chains + p->stacks->n_frames;
	struct maker m = { .p = p, .t = t };

	*t = (struct heavy_tree){ 0 };
	m.shares = xcalloc(n, sizeof(*m.shares));
	m.leaf = xcalloc(n, sizeof(*m.leaf));
	m.ways = xcalloc(n, sizeof(*m.ways));
	add_shares(&m, n_events);
	make_heaviest(&m, most);
	t->leaf = xcalloc(p->n_cells, sizeof(*t->leaf));
	for (size_t i = 0; i < p->n_cells; i++)
		t->leaf[i] = m.leaf[way_of(p, &p->cells[i].key)];
	free(m.shares);
	free(m.leaf);
	free(m.ways);
	free(m.heap);
}

void heavy_tree_free(struct heavy_tree *t)
{
	free(t->nodes);
	free(t->leaf);
	*t = (struct heavy_tree){ 0 };
}
