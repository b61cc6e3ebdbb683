// SPDX-License-Identifier: GPL-2.0
/*
 * Owns where threads say for which request they work, and reads it. Must not know what a
 * request is, nor which events ask.
 *
 * A thread has an entry in a hash, which only the thread itself adds, changes and takes away:
 * so it finds it without a lock, in an interrupt of its own, too. The lock is for its
 * neighbours in the bucket. task_struct has no member for it: few threads say anything, and
 * a module is no worse off.
 *
 * The addresses are the program's. They may be anything, and are read where nothing can be
 * waited for: what is not there is none.
 */
#include <linux/hash.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pev_refuse.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <trace/events/sched.h>
#include "base/level.h"
#include "base/threads.h"
#include "base/work.h"
#include "glue/linux.h"
#include "glue/user.h"
#include "context.h"

/**
 * struct context - where a thread says it
 * @node: in its bucket
 * @task: the thread
 * @mm:   its memory when it said so: in another one, which execve() gives it, @at has no
 *        meaning
 * @at:   address of its pointer
 * @rcu:  frees it
 */
struct context {
	struct hlist_node		node;
	const struct task_struct	*task;
	const struct mm_struct		*mm;
	const u64 __user		*at;
	struct rcu_head			rcu;
};

/**
 * struct hash - all contexts
 * @shift:   what is left of a product of 64 bits is the number of a bucket
 * @buckets: lists of struct context
 */
struct hash {
	unsigned int		shift;
	struct hlist_head	buckets[];
};

static struct hash *hash;		/* set once; NULL: no thread has ever said anything */
static bool hooked;			/* set once: the ends of threads and programs are seen */
static DEFINE_MUTEX(begin_lock);	/* for both */
static DEFINE_RAW_SPINLOCK(hash_lock);	/* changes of all buckets */

static __always_inline struct hlist_head *bucket_of(struct hash *h, const struct task_struct *task)
{
	return &h->buckets[((u64)task * GOLDEN_RATIO_64) >> h->shift];
}

static __always_inline struct context *find(struct hash *h, const struct task_struct *task)
{
	struct context *c;

	hlist_for_each_entry_rcu_notrace(c, bucket_of(h, task), node)
		if (c->task == task)
			return c;
	return NULL;
}

/* Of the current thread, which can't lose it meanwhile. */
static struct context *find_own(struct hash *h)
{
	guard(preempt_notrace)();
	return find(h, current);
}

/* ---- threads that come and go ---- */

static void add(struct hash *h, struct context *c)
{
	raw_spin_lock(&hash_lock);
	hlist_add_head_rcu(&c->node, bucket_of(h, c->task));
	raw_spin_unlock(&hash_lock);
}

static void forget(struct hash *h)
{
	struct context *c = find_own(h);

	if (!c)
		return;
	raw_spin_lock(&hash_lock);
	hlist_del_rcu(&c->node);
	raw_spin_unlock(&hash_lock);
	kfree_rcu(c, rcu);
}

static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	forget(hash);
}

static void probe_exit(void *data, struct task_struct *task)
{
	forget(hash);
}

static struct hash *hash_alloc(void)
{
	unsigned int bits = pev_threads_bits();
	struct hash *h;

	h = kvzalloc(struct_size(h, buckets, 1UL << bits), GFP_KERNEL);
	if (h)
		h->shift = 64 - bits;
	return h;
}

static int hooks_place(void)
{
	int err = pev_tracepoint_hook(sched_process_exec, probe_exec);

	if (err)
		return err;
	err = pev_tracepoint_hook(sched_process_exit, probe_exit);
	if (err)
		pev_tracepoint_unhook(sched_process_exec, probe_exec);
	return err;
}

/* The first thread that has anything to say brings the hash and the hooks, which stay. */
static int begin(void)
{
	struct hash *h;
	int err;

	if (smp_load_acquire(&hooked))	/* context:C, pairs with D */
		return 0;
	guard(mutex)(&begin_lock);
	if (hooked)
		return 0;
	h = hash ?: hash_alloc();
	if (!h)
		return -ENOMEM;
	smp_store_release(&hash, h);	/* context:A, pairs with B */
	err = hooks_place();
	smp_store_release(&hooked, !err);	/* context:D, pairs with C */
	return err;
}

