/* SPDX-License-Identifier: GPL-2.0 */
/* With which registers the current thread's program goes on. */
#ifndef _PEV_USER_REGS_H
#define _PEV_USER_REGS_H

#include <linux/compiler.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

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
	/* an interrupt may hit the thread as it changes other flags, these never */
	if (data_race(current->flags) & (PF_KTHREAD | PF_USER_WORKER) || !current->mm)
		return NULL;
	return task_pt_regs(current);
}

#endif
