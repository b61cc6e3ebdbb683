// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the walk over the tasks that an event is attached to. Which sets of events
 * there are is task_ctx.c's, when tasks run is target.c's.
 *
 * Locks: tasklist_lock for reading, and in it pev_ctx_lock, in stretches: between
 * two of them other tasks may fork and exit.
 */

/**
 * DOC: why no task is missed
 *
 * Fork takes tasklist_lock for writing, and in that one section links the child and
 * calls pev_fork(), which gives the child what its parent's set prescribes. The walk
 * looks at a task with the same lock held for reading. A child is either linked
 * before its parent is looked at, or born of a parent that has the event.
 *
 * The walk goes from each task to its children and then to its next thread or
 * sibling. New threads and children are linked at the ends of their lists: those of
 * tasks that have not been looked at yet come ahead of the walk. Each task that it has
 * passed has the event, and so have all its children from then on.
 *
 * When the lock is dropped, the walk remembers one task. It may miss tasks if that one is
 * gone when the lock is taken again, or if a process or thread ends and its children are
 * reparented: to a task that the walk has passed, or with the walk among them, to behind tasks
 * that it has not come to. It therefore starts over until a pass has lost nothing and attached
 * to nothing: then all descendants of the top at that moment are counted. Passes after the
 * first find few tasks to attach to, and need no longer for a task than it takes to see that it
 * has the event.
 *
 * Children that take the walk along to another parent show at the end of the pass: the walk has
 * not come back to all tasks to whose children it went. To one that has lost its children it
 * can't come back instead of another, as an exiting task gets none.
 *
 * A process is in the subtree if its parent has the event, or is about to end and had
 * it. So a task that is reparented outside while the walk stands on it leads it astray by
 * one step, not further, and children of a task that may not be watched are left out. Left out
 * is also what lies below EXITING_MAX processes in a row that are about to end: a user may hold up
 * as many as he likes, and no pass would find more until he lets them go.
 */
#include <linux/cpumask.h>
#include <linux/hashtable.h>
#include <linux/pev_refuse.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "base/task.h"
#include "glue/linux.h"
#include "glue/task_set.h"
#include "types.h"
#include "attach.h"
#include "rights.h"
#include "target.h"
#include "task_ctx.h"

/* The walk drops tasklist_lock after so many steps. */
#define STRETCH		128
/* Searching a set of so many events, or so many moves, counts as one more step. */
#define SEARCH_STEP	32
/* Exiting ancestors that are skipped to find a live one. */
#define EXITING_MAX	16

/**
 * struct move - tasks that go from one set to another
 * @node:  by @from
 * @from:  their old set, with a reference
 * @to:    their new one, with a reference
 * @tasks: how many went
 */
struct move {
	struct hlist_node	node;
	struct pev_task_ctx	*from;
	struct pev_task_ctx	*to;
	unsigned int		tasks;
};

/**
 * struct walk - a walk
 * @event:   the event
 * @top:     where it begins, with a reference of the caller's
 * @moves:   by old set
 * @last:    the newest hit there
 * @yes:     a set that has the event, while tasklist_lock is held
 * @no:      one that does not
 * @need:    NEED: the set for which there is no move, with a reference
 * @task:    the task that is looked at, with a reference between stretches
 * @exec_id: of its program, when its rights were looked at
 * @behind:  it was looked at, and so were its children
 * @open:    sum_of() tasks to whose children it went and has not come back
 * @left:    steps left of this stretch
 * @nr:      attached in all
 * @changed: attached in this pass
 * @lost:    the pass may have missed a task
 */
struct walk {
	struct pev_event	*event;
	struct task_struct	*top;
	DECLARE_HASHTABLE(moves, 8);
	struct move		*last;
	struct pev_task_ctx	*yes;
	struct pev_task_ctx	*no;
	struct pev_task_ctx	*need;
	struct task_struct	*task;
	u64			exec_id;
	bool			behind;
	u64			open;
	int			left;
	unsigned long		nr;
	bool			changed;
	bool			lost;
};

/* What to do after a stretch. */
enum next {
	NEXT_STRETCH,
	NEXT_MOVE,	/* a set is to be made for @need */
	NEXT_PASS,	/* it has come to the end */
	NEXT_NOTHING,	/* there is no memory to go on */
};

