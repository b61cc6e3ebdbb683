/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctl report: from the cells of a profile to the rows of a table and the
 * call trees below them. Prints nothing.
 */
#ifndef PERFCTL_PROFILE_ROWS_H
#define PERFCTL_PROFILE_ROWS_H

#include "profile.h"
#include "cli/suggest.h"

/**
 * enum sort_key - a column that distinguishes rows
 */
enum sort_key {
	SORT_COMM,
	SORT_DSO,
	SORT_SYMBOL,
	SORT_PID,
	SORT_TID,
	SORT_CPU,
	SORT_EVENT,
	SORT_SRCLINE,
	SORT_PARENT,
	SORT_TIME,
	SORT_GUEST,
	SORT_REQUEST,
	SORT_NODE,
	SORT_SOCKET,
	SORT_CORE,
	SORT_VCPU,
	SORT_EXIT,
	SORT_FIELD, /* and FIELDS_MAX - 1 more */
	SORT_MAX = SORT_FIELD + FIELDS_MAX,
};

/* Those that take the machine's topology */
#define SORT_PLACES (1u << SORT_NODE | 1u << SORT_SOCKET | 1u << SORT_CORE)

/**
 * struct sort_list - columns in the order of --sort
 * @mask:     bit n: enum sort_key n is among them
 * @fields:   names of fields of events, for SORT_FIELD and the following
 * @n_fields: their number
 */
struct sort_list {
	enum sort_key keys[SORT_MAX];
	unsigned int n;
	unsigned int mask;
	char *fields[FIELDS_MAX];
	unsigned int n_fields;
};

struct suggestion;
/* Returns whether a field has that name; if not, suggests and names the fields that exist. */
typedef bool (*sort_field_fn)(void *arg, const char *name, struct suggestion *near,
			      struct strbuf *all);

/* @is_field: NULL: no fields */
int sort_parse(struct sort_list *s, const char *text, sort_field_fn is_field, void *arg,
	       struct msg *m);
void sort_free(struct sort_list *s);
/* Returns the name as it is typed. */
const char *sort_name(const struct sort_list *s, enum sort_key key);
/* Numbers are aligned to the right. */
bool sort_is_number(enum sort_key key);

struct row_key {
	uint32_t event;
	uint32_t comm;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint32_t object;
	uint32_t func;
	uint32_t line;
	uint32_t parent; /* function + 1, 0: none */
	uint32_t time;
	uint32_t guest;
	uint32_t request;
	uint32_t node;
	uint32_t socket;
	uint32_t core;
	uint32_t vcpu;
	uint32_t exit;
	uint32_t value[FIELDS_MAX];
};

/**
 * struct row - a line of the table
 * @key:     what it is; members that are not sorted by are 0
 * @self:    weight of samples in it
 * @total:   weight of samples in it or in what it called; @self without call chains
 * @samples: number of samples in it
 * @slot:    place in rows.groups, if events stand side by side
 * @first_cell: its cells: a chain through rows.next, UINT32_MAX ends it
 */
struct row {
	struct row_key key;
	uint64_t self;
	uint64_t total;
	uint64_t samples;
	uint32_t slot;
	uint32_t first_cell;
};

/**
 * enum tree_order - what stands below a row
 * @TREE_AUTO:   callers; callees if functions have what they called
 * @TREE_CALLER: from the outermost caller inwards
 * @TREE_CALLEE: from the function outwards to its callers
 */
enum tree_order {
	TREE_AUTO,
	TREE_CALLER,
	TREE_CALLEE,
};

/**
 * struct rows_config - what is asked for
 * @children: a row's total has what it called, and rows are made for all
 *            functions of a chain
 * @order:    of call trees
 * @group:    events stand side by side: struct rows has all of them
 * @parent:   globs: the caller to look for, NULL: the nearest
 * @quantum:  for SORT_TIME, ns
 * @comm, dso, symbol: comma-separated globs, NULL: all
 * @pids, tids, cpus: the same, of numbers; need SORT_PID and so on in the cells
 * @full_names: functions of C++ have parameters and arguments of templates
 * @by_tid:   only thread @tid; needs SORT_TID in the cells
 * @by_comm:  only program number @comm_id; needs SORT_COMM in the cells
 * @through:  only chains that have this function: number + 1, 0: all
 */
struct rows_config {
	struct sort_list sort;
	bool children;
	enum tree_order order;
	bool group;
	const char *parent;
	uint64_t quantum;
	const char *comm;
	const char *dso;
	const char *symbol;
	const char *pids;
	const char *tids;
	const char *cpus;
	bool full_names;
	bool by_tid;
	uint32_t tid;
	bool by_comm;
	uint32_t comm_id;
	uint32_t through;
};

static inline bool tree_inwards(const struct rows_config *c)
{
	return c->order == TREE_CALLER || (c->order == TREE_AUTO && c->children);
}

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
	uint32_t n_group;
	uint64_t *group;
	uint64_t *groups;
	size_t n_groups, cap_groups;
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
/* @n_events: with config->group: the numbers of events lie below */
void rows_make_group(struct rows *rows, struct profile *p, const struct rows_config *config,
		     uint32_t n_events);
void rows_free(struct rows *rows);

/* Appends a function's name as the configuration wants it, escaped. */
void rows_func_name(const struct rows *rows, uint32_t func, struct strbuf *b);

/* "17,42"; NULL: all */
bool numbers_match(const char *globs, uint64_t n);

#endif
