/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events whose counts are the values of a table: what such an event has counted since it was
 * asked last is charged to the key of the task that leaves the CPU. So a switch costs the
 * same however many keys there are.
 */
#ifndef _PEV_CHARGE_H
#define _PEV_CHARGE_H

#include <linux/jump_label.h>
#include "types.h"

struct pev_refuse;
struct pev_table_set;

/* On while there are such events. */
DECLARE_STATIC_KEY_FALSE(pev_charge_key);

int pev_charge_init(struct pev_event *event, struct pev_table_set *table,
		    struct pev_refuse *r);
void pev_charge_exit(struct pev_event *event);
void __pev_charge_start(struct pev_event *event);
void __pev_charge_stop(struct pev_event *event);
void __pev_charge_reset(struct pev_event *event, unsigned int cpu);
void __pev_charge_task(struct task_struct *task);
void __pev_charge_other(struct pev_event *event, struct task_struct *task);

/* @event was started here. Interrupts off. */
static __always_inline void pev_charge_start(struct pev_event *event)
{
	if (unlikely(event->charge))
		__pev_charge_start(event);
}

/* @event was stopped here, and its count is up to date. Interrupts off. */
static __always_inline void pev_charge_stop(struct pev_event *event)
{
	if (unlikely(event->charge))
		__pev_charge_stop(event);
}

/* The count of @event on @cpu is 0 again. On the CPU with interrupts off, or it is offline. */
static __always_inline void pev_charge_reset(struct pev_event *event, unsigned int cpu)
{
	if (unlikely(event->charge))
		__pev_charge_reset(event, cpu);
}

/* What was counted here until now is @task's, which is current. Interrupts off. */
static __always_inline void pev_charge_task(struct task_struct *task)
{
	if (static_branch_unlikely(&pev_charge_key))
		__pev_charge_task(task);
}

/* @event has counted here for @task, which is not current. Interrupts off. */
static __always_inline void pev_charge_other(struct pev_event *event, struct task_struct *task)
{
	if (unlikely(event->charge))
		__pev_charge_other(event, task);
}

#endif
