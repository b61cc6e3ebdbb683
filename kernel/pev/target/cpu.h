/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What runs on a CPU, for the files that start and stop events on it: target.c,
 * target/cgroup.c and sync.c.
 */
#ifndef _PEV_TARGET_CPU_H
#define _PEV_TARGET_CPU_H

#include <linux/percpu.h>
#include <linux/pev_clock.h>
#include "record/charge.h"
#include "types.h"

struct pev_task_ctx;

/**
 * struct pev_target_cpu - what runs on a CPU; changed by it with interrupts off
 * @ctx:     set of the current task while the hooks are in place
 * @cgroup:  id of the current task's cgroup when cgroups' events were last looked at
 * @process: of the current task while there are such events, to be compared: its signal_struct
 * @cgroups: cgroups with events in which the current task is
 * @online:  events may run here
 */
struct pev_target_cpu {
	struct pev_task_ctx	*ctx;
	u64			cgroup;
	const void		*process;
	struct hlist_head	cgroups;
	bool			online;
};

DECLARE_PER_CPU(struct pev_target_cpu, pev_target_cpus);

/* Events on CPUs; written under pev_control, read under RCU. */
extern struct list_head pev_cpu_events;

/* Marked events run on every CPU; the hardware counts only tasks whose mark is set. */
static inline bool pev_is_marked(const struct pev_event *event)
{
	return event->flags & PEV_F_MARKED;
}

/* Interrupts off, on the CPU of @ec. */
static inline void pev_event_cpu_start(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	ec->since = now;
	WRITE_ONCE(ec->running, 1);
	if (event->ops->start)
		event->ops->start(event, ec, now);
	pev_charge_start(event);
}

/* As pev_event_cpu_start(). */
static inline void pev_event_cpu_stop(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	/* write the time before @waited: see pev_event_cpu_times() */
	WRITE_ONCE(ec->time, ec->time + pev_elapsed(ec->since, now));
	ec->since = now;
	if (event->ops->stop)
		event->ops->stop(event, ec, now);
	WRITE_ONCE(ec->running, 0);
	pev_charge_stop(event);
}

/**
 * pev_event_cpu_sync() - start or stop @event here
 * @event: an event
 * @wanted: does it count here now?
 * @now:   0 before the first of several and the same for all; pev_target_commit()
 *         follows the last
 */
static inline void pev_event_cpu_sync(struct pev_event *event, bool wanted, u64 *now)
{
	struct pev_event_cpu *ec = this_cpu_ptr(event->percpu);

	if (wanted == !!ec->running)
		return;
	if (!*now)
		*now = pev_now_ns();
	if (wanted)
		pev_event_cpu_start(event, ec, *now);
	else
		pev_event_cpu_stop(event, ec, *now);
}

#endif
