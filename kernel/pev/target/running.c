// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the lists of what counts on each CPU. Must not know what an event is
 * beyond its part on the CPU.
 */
#include <linux/lockdep.h>
#include "running.h"

DEFINE_PER_CPU(struct hlist_head [PEV_RUN_MAX], pev_running_lists);

/**
 * pev_running_add() - an event starts to count on this CPU
 * @source: enum pev_running_source
 * @ec:     the event on this CPU, on no list
 *
 * Context: Interrupts disabled, the scheduler's included.
 */
void pev_running_add(unsigned int source, struct pev_event_cpu *ec)
{
	lockdep_assert_irqs_disabled();
	hlist_add_head_rcu(&ec->node, this_cpu_ptr(&pev_running_lists[source]));
}

/**
 * pev_running_del() - an event no longer counts on this CPU
 * @ec:   the event on this CPU; nothing happens if it is on no list
 *
 * What iterates below an interrupt that calls this goes on to the next event,
 * so an event may be freed only after a grace period.
 *
 * Context: as pev_running_add().
 */
void pev_running_del(struct pev_event_cpu *ec)
{
	lockdep_assert_irqs_disabled();
	hlist_del_init_rcu(&ec->node);
}
