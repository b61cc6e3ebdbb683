/* SPDX-License-Identifier: GPL-2.0 */
/* The heaviest call chains of a recording as one tree. */
#ifndef PERFCTL_PROFILE_HEAVY_TREE_H
#define PERFCTL_PROFILE_HEAVY_TREE_H

#include "profile.h"

/**
 * struct heavy_node - a function in a call tree
 * @func:  HEAVY_REST: all below @parent that is too light to be shown
 * @share: of the samples, added up over the events
 */
struct heavy_node {
	uint32_t parent;
	uint32_t func;
	double share;
};

#define HEAVY_REST UINT32_MAX

/**
 * struct heavy_tree - call chains put together from their outermost caller
 * @nodes:  number 0 is the root; parents stand before their children
 * @leaf:   for each cell of the profile the node that it ends in
 * @rest:   share of the samples that end in nodes that stand for others
 * @events: number of those that have samples: what all shares make together
 */
struct heavy_tree {
	struct heavy_node *nodes;
	size_t n, cap;
	uint32_t *leaf;
	double rest;
	uint32_t events;
};

/* Makes the @most heaviest nodes, and nodes that stand for the rest. */
void heavy_tree_make(struct heavy_tree *t, const struct profile *p, uint32_t n_events, size_t most);
void heavy_tree_free(struct heavy_tree *t);

#endif
