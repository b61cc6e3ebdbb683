// SPDX-License-Identifier: GPL-2.0
/* Call chains as one tree, cut down to what a page can show. See html.h. */
#include "html.h"

#include <stdlib.h>

static uint32_t node_get(struct html_tree *t, uint32_t parent, uint32_t func)
{
	uint32_t hash = hash_2u64(parent, func), pos, ref;
	struct html_node *n;

	for (ref = htab_first(&t->h, hash, &pos); ref; ref = htab_next(&t->h, hash, &pos)) {
		n = &t->nodes[ref - 1];
		if (n->parent == parent && n->func == func)
			return ref - 1;
	}
	n = ARRAY_PUSH(t->nodes, t->n, t->cap);
	n->parent = parent;
	n->func = func;
	htab_add(&t->h, hash, (uint32_t)(t->n - 1));
	return (uint32_t)(t->n - 1);
}

static uint32_t leaf_of(struct html_tree *t, const struct profile *p, const struct cell_key *key,
			uint32_t *chain_leaf)
{
	const struct chain *c = &p->chains[key->chain];
	uint32_t at = 0;

	if (!c->n)
		return key->frame == FRAME_NONE ? 0 :
		       node_get(t, 0, profile_frame_func(p, key->frame));
	if (chain_leaf[key->chain])
		return chain_leaf[key->chain];
	for (uint32_t i = c->n; i-- > 0;)
		at = node_get(t, at, profile_frame_func(p, p->chain_frames[c->first + i]));
	chain_leaf[key->chain] = at;
	return at;
}

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* The share that a node must have to be among the @most heaviest. */
static double limit_for(const struct html_tree *t, size_t most)
{
	double *shares, limit;

	if (t->n <= most)
		return 0;
	shares = xmalloc(t->n * sizeof(*shares));
	for (size_t i = 0; i < t->n; i++)
		shares[i] = t->nodes[i].share;
	qsort(shares, t->n, sizeof(*shares), descending);
	limit = shares[most - 1];
	/* of the many that weigh the same either all stay or none */
	if (shares[most] == limit)
		limit *= 1 + 1e-9;
	free(shares);
	return limit;
}

void html_tree_make(struct html_tree *t, const struct profile *p, uint32_t n_events, size_t most)
{
	uint32_t *chain_leaf = xcalloc(p->n_chains, sizeof(*chain_leaf));
	uint64_t *weights = xcalloc(n_events, sizeof(*weights));
	double limit;

	*t = (struct html_tree){ 0 };
	ARRAY_PUSH(t->nodes, t->n, t->cap);
	t->leaf = xcalloc(p->n_cells, sizeof(*t->leaf));
	for (size_t i = 0; i < p->n_cells; i++)
		weights[p->cells[i].key.event] += p->cells[i].weight;
	for (size_t i = 0; i < p->n_cells; i++) {
		const struct cell *c = &p->cells[i];

		t->leaf[i] = leaf_of(t, p, &c->key, chain_leaf);
		t->nodes[t->leaf[i]].share += (double)c->weight / (double)weights[c->key.event];
	}
	for (size_t i = t->n - 1; i > 0; i--)
		t->nodes[t->nodes[i].parent].share += t->nodes[i].share;
	limit = limit_for(t, most);
	for (size_t i = 0; i < t->n; i++)
		t->nodes[i].shown = !i || t->nodes[i].share >= limit ? (uint32_t)t->n_shown++ :
								     UINT32_MAX;
	free(chain_leaf);
	free(weights);
}

uint32_t html_tree_shown(const struct html_tree *t, uint32_t node)
{
	while (t->nodes[node].shown == UINT32_MAX)
		node = t->nodes[node].parent;
	return t->nodes[node].shown;
}

void html_tree_free(struct html_tree *t)
{
	free(t->nodes);
	free(t->leaf);
	htab_free(&t->h);
	*t = (struct html_tree){ 0 };
}
