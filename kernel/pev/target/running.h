/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What counts on this CPU now, one list for each source that has to look its
 * events up: software counters and sideband. Sources that are called for one
 * event (tracepoints, timers) have no list.
 */
#ifndef _PEV_RUNNING_H
#define _PEV_RUNNING_H

#include <linux/percpu.h>
#include <linux/rculist.h>
#include <uapi/linux/pev.h>
#include "types.h"

/* Indices of the lists: PEV_RUN_SOFTWARE + enum pev_software, and so on. */
enum pev_running_source {
	PEV_RUN_SOFTWARE	= 0,
	PEV_RUN_SIDEBAND	= PEV_RUN_SOFTWARE + PEV_SW_MAX,
	PEV_RUN_MAX		= PEV_RUN_SIDEBAND + PEV_SB_MAX,
};

/* Changed by its CPU alone with interrupts off; lockless for readers there. */
DECLARE_PER_CPU(struct hlist_head [PEV_RUN_MAX], pev_running_lists);

void pev_running_add(unsigned int source, struct pev_event_cpu *ec);
void pev_running_del(struct pev_event_cpu *ec);

/**
 * pev_running_any() - does anything of a source count on this CPU?
 * @source: enum pev_running_source
 *
 * Context: Any with preemption disabled.
 */
static inline bool pev_running_any(unsigned int source)
{
	return !hlist_empty(this_cpu_ptr(&pev_running_lists[source]));
}

/**
 * pev_for_each_running() - events of a source that count on this CPU
 * @ec:     struct pev_event_cpu * to iterate with
 * @source: enum pev_running_source
 *
 * Context: Any with preemption disabled, NMI included. An interrupt may stop
 * and start an event between two steps, and the event is then seen twice or
 * others are passed over: with interrupts disabled each is seen exactly once.
 */
#define pev_for_each_running(ec, source)				\
	hlist_for_each_entry_rcu(ec,					\
				 this_cpu_ptr(&pev_running_lists[source]), \
				 node, true)

#endif
