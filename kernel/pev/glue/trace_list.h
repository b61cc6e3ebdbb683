/* SPDX-License-Identifier: GPL-2.0 */
/* The list of all trace events that Linux has, and what they are to pev. */
#ifndef _PEV_TRACE_LIST_H
#define _PEV_TRACE_LIST_H

#include <linux/cleanup.h>
#include <linux/list.h>
#include <linux/trace_events.h>

/* Between the two, which may sleep, no trace event comes or goes. */
void pev_trace_list_lock(void);
void pev_trace_list_unlock(void);

/* Return: the list, which is locked. */
struct list_head *pev_trace_list(void);

#define pev_trace_list_for_each(call)	list_for_each_entry(call, pev_trace_list(), list)

/* Return: is it in the system "syscalls"? */
bool pev_trace_is_syscall(const struct trace_event_call *call);

/* Return: and one of those where a call begins? */
bool pev_trace_is_enter(const struct trace_event_call *call);

/* Return: the function of trace/pev.h that records it, by its tracepoint; NULL: there is none. */
void *pev_trace_probe(const struct trace_event_call *call);

DEFINE_LOCK_GUARD_0(pev_trace_list, pev_trace_list_lock(), pev_trace_list_unlock())

#endif
