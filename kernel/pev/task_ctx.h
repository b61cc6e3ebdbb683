/* SPDX-License-Identifier: GPL-2.0 */
/* The sets of events that count tasks. */
#ifndef _PEV_TASK_CTX_H
#define _PEV_TASK_CTX_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>

struct pev_event;
struct task_struct;

/**
 * struct pev_task_ctx - a set of events that count a task
 * @ref:     tasks that point here, and sets that have it as @thread or @process
 * @rcu:     freed after a grace period
 * @node:    in all_ctxs, under ctx_lock
 * @thread:  set of a new thread; this one itself (not counted in @ref), or NULL
 * @process: set of a new process, likewise
 * @marked:  there is a PEV_F_MARKED event in it
 * @nr:      length of @events
 * @events:  entries become NULL when their event is detached
 */
struct pev_task_ctx {
	refcount_t		ref;
	struct rcu_head		rcu;
	struct list_head	node;
	struct pev_task_ctx	*thread;
	struct pev_task_ctx	*process;
	bool			marked;
	unsigned int		nr;
	struct pev_event	*events[] __counted_by(nr);
};

static inline bool pev_ctx_has(struct pev_task_ctx *ctx, struct pev_event *event)
{
	unsigned int i;

	if (!ctx)
		return false;
	for (i = 0; i < ctx->nr; i++)
		if (READ_ONCE(ctx->events[i]) == event)
			return true;
	return false;
}

/**
 * pev_ctx_attach() - let @event count tasks
 * @event: its @target says which of @top, its process and descendants
 * @top:   a task
 *
 * Context: Process context, pev_control held.
 * Return: number of tasks, or -ENOMEM with some of them attached.
 */
int pev_ctx_attach(struct pev_event *event, struct task_struct *top);

/* Take @event out of all sets. A CPU may run it until it has looked again. */
void pev_ctx_detach(struct pev_event *event);

/**
 * pev_ctx_drop_unprivileged() - the current task gained rights in an exec
 * @task: current; only events whose opener may watch anybody stay
 *
 * Context: Preemption disabled.
 */
void pev_ctx_drop_unprivileged(struct task_struct *task);

#endif
