/* SPDX-License-Identifier: GPL-2.0 */
/* kernel/pev/glue/task_set.h for a kernel whose tasks have no member for it. */
#ifndef _PEV_TASK_SET_H
#define _PEV_TASK_SET_H

#include <linux/rcupdate.h>
#include <linux/sched.h>

struct pev_task_ctx;

struct pev_task_ctx *pev_task_set(const struct task_struct *task);
struct pev_task_ctx *pev_task_set_value(const struct task_struct *task);
#define pev_task_set_locked(task, held)	pev_task_set(task)
bool pev_task_set_assign(struct task_struct *task, struct pev_task_ctx *set);
void pev_task_set_prepare(unsigned int nr);

#endif
