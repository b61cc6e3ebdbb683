// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the sets of events that count tasks, and what a task's life does with
 * them: fork, exec and exit. Must not know when a task runs (target.c) or which
 * tasks an event is meant for (attach.c).
 *
 * A task points to a pev_task_ctx, the set of events that count it. Sets are
 * shared: all tasks that are counted by the same events have the same one, a
 * child takes a reference on the one that its parent's set prescribes, and a
 * switch between two tasks with the same set costs a comparison.
 *
 * Sets never gain events: to attach one, the affected tasks get new sets. When
 * events leave, their entries become NULL, and a table that is half empty gives
 * way to a smaller one.
 *
 * Locks: pev_ctx_lock for what tasks point to, pev_tables_lock for what is in sets; neither is
 * taken within the other. Memory is allocated before: what was found to be enough stays so,
 * because tables only lose events.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/coredump.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include "base/work.h"
#include "glue/linux.h"
#include "glue/task_set.h"
#include "record/charge.h"
#include "types.h"
#include "rights.h"
#include "target.h"
#include "task_ctx.h"

/* see task_ctx.h */
DEFINE_RAW_SPINLOCK(pev_ctx_lock);
DEFINE_RAW_SPINLOCK(pev_tables_lock);

/* Detaching drops pev_tables_lock after so many entries. */
#define DETACH_BATCH	64
/* Do not shrink tables that are shorter than this. */
#define SHRINK_MIN	16

/* ---- tables ---- */

static struct pev_ctx_table *table_alloc(unsigned int nr)
{
	struct pev_ctx_table *table;
	size_t size = struct_size(table, events, nr);

	table = kvzalloc(size + nr * sizeof(*table->links), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!table)
		return NULL;
	table->links = (void *)table + size;
	return table;
}

static struct pev_ctx_table *table_of(struct pev_task_ctx *ctx)
{
	return ctx ? rcu_dereference_protected(ctx->table, lockdep_is_held(&pev_tables_lock)) :
		     NULL;
}

/* The caller has made sure that @table has room. */
static void table_add(struct pev_task_ctx *ctx, struct pev_ctx_table *table,
		      struct pev_event *event)
{
	struct pev_ctx_link *link = &table->links[table->nr];

	lockdep_assert_held(&pev_tables_lock);
	table->nr++;
	table->events[table->nr - 1] = event;
	/* they come first, see fill_with() */
	table->nr_by_others += event->by_others;
	link->ctx = ctx;
	hlist_add_head(&link->node, &event->links);
}

static void ctx_count(struct pev_task_ctx *ctx, const struct pev_event *event, int sign)
{
	ctx->live += sign;
	ctx->weight += sign * event->weight;
	WRITE_ONCE(ctx->marked, ctx->marked + sign * !!(event->flags & PEV_F_MARKED));
	WRITE_ONCE(ctx->follows, ctx->follows + sign * !!event->ops->follow);
}

/* ---- sets ---- */

struct pev_task_ctx *pev_ctx_get(struct pev_task_ctx *ctx)
{
	if (ctx)
		refcount_inc(&ctx->ref);
	return ctx;
}

static void table_unlink(struct pev_ctx_table *table)
{
	lockdep_assert_held(&pev_tables_lock);
	for (unsigned int i = 0; table && i < table->nr; i++)
		if (table->events[i])
			hlist_del(&table->links[i].node);
}

/*
 * No task has the set, so after a grace period no CPU can begin to run on it. One that
 * has run on it since then, because nothing made it look again, is asked to. Until then it has
 * the events of the table, which leave it when they are closed.
 */
static void ctx_reap(struct work_struct *work)
{
	struct pev_task_ctx *ctx = container_of(to_rcu_work(work), struct pev_task_ctx, reap);
	struct pev_ctx_table *table;

	pev_target_forget(ctx);
	raw_spin_lock(&pev_tables_lock);
	table = table_of(ctx);
	table_unlink(table);
	raw_spin_unlock(&pev_tables_lock);
	/* another CPU may have found it where it was forgotten just now, see sync.c */
	if (table)
		kvfree_rcu(table, rcu);
	kfree_rcu(ctx, reap.rcu);
}

