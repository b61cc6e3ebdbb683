/* SPDX-License-Identifier: GPL-2.0 */
/* Matches events with counters; does not know when, or for which task. */
#ifndef _PEV_PMU_ASSIGN_H
#define _PEV_PMU_ASSIGN_H

#include <linux/pev_pmu.h>

/* Events that can be on the counters at once. */
#define PEV_PMU_MAX_EVENTS	PEV_PMU_MAX_COUNTERS

/**
 * struct pev_pmu_conflict - why events don't go together
 * @events:   the fewest that prove it, as mask of indices: take any one of them
 *            away and the rest of them go together. Two that disagree on a shared
 *            resource (@counters is 0 then), or events that need more counters
 *            than @counters has
 * @counters: all the counters that @events can use. 0 with one event: it can use
 *            none of those available
 */
struct pev_pmu_conflict {
	u64	events;
	u64	counters;
};

/**
 * pev_pmu_assign() - find a counter for each event
 * @codes:     the events
 * @counters:  in: the counter that each would like (it had it before), -1: any;
 *             out: what each has. Unchanged if it fails. One event after the
 *             other keeps what it likes, if the others can then still have a
 *             counter and those before it keep theirs
 * @nr:        number of events, up to PEV_PMU_MAX_EVENTS
 * @available: counters that may be used
 * @conflict:  filled if it fails: why; may be NULL
 *
 * Finds an assignment whenever there is one. Quick if each event can have what it
 * likes. What an event has no wish for it has in the best of its ways that is free,
 * which need not be the best for all.
 *
 * Context: any; bounded time and stack, no recursion.
 * Return: true if all events have a counter.
 */
bool pev_pmu_assign(const struct pev_pmu_code *const *codes, s8 *counters, unsigned int nr,
		    u64 available, struct pev_pmu_conflict *conflict);

/* All counters that can carry @code. */
u64 pev_pmu_code_counters(const struct pev_pmu_code *code);

/* The config with which @counter, one of those above, counts @code. */
u64 pev_pmu_code_config(const struct pev_pmu_code *code, unsigned int counter);

/* Do two events agree on shared resources? */
static inline bool pev_pmu_codes_agree(const struct pev_pmu_code *a,
				       const struct pev_pmu_code *b)
{
	return !((a->share_value ^ b->share_value) & a->share_mask & b->share_mask);
}

#endif
