/* SPDX-License-Identifier: GPL-2.0 */
/* What Linux's interrupt entry asks before it lets PMIs through. */
#ifndef _ASM_POWERPC_PEV_PROMPT_H
#define _ASM_POWERPC_PEV_PROMPT_H

#include <linux/percpu.h>
#include <linux/types.h>

#ifdef CONFIG_PEV

DECLARE_PER_CPU(bool, ppc_pev_prompt);

/**
 * ppc_pev_wants_prompt_pmi() - is pev waiting for PMIs on this CPU?
 *
 * Without it MSR[EE] stays off in handlers of device interrupts, and a PMI that
 * falls into one comes when it ends.
 *
 * Context: on the CPU, interrupts off.
 */
static inline bool ppc_pev_wants_prompt_pmi(void)
{
	return __this_cpu_read(ppc_pev_prompt);
}

#else

static inline bool ppc_pev_wants_prompt_pmi(void) { return false; }

#endif
#endif
