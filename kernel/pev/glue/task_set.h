/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a task keeps the set of events that count it: in a member of task_struct. Nothing
 * else knows that.
 */
#ifndef _PEV_TASK_SET_H
#define _PEV_TASK_SET_H

#include <linux/rcupdate.h>
#include <linux/sched.h>

struct pev_task_ctx;

/**
 * pev_task_set() - the set of a task
 * @task: the task
 *
 * Context: within RCU, or with interrupts or preemption disabled.
 * Return: the set, or NULL if nothing counts the task.
 */
static __always_inline struct pev_task_ctx *pev_task_set(const struct task_struct *task)
{
	return rcu_dereference_check(task->pev, rcu_read_lock_sched_held());
}

/**
 * pev_task_set_value() - the same, for a comparison only
 * @task: the task
 *
 * Context: Any.
 */
static __always_inline struct pev_task_ctx *pev_task_set_value(const struct task_struct *task)
{
	return rcu_access_pointer(task->pev);
}

/**
 * pev_task_set_locked() - the same, while it can't change
 * @task: the task
 * @held: a condition for lockdep
 */
#define pev_task_set_locked(task, held)	rcu_dereference_protected((task)->pev, held)

/**
 * pev_task_set_assign() - give a task another set
 * @task: the task
 * @set:  visible to others from now on; NULL: none
 *
 * Context: as pev_ctx_lock says, or the task is not visible yet.
 * Return: false, with nothing changed, if a task without a set finds no memory for one.
 */
static inline bool pev_task_set_assign(struct task_struct *task, struct pev_task_ctx *set)
{
	rcu_assign_pointer(task->pev, set);
	return true;
}

/**
 * pev_task_set_prepare() - get memory for tasks that are about to get their first set
 * @nr: how many
 *
 * Context: Process context, may sleep.
 */
static inline void pev_task_set_prepare(unsigned int nr)
{
}

#endif
