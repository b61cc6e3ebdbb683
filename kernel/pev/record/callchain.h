/* SPDX-License-Identifier: GPL-2.0 */
/* Call chains, kernel and user, taken into per-CPU scratch memory. */
#ifndef _PEV_CALLCHAIN_H
#define _PEV_CALLCHAIN_H

#include <linux/types.h>
#include <uapi/linux/pev.h>

struct pev_event;
struct pt_regs;

/**
 * struct pev_callchain - the chains of one sample, innermost frame first
 * @nr_kernel: frames in @kernel
 * @nr_user:   frames in @user
 * @kernel:    addresses
 * @user:      addresses
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
 * pev_callchain_take() - walk the stacks that @event asked for
 * @event: whose @sample and @max_stack count; holds the scratch memory
 * @regs:  where to start; NULL: at the caller, for the kernel's chain
 *
 * Context: Any with preemption disabled, NMI included. User memory is read
 * without faulting it in: a chain ends at a page that is not there.
 * Return: never NULL; the chains are empty if contexts nest too deeply. To be
 * given to pev_callchain_drop() before preemption is enabled.
 */
struct pev_callchain *pev_callchain_take(struct pev_event *event, struct pt_regs *regs);
void pev_callchain_drop(struct pev_callchain *chain);

#endif
