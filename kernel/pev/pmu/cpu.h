/* SPDX-License-Identifier: GPL-2.0 */
/* The PMU of a CPU as a whole. */
#ifndef _PEV_PMU_CPU_H
#define _PEV_PMU_CPU_H

#include <linux/types.h>

struct pev_event;
struct pev_pmu_cpu;
struct pev_pmu_ops;
struct pev_event_cpu;

void pev_pmu_cpu_init(void);
void pev_pmu_cpu_ops(const struct pev_pmu_ops *ops);
/* On the CPU, interrupts off, the scheduler's included. */
void pev_pmu_cpu_start(void);
void pev_pmu_cpu_stop(void);
void pev_pmu_event_fold(struct pev_event *event, struct pev_event_cpu *ec, u64 now);
void pev_pmu_event_reset(struct pev_event *event, struct pev_event_cpu *ec, unsigned int cpu,
			 bool runs);
void pev_pmu_event_retime(struct pev_event *event, struct pev_event_cpu *ec);
/* Freeze and thaw: what @thaw has to know may have changed. Interrupts off. */
void pev_pmu_cpu_update(void);
/* Was CPU @id started, and not stopped since? On the CPU itself, or while no event starts. */
bool pev_pmu_cpu_is_started(int id, void *unused);
/*
 * Did the counters of CPU @id go on last when no user mode could read them? On the CPU itself,
 * or when a grace period has passed since pev_pmu_readable() became true.
 */
bool pev_pmu_cpu_is_late(int id, void *unused);
/* Another task is about to run here, which may read counters. Interrupts off. */
void pev_pmu_cpu_arrive(void);
/* All pages of events that count here say so again. Interrupts off. */
void pev_pmu_cpu_show(void);
/* Which event has @counter on @cpu, for texts; a snapshot. RCU-sched held. */
struct pev_event *pev_pmu_cpu_user(unsigned int cpu, unsigned int counter);

/* End an update that pev_pmu_update_begin() began. */
void pev_pmu_update_end(struct pev_pmu_cpu *cpu);
/* Slots of this CPU were started or stopped: give out counters, and end the update. */
void pev_pmu_commit(void);

#endif