/* ---- sets ---- */

static struct move *find_move(struct walk *w, struct pev_task_ctx *from)
{
	struct move *move = w->last;
	unsigned int met = 0;

	if (move && move->from == from)
		return move;
	hash_for_each_possible(w->moves, move, node, (unsigned long)from) {
		if (move->from == from) {
			w->last = move;
			break;
		}
		met++;
	}
	/* each task may have a set of its own */
	w->left -= met / SEARCH_STEP;
	return move;
}

/* Make a set for @need, and take over the reference there. */
static int add_move(struct walk *w)
{
	struct move *move = kzalloc(sizeof(*move), GFP_KERNEL_ACCOUNT);
	int err = -ENOMEM;

	if (move)
		err = pev_ctx_make(w->need, NULL, NULL, w->event, &move->to);
	if (err) {
		pev_ctx_put_many(w->need, 1);
		kfree(move);
		return err;
	}
	move->from = w->need;
	hash_add(w->moves, &move->node, (unsigned long)move->from);
	w->last = move;
	return 0;
}

static void free_moves(struct walk *w)
{
	struct hlist_node *next;
	struct move *move;
	int i;

	hash_for_each_safe(w->moves, i, next, move, node) {
		pev_ctx_put_many(move->from, move->tasks + 1);
		pev_ctx_put_many(move->to, 1);
		kfree(move);
		cond_resched();
	}
}

/* Within a stretch no set gets @event or is freed, so that answers can be cached. */
static bool has_event(struct walk *w, struct pev_task_ctx *ctx)
{
	if (!ctx)
		return false;
	if (ctx == w->yes)
		return true;
	if (ctx == w->no)
		return false;
	w->left -= READ_ONCE(ctx->live) / SEARCH_STEP;
	if (pev_ctx_has(ctx, w->event)) {
		w->yes = ctx;
		return true;
	}
	w->no = ctx;
	return false;
}

/* ---- one task ---- */

enum visit {
	VISIT_OUTSIDE,	/* does not get the event, and neither do its children */
	VISIT_LEAVING,	/* exits: its children get another parent in a moment */
	VISIT_INSIDE,	/* has it */
	VISIT_NEED,	/* there is no set for it yet */
	VISIT_NO_ROOM,	/* no memory for the task's set */
	VISIT_CHANGED,	/* is another program than was looked at */
};

/*
 * Is a task that has just got the event to keep it? An exec since visit() may have looked for
 * events before: the new program may have more rights, or be one that can't be read.
 */
static enum visit look_again(struct walk *w, struct task_struct *task)
{
	if (pev_task_is_exiting(task))
		return VISIT_LEAVING;
	if (!pev_event_sees_task(w->event, task))
		return VISIT_OUTSIDE;
	return READ_ONCE(task->self_exec_id) == w->exec_id ? VISIT_INSIDE : VISIT_CHANGED;
}

/* The CPU that @task is on is to look at its set. */
static void note_place(struct walk *w, struct task_struct *task)
{
	if (READ_ONCE(task->on_rq))
		cpumask_set_cpu(task_cpu(task), w->event->moved);
}

/* pev_ctx_lock held. */
static enum visit attach_locked(struct walk *w, struct task_struct *task)
{
	struct pev_task_ctx *from;
	enum visit found;
	struct move *move;

	from = pev_task_set_locked(task, lockdep_is_held(&pev_ctx_lock));
	if (has_event(w, from))
		return VISIT_INSIDE;
	move = find_move(w, from);
	if (!move) {
		w->need = pev_ctx_get(from);
		return VISIT_NEED;
	}
	if (!pev_task_set_assign(task, pev_ctx_get(move->to))) {
		pev_ctx_put_many(move->to, 1);
		return VISIT_NO_ROOM;
	}
	/*
	 * pev_ctx:B, pairs with pev_ctx:A in pev_ctx_exit(), pev_ctx:C at the end of an exec, and
	 * the one that the scheduler has between choosing a task and its tracepoint: it sees the
	 * new set, or we see where the task is, and what it executes.
	 */
	smp_mb();
	/* also if the set is taken back: a CPU may have begun to run on it */
	note_place(w, task);
	found = look_again(w, task);
	if (found != VISIT_INSIDE) {
		pev_task_set_assign(task, from);
		/* pev_ctx:B again: one that began meanwhile is seen, a later one has the old set */
		smp_mb();
		note_place(w, task);
		/* never the last reference: the move holds one */
		pev_ctx_put_many(move->to, 1);
		return found;
	}
	move->tasks++;
	if (w->event->ops->follow) {
		w->event->ops->follow(w->event, task, false);
		/* it takes as long as a step */
		w->left--;
	}
	w->yes = move->to;
	w->nr++;
	w->changed = true;
	return VISIT_INSIDE;
}

