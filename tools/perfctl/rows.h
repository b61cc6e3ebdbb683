/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctl report: from the cells of a profile to the rows of a table and the
 * call trees below them. Prints nothing.
 */
#ifndef PERFCTL_ROWS_H
#define PERFCTL_ROWS_H

#include "profile.h"

/**
 * enum sort_key - a column to tell rows apart by
 */
enum sort_key {
	SORT_COMM,
	SORT_DSO,
	SORT_SYMBOL,
	SORT_PID,
	SORT_TID,
	SORT_CPU,
	SORT_EVENT,
	SORT_MAX,
};

/**
 * struct sort_list - columns in the order of --sort
 * @mask: bit n: enum sort_key n is among them
 */
struct sort_list {
	enum sort_key keys[SORT_MAX];
	unsigned int n;
	unsigned int mask;
};

int sort_parse(struct sort_list *s, const char *text, struct msg *m);
const char *sort_name(enum sort_key key);

struct row_key {
	uint32_t event;
	uint32_t comm;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint32_t object;
	uint32_t func;
};

/**
 * struct row - a line of the table
 * @key:     what it is; members that are not sorted by are 0
 * @self:    weight of samples in it
 * @total:   weight of samples in it or in what it called; @self without call chains
 * @samples: number of samples in it
 * @first_cell: its cells: a chain through rows.next, UINT32_MAX ends it
 */
struct row {
	struct row_key key;
	uint64_t self;
	uint64_t total;
	uint64_t samples;
	uint32_t first_cell;
};

/**
 * struct rows_config - what is asked for
 * @children: a row's total has what it called, and rows are made for all
 *            functions of a chain
 * @comm, dso, symbol: comma-separated globs, NULL: all
 */
struct rows_config {
	struct sort_list sort;
	bool children;
	const char *comm;
	const char *dso;
	const char *symbol;
};

/**
 * struct rows - the table of one event
 * @r:       sorted by weight
 * @weight:  of all samples, filtered or not: what shares are shares of
 * @samples: number of all samples
 * @hidden:  weight of what the filters left out
 * @next:    for each link: the next cell of the same row
 * @cell:    for each link: the cell's number
 */
struct rows {
	struct profile *profile;
	const struct rows_config *config;
	struct row *r;
	size_t n, cap;
	struct htab h;
	uint64_t weight;
	uint64_t samples;
	uint64_t hidden;
	struct {
		uint32_t cell;
		uint32_t next;
	} *links;
	size_t n_links, cap_links;
};

#define ROW_END UINT32_MAX

/* @event: number, or UINT32_MAX for all. The profile is resolved. */
void rows_make(struct rows *rows, struct profile *p, const struct rows_config *config,
	       uint32_t event);
void rows_free(struct rows *rows);

/* "main,lib*" */
bool globs_match(const char *globs, const char *s);

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

/* Callers of the row's function, or what it called if rows->config->children. */
void tree_make(struct tree *t, const struct rows *rows, const struct row *row);
void tree_free(struct tree *t);

#endif
