/* SPDX-License-Identifier: GPL-2.0 */
/*
 * glue/guest.h for a module: Linux exports neither the calls nor what they call, but the
 * table behind them has a name.
 */
#ifndef _PEV_GLUE_GUEST_H
#define _PEV_GLUE_GUEST_H

#include <linux/perf_event.h>
#include <linux/preempt.h>
#include "glue/linux.h"

/* KVM of 6.1 takes the mode that a guest was in when it was last preempted for that of now. */
#ifdef PEV_LINUX_6_1
#define PEV_GUESTS_TOLD		false
#else
#define PEV_GUESTS_TOLD		IS_ENABLED(CONFIG_GUEST_PERF_EVENTS)
#endif

#ifdef CONFIG_GUEST_PERF_EVENTS
/* The table goes with KVM, after a grace period. */
static inline unsigned int pev_guest_state(void)
{
	struct perf_guest_info_callbacks *cbs;

	guard(rcu)();
	cbs = rcu_dereference(*pev_linux.perf_guest_cbs_at);
	return cbs ? cbs->state() : 0;
}

static inline u64 pev_guest_ip(void)
{
	struct perf_guest_info_callbacks *cbs;

	guard(rcu)();
	cbs = rcu_dereference(*pev_linux.perf_guest_cbs_at);
	return cbs ? cbs->get_ip() : 0;
}
#else
static inline unsigned int pev_guest_state(void) { return 0; }
static inline u64 pev_guest_ip(void) { return 0; }
#endif

/* Of KVM-HV, which is another way in, the module knows nothing. */
static inline unsigned int pev_guest_irqs(void)
{
	return HARDIRQ_OFFSET;
}

#endif