void pev_ctx_put_many(struct pev_task_ctx *ctx, unsigned int nr)
{
	struct pev_task_ctx *thread, *process;

	if (!ctx || !nr || !refcount_sub_and_test(nr, &ctx->ref))
		return;
	thread = ctx->thread;
	process = ctx->process;
	INIT_RCU_WORK(&ctx->reap, ctx_reap);
	queue_rcu_work(pev_wq, &ctx->reap);
	/* recurses once: the set of a new process prescribes itself */
	if (thread != ctx)
		pev_ctx_put_many(thread, 1);
	if (process != ctx)
		pev_ctx_put_many(process, 1);
}

/**
 * struct choice - which events of a set are taken over into another
 * @keep: NULL: all
 * @by:   for @keep
 * @more: comes in addition, or NULL
 */
struct choice {
	bool			(*keep)(const struct pev_event *event, const void *by);
	const void		*by;
	struct pev_event	*more;
};

/* Bound what a switch costs with interrupts off, however many descriptors there are. */
static bool is_too_much(const struct pev_task_ctx *ctx, const struct pev_event *more)
{
	return ctx->weight > PEV_MAX_TASK_EVENTS * (more->privileged ? 2 : 1);
}

static void add_to(struct pev_task_ctx *ctx, struct pev_ctx_table *table, struct pev_event *event)
{
	table_add(ctx, table, event);
	ctx_count(ctx, event, 1);
}

/* With what is counted by others, or with the rest. */
static void fill_with(struct pev_task_ctx *ctx, struct pev_ctx_table *table,
		      struct pev_task_ctx *from, const struct choice *choice, bool by_others)
{
	struct pev_event *event, *more = choice->more;

	pev_ctx_for_each(event, from)
		if (event->by_others == by_others && READ_ONCE(event->state) != PEV_EVENT_DEAD &&
		    (!choice->keep || choice->keep(event, choice->by)))
			add_to(ctx, table, event);
	if (more && more->by_others == by_others)
		add_to(ctx, table, more);
}

static int ctx_fill(struct pev_task_ctx *ctx, struct pev_ctx_table *table,
		    struct pev_task_ctx *from, const struct choice *choice)
{
	lockdep_assert_held(&pev_tables_lock);
	fill_with(ctx, table, from, choice, true);
	fill_with(ctx, table, from, choice, false);
	return choice->more && is_too_much(ctx, choice->more) ? -ENOSPC : 0;
}

/* Make a set without @thread and @process. @room: the most events that are chosen. */
static int ctx_make_one(struct pev_task_ctx *from, const struct choice *choice,
			unsigned int room, struct pev_task_ctx **set)
{
	struct pev_ctx_table *table;
	struct pev_task_ctx *ctx;
	int err;

	*set = NULL;
	if (!room)
		return 0;
	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	table = table_alloc(room);
	if (!ctx || !table) {
		kvfree(table);
		kfree(ctx);
		return -ENOMEM;
	}
	refcount_set(&ctx->ref, 1);
	raw_spin_lock(&pev_tables_lock);
	err = ctx_fill(ctx, table, from, choice);
	rcu_assign_pointer(ctx->table, table);
	raw_spin_unlock(&pev_tables_lock);
	if (err || !ctx->live)
		pev_ctx_put_many(ctx, 1);
	else
		*set = ctx;
	return err;
}

static bool to_thread(const struct pev_event *event, const void *unused)
{
	return event->target != PEV_TARGET_TASK;
}

static bool to_process(const struct pev_event *event, const void *unused)
{
	return event->target == PEV_TARGET_SUBTREE;
}

/* Return: does @keep want all events of @ctx? @nr: how many it wants. */
static bool all_are(struct pev_task_ctx *ctx,
		    bool (*keep)(const struct pev_event *event, const void *by), unsigned int *nr)
{
	unsigned int wanted = 0;
	struct pev_event *event;
	bool all;

	raw_spin_lock(&pev_tables_lock);
	pev_ctx_for_each(event, ctx)
		wanted += keep(event, NULL);
	all = wanted == ctx->live;
	raw_spin_unlock(&pev_tables_lock);
	*nr = wanted;
	return all;
}

