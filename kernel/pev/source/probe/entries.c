// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the calls of functions in files that are under way. Must not know probes.
 *
 * Some calls never return: longjmp() leaves them, or their thread ends. The table has a fixed
 * size therefore, in which their entries are replaced, and nothing has to find them. An older
 * entry is replaced before a younger one of its set: the entry of a call that returns, the
 * youngest of its key, is not there after those that are left over with the same key.
 */
#include <linux/hash.h>
#include <linux/pev_clock.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "types.h"
#include "entries.h"

#define SET_BITS	10
#define SLOTS		8	/* of a set */

/**
 * struct entry - a call
 * @begin:   when; 0: the slot is free
 * @started: when the thread was: its number may be another's later
 * @stack:   see pev_entries_add()
 * @tid:     of the thread
 * @place:   of the function
 */
struct entry {
	u64		begin;
	u64		started;
	unsigned long	stack;
	pid_t		tid;
	u32		place;
};

/* What has the same hash. */
struct set {
	spinlock_t	lock;	/* protects @entries */
	struct entry	entries[SLOTS];
};

struct pev_entries {
	struct set	sets[1 << SET_BITS];
};

struct pev_entries *pev_entries_make(void)
{
	struct pev_entries *e = kvzalloc(sizeof(*e), GFP_KERNEL_ACCOUNT);

	for (u32 i = 0; e && i < ARRAY_SIZE(e->sets); i++)
		spin_lock_init(&e->sets[i].lock);
	return e;
}

void pev_entries_free(struct pev_entries *e)
{
	kvfree(e);
}

static struct set *set_of(struct pev_entries *e, u32 place, unsigned long stack)
{
	u64 key = (u64)stack ^ ((u64)place << 48) ^ ((u64)current->pid << 24);

	return &e->sets[hash_64(key, SET_BITS)];
}

static bool matches(const struct entry *entry, u32 place, unsigned long stack)
{
	return entry->begin && entry->stack == stack && entry->place == place &&
	       entry->tid == current->pid && entry->started == current->start_boottime;
}

void pev_entries_add(struct pev_entries *e, u32 place, unsigned long stack)
{
	struct set *set = set_of(e, place, stack);
	struct entry *to = set->entries;

	spin_lock(&set->lock);
	/* one that is free is the oldest */
	for (u32 i = 1; i < SLOTS; i++)
		if (set->entries[i].begin < to->begin)
			to = &set->entries[i];
	*to = (struct entry){
		.begin = pev_now_ns(), .started = current->start_boottime,
		.stack = stack, .tid = current->pid, .place = place,
	};
	spin_unlock(&set->lock);
}

bool pev_entries_take(struct pev_entries *e, u32 place, unsigned long stack, u64 *duration)
{
	struct set *set = set_of(e, place, stack);
	struct entry *found = NULL;

	spin_lock(&set->lock);
	for (u32 i = 0; i < SLOTS; i++) {
		struct entry *entry = &set->entries[i];

		/* a function that ends by calling itself has several: the last returns first */
		if (matches(entry, place, stack) && (!found || entry->begin > found->begin))
			found = entry;
	}
	if (found) {
		*duration = pev_elapsed(found->begin, pev_now_ns());
		found->begin = 0;
	}
	spin_unlock(&set->lock);
	return found;
}
