/* SPDX-License-Identifier: GPL-2.0 */
/* The samples of an event, added up along their call chains. */
#ifndef PERFCTL_VIEWS_FLAME_H
#define PERFCTL_VIEWS_FLAME_H

#include "profile/heavy_tree.h"

#include <stdio.h>

/**
 * struct flame_node - what belongs to a node of the tree
 * @child:  the heaviest node below it; 0: none
 * @next:   the next lighter one beside it; 0: none
 * @weight: of it and all below it
 * @self:   of the samples that end in it
 */
struct flame_node {
	uint32_t child;
	uint32_t next;
	uint64_t weight;
	uint64_t self;
};

/**
 * struct flame - a tree with the weights of one event
 * @nodes:   by the tree's numbers; 0 is the root
 * @total:   weight of the root; 0: no sample matches
 * @samples: that were added up
 */
struct flame {
	const struct profile *profile;
	uint32_t event;
	struct heavy_tree tree;
	struct flame_node *nodes;
	uint64_t total;
	uint64_t samples;
};

/* Adds up the samples of an event; @comm: only of these programs (globs), NULL: of all. */
void flame_make(struct flame *f, const struct profile *p, uint32_t event, const char *comm);
void flame_free(struct flame *f);

/* The function of a node; "all" for the root. */
void flame_name(const struct flame *f, uint32_t node, struct strbuf *b);

/* Writes chains as text, one a line. */
void flame_folded(const struct flame *f, FILE *out);
/* Writes the tree as one object: a list of its nodes, callers first. */
void flame_json(const struct flame *f, FILE *out);

#endif
