/* SPDX-License-Identifier: GPL-2.0 */
/* What is lent to one virtual processor. */
#ifndef _PEV_GUEST_LEASE_H
#define _PEV_GUEST_LEASE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pev_guest.h>
#include "pmu/lend.h"

struct pev_guest_grant;
struct pev_lease;
struct pid;

/**
 * struct pev_lease_counter - a counter of a virtual processor
 * @lent:  it
 * @lease: back
 * @word:  its event; valid if it is in @known of the lease
 */
struct pev_lease_counter {
	struct pev_lent		lent;
	struct pev_lease	*lease;
	u64			word;
};

/**
 * struct pev_lease - what a virtual processor is lent
 * @lock:   all of it, but for what says otherwise
 * @vcpu:   whose it is
 * @grant:  by which, with a reference
 * @node:   in the grant's list, under pev_grants_lock
 * @thread: that runs it
 * @area:   where the guest has its struct pev_guest_area
 * @nr:     of counters; 0 once they were taken back
 * @known:  counters whose event was told
 * @on:     that count
 * @over:   that have overflowed. Changed by the thread, and by its PMI while they count
 * @told:   an NMI was sent that no PEV_GUEST_STOP has answered
 * @whole:  @area has the members of version 2
 * @lost:   @area says that counters stood still
 * @reg:    as @area has it
 * @offset: likewise
 * @untold: it has not been written there yet
 * @cpu:    on which @shown was found out; -1: not since they were started
 * @changes: as of then
 * @shown:  the guest may read the processor's counters
 * @counters: @nr of them. What @reg says of them stays when they were taken back
 */
struct pev_lease {
	struct mutex			lock; /* see above */
	struct pev_vcpu			*vcpu;
	struct pev_guest_grant		*grant;
	struct list_head		node;
	struct pid			*thread;
	u64				area;
	u32				nr;
	u64				known;
	u64				on;
	u64				over;
	int				told;
	bool				whole;
	bool				lost;
	u64				reg[PEV_GUEST_COUNTERS];
	u64				offset[PEV_GUEST_COUNTERS];
	bool				untold;
	int				cpu;
	u64				changes;
	bool				shown;
	struct pev_lease_counter	counters[PEV_GUEST_COUNTERS];
};

/* Take the counters back; the guest hears of it at its next call. Process context, any thread. */
void pev_lease_end(struct pev_lease *lease);

#endif
