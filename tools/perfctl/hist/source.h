/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where rows come from: a table that the kernel keeps (tables.c), or, by perf_event_open(2), the
 * records of all occurrences, which are added up as they come (records.c).
 */
#ifndef PERFCTL_HIST_SOURCE_H
#define PERFCTL_HIST_SOURCE_H

#include "own_table.h"
#include "rows.h"
#include "event/set.h"
#include "live/sampler.h"

struct hist_source_ops;
struct record_shape;

/**
 * struct hist_source - events that are open
 * @table:   what is asked for
 * @plan:    the events
 * @later:   hist_source_ops.start() switches them on, not the command's exec
 * @set:     by tables: the events ...
 * @reader:  ... their table ...
 * @event_of: ... and the number of the event by its id there
 * @sampler: by records: the events, and what runs
 * @own:     what was added up
 * @shapes:  where records of a class have what is asked for, by its number
 * @off:     no more come
 * @lost:    of all events, when rows were fetched last
 */
struct hist_source {
	const struct hist_source_ops *ops;
	const struct pev_table *table;
	struct event_plan *plan;
	const struct target *target;
	bool later;

	struct event_set set;
	struct pev_table_reader *reader;
	uint32_t *event_of;
	size_t n_ids;

	struct sampler sampler;
	struct own_table own;
	struct record_shape *shapes;
	size_t n_shapes;
	bool off;
	uint64_t lost;
};

/**
 * struct hist_source_ops - a way to get rows
 * @check: can this be counted so? Nothing is open yet
 * @open:  the events, which wait for @start or the command's exec
 * @on:    switches them on or off
 * @fetch: adds what came since the last call to rows, and says what became of all
 * @fd:    to wait for before @take; NULL: there is nothing to take meanwhile
 * @take:  what has come
 * @close: what @open made, even if it failed
 */
struct hist_source_ops {
	int (*check)(const struct hist_source *s, struct msg *m);
	int (*open)(struct hist_source *s, struct msg *m);
	int (*on)(struct hist_source *s, bool on, struct msg *m);
	int (*fetch)(struct hist_source *s, struct hist_rows *rows, struct pev_table_sums *sums,
		     struct msg *m);
	int (*fd)(const struct hist_source *s);
	int (*take)(struct hist_source *s, struct msg *m);
	void (*close)(struct hist_source *s);
};

extern const struct hist_source_ops hist_tables, hist_records;

/* Chooses @ops by the engine and what its kernel has. */
int hist_source_init(struct hist_source *s, struct msg *m);

#endif