static enum visit attach_to(struct walk *w, struct task_struct *task)
{
	enum visit found;

	raw_spin_lock(&pev_ctx_lock);
	found = attach_locked(w, task);
	raw_spin_unlock(&pev_ctx_lock);
	return found;
}

/* Compare groups: an exec may make another thread the leader. */
static bool is_top(struct walk *w, struct task_struct *task)
{
	return same_thread_group(task, w->top);
}

static struct task_struct *parent_of(struct task_struct *task)
{
	return rcu_dereference_protected(task->group_leader->real_parent,
					 lockdep_is_held(&pev_tasklist_lock));
}

/* Where a process is, as the walk goes by its parent. */
enum place {
	PLACE_INSIDE,	/* the top, or the child of a task that has or had the event */
	PLACE_OUTSIDE,
	PLACE_UNKNOWN,	/* too many tasks above it are about to end */
};

static enum place place_of(struct walk *w, struct task_struct *task)
{
	for (unsigned int i = 0; i < EXITING_MAX; i++) {
		if (is_top(w, task))
			return PLACE_INSIDE;
		task = parent_of(task);
		if (!pev_task_is_exiting(task))
			return has_event(w, pev_task_set(task)) ? PLACE_INSIDE : PLACE_OUTSIDE;
		w->left--;
	}
	return PLACE_UNKNOWN;
}

static enum visit visit(struct walk *w, struct task_struct *task)
{
	enum place place = place_of(w, task);

	if (place != PLACE_INSIDE) {
		/* what is unknown now is so in the next pass, for as long as users hold up exits */
		w->lost |= place == PLACE_OUTSIDE;
		return VISIT_OUTSIDE;
	}
	if (pev_task_is_exiting(task))
		return VISIT_LEAVING;
	/* before its memory is looked at, which an exec marks before it counts itself */
	w->exec_id = READ_ONCE(task->self_exec_id);
	/* a descendant may have gained rights that the top lacks */
	if (!w->event->privileged && !ptrace_may_access(task, PTRACE_MODE_READ_REALCREDS))
		return VISIT_OUTSIDE;
	return attach_to(w, task);
}

/* ---- from one task to the next; each step is short ---- */

static struct task_struct *next_in_process(struct task_struct *task)
{
	struct list_head *next = task->thread_node.next;

	if (next == &task->signal->thread_head)
		return NULL;
	return list_entry(next, struct task_struct, thread_node);
}

/*
 * What a task adds to @open. The address may be another task's by the time that the walk comes
 * back, but that one has begun later. Multiplied, as mere sums of addresses, which lie at regular
 * distances, are the same now and then.
 */
static u64 sum_of(struct task_struct *task)
{
	return (uintptr_t)task * task->start_time;
}

/*
 * All of @task's is done: to its next thread, or its process's next sibling, or back to
 * its parent. Return: false if it was the last.
 */
static bool step_on(struct walk *w)
{
	struct task_struct *task = w->task, *next, *leader = task->group_leader, *parent;

	next = next_in_process(task);
	if (next) {
		w->task = next;
		w->behind = false;
		return true;
	}
	if (w->event->target != PEV_TARGET_SUBTREE || is_top(w, task)) {
		w->lost |= !!w->open;
		return false;
	}
	/* it was reparented meanwhile: do not walk the new parent's children */
	if (place_of(w, task) == PLACE_OUTSIDE) {
		w->lost = true;
		return false;
	}
	parent = parent_of(task);
	if (!list_is_last(&leader->sibling, &parent->children)) {
		w->task = list_next_entry(leader, sibling);
		w->behind = false;
	} else {
		w->open -= sum_of(parent);
		w->task = parent;
		w->behind = true;
	}
	return true;
}

