/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pairs of events in a table: how one begins and ends, and the records of those that took
 * long.
 */
#ifndef _PEV_PAIR_H
#define _PEV_PAIR_H

#include "table/table.h"
#include "types.h"

struct pev_key;
struct pev_key_at;
struct pev_sample_in;

/* Words of PEV_SAMPLE_PAIR at most: the latency, and what is kept of the begin. */
#define PEV_PAIR_SAMPLE	(1 + PEV_PAIR_KEPT)

/* Does it write records of pairs? */
static inline bool pev_pair_records(const struct pev_event *event,
				    const struct pev_table_set *table)
{
	return pev_table_has_records(table) && !(event->flags & PEV_F_BEGIN);
}

/* Words of PEV_SAMPLE_PAIR. */
static inline u32 pev_pair_words(const struct pev_table_set *table)
{
	return 1 + table->pairs.kept;
}

struct pev_event_cpu __percpu *pev_pair_slots(struct pev_event *event);
int pev_pair_describe(struct pev_event *event, const struct pev_key *key,
		      const struct pev_table_set *table, struct pev_refuse *r);
enum pev_pair_begun pev_pair_begin(struct pev_event *event, struct pev_table_set *table,
				   const struct pev_key *key, const struct pev_key_at *at);
bool pev_pair_end(struct pev_event *event, struct pev_table_set *table,
		  const struct pev_key *key, const struct pev_key_at *at, u64 *words);
bool pev_pair_write(struct pev_event *event, struct pev_event_cpu *to, const void *payload,
		    u32 bytes, const struct pev_sample_in *in);

#endif
