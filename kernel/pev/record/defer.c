// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what threads owe to events of PEV_TYPE_USTACK: who owes, under which cookie, for how
 * many records, and that each debt ends once. Must not know how it is settled.
 *
 * All that is needed was allocated with the event. A debt is made in an interrupt, an NMI, or
 * in the scheduler: it takes a free place near the one that the thread's address names, and
 * where there is none the stack is taken at once. The thread itself gives the place back. As
 * cookies show the place, the address is hashed with what nobody knows.
 *
 * The kernel calls a thread's task work before it returns to user mode, before it handles a
 * signal, before it enters a guest, and in exit. Until it is called the place belongs to the
 * thread's list of works, and so does the memory: an event that is closed takes the work off
 * those lists, and where a list is being worked through leaves the memory to that thread.
 *
 * Takes no lock.
 */
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "base/mix.h"
#include "base/task.h"
#include "base/work.h"
#include "types.h"
#include "defer.h"

/* Places in which a thread may find one: what a cache line has of them. */
#define WAYS		8

/* Places of an event on one thread, and on more: a thread needs one. */
#define FEW		WAYS
#define MANY		1024

/* Bits of a cookie, from below: place, use of the place, event. */
#define PLACE_BITS	16
#define EVENT_SHIFT	48

/* Less than no records: it is settled, or being made; it was forgiven, and counted as lost. */
#define SETTLED		-1
#define FORGIVEN	-2

/* Marks an owner whose place nobody else will free. */
#define ORPHAN		1UL

/**
 * struct pev_defer - what threads owe to one event
 * @event:   the event; NULL: it is closed, or not open yet
 * @fn:      what settles a debt
 * @owners:  threads, by place: 0 of a free one
 * @nr:      of places
 * @seed:    numbers that users can't guess
 * @orphans: once the event is gone: places that are not free, and one for who looks
 * @owed:    the places
 */
struct pev_defer {
	struct pev_event	*event;
	task_work_func_t	fn;
	unsigned long		*owners;
	u32			nr;
	u64			seed[2];
	atomic_t		orphans;
	struct pev_owed		owed[];
};

static_assert(MANY <= 1 << PLACE_BITS);
static_assert(PEV_MAX_CHANNEL_EVENTS <= 1 << (64 - EVENT_SHIFT));

/* Events that are not freed yet: the module stays for them. */
static atomic_t live;

/* Events that count on each CPU. */
static DEFINE_PER_CPU(struct hlist_head, running);

/* ---- memory ---- */

struct pev_defer *pev_defer_make(bool many, task_work_func_t fn)
{
	u32 nr = many ? MANY : FEW;
	struct pev_defer *defer = kvzalloc(struct_size(defer, owed, nr), GFP_KERNEL_ACCOUNT);

	if (!defer)
		return NULL;
	/* aligned to its size, up to a page: no set of places is in two cache lines */
	defer->owners = kvcalloc(nr, sizeof(*defer->owners), GFP_KERNEL_ACCOUNT);
	if (!defer->owners) {
		kvfree(defer);
		return NULL;
	}
	for (u32 i = 0; i < nr; i++) {
		defer->owed[i].defer = defer;
		atomic_set(&defer->owed[i].records, SETTLED);
	}
	defer->nr = nr;
	get_random_bytes(defer->seed, sizeof(defer->seed));
	defer->seed[1] |= 1;
	defer->fn = fn;
	atomic_inc(&live);
	return defer;
}

static void put_orphan(struct pev_defer *defer)
{
	if (!atomic_dec_and_test(&defer->orphans))
		return;
	kvfree(defer->owners);
	kvfree(defer);
	module_put(THIS_MODULE);
	atomic_dec(&live);
}

/*
 * The owner gives its place back before it ends, and its memory stays for a grace period
 * after its end.
 */
static void give_up(struct pev_defer *defer, u32 at)
{
	unsigned long owner;

	guard(rcu)();
	owner = READ_ONCE(defer->owners[at]);
	if (!owner)
		return;
	if (task_work_cancel((struct task_struct *)owner, &defer->owed[at].work)) {
		WRITE_ONCE(defer->owners[at], 0);
		return;
	}
	/* its works are being called: it comes to this one, or has */
	atomic_inc(&defer->orphans);
	if (cmpxchg(&defer->owners[at], owner, owner | ORPHAN) != owner)
		atomic_dec(&defer->orphans);
}

void pev_defer_free(struct pev_defer *defer)
{
	/* what else a thread has to do first may take it for ever */
	__module_get(THIS_MODULE);
	atomic_set(&defer->orphans, 1);
	for (u32 at = 0; at < defer->nr; at++)
		give_up(defer, at);
	put_orphan(defer);
}

void __pev_teardown pev_defer_teardown(void)
{
	/* they have given the module back, and are about to leave it */
	while (atomic_read(&live))
		schedule_timeout_uninterruptible(1);
	/* the last instructions of what it called */
	synchronize_rcu_tasks();
}

void pev_defer_attach(struct pev_defer *defer, struct pev_event *event)
{
	WRITE_ONCE(defer->event, event);
}

struct pev_event *pev_defer_event(const struct pev_defer *defer)
{
	return READ_ONCE(defer->event);
}

/* ---- making debts ---- */

/*
 * Threads of the kernel have no user mode, and who exits does not come back to it: who is just
 * about to tells what it owes in exit.
 */
static bool may_owe(const struct task_struct *task)
{
	return task->mm && pev_task_is_user(task) && !pev_task_is_exiting(task);
}