/* Find the set that @ctx prescribes for new tasks: @ctx itself, or a smaller one. */
static int ctx_heir(struct pev_task_ctx *ctx,
		    bool (*keep)(const struct pev_event *event, const void *by),
		    struct pev_task_ctx **heir)
{
	const struct choice choice = { .keep = keep };
	unsigned int nr;

	/* a set of a few of hundreds of events has room for these alone: each task may have one */
	if (!all_are(ctx, keep, &nr))
		return ctx_make_one(ctx, &choice, nr, heir);
	*heir = ctx;
	return 0;
}

/* New threads and processes get the same set. */
static void ctx_close(struct pev_task_ctx *ctx)
{
	ctx->thread = ctx;
	ctx->process = ctx;
}

static int ctx_make_heirs(struct pev_task_ctx *ctx)
{
	struct pev_task_ctx *process, *thread;
	unsigned int nr;
	int err;

	err = ctx_heir(ctx, to_process, &ctx->process);
	if (err)
		return err;
	process = ctx->process;
	if (process == ctx) {
		ctx->thread = ctx;
		return 0;
	}
	if (process)
		ctx_close(process);
	err = ctx_heir(ctx, to_thread, &ctx->thread);
	if (err)
		return err;
	thread = ctx->thread;
	if (!thread || thread == ctx)
		return 0;
	thread->thread = thread;
	thread->process = pev_ctx_get(process);
	/*
	 * Share one set for the same events: a switch between the two is then free. As many are not
	 * the same ones, for one may be closed after the first set was made.
	 */
	if (process && all_are(thread, to_process, &nr)) {
		ctx->thread = pev_ctx_get(process);
		pev_ctx_put_many(thread, 1);
	}
	return 0;
}

int pev_ctx_make(struct pev_task_ctx *from,
		 bool (*keep)(const struct pev_event *event, const void *by), const void *by,
		 struct pev_event *more, struct pev_task_ctx **set)
{
	unsigned int room = (from ? READ_ONCE(from->live) : 0) + !!more;
	const struct choice choice = { keep, by, more };
	int err;

	/* @keep may say yes to more of them the next time it is asked */
	err = ctx_make_one(from, &choice, room, set);
	if (err || !*set)
		return err;
	err = ctx_make_heirs(*set);
	if (err) {
		pev_ctx_put_many(*set, 1);
		*set = NULL;
	}
	return err;
}

/* ---- detaching ---- */

/* Give @ctx a smaller table, unless it has changed too much meanwhile. */
static void ctx_shrink(struct pev_task_ctx *ctx)
{
	struct pev_ctx_table *old, *new;
	unsigned int room = READ_ONCE(ctx->live);

	new = table_alloc(room);
	if (!new)
		return;
	raw_spin_lock(&pev_tables_lock);
	old = table_of(ctx);
	if (!old || ctx->live > room || old->nr <= room) {
		raw_spin_unlock(&pev_tables_lock);
		kvfree(new);
		return;
	}
	for (unsigned int i = 0; i < old->nr; i++) {
		if (!old->events[i])
			continue;
		hlist_del(&old->links[i].node);
		table_add(ctx, new, old->events[i]);
	}
	rcu_assign_pointer(ctx->table, new);
	raw_spin_unlock(&pev_tables_lock);
	kvfree_rcu(old, rcu);
}

/* Take @event out of one set. Return: is a smaller table worth while? */
static bool link_remove(struct pev_ctx_link *link, struct pev_event *event)
{
	struct pev_task_ctx *ctx = link->ctx;
	struct pev_ctx_table *table = table_of(ctx);

	hlist_del(&link->node);
	WRITE_ONCE(table->events[link - table->links], NULL);
	ctx_count(ctx, event, -1);
	if (ctx->live)
		return table->nr >= SHRINK_MIN && ctx->live <= table->nr / 2;
	RCU_INIT_POINTER(ctx->table, NULL);
	kvfree_rcu(table, rcu);
	return false;
}

