/* SPDX-License-Identifier: GPL-2.0 */
/* The heaviest call chains of a recording as one tree. */
#ifndef PERFCTL_HTML_TREE_H
#define PERFCTL_HTML_TREE_H

#include "profile/profile.h"

/**
 * struct html_node - a function in a call tree
 * @func:  HTML_REST: all below @parent that is too light to be shown
 * @share: of the samples, added up over the events
 */
struct html_node {
	uint32_t parent;
	uint32_t func;
	double share;
};

#define HTML_REST UINT32_MAX

/**
 * struct html_tree - call chains put together from their outermost caller
 * @nodes:  number 0 is the root; parents stand before their children
 * @leaf:   for each cell of the profile the node that it ends in
 * @rest:   share of the samples that end in nodes that stand for others
 * @events: number of those that have samples: what all shares make together
 */
struct html_tree {
	struct html_node *nodes;
	size_t n, cap;
	uint32_t *leaf;
	double rest;
	uint32_t events;
};

/* Makes the @most heaviest nodes, and nodes that stand for the rest. */
void html_tree_make(struct html_tree *t, const struct profile *p, uint32_t n_events, size_t most);
void html_tree_free(struct html_tree *t);

#endif
