/* SPDX-License-Identifier: GPL-2.0 */
/* Call chains of the kernel, at what they cost at places that are come by often. */
#ifndef _PEV_KSTACK_H
#define _PEV_KSTACK_H

#include <linux/types.h>

struct pt_regs;
struct task_struct;

/* At boot. Return: 0 or an error. */
int pev_kstack_setup(void);
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

/**
 * pev_kstack_from() - walk the current stack from where it was interrupted
 * @regs: of kernel mode
 * @to:   filled in, innermost frame first
 * @max:  frames in @to
 *
 * Context: Interrupts disabled, not NMI.
 * Return: frames in @to.
 */
unsigned int pev_kstack_from(struct pt_regs *regs, unsigned long *to, unsigned int max);

#if IS_ENABLED(CONFIG_PEV_KUNIT_TEST)
/* Has this CPU a rule for what returns to @ip, that leads on? Interrupts disabled. */
bool pev_kstack_knows(unsigned long ip);
/* Let what returns to @ip be left to the kernel's unwinder, on this CPU. Interrupts disabled. */
void pev_kstack_spoil(unsigned long ip);
/* What the kernel says when a module comes or goes. */
void pev_kstack_module(unsigned long state);
#endif

#endif
