// SPDX-License-Identifier: GPL-2.0
/* Owns the way to the kernel's list of trace events, which has no header in include/. */
#include <linux/lockdep.h>
#include <linux/mutex.h>
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
