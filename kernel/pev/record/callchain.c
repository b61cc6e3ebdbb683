// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the scratch memory of call chains, and which walker a chain comes from: in NMIs, which may
 * hit the walker itself, the kernel's own. Programs of other ABIs are left to perf's
 * per-architecture walkers, which are plain functions over registers.
 */
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>
#include "types.h"
#include "callchain.h"
#include "kstack.h"
#include "uchain.h"
#include "user_regs.h"

/* Task, softirq, interrupt, NMI: each may take a chain while another does. */
#define LEVELS		4

/* Frames of pev itself and of the tracepoint between a source and here. */
#define OWN_FRAMES	4

/* Most frames behind these that are not the place's: those of perf, if its probe records. */
#define OTHER_FRAMES	8

/* Frames that a walker of user stacks reports and that are none. */
#define SPARE_FRAMES	2

/**
 * struct level - scratch of one context
 * @chain:  what the caller sees
 * @kernel: in the unwinder's type
 * @user:   in perf's: nr and addresses; its ip[] is what the chain points to
 */
struct level {
	struct pev_callchain	chain;
	unsigned long		kernel[PEV_MAX_STACK + OTHER_FRAMES];
	struct {
		u64		nr;
		u64		ip[PEV_MAX_STACK + SPARE_FRAMES];
	} user;
};

/**
 * struct scratch - of one CPU
 * @depth:  levels in use
 * @levels: scratch
 * @none:   given out when all are in use
 */
struct scratch {
	int			depth;
	struct level		levels[LEVELS];
	struct pev_callchain	none;
};

static DEFINE_MUTEX(scratch_lock);
static struct scratch __percpu *scratch;
static unsigned int scratch_users;

int pev_callchain_get(void)
{
	int err = pev_kstack_get();

	if (err)
		return err;
	guard(mutex)(&scratch_lock);
	if (!scratch_users) {
		scratch = alloc_percpu(struct scratch);
		if (!scratch) {
			pev_kstack_put();
			return -ENOMEM;
		}
	}
	scratch_users++;
	return 0;
}

void pev_callchain_put(void)
{
	scoped_guard(mutex, &scratch_lock) {
		/* the last user has passed its grace period */
		if (!--scratch_users) {
			free_percpu(scratch);
			scratch = NULL;
		}
	}
	pev_kstack_put();
}

/* Return: how many frames lie below that of @ip. */
static u32 frames_below(const struct level *level, u32 nr, u64 ip)
{
	for (u32 i = 0; i < nr && i <= OTHER_FRAMES; i++)
		if (level->kernel[i] == ip)
			return i;
	return 0;
}

/* Interrupts are disabled without a word to who traces that: it would come here again. */
static u32 walk_from(struct level *level, struct pt_regs *regs, u32 max)
{
	unsigned long flags;
	u32 nr;

	if (in_nmi())
		return stack_trace_save_regs(regs, level->kernel, max, 0);
	raw_local_irq_save(flags);
	nr = pev_kstack_from(regs, level->kernel, max);
	raw_local_irq_restore(flags);
	return nr;
}

static __always_inline u32 walk_here(struct level *level, u32 max)
{
	unsigned long flags;
	u32 nr;

	if (in_nmi())
		return stack_trace_save(level->kernel, max, OWN_FRAMES);
	raw_local_irq_save(flags);
	nr = pev_kstack_here(level->kernel, max, OWN_FRAMES);
	raw_local_irq_restore(flags);
	return nr;
}

static u32 walk_kernel(struct level *level, struct pt_regs *regs, u64 ip, u32 max)
{
	u32 nr, below;

	BUILD_BUG_ON(sizeof(unsigned long) != sizeof(u64));
	if (regs)
		return walk_from(level, regs, max);
	nr = walk_here(level, max + (ip ? OTHER_FRAMES : 0));
	below = frames_below(level, nr, ip);
	level->chain.kernel += below;
	return min(nr - below, max);
}

static u32 walk_user(struct level *level, struct pt_regs *regs, u32 max)
{
	struct perf_callchain_entry_ctx ctx = {
		.entry = (struct perf_callchain_entry *)&level->user,
		.max_stack = max + SPARE_FRAMES,
	};
	u32 i, nr = 0;
	int own;

	regs = pev_user_regs(regs);
	if (!regs)
		return 0;
	own = pev_uchain_walk(regs, level->user.ip, max);
	if (own >= 0)
		return own;
	level->user.nr = 0;
	perf_callchain_user(&ctx, regs);
	for (i = 0; i < level->user.nr && nr < max; i++)
		if (pev_uchain_is_frame(level->user.ip[i], i))
			level->user.ip[nr++] = level->user.ip[i];
	return nr;
}

DEFINE_PER_CPU(bool[4], pev_collecting);

/* @event, which wants the kernel's chain, may see it. */
static void take_kernel(struct level *level, struct pev_event *event, struct pt_regs *regs, u64 ip,
			const struct pev_frames *known)
{
	if (known) {
		BUILD_BUG_ON(sizeof(*known->at) != sizeof(*level->chain.kernel));
		level->chain.kernel = (u64 *)known->at;
		level->chain.nr_kernel = min(known->nr, event->max_stack);
	} else if (!regs || !user_mode(regs)) {
		level->chain.nr_kernel = walk_kernel(level, regs, ip, event->max_stack);
	}
}

struct pev_callchain *pev_callchain_take(struct pev_event *event, u64 stacks,
					 struct pt_regs *regs, u64 ip,
					 const struct pev_frames *known)
{
	struct scratch *own = this_cpu_ptr(scratch);
	struct level *level;
	/* nested contexts take the next level, and leave the depth as it was */
	int depth = data_race(own->depth++);

	barrier();		/* the level is taken first */
	if (depth >= LEVELS)
		return &own->none;
	level = &own->levels[depth];
	level->chain.nr_kernel = 0;
	level->chain.nr_user = 0;
	level->chain.kernel = (u64 *)level->kernel;
	level->chain.user = level->user.ip;
	if ((stacks & PEV_SAMPLE_KSTACK) && !(event->flags & PEV_F_EXCLUDE_KERNEL))
		take_kernel(level, event, regs, ip, known);
	if (stacks & PEV_SAMPLE_USTACK)
		level->chain.nr_user = walk_user(level, regs, event->max_stack);
	return &level->chain;
}

void pev_callchain_drop(struct pev_callchain *chain)
{
	barrier();		/* the level is read no more */
	/* as above */
	data_race(this_cpu_ptr(scratch)->depth--);
}
