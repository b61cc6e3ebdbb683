// SPDX-License-Identifier: GPL-2.0
/* Owns the way to the kernel's list of trace events, for a module. */
#include <linux/mutex.h>
#include "glue/linux.h"
#include "glue/trace_list.h"
#include "probes.h"

void pev_trace_list_lock(void)
{
	mutex_lock(pev_linux.event_mutex_at);
}

void pev_trace_list_unlock(void)
{
	mutex_unlock(pev_linux.event_mutex_at);
}

struct list_head *pev_trace_list(void)
{
	return pev_linux.ftrace_events_at;
}

bool pev_trace_is_enter(const struct trace_event_call *call)
{
	return call->class == pev_linux.event_class_syscall_enter_at;
}

bool pev_trace_is_syscall(const struct trace_event_call *call)
{
	return pev_trace_is_enter(call) || call->class == pev_linux.event_class_syscall_exit_at;
}

void *pev_trace_probe(const struct trace_event_call *call)
{
	return pev_probe_find(call);
}
