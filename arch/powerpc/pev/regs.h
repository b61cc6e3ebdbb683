/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only place that touches registers of the PMU and what the kernel keeps
 * beside them; tests put a model of the machine behind these headers.
 */
#ifndef _ASM_POWERPC_PEV_REGS_H
#define _ASM_POWERPC_PEV_REGS_H

#include <linux/types.h>
#include <asm/cputable.h>
#include <asm/hw_irq.h>
#include <asm/pmc.h>
#include <asm/reg.h>
#include <asm/synch.h>
#include <asm/time.h>
#include "isa.h"

#define reg_read(name)		((u64)mfspr(SPRN_##name))
#define reg_write(name, value)	mtspr(SPRN_##name, value)

/* Until then what was written to MMCR0 may not be in effect. */
static inline void regs_settle(void)
{
	isync();
}

/* Bits 0-31 are reserved; emulators show more of their own counters there. */
static inline u64 pmc_read(unsigned int i)
{
	switch (i) {
	case 0:
		return (u32)reg_read(PMC1);
	case 1:
		return (u32)reg_read(PMC2);
	case 2:
		return (u32)reg_read(PMC3);
	case 3:
		return (u32)reg_read(PMC4);
	case 4:
		return (u32)reg_read(PMC5);
	default:
		return (u32)reg_read(PMC6);
	}
}

static inline void pmc_write(unsigned int i, u64 value)
{
	switch (i) {
	case 0:
		reg_write(PMC1, value);
		break;
	case 1:
		reg_write(PMC2, value);
		break;
	case 2:
		reg_write(PMC3, value);
		break;
	case 3:
		reg_write(PMC4, value);
		break;
	case 4:
		reg_write(PMC5, value);
		break;
	default:
		reg_write(PMC6, value);
		break;
	}
}

/*
 * A PMI that came while it was soft-masked is kept for later, with MSR[EE] off.
 * If nothing overflows any more, it has nothing to tell.
 */
static inline void pmi_forget(void)
{
	if (pmi_irq_pending())
		clear_pmi_irq_pending();
}

/* MMCR3, SIER2 and SIER3; elsewhere reads of them give anything. */
static inline bool regs_have_isa31(void)
{
	return cpu_has_feature(CPU_FTR_ARCH_31);
}

/* This kernel is the hypervisor: MSR[HV] is on in it and in its tasks. */
static inline bool regs_are_hypervisors(void)
{
	return cpu_has_feature(CPU_FTR_HVMODE);
}

/* Early POWER8, and guests of such machines: PMAO set by software raises no PMI. */
static inline bool regs_lose_pmao(void)
{
	return cpu_has_feature(CPU_FTR_PMAO_BUG);
}

/* The time that guests are given ends by it. */
static inline u64 regs_time(void)
{
	return mftb();
}

/*
 * Say so to the hypervisor (H_PERFMON, the in-use flag of lppaca and paca): one
 * that believes the PMU unused doesn't keep it over the run of a guest.
 */
static inline void regs_claim(bool on)
{
	if (on)
		ppc_enable_pmcs();
	ppc_set_pmu_inuse(on);
}

#endif
