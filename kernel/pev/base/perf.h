/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that perf has in the kernel, one on each CPU that is online: counters that perf
 * drives, and for a module what Linux calls no module for.
 */
#ifndef _PEV_PERF_H
#define _PEV_PERF_H

#include <linux/list.h>
#include <linux/perf_event.h>

/**
 * struct pev_perf - an event of perf on all CPUs
 * @attr:    what it counts; with a period of 1 it is not throttled
 * @handler: called for each overflow on its CPU, in the occurrence's context
 * @context: for it
 * @install: takes @event in place of the one that this CPU had, which counts no more and is
 *           released when this returns; NULL: none, as all of them go. On the CPU,
 *           interrupts off. May be NULL
 * @some:    there may be CPUs that the PMU is none of
 * @events:  per CPU; NULL while it is not open. NULL on a CPU for which another one counts
 * @node:    in the list of those that are open
 *
 * The last two are perf.c's.
 */
struct pev_perf {
	struct perf_event_attr		attr;
	perf_overflow_handler_t		handler;
	void				*context;
	void (*install)(struct pev_perf *perf, struct perf_event *event);
	bool				some;
	struct perf_event * __percpu	*events;
	struct list_head		node;
};

/**
 * pev_perf_open() - open it on all CPUs, and on those that come online a moment later
 * @perf: all but the last two members are set
 *
 * The caller has checked the rights of the user that it is for: perf checks the kernel's.
 *
 * Context: Process context, may sleep.
 * Return: 0, -ENOMEM, or what perf says.
 */
int pev_perf_open(struct pev_perf *perf);

/**
 * pev_perf_close() - the opposite
 * @perf: it is open
 *
 * Context: Process context, may sleep.
 * The handler may still run for a grace period.
 */
void pev_perf_close(struct pev_perf *perf);

/* Does @err say that there is no such PMU on a CPU, which may differ on another one? */
static inline bool pev_perf_lacks(int err)
{
	return err == -ENODEV || err == -ENOENT;
}

/**
 * pev_perf_is_place() - does a CPU count for itself?
 * @event: of @cpu, as perf made it
 * @cpu:   that it was asked for
 *
 * PMUs of sockets and devices count what many CPUs share on one of these.
 *
 * Context: Process context.
 * Return: false if another CPU counts for this one.
 */
bool pev_perf_is_place(const struct perf_event *event, unsigned int cpu);

/**
 * pev_perf_look() - make an event that does not count, to learn of its PMU
 * @attr: what it would count
 * @cpu:  where, which is interrupted; -1: in the calling task, and no CPU is
 *
 * Context: Process context, may sleep. It has the kernel's rights.
 * Return: the event, for perf_event_release_kernel(), or an ERR_PTR().
 */
struct perf_event *pev_perf_look(const struct perf_event_attr *attr, int cpu);

/**
 * pev_perf_ask() - the same with the rights of the caller
 * @attr: what it would count
 * @cpu:  where; -1: in the calling task
 *
 * Drivers have checks of their own, of what only some users may count.
 *
 * Context: Process context, may sleep.
 * Return: the event, for perf_event_release_kernel(), or an ERR_PTR().
 */
struct perf_event *pev_perf_ask(const struct perf_event_attr *attr, int cpu);

/**
 * pev_perf_try() - could it be opened?
 * @attr: what it would count
 * @cpu:  where
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error.
 */
int pev_perf_try(const struct perf_event_attr *attr, unsigned int cpu);

/* At boot, or when the module is loaded. Return: 0 or an error. */
int pev_perf_setup(void);

/* Nothing is open any more. */
void pev_perf_teardown(void);

#endif
