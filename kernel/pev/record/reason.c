// SPDX-License-Identifier: GPL-2.0
/*
 * Owns why each thread that runs a guest has left it last. Must not know who tells, or which
 * events ask.
 *
 * Threads have slots in a hash. A thread alone takes, changes and gives back its own, so that it
 * finds it without a lock, in an NMI of its own, too. Nothing is allocated where a guest ends:
 * a thread that finds its bucket full has no slot, and no reason.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include "base/hooks.h"
#include "base/work.h"
#include "glue/linux.h"
#include "reason.h"

#define SLOTS		8
/* There are more virtual processors than real ones, but hardly so many more. */
#define BUCKETS_PER_CPU	16
#define MIN_BUCKETS	64

/* The upper bits of a word say in which time it was noted. */
#define TIME_SHIFT	40
#define REASON_MASK	(BIT_ULL(TIME_SHIFT) - 1)

/**
 * struct bucket - threads with one hash
 * @tasks: they; NULL: the slot is free, and its word is 0
 * @words: the time, and the reason
 */
struct bucket {
	const struct task_struct	*tasks[SLOTS];
	u64				words[SLOTS];
};

/* Set once. */
static struct bucket *buckets;
static unsigned int shift;
/* What was noted in another one was noted before pev_reasons_begin(). */
static u64 this_time;

static struct bucket *bucket_here(struct bucket *b)
{
	return &b[((u64)current * GOLDEN_RATIO_64) >> shift];
}

/* Return: the current thread's word, or NULL. */
static u64 *find_here(void)
{
	struct bucket *b = smp_load_acquire(&buckets);	/* reason:A, pairs with B */

	if (!b)
		return NULL;
	b = bucket_here(b);
	for (unsigned int i = 0; i < SLOTS; i++)
		if (READ_ONCE(b->tasks[i]) == current)
			return &b->words[i];
	return NULL;
}

/* The same, of a thread that has none. */
static u64 *take_here(void)
{
	struct bucket *b = bucket_here(buckets);

	for (unsigned int i = 0; i < SLOTS; i++)
		if (!READ_ONCE(b->tasks[i]) && !cmpxchg(&b->tasks[i], NULL, current))
			return &b->words[i];
	return NULL;
}

void pev_reason_note(u64 reason)
{
	u64 *word = find_here();

	if (!word && reason)
		word = take_here();
	if (word)
		WRITE_ONCE(*word, reason ? this_time | (reason & REASON_MASK) : 0);
}

u64 pev_reason_here(void)
{
	const u64 *at = find_here();
	u64 word = at ? READ_ONCE(*at) : 0;

	return (word & ~REASON_MASK) == READ_ONCE(this_time) ? word & REASON_MASK : 0;
}

/* The current thread runs no guest any more. */
static void forget_here(void)
{
	u64 *word = find_here();
	struct bucket *b = bucket_here(buckets);

	if (!word)
		return;
	WRITE_ONCE(*word, 0);
	/* reason:C, pairs with the cmpxchg(): who takes the slot finds no reason in it */
	smp_store_release(&b->tasks[word - b->words], NULL);
}

static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	forget_here();
}

static void probe_exit(void *data, struct task_struct *task)
{
	forget_here();
}

static int alloc(void)
{
	unsigned long nr = roundup_pow_of_two(max_t(unsigned long, BUCKETS_PER_CPU * nr_cpu_ids,
							  MIN_BUCKETS));
	struct bucket *b;

	if (buckets)
		return 0;
	b = kvcalloc(nr, sizeof(*b), GFP_KERNEL);
	if (!b)
		return -ENOMEM;
	shift = 64 - ilog2(nr);
	smp_store_release(&buckets, b);	/* reason:B, pairs with A */
	return 0;
}

/* Threads may have ended unseen: no later one is to find what they left. */
static int hooks_place(void)
{
	int err = alloc();

	if (err)
		return err;
	for (unsigned long i = 0; i < 1UL << (64 - shift); i++)
		memset(&buckets[i], 0, sizeof(buckets[i]));
	err = pev_tracepoint_hook(sched_process_exec, probe_exec);
	if (err)
		return err;
	err = pev_tracepoint_hook(sched_process_exit, probe_exit);
	if (err)
		pev_tracepoint_unhook(sched_process_exec, probe_exec);
	return err;
}

static void hooks_remove(void)
{
	pev_tracepoint_unhook(sched_process_exit, probe_exit);
	pev_tracepoint_unhook(sched_process_exec, probe_exec);
}

static struct pev_hookpoint hooks = {
	.place = hooks_place,
	.remove = hooks_remove,
};

int pev_reasons_begin(void)
{
	int err = pev_hook_get(&hooks);

	if (err)
		return err;
	/* neither what noted before nor what forgets is inside */
	tracepoint_synchronize_unregister();
	WRITE_ONCE(this_time, this_time + BIT_ULL(TIME_SHIFT));
	return 0;
}

void pev_reasons_end(void)
{
	pev_hook_put(&hooks);
}

void __pev_teardown pev_reasons_teardown(void)
{
	kvfree(buckets);
}
