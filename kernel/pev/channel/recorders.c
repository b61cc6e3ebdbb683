// SPDX-License-Identifier: GPL-2.0
/*
 * Owns which channels a panic prints records of: a few places, as it can take no lock. Must not
 * know what a panic does with them.
 *
 * Locks: recorders_lock guards who has a place.
 */
#include <linux/cleanup.h>
#include <linux/mutex.h>
#include <linux/pev_refuse.h>
#include <linux/rcupdate.h>
#include <uapi/linux/pev.h>
#include "channel.h"
#include "recorders.h"

static struct pev_channel *recorders[PEV_RECORDERS];

static DEFINE_MUTEX(recorders_lock);

int pev_recorders_add(struct pev_channel *channel, struct pev_refuse *r)
{
	unsigned int asked = 0, free = PEV_RECORDERS;

	if (!(channel->flags & (PEV_CHF_PANIC | PEV_CHF_PERSIST)))
		return 0;
	guard(mutex)(&recorders_lock);
	for (unsigned int i = 0; i < PEV_RECORDERS; i++) {
		if (!recorders[i])
			free = i;
		else if (recorders[i]->flags & PEV_CHF_PANIC)
			asked++;
	}
	if (channel->flags & PEV_CHF_PANIC && asked == PEV_MAX_PANIC)
		return pev_refuse(r, EBUSY, PEV_FIELD(flags),
				  "a panic prints records of %u channels already: it looks at no more",
				  PEV_MAX_PANIC);
	/* one at a time has the memory that outlives a crash: there is a place for it */
	if (WARN_ON_ONCE(free == PEV_RECORDERS))
		return -EBUSY;
	/* pairs with the acquire in pev_recorder() */
	smp_store_release(&recorders[free], channel);
	return 0;
}

void pev_recorders_remove(struct pev_channel *channel)
{
	bool found = false;

	if (!(channel->flags & (PEV_CHF_PANIC | PEV_CHF_PERSIST)))
		return;
	scoped_guard(mutex, &recorders_lock) {
		for (unsigned int i = 0; i < PEV_RECORDERS; i++) {
			if (recorders[i] != channel)
				continue;
			WRITE_ONCE(recorders[i], NULL);
			found = true;
		}
	}
	/* a panic on a CPU that this one has not heard of yet looks at it with interrupts off */
	if (found)
		synchronize_rcu();
}

struct pev_channel *pev_recorder(unsigned int nr)
{
	/* pairs with the release in pev_recorders_add() */
	return smp_load_acquire(&recorders[nr]);
}
