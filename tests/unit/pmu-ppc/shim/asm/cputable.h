/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_CPUTABLE_H
#define SHIM_ASM_CPUTABLE_H

#include "../../model.h"

enum { CPU_FTR_ARCH_31, CPU_FTR_HVMODE };

static inline bool cpu_has_feature(int feature)
{
	return feature == CPU_FTR_ARCH_31 ? machine.isa31 : machine.hypervisor;
}

#endif
