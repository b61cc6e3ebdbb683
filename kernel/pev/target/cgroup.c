// SPDX-License-Identifier: GPL-2.0
/*
 * Owns events on cgroups: which of them count the task that a CPU switches to. A
 * cgroup that has events has a node, found by its id. A CPU knows in which of them its
 * task is; when it switches to a task of another cgroup, it asks for each of that one's
 * ancestors whether there is a node, however many there are elsewhere. Users nest their own cgroups
 * as deep as they like: those below all nodes are not asked for.
 *
 * Locks: pev_control for the nodes and their lists; lookups are under RCU.
 */
#include <linux/cgroup.h>
#include <linux/cpumask.h>
#include <linux/hashtable.h>
#include <linux/pev_refuse.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include "base/lock.h"
#include "base/work.h"
#include "cgroup.h"
#include "commit.h"
#include "cpu.h"
#include "target.h"

/* see target/cpu.h */
unsigned int pev_cgroup_nr;

/**
 * struct pev_cgroup_here - a node on one CPU; changed by it with interrupts off
 * @node:  in the CPU's list of cgroups of its task
 * @group: back
 * @in:    the CPU's task is in it
 */
struct pev_cgroup_here {
	struct hlist_node	node;
	struct pev_cgroup	*group;
	bool			in;
};

/**
 * struct pev_cgroup - a cgroup with events
 * @node:   by @id
 * @id:     never used twice
 * @cgroup: with a reference
 * @events: on it; written under pev_control, read under RCU
 * @users:  events that have it, under pev_control
 * @here:   by CPU
 * @reap:   frees it when no CPU can enter it any more
 */
struct pev_cgroup {
	struct hlist_node		node;
	u64				id;
	struct cgroup			*cgroup;
	struct list_head		events;
	unsigned int			users;
	struct pev_cgroup_here __percpu	*here;
	struct rcu_work			reap;
};

static DEFINE_HASHTABLE(groups, 8);
/*
 * Odd; set before the first node. Users make cgroups as they like, and could else keep those with
 * an id in the bucket of the root's, which is looked for at each switch between cgroups.
 */
static u64 secret;
/* No node is deeper. Written under pev_control, before the node is found. */
static int deepest;

static u64 key_of(u64 id)
{
	return id * READ_ONCE(secret);
}

static struct pev_cgroup *find_group(u64 id)
{
	struct pev_cgroup *group;

	hash_for_each_possible_rcu(groups, group, node, key_of(id),
				   lockdep_is_held(&pev_control) || rcu_read_lock_sched_held())
		if (group->id == id)
			return group;
	return NULL;
}

/*
 * Of the ancestors that may have a node. Who misses one that is being added misses the node as
 * well, and its first event interrupts the CPUs.
 */
static int last_level(const struct cgroup *cgroup)
{
	return min(cgroup->level, READ_ONCE(deepest));
}

/* Start or stop all events of a cgroup here. */
static void group_sync(struct pev_cgroup *group, bool in, u64 *now)
{
	struct pev_event *event;

	list_for_each_entry_rcu(event, &group->events, node, rcu_read_lock_sched_held())
		pev_event_cpu_sync(event, in && pev_event_is_on(event) &&
				   cpumask_test_cpu(smp_processor_id(), event->cpus), now);
}

static void enter(struct pev_target_cpu *cpu, struct pev_cgroup *group, u64 *now)
{
	struct pev_cgroup_here *here = this_cpu_ptr(group->here);

	if (here->in)
		return;
	WRITE_ONCE(here->in, true);
	hlist_add_head(&here->node, &cpu->cgroups);
	smp_mb();	/* pev_sync:B, pairs with pev_sync:A in sync.c */
	group_sync(group, true, now);
}

static void leave(struct pev_cgroup_here *here, u64 *now)
{
	hlist_del_init(&here->node);
	group_sync(here->group, false, now);
	WRITE_ONCE(here->in, false);
}