/* The first of the places where @task may have one. */
static u32 places_of(const struct pev_defer *defer, const struct task_struct *task)
{
	return pev_mix((unsigned long)task ^ defer->seed[0], defer->seed[1]) & (defer->nr - WAYS);
}

static void release(struct pev_owed *owed)
{
	struct pev_defer *defer = owed->defer;

	/* a full barrier: what was written there is, before another CPU takes it */
	if (xchg(&defer->owners[owed - defer->owed], 0) & ORPHAN)
		put_orphan(defer);
}

void pev_defer_release(struct pev_owed *owed)
{
	release(owed);
}

/* @at was just taken for @task. In between, an NMI finds it settled. */
static struct pev_owed *make(struct pev_event *event, struct task_struct *task, u32 at)
{
	struct pev_defer *defer = event->private;
	struct pev_owed *owed = &defer->owed[at];

	owed->exec_id = READ_ONCE(task->self_exec_id);
	owed->uses = owed->uses + 1 ?: 1;
	owed->cookie = (u64)event->id << EVENT_SHIFT | (u64)owed->uses << PLACE_BITS | at;
	init_task_work(&owed->work, defer->fn);
	/* an NMI may come behind the last look at what is to be done before user mode */
	if (task_work_add(task, &owed->work,
			  in_nmi() ? TWA_NMI_CURRENT : TWA_RESUME | TWAF_NO_ALLOC)) {
		release(owed);
		return NULL;
	}
	atomic_set(&owed->records, 0);
	return owed;
}

/* Places are the thread's own: it runs, or is about to run, on this CPU. */
static struct pev_owed *take(struct pev_event *event, struct task_struct *task)
{
	struct pev_defer *defer = event->private;
	unsigned long *owners = &defer->owners[places_of(defer, task)];
	u32 empty = WAYS, at = owners - defer->owners;

	for (u32 i = 0; i < WAYS; i++) {
		unsigned long owner = READ_ONCE(owners[i]);

		if (owner == (unsigned long)task)
			return atomic_read(&defer->owed[at + i].records) >= 0 ?
			       &defer->owed[at + i] : NULL;
		if (!owner)
			empty = i;
	}
	/* one that another CPU takes at this moment is as good as none */
	if (empty == WAYS || cmpxchg(&owners[empty], 0, (unsigned long)task))
		return NULL;
	return make(event, task, at + empty);
}

void pev_defer_start(struct pev_event_cpu *ec)
{
	hlist_add_head_rcu(&ec->node, this_cpu_ptr(&running));
}

void pev_defer_stop(struct pev_event_cpu *ec)
{
	hlist_del_init_rcu(&ec->node);
}

struct pev_owed *pev_defer_here(const struct pev_channel *channel)
{
	struct pev_event_cpu *ec;

	if (!may_owe(current))
		return NULL;
	hlist_for_each_entry_rcu(ec, this_cpu_ptr(&running), node, true)
		if (ec->event->channel == channel)
			return take(ec->event, current);
	return NULL;
}

struct pev_owed *pev_defer_next(struct pev_event *event, const struct pev_channel *channel,
				struct task_struct *task)
{
	struct pev_event_cpu *ec;

	if (!may_owe(task))
		return NULL;
	if (event)
		return take(event, task);
	/* others may count what the CPU leaves */
	hlist_for_each_entry_rcu(ec, this_cpu_ptr(&running), node, true)
		if (ec->event->channel == channel && ec->event->target == PEV_TARGET_CPUS)
			return take(ec->event, task);
	return NULL;
}

/*
 * What was settled while the record was made was forgiven, without a record that would miss it. Of
 * those made at once, the first one counts it.
 */
static void count_lost(struct pev_owed *owed)
{
	const struct pev_event *event = pev_defer_event(owed->defer);
	struct pev_event_cpu *ec;

	if (!event || atomic_cmpxchg(&owed->records, SETTLED, FORGIVEN) != SETTLED)
		return;
	/* in the midst of a record: nobody is told */
	ec = this_cpu_ptr(event->percpu);
	local64_inc(&ec->count);
	local64_inc(&ec->lost);
}

u64 pev_defer_announce(struct pev_owed *owed)
{
	if (!owed)
		return 0;
	if (!atomic_inc_unless_negative(&owed->records))
		count_lost(owed);
	return owed->cookie;
}

/* ---- ending them ---- */

u32 pev_defer_settle(struct pev_owed *owed)
{
	return max(atomic_xchg(&owed->records, SETTLED), 0);
}

static struct pev_owed *find(struct pev_defer *defer, const struct task_struct *task)
{
	u32 at = places_of(defer, task);

	for (u32 i = 0; i < WAYS; i++)
		if (READ_ONCE(defer->owners[at + i]) == (unsigned long)task)
			return &defer->owed[at + i];
	return NULL;
}

void pev_defer_each(void (*fn)(struct pev_owed *owed))
{
	struct pev_event_cpu *ec;
	struct pev_owed *owed;

	hlist_for_each_entry_rcu(ec, this_cpu_ptr(&running), node, true) {
		owed = find(ec->event->private, current);
		if (owed)
			fn(owed);
	}
}

static bool forgive(struct pev_owed *owed)
{
	int records = atomic_read(&owed->records);

	do {
		if (records < 0)
			return false;
	} while (!atomic_try_cmpxchg(&owed->records, &records, records ? FORGIVEN : SETTLED));
	return records;
}

u64 pev_defer_forgive(struct pev_defer *defer)
{
	u64 nr = 0;

	for (u32 at = 0; at < defer->nr; at++)
		nr += forgive(&defer->owed[at]);
	return nr;
}
