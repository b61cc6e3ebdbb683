/* SPDX-License-Identifier: GPL-2.0 */
/* The counters of a CPU, for the PMI. */
#ifndef _X86_PEV_PMU_H
#define _X86_PEV_PMU_H

#include "hw.h"

extern bool x86_pev_freeze_wanted;
void x86_pev_stop_each(struct x86_pev_cpu *c);
void x86_pev_write(unsigned int counter, u64 value);
void x86_pev_load(struct x86_pev_cpu *c, unsigned int counter, u64 value);
u64 x86_pev_sel(struct x86_pev_cpu *c, unsigned int counter);
void x86_pev_kill(struct x86_pev_cpu *c, u64 counters);

static inline u32 x86_pev_sel_msr(unsigned int counter)
{
	return x86_pev_hw.sel + x86_pev_hw.stride * counter;
}

static __always_inline void x86_pev_stop(struct x86_pev_cpu *c)
{
	if (likely(x86_pev_hw.ctrl))
		reg_write(x86_pev_hw.ctrl, 0);
	else
		x86_pev_stop_each(c);
}

#endif
