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
 * @events:  per CPU; NULL while it is not open
 * @node:    in the list of those that are open
 *
 * The last two are perf.c's.
 */
struct pev_perf {
	struct perf_event_attr		attr;
	perf_overflow_handler_t		handler;
	void				*context;
	void (*install)(struct pev_perf *perf, struct perf_event *event);
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

/**
 * pev_perf_try() - could it be opened?
 * @attr: what it would count
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error.
 */
int pev_perf_try(const struct perf_event_attr *attr);

/* At boot, or when the module is loaded. Return: 0 or an error. */
int pev_perf_setup(void);

/* Nothing is open any more. */
void pev_perf_teardown(void);

#endif
