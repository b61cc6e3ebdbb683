/* SPDX-License-Identifier: GPL-2.0 */
/* Call chains of the kernel at places that threads come by often: in the scheduler. */
#ifndef _PEV_KSTACK_H
#define _PEV_KSTACK_H

#include <linux/types.h>

struct task_struct;

/* Hold and release the memory for rules; without it chains cost more. Process context. */
int pev_kstack_get(void);
void pev_kstack_put(void);
/* Before the module is gone. */
void pev_kstack_teardown(void);

/**
 * pev_kstack_of() - walk the kernel's stack of a thread that does not run
 * @task: not the current one; stays off the CPU for the call
 * @to:   filled in, innermost frame first, without those of the scheduler
 * @max:  frames in @to
 *
 * Context: Interrupts disabled, not NMI.
 * Return: frames in @to.
 */
unsigned int pev_kstack_of(struct task_struct *task, unsigned long *to, unsigned int max);

/**
 * pev_kstack_here() - walk the current stack
 * @to:   filled in, innermost frame first
 * @max:  frames in @to
 * @skip: innermost frames that are left out; the caller's is the first
 *
 * Context: Interrupts disabled, not NMI.
 * Return: frames in @to.
 */
unsigned int pev_kstack_here(unsigned long *to, unsigned int max, unsigned int skip);

#endif
