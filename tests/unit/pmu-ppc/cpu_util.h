/* SPDX-License-Identifier: GPL-2.0 */
/* What tests of a CPU's registers share: the models, and events that come and go. */
#ifndef CPU_UTIL_H
#define CPU_UTIL_H

#include <linux/pev_guest.h>
#include <asm/ptrace.h>
#include "../../../arch/powerpc/pev/cpu.h"
#include "../../../arch/powerpc/pev/power.h"
#include "check.h"
#include "core.h"
#include "model.h"

int failed;

static const struct ppc_pev_model *p9, *p10;

#define USER_INSTRUCTIONS (0x500fa | CFG_IDLE_TOO | CFG_NOT_KERNEL | CFG_NOT_HV)
#define USER_CYCLES (0x600f4 | CFG_IDLE_TOO | CFG_NOT_KERNEL | CFG_NOT_HV)
#define USER_ANY (0x00002 | CFG_NOT_KERNEL | CFG_NOT_HV)
#define ALL_INSTRUCTIONS (0x500fa | CFG_IDLE_TOO)
#define ALL_ANY 0x00002ULL

static inline void begin(const struct ppc_pev_model *m)
{
	model_reset();
	core_reset();
	machine.isa31 = m->isa31;
	machine.handler = ppc_pev_pmi;
	ppc_pev_model_is(m);
	ppc_pev_cpu_start();
}

static inline void end(void)
{
	update_begin();
	for (unsigned int c = 0; c < 6; c++)
		if (events[c].on)
			detach(c);
	update_end();
	ppc_pev_cpu_stop();
}

static inline void open_event(unsigned int c, u64 config, u64 period)
{
	update_begin();
	attach(c, config, period);
	update_end();
}

static inline void close_event(unsigned int c)
{
	update_begin();
	detach(c);
	update_end();
}

static inline void quiet(void)
{
	EQ(incidents[PEV_PMU_LATE], 0);
	EQ(incidents[PEV_PMU_FOREIGN], 0);
	EQ(incidents[PEV_PMU_STUCK], 0);
}

static inline void find_models(void)
{
	for (unsigned int i = 0; i < ppc_pev_nr_models; i++) {
		p9 = ppc_pev_models[i].pvr[0] == 0x4e ? &ppc_pev_models[i] : p9;
		p10 = ppc_pev_models[i].pvr[0] == 0x80 ? &ppc_pev_models[i] : p10;
	}
}

#endif
