/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_PTRACE_H
#define SHIM_ASM_PTRACE_H

#include "../../model.h"

struct pt_regs {
	u64	nip;
	u64	msr;
};

/* MSR[PR] is bit 49 */
#define user_mode(regs)		(!!((regs)->msr & (1ULL << (63 - 49))))

#endif
