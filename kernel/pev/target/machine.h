/* SPDX-License-Identifier: GPL-2.0 */
/* Processes that run virtual machines. */
#ifndef _PEV_TARGET_MACHINE_H
#define _PEV_TARGET_MACHINE_H

#include <linux/types.h>

struct task_struct;

#if defined(CONFIG_GUEST_PERF_EVENTS) || defined(CONFIG_KVM_BOOK3S_HV_POSSIBLE)
bool pev_runs_machine(struct task_struct *task);
#else
static inline bool pev_runs_machine(struct task_struct *task)
{
	return false;
}
#endif

#endif
