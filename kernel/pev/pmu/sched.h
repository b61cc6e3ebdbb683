/* SPDX-License-Identifier: GPL-2.0 */
/* Which event has which counter of a CPU. */
#ifndef _PEV_PMU_SCHED_H
#define _PEV_PMU_SCHED_H

#include <linux/types.h>

struct pev_event;
struct pev_hw_cpu;
struct pev_pmu_cpu;
struct pev_event_cpu;

extern unsigned int sysctl_pev_rotate_us;

void pev_pmu_event_start(struct pev_event *event, struct pev_event_cpu *ec, u64 now);
void pev_pmu_event_stop(struct pev_event *event, struct pev_event_cpu *ec, u64 now);

/* ---- in an update, frozen ---- */

void pev_pmu_sched_init(struct pev_pmu_cpu *cpu);
void pev_pmu_detach(struct pev_pmu_cpu *cpu, struct pev_hw_cpu *s, u64 now);
/* Decide again which events have a counter, and move counters to them. */
void pev_pmu_reschedule(struct pev_pmu_cpu *cpu, u64 now);

#endif
