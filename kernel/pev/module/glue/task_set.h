/* SPDX-License-Identifier: GPL-2.0 */
/*
 * glue/task_set.h for a module, whose kernel has no member for it in task_struct: a hash by
 * task, which readers walk under RCU. See module/task_set.c.
 */
#ifndef _PEV_TASK_SET_H
#define _PEV_TASK_SET_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/types.h>

struct pev_task_ctx;
struct task_struct;

/* How many tasks have a set. */
extern unsigned int pev_task_set_nr;

extern struct hlist_head *pev_task_sets;
extern unsigned int pev_task_set_bits;

/**
 * struct pev_task_set_entry - a task that has a set
 * @node: in its bucket, or in the reserve
 * @task: the task; it takes its entry away when it exits
 * @set:  with a reference
 * @rcu:  frees it
 */
struct pev_task_set_entry {
	struct hlist_node		node;
	const struct task_struct	*task;
	struct pev_task_ctx		*set;
	struct rcu_head			rcu;
};

static __always_inline struct hlist_head *pev_task_set_bucket(const struct task_struct *task)
{
	return &pev_task_sets[hash_ptr((void *)task, pev_task_set_bits)];
}

struct pev_task_ctx *pev_task_set_find(const struct task_struct *task);

/* See glue/task_set.h for all that follows. */
static __always_inline struct pev_task_ctx *pev_task_set(const struct task_struct *task)
{
	struct pev_task_set_entry *entry;

	/* called at each switch */
	if (READ_ONCE(pev_task_set_nr))
		hlist_for_each_entry_rcu_notrace(entry, pev_task_set_bucket(task), node)
			if (entry->task == task)
				return READ_ONCE(entry->set);
	return NULL;
}

static __always_inline struct pev_task_ctx *pev_task_set_value(const struct task_struct *task)
{
	return READ_ONCE(pev_task_set_nr) ? pev_task_set_find(task) : NULL;
}

/* @held is an assertion for lockdep, which no kernel that loads the module has. */
#define pev_task_set_locked(task, held)	((void)sizeof(held), pev_task_set_value(task))

bool pev_task_set_assign(struct task_struct *task, struct pev_task_ctx *set);
void pev_task_set_prepare(unsigned int nr);

#endif
