// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the hash by which a task's set of events is found, as task_struct has no member for
 * it. Must not know what a set is.
 *
 * A task that gets its first set needs an entry: fork and the walk over tasks hold locks then
 * and can't wait for memory. So there is a reserve, filled from where one can wait.
 *
 * Locks: hash_lock, innermost. Readers hold none; entries are freed after a grace period.
 */
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "base/threads.h"
#include "base/work.h"
#include "glue/task_set.h"
#include "task_set.h"

/*
 * Entries that are kept for when there is no memory; with PREEMPT_RT for all, as asking for
 * memory takes locks there that sleep: enough for the forks until a worker has run.
 */
#define RESERVE		(IS_ENABLED(CONFIG_PREEMPT_RT) ? 4096 : 256)
/* So many are too few. */
#define LOW		(IS_ENABLED(CONFIG_PREEMPT_RT) ? RESERVE / 4 * 3 : RESERVE / 2)

/* Buckets that are looked at with interrupts off: there may be 65,536. */
#define STRETCH		1024U

static DEFINE_RAW_SPINLOCK(hash_lock);
struct hlist_head *pev_task_sets __ro_after_init;
unsigned int pev_task_set_bits __ro_after_init;
unsigned int pev_task_set_nr;

static HLIST_HEAD(reserve);
static unsigned int reserve_nr;

static struct pev_task_set_entry *find(const struct task_struct *task)
{
	struct pev_task_set_entry *entry;

	hlist_for_each_entry_rcu_notrace(entry, pev_task_set_bucket(task), node)
		if (entry->task == task)
			return entry;
	return NULL;
}

/**
 * pev_task_set_find() - the set of a task, by the hash
 * @task: the task
 *
 * Context: Any.
 * Return: the set, which stays valid as long as glue/task_set.h says; or NULL.
 */
struct pev_task_ctx *pev_task_set_find(const struct task_struct *task)
{
	struct pev_task_ctx *set;

	preempt_disable_notrace();
	set = pev_task_set(task);
	preempt_enable_notrace();
	return set;
}

/* ---- the reserve ---- */

void pev_task_set_prepare(unsigned int nr)
{
	struct pev_task_set_entry *entry;

	while (READ_ONCE(reserve_nr) < RESERVE + nr) {
		entry = kmalloc(sizeof(*entry), GFP_KERNEL | __GFP_NOWARN);
		if (!entry)
			return;
		raw_spin_lock_irq(&hash_lock);
		hlist_add_head(&entry->node, &reserve);
		WRITE_ONCE(reserve_nr, reserve_nr + 1);
		raw_spin_unlock_irq(&hash_lock);
	}
}

static void refill(struct work_struct *work)
{
	pev_task_set_prepare(0);
}

static DECLARE_WORK(refill_work, refill);

/* hash_lock held. */
static struct pev_task_set_entry *take_reserve(void)
{
	struct pev_task_set_entry *entry;

	entry = hlist_entry_safe(reserve.first, struct pev_task_set_entry, node);
	if (!entry)
		return NULL;
	hlist_del(&entry->node);
	WRITE_ONCE(reserve_nr, reserve_nr - 1);
	return entry;
}

/* ---- changes ---- */

/* hash_lock held. Return: has it a set now? */
static bool add(const struct task_struct *task, struct pev_task_ctx *set,
		struct pev_task_set_entry *entry)
{
	entry = entry ?: take_reserve();
	if (!entry)
		return false;
	entry->task = task;
	entry->set = set;
	WRITE_ONCE(pev_task_set_nr, pev_task_set_nr + 1);
	hlist_add_head_rcu(&entry->node, pev_task_set_bucket(task));
	return true;
}

/* hash_lock held. */
static void remove(struct pev_task_set_entry *entry)
{
	hlist_del_rcu(&entry->node);
	WRITE_ONCE(pev_task_set_nr, pev_task_set_nr - 1);
}

bool pev_task_set_assign(struct task_struct *task, struct pev_task_ctx *set)
{
	struct pev_task_set_entry *entry, *new = NULL;
	unsigned long flags;
	bool done = true;

	/* what keeps others from this task keeps them from its entry */
	if (!IS_ENABLED(CONFIG_PREEMPT_RT) && set && !pev_task_set_value(task))
		new = kmalloc(sizeof(*new), GFP_ATOMIC | __GFP_NOWARN);
	raw_spin_lock_irqsave(&hash_lock, flags);
	entry = find(task);
	if (entry && set)
		/* order the set's contents before it */
		smp_store_release(&entry->set, set);
	else if (entry)
		remove(entry);
	else if (set)
		done = add(task, set, new);
	raw_spin_unlock_irqrestore(&hash_lock, flags);
	if (entry && !set)
		kfree_rcu(entry, rcu);
	if (READ_ONCE(reserve_nr) < LOW)
		queue_work(pev_wq, &refill_work);
	return done;
}

bool pev_task_set_take_any(unsigned int *bucket, struct pev_task_ctx **set)
{
	unsigned int end = min(*bucket + STRETCH, 1U << pev_task_set_bits), at = *bucket;
	struct pev_task_set_entry *entry = NULL;

	raw_spin_lock_irq(&hash_lock);
	for (; at < end && !entry; at += !entry)
		entry = hlist_entry_safe(pev_task_sets[at].first, struct pev_task_set_entry, node);
	if (entry)
		remove(entry);
	raw_spin_unlock_irq(&hash_lock);
	*bucket = at;
	*set = NULL;
	if (!entry)
		return at < 1U << pev_task_set_bits;
	*set = entry->set;
	kfree_rcu(entry, rcu);
	return true;
}

/* A switch of any task looks into a bucket: it is short, however many threads a user has. */
int __init pev_task_set_setup(void)
{
	pev_task_set_bits = pev_threads_bits();
	pev_task_sets = kvcalloc(1 << pev_task_set_bits, sizeof(*pev_task_sets), GFP_KERNEL);
	return pev_task_sets ? 0 : -ENOMEM;
}

void pev_task_set_teardown(void)
{
	struct pev_task_set_entry *entry;

	cancel_work_sync(&refill_work);
	while ((entry = take_reserve()))
		kfree(entry);
	kvfree(pev_task_sets);
}
