/* SPDX-License-Identifier: GPL-2.0 */
/* Processes that run virtual machines. */
#ifndef _PEV_TARGET_MACHINE_H
#define _PEV_TARGET_MACHINE_H

#include <linux/types.h>

struct task_struct;

#ifdef CONFIG_GUEST_PERF_EVENTS
bool pev_runs_machine(struct task_struct *task);
#else
static inline bool pev_runs_machine(struct task_struct *task)
{
	return false;
}
#endif

#endif
