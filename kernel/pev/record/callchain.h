/* SPDX-License-Identifier: GPL-2.0 */
/* Call chains, kernel and user, taken into per-CPU scratch memory. */
#ifndef _PEV_CALLCHAIN_H
#define _PEV_CALLCHAIN_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <uapi/linux/pev.h>
#include "base/level.h"

struct pev_event;
struct pt_regs;

/**
 * struct pev_callchain - the chains of one sample, innermost frame first
 * @nr_kernel: frames in @kernel
 * @nr_user:   frames in @user
 * @kernel:    addresses; NULL if contexts nest too deeply
 * @user:      addresses; likewise
 */
struct pev_callchain {
	u32	nr_kernel;
	u32	nr_user;
	u64	*kernel;
	u64	*user;
};

/* Hold and release the scratch memory. Process context. */
int pev_callchain_get(void);
void pev_callchain_put(void);

/**
 * struct pev_frames - a chain of the kernel that was walked before
 * @nr: frames in @at
 * @at: addresses, innermost frame first
 */
struct pev_frames {
	u32		nr;
	unsigned long	at[PEV_MAX_STACK];
};

/**
 * pev_callchain_take() - walk stacks
 * @event:  whose flags and @max_stack count; holds the scratch memory
 * @stacks: PEV_SAMPLE_KSTACK and PEV_SAMPLE_USTACK, as wanted
 * @regs:   where to start; NULL: at @ip, for the kernel's chain
 * @ip:     the place, without @regs; if it is not among the first frames, 0 for instance,
 *          the chain starts at the caller
 * @known:  in place of walking the kernel's stack; NULL: it is walked
 *
 * Context: Any with preemption disabled, NMI included. User memory is read
 * without faulting it in: a chain ends at a page that is not there.
 * Return: never NULL; the chains are empty if contexts nest too deeply. To be
 * given to pev_callchain_drop() before preemption is enabled.
 */
struct pev_callchain *pev_callchain_take(struct pev_event *event, u64 stacks,
					 struct pt_regs *regs, u64 ip,
					 const struct pev_frames *known);
void pev_callchain_drop(struct pev_callchain *chain);

DECLARE_PER_CPU(bool[4], pev_collecting);

/*
 * What is read for a record may fault, and the fault be an event whose record reads
 * the same: the stack would end before the ring does. Task, softirq, interrupt and
 * NMI each may be collecting one record. Return: false if this context is; else
 * pev_collect_end() ends it. Context: Any with preemption disabled.
 */
static __always_inline bool pev_collect_begin(void)
{
	return pev_level_begin(*this_cpu_ptr(&pev_collecting));
}

static __always_inline void pev_collect_end(void)
{
	pev_level_end(*this_cpu_ptr(&pev_collecting));
}

#endif
