/* SPDX-License-Identifier: GPL-2.0 */
/* What may be under way once in each of task, softirq, interrupt and NMI of a CPU. */
#ifndef _PEV_LEVEL_H
#define _PEV_LEVEL_H

#include <linux/compiler.h>
#include <linux/preempt.h>
#include <linux/types.h>

/**
 * pev_level_begin() - begin what may fault, and be asked for by that fault
 * @busy: this CPU's, for each of the four levels
 *
 * Context: Any with preemption disabled.
 * Return: false if it is under way in this context; else pev_level_end() ends it.
 */
static __always_inline bool pev_level_begin(bool *busy)
{
	busy += interrupt_context_level();
	if (unlikely(READ_ONCE(*busy)))
		return false;
	WRITE_ONCE(*busy, true);
	barrier();	/* before the first fault */
	return true;
}

static __always_inline void pev_level_end(bool *busy)
{
	barrier();	/* after the last fault */
	WRITE_ONCE(busy[interrupt_context_level()], false);
}

#endif
