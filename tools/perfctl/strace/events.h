/* SPDX-License-Identifier: GPL-2.0 */
/* Events that are shown beside system calls: probes, tracepoints, markers. */
#ifndef PERFCTL_STRACE_EVENTS_H
#define PERFCTL_STRACE_EVENTS_H

#include "event/plan.h"

/*
 * Splits what was typed: what has a colon is an event, all else a system call. Either is empty if
 * there is none.
 */
void trace_events_split(const char *text, struct strbuf *calls, struct strbuf *events);
/* An event in a line: "kprobe:vfs_read(count: 4096)". @plan: has it */
void trace_events_put(struct strbuf *b, const struct event_plan *plan, const struct pev_event *ev);
/* Calls @each with the name and the value of each field that trace_events_put() shows. */
void trace_events_fields(const struct event_plan *plan, const struct pev_event *ev,
			 void (*each)(void *arg, const char *name, const char *value), void *arg);

#endif
