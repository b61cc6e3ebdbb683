/* SPDX-License-Identifier: GPL-2.0 */
/* With which registers the current thread's program goes on. */
#ifndef _PEV_USER_REGS_H
#define _PEV_USER_REGS_H

#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include "base/task.h"

/**
 * pev_user_regs() - the registers of user mode
 * @regs: of what is sampled; NULL: none are known
 *
 * Context: Any.
 * Return: @regs if they are those; NULL: the current thread has no program.
 */
static inline struct pt_regs *pev_user_regs(struct pt_regs *regs)
{
	if (regs && user_mode(regs))
		return regs;
	return pev_task_is_user(current) && current->mm ? task_pt_regs(current) : NULL;
}

#endif