/* Take @event out of some of its sets. Return: are there more? */
static bool detach_some(struct pev_event *event)
{
	struct pev_task_ctx *loose[DETACH_BATCH];
	unsigned int nr = 0;
	bool more;

	raw_spin_lock(&pev_tables_lock);
	for (unsigned int i = 0; i < DETACH_BATCH && !hlist_empty(&event->links); i++) {
		struct pev_ctx_link *link = hlist_entry(event->links.first,
							struct pev_ctx_link, node);
		struct pev_task_ctx *ctx = link->ctx;

		/* skip a set that has just lost its last reference */
		if (link_remove(link, event) && refcount_inc_not_zero(&ctx->ref))
			loose[nr++] = ctx;
	}
	more = !hlist_empty(&event->links);
	raw_spin_unlock(&pev_tables_lock);

	while (nr--) {
		ctx_shrink(loose[nr]);
		pev_ctx_put_many(loose[nr], 1);
	}
	return more;
}

void pev_ctx_detach(struct pev_event *event)
{
	while (detach_some(event))
		cond_resched();
}

/* ---- the task's life; see include/linux/pev.h for where glue/task.c is called ---- */

/* Tell the events of a new task's set of it. */
static void ctx_follow(struct pev_task_ctx *ctx, struct task_struct *child)
{
	struct pev_event *event;

	if (!pev_ctx_follows(ctx))
		return;
	guard(rcu)();
	pev_ctx_for_each(event, ctx)
		if (event->ops->follow)
			event->ops->follow(event, child, true);
}

/*
 * Tell the events of @from that are not in @to, too, that the current task has left. Preemption
 * has been disabled since it did: a switch in between would not be told to them.
 */
static void ctx_leave(struct pev_task_ctx *from, struct pev_task_ctx *to)
{
	struct pev_event *event;

	if (!pev_ctx_follows(from))
		return;
	pev_ctx_for_each(event, from)
		if (event->ops->leave && !pev_ctx_has(to, event))
			event->ops->leave(event, current);
}

/**
 * pev_ctx_fork() - give a new task its set
 * @child: not running yet, just made visible
 * @clone_flags: tells threads from processes
 *
 * Context: tasklist_lock held for writing, interrupts off.
 */
void pev_ctx_fork(struct task_struct *child, u64 clone_flags)
{
	struct pev_task_ctx *ctx, *heir;

	/* only attach.c changes the set of another task, under read_lock(&pev_tasklist_lock) */
	ctx = pev_task_set_locked(current, lockdep_is_held(&pev_tasklist_lock));
	heir = !ctx ? NULL : clone_flags & CLONE_THREAD ? ctx->thread : ctx->process;
	if (!heir)
		return;
	if (pev_task_set_assign(child, pev_ctx_get(heir)))
		ctx_follow(heir, child);
	else
		pev_ctx_put_many(heir, 1);
}

/* If the current task's set is @from, replace it by @to and take over the reference. */
static bool ctx_replace(struct pev_task_ctx *from, struct pev_task_ctx *to)
{
	bool same;

	scoped_guard(preempt) {
		raw_spin_lock(&pev_ctx_lock);
		/* a set that replaces another always finds room */
		same = pev_task_set_value(current) == from && pev_task_set_assign(current, to);
		raw_spin_unlock(&pev_ctx_lock);
		if (same)
			ctx_leave(from, to);
	}
	if (!same)
		return false;
	/* not to @to: it may have been replaced meanwhile, and freed */
	scoped_guard(irqsave)
		pev_target_refresh_here();
	return true;
}

/* Return: the current task's set, with a reference. */
static struct pev_task_ctx *ctx_of_current(void)
{
	struct pev_task_ctx *ctx;

	raw_spin_lock(&pev_ctx_lock);
	ctx = pev_ctx_get(pev_task_set_locked(current, lockdep_is_held(&pev_ctx_lock)));
	raw_spin_unlock(&pev_ctx_lock);
	return ctx;
}

