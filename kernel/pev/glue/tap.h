/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trace events that pev has no probe of are recorded by perf's. In the built-in form there are
 * none: each class of trace events has a probe.
 */
#ifndef _PEV_TAP_H
#define _PEV_TAP_H

#include <linux/err.h>
#include <linux/types.h>

struct pev_tap;
struct pev_trace;
struct trace_event_call;

/* Return: is there a probe of perf's for @call? */
static inline bool pev_tap_has(const struct trace_event_call *call)
{
	return false;
}

/**
 * pev_tap_make() - record occurrences for @trace
 * @trace: pev_tap_has() its event's call
 *
 * Context: Process context, may sleep.
 * Return: what takes it for that, or an ERR_PTR().
 */
static inline struct pev_tap *pev_tap_make(struct pev_trace *trace)
{
	return ERR_PTR(-EOPNOTSUPP);
}

/* Record no more. Some may be under way for a grace period. Process context, may sleep. */
static inline void pev_tap_stop(struct pev_tap *tap)
{
}

/* @tap was stopped a grace period ago, or is NULL. */
static inline void pev_tap_free(struct pev_tap *tap)
{
}

#endif
