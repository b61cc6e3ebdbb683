/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How registers are touched. Nothing else in this directory does, so that tests
 * can put a model behind asm/msr.h and asm/apic.h.
 */
#ifndef _X86_PEV_REGS_H
#define _X86_PEV_REGS_H

#include <linux/types.h>
#include <asm/apic.h>
#include <asm/msr.h>

/*
 * The tracepoints of rdmsrl() and wrmsrl() would be events in the middle of a change
 * of who counts, and cost more than the rest of many a function here.
 */
static __always_inline u64 reg_read(u32 msr)
{
#ifdef CONFIG_PARAVIRT_XXL
	u64 value;

	rdmsrl(msr, value);
	return value;
#else
	return __rdmsr(msr);
#endif
}

static __always_inline void reg_write(u32 msr, u64 value)
{
#ifdef CONFIG_PARAVIRT_XXL
	wrmsrl(msr, value);
#else
	__wrmsr(msr, (u32)value, (u32)(value >> 32));
#endif
}

/* For registers that may turn out not to be there. */
static inline int reg_read_safe(u32 msr, u64 *value)
{
	return rdmsrl_safe(msr, value);
}

static inline int reg_write_safe(u32 msr, u64 value)
{
	return wrmsrl_safe(msr, value);
}

/* About a third of the time of reading the counter's MSR. */
static __always_inline u64 reg_count(u32 index)
{
	u64 value;

	rdpmcl(index, value);
	return value;
}

static __always_inline u32 lvtpc_read(void)
{
	return apic_read(APIC_LVTPC);
}

static __always_inline void lvtpc_write(u32 value)
{
	apic_write(APIC_LVTPC, value);
}

#endif
