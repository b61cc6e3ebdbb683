// SPDX-License-Identifier: GPL-2.0
/*
 * Owns which events count which tasks, from attaching through fork to exit.
 * Must not know when a task runs: that is target.c's.
 *
 * A task points to a pev_task_ctx, the set of events that count it. Sets are
 * shared: all tasks that are counted by the same events have the same one, a
 * child takes a reference on the one that its parent's set prescribes, and a
 * switch between two tasks with the same set costs a comparison.
 *
 * Sets never gain events: to attach one, the affected tasks get new sets, under
 * a single read lock of tasklist_lock. Fork takes that lock for writing when it
 * makes the child visible and gives it its set in the same section: a child is
 * either seen by the walk, or born of a parent that was.
 *
 * Locks: tasklist_lock, then ctx_lock, which protects all tasks' set pointers
 * and the list of sets.
 */
#include <linux/pev.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "event.h"
#include "sideband.h"
#include "target.h"
#include "task_ctx.h"

static DEFINE_SPINLOCK(ctx_lock);
static LIST_HEAD(all_ctxs);

/* ---- sets ---- */

static struct pev_task_ctx *ctx_get(struct pev_task_ctx *ctx)
{
	if (ctx)
		refcount_inc(&ctx->ref);
	return ctx;
}

static void ctx_put_many(struct pev_task_ctx *ctx, unsigned int nr)
{
	struct pev_task_ctx *thread, *process;

	if (!ctx || !nr || !refcount_sub_and_test(nr, &ctx->ref))
		return;
	thread = ctx->thread;
	process = ctx->process;
	spin_lock(&ctx_lock);
	list_del(&ctx->node);
	spin_unlock(&ctx_lock);
	if (thread != ctx)
		ctx_put_many(thread, 1);
	if (process != ctx)
		ctx_put_many(process, 1);
	kfree_rcu(ctx, rcu);
}

static bool to_thread(const struct pev_event *event)
{
	return event->target != PEV_TARGET_TASK;
}

static bool to_process(const struct pev_event *event)
{
	return event->target == PEV_TARGET_SUBTREE;
}

static bool is_privileged(const struct pev_event *event)
{
	return event->privileged;
}

/*
 * A set of those events of @from that @keep accepts, plus @more, with what new
 * threads and processes get. @set receives it; NULL if it would be empty. Bare
 * reads of @from are fine: entries only ever become NULL.
 *
 * Return: 0, or -ENOMEM with a set that has less for children.
 */
static int ctx_make(struct pev_task_ctx *from, bool (*keep)(const struct pev_event *),
		    struct pev_event *more, struct pev_task_ctx **set)
{
	unsigned int max = (from ? from->nr : 0) + !!more;
	bool all_thread = true, all_process = true;
	struct pev_task_ctx *ctx;
	unsigned int i, nr = 0;

	lockdep_assert_held(&ctx_lock);

	*set = NULL;
	if (!max)
		return 0;
	ctx = kzalloc(struct_size(ctx, events, max), GFP_ATOMIC | __GFP_NOWARN);
	if (!ctx)
		return -ENOMEM;
	ctx->nr = max;
	for (i = 0; i < max; i++) {
		struct pev_event *event = more;

		if (from && i < from->nr) {
			event = from->events[i];
			if (!event || (keep && !keep(event)))
				continue;
		}
		all_thread &= to_thread(event);
		all_process &= to_process(event);
		ctx->marked |= !!(event->flags & PEV_F_MARKED);
		ctx->events[nr++] = event;
	}
	ctx->nr = nr;
	if (!nr) {
		kfree(ctx);
		return 0;
	}
	refcount_set(&ctx->ref, 1);
	list_add(&ctx->node, &all_ctxs);
	*set = ctx;
	if (all_thread)
		ctx->thread = ctx;
	else if (ctx_make(ctx, to_thread, NULL, &ctx->thread))
		return -ENOMEM;
	if (all_process)
		ctx->process = ctx;
	else if (ctx_make(ctx, to_process, NULL, &ctx->process))
		return -ENOMEM;
	return 0;
}

/* ---- attaching to tasks ---- */

/**
 * struct ctx_move - tasks that go from one set to another
 * @next:  list
 * @from:  their old set
 * @to:    their new one
 * @tasks: how many went
 */
struct ctx_move {
	struct ctx_move		*next;
	struct pev_task_ctx	*from;
	struct pev_task_ctx	*to;
	unsigned int		tasks;
};

static struct ctx_move *move_for(struct ctx_move **moves, struct pev_task_ctx *from,
				 struct pev_event *event)
{
	struct ctx_move *move;

	for (move = *moves; move; move = move->next)
		if (move->from == from)
			return move;
	move = kzalloc(sizeof(*move), GFP_ATOMIC | __GFP_NOWARN);
	if (!move)
		return NULL;
	move->from = from;
	move->next = *moves;
	*moves = move;
	if (ctx_make(from, NULL, event, &move->to))
		return NULL;
	return move;
}

