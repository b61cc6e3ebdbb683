// SPDX-License-Identifier: GPL-2.0
/* Owns the way to the kernel's list of trace events, which has no header in include/. */
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/syscalls.h>
#include "trace_internal.h"
#include "trace_list.h"

void pev_trace_list_lock(void)
{
	mutex_lock(&event_mutex);
}

void pev_trace_list_unlock(void)
{
	mutex_unlock(&event_mutex);
}

struct list_head *pev_trace_list(void)
{
	lockdep_assert_held(&event_mutex);
	return &ftrace_events;
}

bool pev_trace_is_enter(const struct trace_event_call *call)
{
	return IS_ENABLED(CONFIG_FTRACE_SYSCALLS) && call->class == &event_class_syscall_enter;
}

bool pev_trace_is_syscall(const struct trace_event_call *call)
{
	return pev_trace_is_enter(call) || (IS_ENABLED(CONFIG_FTRACE_SYSCALLS) &&
					    call->class == &event_class_syscall_exit);
}

void *pev_trace_probe(const struct trace_event_call *call)
{
	return call->class->pev_probe;
}
