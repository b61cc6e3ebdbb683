/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where counts by key come from: the kernel's tables (table.c), or, by perf_event_open(2),
 * counters of their own for all that can be named before (ids.c).
 */
#ifndef PERFCTL_BY_SOURCE_H
#define PERFCTL_BY_SOURCE_H

#include "rows.h"
#include "event/cgroups.h"
#include "event/set.h"

/**
 * struct by_counts - what came since the last call
 * @rows:   of all events
 * @other:  of each event, what found no row left
 * @total:  of each event, as its own counters have it
 * @share:  of each event, the part of the time in which it had a counter
 */
struct by_counts {
	struct by_rows rows;
	uint64_t *other;
	uint64_t *total;
	double *share;
};

/**
 * struct by_source - events that are open
 * @ops:     how they are read
 * @keys:    what they are split by
 * @room:    rows on each CPU
 * @target:  as asked for
 * @before:  of each event, as it was last read
 * @cgroups: that have names
 * @tables:  of each event, by the kernel's tables
 * @own:     what has counters of its own, else
 * @own_before: of each event and @own id, as it was last read
 * @own_comm: of each id of a task
 */
struct by_source {
	const struct by_source_ops *ops;
	const struct by_keys *keys;
	uint64_t room;
	const struct target *target;
	struct event_plan *plan;
	struct event_set set;
	struct pev_value *before;
	struct cgroup_names cgroups;
	struct pev_table_reader **tables;
	struct target own;
	uint64_t *own_before;
	char **own_comm;
};

/**
 * struct by_source_ops - a way to count by key
 * @check: can these be counted? Nothing is open yet
 * @open:  the events of the plan, with PEV_F_* @flags added
 * @fetch: adds to the rows, and to what is other
 * @close: what @open made, even if it failed
 */
struct by_source_ops {
	int (*check)(const struct by_source *s, struct msg *m);
	int (*open)(struct by_source *s, uint64_t flags, struct msg *m);
	int (*fetch)(struct by_source *s, struct by_counts *to, struct msg *m);
	void (*close)(struct by_source *s);
};

extern const struct by_source_ops by_tables, by_ids;

/* Chooses @ops by the engine and what its kernel has. */
int by_source_init(struct by_source *s, struct msg *m);
int by_source_open(struct by_source *s, uint64_t flags, struct msg *m);
/* Replaces what is in @to. */
int by_source_fetch(struct by_source *s, struct by_counts *to, struct msg *m);
void by_source_close(struct by_source *s);
void by_source_free(struct by_source *s);

void by_counts_init(struct by_counts *c, const struct by_keys *keys, size_t events);
void by_counts_free(struct by_counts *c);

/* The number of the name of a cgroup, or of the service that it is of */
uint64_t by_cgroup_name(struct by_source *s, struct by_rows *rows, enum by_kind kind, uint64_t id);

#endif
