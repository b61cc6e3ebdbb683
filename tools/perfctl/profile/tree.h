/* SPDX-License-Identifier: GPL-2.0 */
/* Call trees below the rows of a table. */
#ifndef PERFCTL_PROFILE_TREE_H
#define PERFCTL_PROFILE_TREE_H

#include "rows.h"

/**
 * struct tree_node - a function in a call tree
 * @weight: of the chains through it
 * @self:   of those that end here
 * @child:  first child, 0: none; heaviest first after tree_make()
 * @next:   sibling, 0: none
 */
struct tree_node {
	uint32_t func;
	uint32_t parent;
	uint32_t child;
	uint32_t next;
	uint64_t weight;
	uint64_t self;
};

/**
 * struct tree - nodes; number 0 is the root, which is the row itself
 */
struct tree {
	struct tree_node *nodes;
	size_t n, cap;
	struct htab h;
};

/* Makes the tree that rows->config asks for: the function's callers, or its callees. */
void tree_make(struct tree *t, const struct rows *rows, const struct row *row);
void tree_free(struct tree *t);

#endif