static int attach(const u64 __user *at)
{
	struct context *c = find_own(hash);

	if (c) {
		/* an interrupt in between finds the new address, or none */
		WRITE_ONCE(c->at, at);
		return 0;
	}
	c = kmalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return -ENOMEM;
	c->task = current;
	c->mm = current->mm;
	c->at = at;
	add(hash, c);
	return 0;
}

int pev_context_attach(u64 at, struct pev_refuse *r)
{
	const u64 __user *user = u64_to_user_ptr(at);
	int err;

	if (at % sizeof(*user))
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "address 0x%llx of the pointer is not a multiple of 8", at);
	if (!access_ok(user, sizeof(*user)))
		return pev_refuse(r, EFAULT, PEV_FIELD(config),
				  "address 0x%llx of the pointer is none of a program's", at);
	if (!at) {
		if (smp_load_acquire(&hooked))	/* context:C, pairs with D */
			forget(hash);
		return 0;
	}
	err = begin();
	err = err ?: attach(user);
	if (err)
		return pev_refuse(r, -err, PEV_NO_FIELD,
				  "there is no memory to remember the thread's context, or its end can't be hooked");
	return 0;
}

/* ---- reading ---- */

/*
 * The pointer and what it points to are the program's, and may change at any time: each is
 * read once, and the second address is checked when it is used. The first one was when the
 * thread gave it.
 */
static __always_inline bool load(const u64 __user *at, u64 *to)
{
	const struct pev_thread_context __user *record;
	bool whole = false;
	u64 where;

	if (!pev_user_begin(at, sizeof(*at)))
		return false;
	where = pev_user_load_or_0(at);
	/* the usual case of none shall not cost a fault */
	if (where) {
		record = pev_user_address(u64_to_user_ptr(where), sizeof(*record));
		whole = pev_user_is(&record->valid, 1) &&
			pev_user_load_be64(&to[0], (const u64 __user *)&record->trace_id[0]) &&
			pev_user_load_be64(&to[1], (const u64 __user *)&record->trace_id[8]) &&
			pev_user_load_be64(&to[2], (const u64 __user *)&record->span_id[0]);
	}
	pev_user_end();
	return whole;
}

/*
 * A fault may be an event whose record asks the same, as in pev_collect_begin(). That one is asked
 * for what is collected, and may be under way here.
 */
static DEFINE_PER_CPU(bool[4], reading);

static __always_inline bool take(struct hash *h, u64 *to)
{
	const struct context *c = find(h, current);
	const struct mm_struct *mm = current->mm;
	bool found;

	if (!c || c->mm != mm || !pev_user_memory_is(mm))
		return false;
	if (!pev_level_begin(*this_cpu_ptr(&reading)))
		return false;
	pev_user_faults_off();
	found = load(READ_ONCE(c->at), to);
	pev_user_faults_on();
	pev_level_end(*this_cpu_ptr(&reading));
	return found;
}

void pev_context_put(u64 *to)
{
	struct hash *h = smp_load_acquire(&hash);	/* context:B, pairs with A */

	if (!h || !take(h, to))
		memset(to, 0, PEV_CONTEXT_WORDS * sizeof(*to));
}

/* ---- the end ---- */

static void hash_empty(struct hash *h)
{
	struct hlist_node *next;
	struct context *c;

	for (unsigned long i = 0; i < 1UL << (64 - h->shift); i++)
		hlist_for_each_entry_safe(c, next, &h->buckets[i], node)
			kfree(c);
}

void __pev_teardown pev_context_teardown(void)
{
	struct hash *h = hash;

	if (!h)
		return;
	if (hooked) {
		pev_tracepoint_unhook(sched_process_exit, probe_exit);
		pev_tracepoint_unhook(sched_process_exec, probe_exec);
		tracepoint_synchronize_unregister();
	}
	hash_empty(h);
	kvfree(h);
}
