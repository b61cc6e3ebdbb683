/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Many tracepoints of system calls as two events: raw_syscalls:sys_enter and sys_exit, whose
 * records an engine gives the names of the calls. Opening and closing hundreds takes seconds.
 */
#ifndef PERFCTL_EVENT_CALLS_H
#define PERFCTL_EVENT_CALLS_H

#include "plan.h"

/* Does so if the engine can; @catalog: of the kernel. */
int calls_join(struct event_plan *plan, const struct pev_catalog *catalog, struct msg *m);

#endif