static enum next step(struct walk *w)
{
	struct task_struct *task = w->task;
	enum visit found;

	if (w->behind)
		return step_on(w) ? NEXT_STRETCH : NEXT_PASS;
	found = visit(w, task);
	if (found == VISIT_NEED)
		return NEXT_MOVE;
	if (found == VISIT_NO_ROOM)
		return NEXT_NOTHING;
	if (found == VISIT_CHANGED)
		return NEXT_STRETCH;
	if (w->event->target == PEV_TARGET_TASK)
		return NEXT_PASS;
	if (found != VISIT_OUTSIDE && w->event->target == PEV_TARGET_SUBTREE &&
	    !list_empty(&task->children)) {
		w->open += sum_of(task);
		w->task = list_first_entry(&task->children, struct task_struct, sibling);
	} else {
		w->behind = true;
	}
	return NEXT_STRETCH;
}

static struct task_struct *first(struct walk *w)
{
	if (w->event->target != PEV_TARGET_TASK)
		return pid_task(w->event->top, PIDTYPE_TGID);
	return pid_alive(w->top) ? w->top : NULL;
}

static enum next stretch(struct walk *w)
{
	enum next next = NEXT_STRETCH;
	struct task_struct *was = w->task;

	guard(rcu)();
	read_lock(&pev_tasklist_lock);
	w->yes = NULL;
	w->no = NULL;
	w->left = STRETCH;
	if (!was || !pid_alive(was)) {
		w->lost |= !!was;
		w->task = first(w);
		w->behind = false;
		w->open = 0;
	}
	if (!w->task)
		next = NEXT_PASS;
	while (next == NEXT_STRETCH && w->left-- > 0)
		next = step(w);
	if (next == NEXT_PASS)
		w->task = NULL;
	else
		get_task_struct(w->task);
	read_unlock(&pev_tasklist_lock);
	if (was)
		put_task_struct(was);
	return next;
}

/* Repeat passes until one attaches to nothing and loses nothing. */
static int walk(struct walk *w)
{
	int err = 0;

	do {
		w->changed = false;
		w->lost = false;
		while (!err) {
			enum next next;

			pev_task_set_prepare(STRETCH);
			if (w->event->ops->prepare)
				w->event->ops->prepare(w->event, STRETCH);
			next = stretch(w);
			if (next == NEXT_PASS)
				break;
			if (next == NEXT_MOVE)
				err = add_move(w);
			if (next == NEXT_NOTHING)
				err = -ENOMEM;
			cond_resched();
			if (fatal_signal_pending(current))
				err = -EINTR;
		}
	} while (!err && w->event->target != PEV_TARGET_TASK && (w->changed || w->lost));
	if (w->task)
		put_task_struct(w->task);
	return err;
}

static int refuse(struct pev_event *event, int err, struct pev_refuse *r)
{
	switch (err) {
	case -ENOSPC:
		return pev_refuse(r, ENOSPC, PEV_FIELD(target),
				  "as many events as a switch can bear, %u, count the task already (timers, hardware counters, moves between CPUs, call chains and long filters are several of them): close some",
				  PEV_MAX_TASK_EVENTS);
	case -EINTR:
		return pev_refuse(r, EINTR, PEV_FIELD(target), "a fatal signal ended the call");
	case -ENOMEM:
		return pev_refuse(r, ENOMEM, PEV_FIELD(target), "no memory for the sets of events");
	default:
		return pev_refuse(r, ESRCH, PEV_FIELD(target_id),
				  "the task has exited, or has changed to a user that you may not watch");
	}
}

int pev_attach(struct pev_event *event, struct task_struct *top, struct pev_refuse *r)
{
	struct walk *w = kzalloc(sizeof(*w), GFP_KERNEL_ACCOUNT);
	int err;

	if (!w)
		return refuse(event, -ENOMEM, r);
	w->event = event;
	w->top = top;
	hash_init(w->moves);
	err = walk(w);
	free_moves(w);
	if (!err && !w->nr)
		err = -ESRCH;
	kfree(w);
	return err ? refuse(event, err, r) : 0;
}
