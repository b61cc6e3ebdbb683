/* SPDX-License-Identifier: GPL-2.0 */
/* What overflows do. */
#ifndef _PEV_PMU_OVERFLOW_H
#define _PEV_PMU_OVERFLOW_H

#include <linux/pev_pmu.h>
#include <linux/types.h>

struct pev_pmu_cpu;

u64 pev_pmu_incidents(enum pev_pmu_incident what);

void pev_pmu_overflow_init(struct pev_pmu_cpu *cpu);
/* On the CPU, interrupts off: @tick comes, if it isn't on its way. */
void pev_pmu_tick_start(struct pev_pmu_cpu *cpu);
/* The same of @heal. */
void pev_pmu_heal_start(struct pev_pmu_cpu *cpu);

#endif
