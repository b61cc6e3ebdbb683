/* SPDX-License-Identifier: GPL-2.0 */
/* The sets of events that count tasks. */
#ifndef _PEV_TASK_CTX_H
#define _PEV_TASK_CTX_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

struct pev_event;
struct task_struct;

/**
 * struct pev_ctx_link - where an event stands in a set
 * @node: in the event's @links
 * @ctx:  the set
 */
struct pev_ctx_link {
	struct hlist_node	node;
	struct pev_task_ctx	*ctx;
};

/**
 * struct pev_ctx_table - the events of a set
 * @rcu:    freed after a grace period
 * @nr:     length of @events and @links
 * @nr_by_others: of these, the first ones, which have @by_others
 * @links:  of the event at the same place, behind @events
 * @events: entries become NULL when their event is detached
 */
struct pev_ctx_table {
	struct rcu_head		rcu;
	unsigned int		nr;
	unsigned int		nr_by_others;
	struct pev_ctx_link	*links;
	struct pev_event	*events[] __counted_by(nr);
};

/**
 * struct pev_task_ctx - a set of events that count a task
 * @ref:     tasks that point here, and sets that have it as @thread or @process
 * @reap:    frees it when no CPU can have it any more
 * @thread:  set of a new thread; this one itself (not counted in @ref), or NULL
 * @process: set of a new process, likewise
 * @marked:  how many PEV_F_MARKED events are in it
 * @live:    how many entries of the table are not NULL
 * @follows: of these, how many have to know the tasks
 * @weight:  of these; see struct pev_source_ops
 * @table:   NULL when nothing is left; a smaller one may take its place
 *
 * All that changes does so under pev_tables_lock.
 */
struct pev_task_ctx {
	refcount_t			ref;
	struct rcu_work			reap;
	struct pev_task_ctx		*thread;
	struct pev_task_ctx		*process;
	u32				marked;
	u32				live;
	u32				follows;
	u32				weight;
	struct pev_ctx_table __rcu	*table;
};

/*
 * Protects all tasks' set pointers. Raw, for it is taken with preemption disabled. It is held for a
 * few steps: the walk over tasks waits for it with the lock of their tree, and all forks for that.
 */
extern raw_spinlock_t pev_ctx_lock;

/* Protects what is in the sets, for a whole set's worth of steps; nothing is allocated under it. */
extern raw_spinlock_t pev_tables_lock;

/**
 * pev_ctx_table() - the events of a set, as they are now
 * @ctx: a set or NULL
 *
 * Context: within RCU, or with interrupts or preemption disabled.
 * Return: the table, or NULL if there are none.
 */
static inline struct pev_ctx_table *pev_ctx_table(struct pev_task_ctx *ctx)
{
	return ctx ? rcu_dereference_check(ctx->table, rcu_read_lock_sched_held() ||
					   lockdep_is_held(&pev_tables_lock)) : NULL;
}

/**
 * struct pev_ctx_iter - a walk over the events of a set
 * @table: of the set, or NULL
 * @next:  entry
 * @end:   behind the last one
 */
struct pev_ctx_iter {
	struct pev_ctx_table	*table;
	unsigned int		next;
	unsigned int		end;
};

static inline struct pev_ctx_iter pev_ctx_begin(struct pev_task_ctx *ctx)
{
	struct pev_ctx_table *table = pev_ctx_table(ctx);

	return (struct pev_ctx_iter){ .table = table, .end = table ? table->nr : 0 };
}

static inline struct pev_ctx_iter pev_ctx_begin_by_others(struct pev_task_ctx *ctx)
{
	struct pev_ctx_table *table = pev_ctx_table(ctx);

	return (struct pev_ctx_iter){ .table = table, .end = table ? table->nr_by_others : 0 };
}

static inline struct pev_event *pev_ctx_next(struct pev_ctx_iter *iter)
{
	struct pev_event *event = NULL;

	while (!event && iter->next < iter->end)
		event = READ_ONCE(iter->table->events[iter->next++]);
	return event;
}

/**
 * pev_ctx_for_each() - all events of a set
 * @event: struct pev_event * to iterate with
 * @ctx:   a set or NULL
 *
 * Context: as pev_ctx_table().
 */
#define pev_ctx_for_each(event, ctx)						\
	for (struct pev_ctx_iter __iter = pev_ctx_begin(ctx);			\
	     ((event) = pev_ctx_next(&__iter));)

/**
 * pev_ctx_for_each_by_others() - those events of a set that have @by_others
 * @event: struct pev_event * to iterate with
 * @ctx:   a set or NULL
 *
 * Context: as pev_ctx_table().
 */
#define pev_ctx_for_each_by_others(event, ctx)					\
	for (struct pev_ctx_iter __iter = pev_ctx_begin_by_others(ctx);		\
	     ((event) = pev_ctx_next(&__iter));)

/**
 * pev_ctx_follows() - has an event of a set to know the tasks?
 * @ctx: a set or NULL
 *
 * Context: as pev_ctx_table().
 */
static inline bool pev_ctx_follows(const struct pev_task_ctx *ctx)
{
	return ctx && READ_ONCE(ctx->follows);
}

static inline bool pev_ctx_has(struct pev_task_ctx *ctx, struct pev_event *event)
{
	struct pev_event *other;

	pev_ctx_for_each(other, ctx)
		if (other == event)
			return true;
	return false;
}

struct pev_task_ctx *pev_ctx_get(struct pev_task_ctx *ctx);
void pev_ctx_put_many(struct pev_task_ctx *ctx, unsigned int nr);

/**
 * pev_ctx_make() - a set like another one, but for some events
 * @from: the other one; NULL: the empty one
 * @keep: which of its events; NULL: all
 * @by:   for @keep
 * @more: an event that comes in addition, or NULL
 * @set:  receives the set, with one reference; NULL if it would be empty
 *
 * The set knows what new threads and processes get.
 *
 * Context: Process context, may sleep.
 * Return: 0, -ENOMEM, or -ENOSPC if there would be too many in it.
 */
int pev_ctx_make(struct pev_task_ctx *from,
		 bool (*keep)(const struct pev_event *event, const void *by), const void *by,
		 struct pev_event *more, struct pev_task_ctx **set);

/**
 * pev_ctx_detach() - take @event out of all sets
 * @event: PEV_EVENT_DEAD, so that no new set takes it over; it runs nowhere
 *
 * Context: Process context, may sleep.
 */
void pev_ctx_detach(struct pev_event *event);

void pev_ctx_fork(struct task_struct *child, u64 clone_flags);

/**
 * pev_ctx_exit() - stop counting the exiting task
 * @task: current, PF_EXITING is set so that no event attaches to it again
 *
 * Context: Process context.
 */
void pev_ctx_exit(struct task_struct *task);

/**
 * pev_ctx_drop_unprivileged() - the current task gained rights in an exec
 * @task: current
 * @all:  whatever the openers' rights; false: only those who may not see it
 *
 * Happens before the new program runs its first instruction.
 *
 * Context: Any of @task's, not in an interrupt.
 */
void pev_ctx_drop_unprivileged(struct task_struct *task, bool all);

/* Wait until no task has such a drop before it. Process context. */
void pev_ctx_teardown(void);

#endif
