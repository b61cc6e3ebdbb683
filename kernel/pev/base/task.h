/* SPDX-License-Identifier: GPL-2.0 */
/* What a task is, asked from anywhere: an interrupt may hit it as it changes its flags. */
#ifndef _PEV_TASK_H
#define _PEV_TASK_H

#include <linux/compiler.h>
#include <linux/sched.h>

/* Is it a thread of a program? */
static inline bool pev_task_is_user(const struct task_struct *task)
{
	/* it changes others, but none of these */
	return !(data_race(task->flags) & (PF_KTHREAD | PF_USER_WORKER));
}

static inline bool pev_task_is_exiting(const struct task_struct *task)
{
	/* this one is set once */
	return data_race(task->flags) & PF_EXITING;
}

#endif