/* Leave the cgroups of the last task and enter those of @task. */
static void look(struct pev_target_cpu *cpu, struct task_struct *task, u64 *now)
{
	struct pev_cgroup_here *here;
	struct hlist_node *next;
	struct cgroup *cgroup;

	smp_store_mb(cpu->process, task->signal);	/* cgroup_moved:A, pairs with :B */
	cgroup = task_dfl_cgroup(task);
	cpu->cgroup = cgroup_id(cgroup);
	hlist_for_each_entry_safe(here, next, &cpu->cgroups, node)
		if (!cpu->online || !cgroup_is_descendant(cgroup, here->group->cgroup))
			leave(here, now);
	if (!cpu->online || !READ_ONCE(pev_cgroup_nr))
		return;
	for (int level = 0; level <= last_level(cgroup); level++) {
		struct pev_cgroup *group = find_group(cgroup_id(cgroup->ancestors[level]));

		if (group)
			enter(cpu, group, now);
	}
}

/* The slow path of pev_cgroup_switch(). */
void __pev_cgroup_switch(struct pev_target_cpu *cpu, struct task_struct *task)
{
	u64 now = 0;

	rcu_read_lock();
	look(cpu, task, &now);
	rcu_read_unlock();
	pev_target_commit();
}

bool pev_cgroup_wants(const struct pev_event *event)
{
	return this_cpu_ptr(event->cgroup->here)->in;
}

bool pev_cgroup_runs(const struct pev_event *event, int cpu)
{
	return READ_ONCE(per_cpu_ptr(event->cgroup->here, cpu)->in);
}

void pev_cgroup_each(struct task_struct *task,
		     void (*fn)(struct pev_event *event, struct task_struct *task))
{
	struct cgroup *cgroup;
	struct pev_event *event;

	if (!READ_ONCE(pev_cgroup_nr))
		return;
	cgroup = task_dfl_cgroup(task);
	for (int level = 0; level <= last_level(cgroup); level++) {
		struct pev_cgroup *group = find_group(cgroup_id(cgroup->ancestors[level]));

		if (!group)
			continue;
		list_for_each_entry_rcu(event, &group->events, node, rcu_read_lock_sched_held())
			if (pev_event_is_on(event) &&
			    cpumask_test_cpu(smp_processor_id(), event->cpus))
				fn(event, task);
	}
}

static void look_here(void *unused)
{
	__pev_cgroup_switch(this_cpu_ptr(&pev_target_cpus), current);
}

/* Openers of events on cgroups may watch every task: interrupt all CPUs of the event. */
void pev_cgroup_attach(struct pev_event *event)
{
	lockdep_assert_held(&pev_control);
	list_add_tail_rcu(&event->node, &event->cgroup->events);
	on_each_cpu_mask(event->cpus, look_here, NULL, true);
}

/* ---- a task is moved to another cgroup ---- */

static struct cpumask moved_cpus;

static void look_again(struct work_struct *work)
{
	for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (cpumask_test_and_clear_cpu(cpu, &moved_cpus))
			smp_call_function_single(cpu, look_here, NULL, 1);
}

static DECLARE_WORK(look_work, look_again);

/*
 * Interrupts are off: a process may have any number of threads, but runs on no more than all CPUs.
 * Where a thread waits for a CPU, that runs another task, which is left alone.
 */
static void note_process(const struct task_struct *task)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		if (READ_ONCE(per_cpu(pev_target_cpus.process, cpu)) == task->signal)
			cpumask_set_cpu(cpu, &moved_cpus);
}

/**
 * pev_cgroup_moved() - a task is in another cgroup
 * @task: the task; others of its process may have moved as well
 *
 * Context: Any; @task can't go away meanwhile.
 */
void pev_cgroup_moved(const struct task_struct *task)
{
	/* a CPU that switches to it sees the new cgroup, or we see the process or the event */
	smp_mb();	/* cgroup_moved:B, pairs with :A and what pev_cgroup_attach() interrupts */
	if (!READ_ONCE(pev_cgroup_nr))
		return;
	note_process(task);
	if (!cpumask_empty(&moved_cpus))
		queue_work(pev_wq, &look_work);
}

