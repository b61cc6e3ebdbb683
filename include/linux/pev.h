/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What pev offers to the rest of the kernel: markers, and the hooks in a
 * task's life that no tracepoint gives.
 */
#ifndef _LINUX_PEV_H
#define _LINUX_PEV_H

#include <linux/jump_label.h>
#include <linux/pev_marker.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#ifdef CONFIG_PEV

DECLARE_STATIC_KEY_FALSE(pev_task_key);

void __pev_fork(struct task_struct *child, u64 clone_flags);
void __pev_exit(struct task_struct *task);

/**
 * pev_mm_init() - an address space was copied, but none of its mappings yet
 * @mm: the copy
 */
void pev_mm_init(struct mm_struct *mm);

/**
 * pev_task_init() - a task_struct was copied
 * @task: the copy; what it copied of pev is its parent's
 */
static inline void pev_task_init(struct task_struct *task)
{
	RCU_INIT_POINTER(task->pev, NULL);
}

/**
 * pev_fork() - a new task becomes visible
 * @child:       the new task
 * @clone_flags: of clone(2)
 *
 * Context: tasklist_lock held for writing, in the same section that links
 * @child: that is what makes attaching to a subtree free of races.
 */
static inline void pev_fork(struct task_struct *child, u64 clone_flags)
{
	if (static_branch_unlikely(&pev_task_key))
		__pev_fork(child, clone_flags);
}

/**
 * pev_exit() - the current task is exiting
 * @task: current, with PF_EXITING set
 */
static inline void pev_exit(struct task_struct *task)
{
	if (static_branch_unlikely(&pev_task_key) || unlikely(rcu_access_pointer(task->pev)))
		__pev_exit(task);
}

#else

static inline void pev_mm_init(struct mm_struct *mm) { }
static inline void pev_task_init(struct task_struct *task) { }
static inline void pev_fork(struct task_struct *child, u64 clone_flags) { }
static inline void pev_exit(struct task_struct *task) { }

#endif
#endif