void pev_ctx_exit(struct task_struct *task)
{
	struct pev_task_ctx *ctx;

	/* while it still has its numbers in its namespace */
	scoped_guard(irqsave)
		pev_charge_task(task);
	/* pev_ctx:A, pairs with pev_ctx:B: attach.c sees PF_EXITING, or we see the set */
	smp_mb();
	if (!pev_task_set_value(task))
		return;
	/* only this task takes its set away, and with PF_EXITING none is added */
	ctx = ctx_of_current();
	if (ctx && ctx_replace(ctx, NULL))
		pev_ctx_put_many(ctx, 1);
	pev_ctx_put_many(ctx, 1);
}

/**
 * struct drop - events that the current task is to be rid of
 * @work: runs before the task goes on in user mode
 * @all:  see pev_ctx_drop_unprivileged()
 */
struct drop {
	struct callback_head	work;
	bool			all;
};

/*
 * For the execs that are under way: tracepoints disable preemption, where a kernel with
 * PREEMPT_RT cannot allocate. An exec that finds none of them free, or no memory later, loses
 * all events: counters of hardware and clocks ask nobody whether the task may be seen, and a
 * task can be kept from its works for as long as others like, by programs that take its CPU.
 */
#define NR_DROPS	64
static struct drop drops[NR_DROPS];
static DECLARE_BITMAP(drops_used, NR_DROPS);

static struct drop *drop_get(void)
{
	/* what else the task has to do first may take it for ever */
	if (!try_module_get(THIS_MODULE))
		return NULL;
	for (unsigned int i = 0; i < NR_DROPS; i++)
		if (!test_bit(i, drops_used) && !test_and_set_bit_lock(i, drops_used))
			return &drops[i];
	module_put(THIS_MODULE);
	return NULL;
}

static void drop_put(struct drop *drop)
{
	module_put(THIS_MODULE);
	clear_bit_unlock(drop - drops, drops_used);
}

/* @by is a struct drop. */
static bool stays(const struct pev_event *event, const void *by)
{
	const struct drop *drop = by;

	if (!(READ_ONCE(event->gate) & PEV_GATE_RIGHTS))
		return true;
	return !drop->all && pev_rights_allow(event, current);
}

/* @to is NULL if there is no memory. Return: true to try again, as an event was attached. */
static bool drop_to(struct pev_task_ctx *from, struct pev_task_ctx *to)
{
	bool again = from && !ctx_replace(from, to);

	pev_ctx_put_many(again ? to : from, 1);
	pev_ctx_put_many(from, 1);
	return again;
}

static bool drop_some(const struct drop *drop)
{
	struct pev_task_ctx *from = ctx_of_current(), *to = NULL;

	if (from)
		pev_ctx_make(from, stays, drop, NULL, &to);
	return drop_to(from, to);
}

static void drop_work(struct callback_head *work)
{
	struct drop *drop = container_of(work, struct drop, work);

	while (drop_some(drop))
		;
	drop_put(drop);
}

/* Takes no memory. */
static void drop_all(void)
{
	while (drop_to(ctx_of_current(), NULL))
		;
}

void __pev_teardown pev_ctx_teardown(void)
{
	/* they have given the module back, and are about to leave it */
	while (!bitmap_empty(drops_used, NR_DROPS))
		schedule_timeout_uninterruptible(1);
	/* the last instructions of drop_work() */
	synchronize_rcu_tasks();
}

void pev_ctx_drop_unprivileged(struct task_struct *task, bool all)
{
	struct drop now = { .all = all }, *drop = NULL;
	bool leave = false, stay = false;
	struct pev_event *event;

	scoped_guard(rcu) {
		pev_ctx_for_each(event, pev_task_set(task)) {
			bool one = stays(event, &now);

			stay |= one;
			leave |= !one;
		}
	}
	if (!leave)
		return;
	if (stay)
		drop = drop_get();
	if (!drop) {
		drop_all();
		return;
	}
	drop->all = all;
	init_task_work(&drop->work, drop_work);
	if (task_work_add(task, &drop->work, TWA_RESUME)) {
		/* it is killed, and has no works any more */
		drop_put(drop);
		drop_all();
	}
}
