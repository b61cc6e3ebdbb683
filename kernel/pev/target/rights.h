/* SPDX-License-Identifier: GPL-2.0 */
/*
 * May the opener of an event see what the task does that runs now?
 */
#ifndef _PEV_RIGHTS_H
#define _PEV_RIGHTS_H

#include "types.h"

/* event->gate: why an occurrence takes the long way */
#define PEV_GATE_RIGHTS	1U	/* the opener may not see every task */
#define PEV_GATE_FILTER	2U	/* it has a filter */

void pev_rights_init(struct pev_event *event);
void pev_rights_exit(struct pev_event *event);
bool pev_rights_allow(const struct pev_event *event, struct task_struct *task);
bool pev_rights_allow_mm(const struct pev_event *event, struct mm_struct *mm);

/**
 * pev_event_sees_task() - is an occurrence that is about @task the opener's business?
 * @event: the event
 * @task:  any task that does not go away meanwhile
 *
 * Context: Any.
 */
static __always_inline bool pev_event_sees_task(const struct pev_event *event,
						struct task_struct *task)
{
	return likely(!(READ_ONCE(event->gate) & PEV_GATE_RIGHTS)) ||
	       pev_rights_allow(event, task);
}

/**
 * pev_event_sees() - is an occurrence in the current task the opener's business?
 * @event: the event
 *
 * Asked for each occurrence before anything is counted or copied. What it says no
 * to never happened as far as @event is concerned.
 *
 * Context: Any.
 */
static __always_inline bool pev_event_sees(const struct pev_event *event)
{
	return pev_event_sees_task(event, current);
}

#endif
