/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tracepoints, system calls and markers have in common: an event that
 * writes a trace event's record.
 */
#ifndef _PEV_TRACEPOINT_H
#define _PEV_TRACEPOINT_H

#include <linux/list.h>
#include <linux/pev_tracepoint.h>
#include <linux/trace_events.h>
#include "event.h"

/**
 * struct pev_trace - the private part of an event that writes trace events
 * @hook:  what the probes see
 * @event: back
 * @fixed: bytes of the fixed part of a record to clear beforehand, because it
 *         has holes that the probe does not write; 0: none
 * @node:  system call events: in the list of the call's number
 */
struct pev_trace {
	struct pev_hook		hook;
	struct pev_event	*event;
	u32			fixed;
	struct hlist_node	node;
};

int pev_trace_create(struct pev_event *event, struct trace_event_call *call);
void pev_trace_destroy(struct pev_event *event);
void pev_trace_fields(struct pev_event *event, struct pev_text *text);
char *pev_trace_name(const struct pev_attr *attr, struct pev_refuse *r);

/* syscall_trace.c: the events of the system "syscalls" */
#ifdef CONFIG_FTRACE_SYSCALLS
int pev_syscall_hook(struct pev_event *event);
void pev_syscall_unhook(struct pev_event *event);
#else
static inline int pev_syscall_hook(struct pev_event *event)
{
	return -EOPNOTSUPP;
}

static inline void pev_syscall_unhook(struct pev_event *event)
{
}
#endif

#endif