void __pev_teardown pev_cgroup_teardown(void)
{
	flush_work(&look_work);
}

/* ---- nodes ---- */

static void group_free(struct pev_cgroup *group)
{
	cgroup_put(group->cgroup);
	free_percpu(group->here);
	kfree(group);
}

static void leave_here(void *data)
{
	struct pev_cgroup *group = data;
	struct pev_cgroup_here *here = this_cpu_ptr(group->here);
	u64 now = 0;

	if (here->in)
		leave(here, &now);
}

static bool is_in(int cpu, void *data)
{
	struct pev_cgroup *group = data;

	return READ_ONCE(per_cpu_ptr(group->here, cpu)->in);
}

/* No lookup finds @group any more: make the CPUs that are in it leave. */
static void group_reap(struct work_struct *work)
{
	struct pev_cgroup *group = container_of(to_rcu_work(work), struct pev_cgroup, reap);

	on_each_cpu_cond(is_in, leave_here, group, true);
	group_free(group);
}

static struct pev_cgroup *group_alloc(struct cgroup *cgroup)
{
	struct pev_cgroup *group = kzalloc(sizeof(*group), GFP_KERNEL_ACCOUNT);
	unsigned int cpu;

	if (!group)
		return NULL;
	group->here = alloc_percpu_gfp(struct pev_cgroup_here, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!group->here) {
		kfree(group);
		return NULL;
	}
	for_each_possible_cpu(cpu)
		per_cpu_ptr(group->here, cpu)->group = group;
	INIT_LIST_HEAD(&group->events);
	group->id = cgroup_id(cgroup);
	group->cgroup = cgroup;
	group->users = 1;
	return group;
}

/**
 * pev_cgroup_init() - find the node of the cgroup that @event is to count
 * @event: gets it
 * @fd:    a descriptor of the cgroup's directory
 * @r:     says why not
 *
 * Context: Process context, may sleep; no locks held.
 * Return: 0 or an error.
 */
int pev_cgroup_init(struct pev_event *event, s32 fd, struct pev_refuse *r)
{
	struct cgroup *cgroup = cgroup_get_from_fd(fd);
	struct pev_cgroup *new, *group;

	if (IS_ERR(cgroup))
		return pev_refuse(r, -PTR_ERR(cgroup), PEV_FIELD(target_id),
				  "fd %d is not a cgroup v2 directory", fd);
	new = group_alloc(cgroup);
	if (!new) {
		cgroup_put(cgroup);
		return -ENOMEM;
	}
	mutex_lock(&pev_control);
	if (!secret)
		WRITE_ONCE(secret, get_random_u64() | 1);
	group = find_group(new->id);
	if (group) {
		group->users++;
	} else {
		group = new;
		/* where there was none, what deeper ones were is forgotten */
		WRITE_ONCE(deepest, pev_cgroup_nr ? max(deepest, cgroup->level) : cgroup->level);
		hash_add_rcu(groups, &group->node, key_of(group->id));
		WRITE_ONCE(pev_cgroup_nr, pev_cgroup_nr + 1);
	}
	mutex_unlock(&pev_control);
	event->cgroup = group;
	if (group != new)
		group_free(new);
	return 0;
}

/* Undo pev_cgroup_init(); @event runs nowhere any more. */
void pev_cgroup_exit(struct pev_event *event)
{
	struct pev_cgroup *group = event->cgroup;

	if (!group)
		return;
	guard(mutex)(&pev_control);
	if (--group->users)
		return;
	hash_del_rcu(&group->node);
	WRITE_ONCE(pev_cgroup_nr, pev_cgroup_nr - 1);
	INIT_RCU_WORK(&group->reap, group_reap);
	queue_rcu_work(pev_wq, &group->reap);
}
