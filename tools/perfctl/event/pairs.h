/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctl record --latency: two events make pairs in a table of the kernel, and those that took
 * long are records of the second one.
 */
#ifndef PERFCTL_EVENT_PAIRS_H
#define PERFCTL_EVENT_PAIRS_H

#include "plan.h"

/**
 * struct pairs - a table with pairs of the first two events of a plan
 * @table: NULL: there is none
 * @least: ns that a pair with a record takes at least
 */
struct pairs {
	struct pev_table_reader *table;
	uint64_t least;
};

/* Where the events of a pair are in the plan */
enum { PAIR_BEGIN, PAIR_END, PAIR_EVENTS };

/*
 * Opens @table with its records in @channel; the plan's events, which are complete but for
 * their descriptors, count there from then on.
 */
int pairs_open(struct pairs *p, const struct pev_table *table, int channel, struct event_plan *plan,
	       struct msg *m);
/* Makes of what the events counted, read at their end, how many records there are. */
int pairs_values(struct pairs *p, struct pev_value *values);
/* Says what became of all pairs. */
void pairs_summary(const struct pairs *p, const struct event_plan *plan);
void pairs_close(struct pairs *p);

#endif
