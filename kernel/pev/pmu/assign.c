// SPDX-License-Identifier: GPL-2.0
/*
 * The matching of events and counters, see pmu/assign.h.
 *
 * Most calls come from task switches and ask for what was there before: that is
 * all_as_liked(), one look at each event. What is beyond works with a bit a
 * counter: an event's counters are a word, and a search for one that can be
 * given up takes a step for each counter in use.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/string.h>
#include "assign.h"

/**
 * struct matching - who has what
 * @can:   of each event: its counters among those available
 * @used:  counters that are taken
 * @at:    of each event: its counter, -1: none
 * @owner: of each counter in @used: the event
 * @via:   of each counter that a search came to: the event that wants it
 */
struct matching {
	u64	can[PEV_PMU_MAX_EVENTS];
	u64	used;
	s8	at[PEV_PMU_MAX_EVENTS];
	u8	owner[PEV_PMU_MAX_COUNTERS];
	u8	via[PEV_PMU_MAX_COUNTERS];
};

u64 pev_pmu_code_counters(const struct pev_pmu_code *code)
{
	u64 counters = 0;
	unsigned int i;

	for (i = 0; i < PEV_PMU_MAX_ALTS && code->alt[i].counters; i++)
		counters |= code->alt[i].counters;
	return counters;
}

u64 pev_pmu_code_config(const struct pev_pmu_code *code, unsigned int counter)
{
	unsigned int i;

	for (i = 0; i < PEV_PMU_MAX_ALTS && code->alt[i].counters; i++)
		if (code->alt[i].counters >> counter & 1)
			return code->alt[i].config;
	return 0;
}

/* Return: the bit of the counter that the event had before; 0: none. */
static u64 liking(s8 counter)
{
	return (u8)counter < PEV_PMU_MAX_COUNTERS ? 1ULL << counter : 0;
}

/* Return: a free counter for @code, in the best way that is left; -1: none. */
static int best_free(const struct pev_pmu_code *code, u64 free)
{
	unsigned int i;

	for (i = 0; i < PEV_PMU_MAX_ALTS && code->alt[i].counters; i++)
		if (code->alt[i].counters & free)
			return __ffs64(code->alt[i].counters & free);
	return -1;
}

static void put(struct matching *m, unsigned int event, unsigned int counter)
{
	m->used |= 1ULL << counter;
	m->at[event] = counter;
	m->owner[counter] = event;
}

/**
 * make_room() - move events so that one more has a counter
 * @m:     the matching; unchanged if that can't be
 * @event: the one that has none
 * @allow: counters that may change hands
 * @seen:  at failure: all the counters that the search came to. They are taken;
 *         @event and their owners can use no others: one counter too few. Without
 *         any one of these events there would be enough
 *
 * Goes from the event to the counters that it can use, from these to the events
 * that have them, to the counters that those can use, and so on. Breadth first:
 * the way to a free counter is the shortest, and the fewest events move.
 */
static bool make_room(struct matching *m, unsigned int event, u64 allow, u64 *seen)
{
	u64 todo = 0, found, bits;
	unsigned int e = event;
	int counter, before;

	for (*seen = 0;;) {
		found = m->can[e] & allow & ~*seen;
		*seen |= found;
		for (bits = found; bits; bits &= bits - 1)
			m->via[__ffs64(bits)] = e;
		if (found & ~m->used)
			break;
		todo |= found;
		if (!todo)
			return false;
		e = m->owner[__ffs64(todo)];
		todo &= todo - 1;
	}
	for (counter = __ffs64(found & ~m->used); counter >= 0; counter = before) {
		e = m->via[counter];
		before = m->at[e];
		put(m, e, counter);
	}
	return true;
}

/*
 * Events have moved that need not have: one after the other goes back to the
 * counter it likes, as far as all others still have one and those before it stay.
 */
static void go_back(struct matching *m, const s8 *likes, unsigned int nr, u64 available)
{
	u64 allow = available, want, seen;
	unsigned int i, other;
	int had;

	for (i = 0; i < nr; i++) {
		want = liking(likes[i]) & m->can[i] & allow;
		if (!want)
			continue;
		had = m->at[i];
		if (had != likes[i]) {
			other = m->owner[likes[i]];
			m->used ^= 1ULL << had;
			if (m->used & want) {
				m->at[other] = -1;
				if (!make_room(m, other, allow & ~want, &seen)) {
					put(m, other, likes[i]);
					put(m, i, had);
					continue;
				}
			}
			put(m, i, likes[i]);
		}
		allow ^= want;
	}
}

/* Find two events that need different values in a resource that they share. */
static bool disagree(const struct pev_pmu_code *const *codes, unsigned int nr, u64 *events)
{
	unsigned int i, j;

	for (i = 1; i < nr; i++) {
		for (j = 0; j < i; j++) {
			if (!pev_pmu_codes_agree(codes[i], codes[j])) {
				*events = 1ULL << i | 1ULL << j;
				return true;
			}
		}
	}
	return false;
}

/* Kept out of the caller, whose fast path then needs no stack. */
static noinline bool search(const struct pev_pmu_code *const *codes, s8 *counters,
			    unsigned int nr, u64 available, struct pev_pmu_conflict *conflict)
{
	struct pev_pmu_conflict ignored, *c = conflict ?: &ignored;
	struct matching m;
	bool moved = false;
	unsigned int i;
	int counter;
	u64 want;

	c->counters = 0;
	if (disagree(codes, nr, &c->events))
		return false;
	m.used = 0;
	for (i = 0; i < nr; i++) {
		m.can[i] = pev_pmu_code_counters(codes[i]) & available;
		m.at[i] = -1;
		want = liking(counters[i]) & m.can[i] & ~m.used;
		if (want)
			put(&m, i, counters[i]);
	}
	for (i = 0; i < nr; i++) {
		if (m.at[i] >= 0)
			continue;
		counter = best_free(codes[i], available & ~m.used);
		if (counter >= 0) {
			put(&m, i, counter);
			continue;
		}
		if (!make_room(&m, i, available, &c->counters)) {
			c->events = 1ULL << i;
			for (want = c->counters; want; want &= want - 1)
				c->events |= 1ULL << m.owner[__ffs64(want)];
			return false;
		}
		moved = true;
	}
	if (moved)
		go_back(&m, counters, nr, available);
	memcpy(counters, m.at, nr);
	return true;
}

/* Can each event have its previous counter again, and do all agree on shared resources? */
static __always_inline bool all_as_liked(const struct pev_pmu_code *const *codes,
					 const s8 *counters, unsigned int nr, u64 free)
{
	const struct pev_pmu_code *code;
	u64 mask = 0, value = 0, want;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		code = codes[i];
		want = liking(counters[i]) & free;
		if (!(code->alt[0].counters & want) && best_free(code, want) < 0)
			return false;
		free ^= want;
		if (!code->share_mask)
			continue;
		if ((code->share_value ^ value) & code->share_mask & mask)
			return false;
		value |= code->share_value & code->share_mask;
		mask |= code->share_mask;
	}
	return true;
}

bool pev_pmu_assign(const struct pev_pmu_code *const *codes, s8 *counters, unsigned int nr,
		    u64 available, struct pev_pmu_conflict *conflict)
{
	if (likely(all_as_liked(codes, counters, nr, available)))
		return true;
	return search(codes, counters, nr, available, conflict);
}
