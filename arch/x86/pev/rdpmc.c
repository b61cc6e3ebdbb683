// SPDX-License-Identifier: GPL-2.0
/*
 * Reads counters that may turn out not to be there: those that a host lends, see guest.c, which
 * knows nothing of the instruction.
 */
#include <linux/kprobes.h>
#include <asm/asm.h>
#include "rdpmc.h"

int x86_pev_rdpmc_safe(u32 index, u64 *value)
{
	u32 low, high;
	int err = 0;

	asm volatile("1: rdpmc\n"
		     "2:\n"
		     _ASM_EXTABLE_TYPE_REG(1b, 2b, EX_TYPE_RDMSR_SAFE, %[err])
		     : [err] "+r" (err), "=a" (low), "=d" (high)
		     : "c" (index));
	*value = (u64)high << 32 | low;
	return err;
}

NOKPROBE_SYMBOL(x86_pev_rdpmc_safe);