static int attach_one(struct ctx_move **moves, struct task_struct *task,
		      struct pev_event *event)
{
	struct pev_task_ctx *from = rcu_dereference_protected(task->pev,
						lockdep_is_held(&ctx_lock));
	struct ctx_move *move;

	/* @task changes its flags; if it sets this one now, __pev_exit() comes after us */
	if (data_race(task->flags & PF_EXITING) || pev_ctx_has(from, event))
		return 0;
	/* a descendant may have gained rights that @top does not have */
	if (!event->privileged && !ptrace_may_access(task, PTRACE_MODE_READ_REALCREDS))
		return 0;
	move = move_for(moves, from, event);
	if (!move)
		return -ENOMEM;
	rcu_assign_pointer(task->pev, ctx_get(move->to));
	move->tasks++;
	return 1;
}

static bool descends(struct task_struct *task, struct task_struct *top)
{
	while (task != &init_task) {
		if (same_thread_group(task, top))
			return true;
		task = rcu_dereference_protected(task->real_parent,
						 lockdep_is_held(&tasklist_lock));
	}
	return false;
}

/* Number of tasks attached, or -ENOMEM. */
static int attach_walk(struct ctx_move **moves, struct task_struct *top,
		       struct pev_event *event)
{
	struct task_struct *process, *thread;
	int nr = 0, ret = 0;

	if (event->target == PEV_TARGET_TASK)
		return attach_one(moves, top, event);
	for_each_process(process) {
		if (event->target == PEV_TARGET_PROCESS ? !same_thread_group(process, top) :
							  !descends(process, top))
			continue;
		for_each_thread(process, thread) {
			ret = attach_one(moves, thread, event);
			if (ret < 0)
				return ret;
			nr += ret;
		}
	}
	return nr;
}

int pev_ctx_attach(struct pev_event *event, struct task_struct *top)
{
	struct ctx_move *moves = NULL, *next;
	int ret;

	read_lock(&tasklist_lock);
	spin_lock(&ctx_lock);
	ret = attach_walk(&moves, top, event);
	spin_unlock(&ctx_lock);
	read_unlock(&tasklist_lock);

	/* CPUs may run on the old sets until they have looked again */
	pev_target_refresh();
	for (; moves; moves = next) {
		next = moves->next;
		ctx_put_many(moves->from, moves->tasks);
		ctx_put_many(moves->to, 1);
		kfree(moves);
	}
	return ret;
}

static void ctx_remove(struct pev_task_ctx *ctx, struct pev_event *event)
{
	bool marked = false;
	unsigned int i;

	lockdep_assert_held(&ctx_lock);

	for (i = 0; i < ctx->nr; i++) {
		if (ctx->events[i] == event)
			WRITE_ONCE(ctx->events[i], NULL);
		else if (ctx->events[i])
			marked |= !!(ctx->events[i]->flags & PEV_F_MARKED);
	}
	WRITE_ONCE(ctx->marked, marked);
}

void pev_ctx_detach(struct pev_event *event)
{
	struct pev_task_ctx *ctx;

	spin_lock(&ctx_lock);
	list_for_each_entry(ctx, &all_ctxs, node)
		ctx_remove(ctx, event);
	spin_unlock(&ctx_lock);
}

/* ---- the task's life; see include/linux/pev.h for where these are called ---- */

/**
 * __pev_fork() - give a new task its set
 * @child: not running yet, just made visible
 * @clone_flags: tells threads from processes
 *
 * Context: tasklist_lock held for writing.
 */
void __pev_fork(struct task_struct *child, u64 clone_flags)
{
	struct pev_task_ctx *ctx;

	ctx = rcu_dereference_protected(current->pev, lockdep_is_held(&tasklist_lock));
	if (ctx)
		rcu_assign_pointer(child->pev, ctx_get(clone_flags & CLONE_THREAD ?
						       ctx->thread : ctx->process));
	pev_sideband_fork(child);
}

/**
 * __pev_exit() - the current task counts no more
 * @task: current, PF_EXITING is set so that nobody attaches to it again
 *
 * Context: Process context.
 */
void __pev_exit(struct task_struct *task)
{
	struct pev_task_ctx *ctx;

	pev_sideband_exit(task);

	spin_lock(&ctx_lock);
	ctx = rcu_dereference_protected(task->pev, lockdep_is_held(&ctx_lock));
	RCU_INIT_POINTER(task->pev, NULL);
	spin_unlock(&ctx_lock);

	pev_target_switch(NULL);
	ctx_put_many(ctx, 1);
}

void pev_ctx_drop_unprivileged(struct task_struct *task)
{
	struct pev_task_ctx *from, *to;

	spin_lock(&ctx_lock);
	from = rcu_dereference_protected(task->pev, lockdep_is_held(&ctx_lock));
	ctx_make(from, is_privileged, NULL, &to);
	rcu_assign_pointer(task->pev, to);
	spin_unlock(&ctx_lock);

	pev_target_switch(to);
	ctx_put_many(from, 1);
}
