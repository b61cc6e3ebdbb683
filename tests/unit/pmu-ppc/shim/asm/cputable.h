/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_CPUTABLE_H
#define SHIM_ASM_CPUTABLE_H

#include "../../model.h"

enum { CPU_FTR_ARCH_31, CPU_FTR_HVMODE, CPU_FTR_PMAO_BUG };

static inline bool cpu_has_feature(int feature)
{
	switch (feature) {
	case CPU_FTR_ARCH_31:
		return machine.isa31;
	case CPU_FTR_PMAO_BUG:
		return machine.no_pmao;
	}
	return machine.hypervisor;
}

#endif
