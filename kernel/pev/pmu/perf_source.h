/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hardware events that count by a counter of perf's: callbacks of struct pev_source_ops, and of
 * the counter.
 */
#ifndef _PEV_PMU_PERF_SOURCE_H
#define _PEV_PMU_PERF_SOURCE_H

#include <linux/hrtimer.h>
#include "types.h"

struct irq_work;
struct perf_event;
struct perf_sample_data;
struct pev_hw_event;
struct pev_perf;

/* Find out what perf is to count, or refuse what it can't. Process context. */
int pev_perf_event_code(const struct pev_attr *attr, struct pev_hw_event *hw, const char *name,
			struct pev_refuse *r);

/* Can the group be together that @event, of either driver, has joined? Under pev_control. */
int pev_perf_check_group(const struct pev_event *event, struct pev_refuse *r);
int pev_perf_event_hook(struct pev_event *event, struct pev_refuse *r);
void pev_perf_event_unhook(struct pev_event *event);
void pev_perf_event_start(struct pev_event *event, struct pev_event_cpu *ec, u64 now);
void pev_perf_event_stop(struct pev_event *event, struct pev_event_cpu *ec, u64 now);
void pev_perf_event_fold(struct pev_event *event, struct pev_event_cpu *ec, u64 now);
void pev_perf_event_reset(struct pev_event *event, struct pev_event_cpu *ec, unsigned int cpu,
			  bool runs);
void pev_perf_event_retime(struct pev_event *event, struct pev_event_cpu *ec);

/* An overflow, in the PMI. */
void pev_perf_overflow(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs);
/* @event takes the place of the one that the counter had on this CPU. Interrupts off. */
void pev_perf_install(struct pev_perf *perf, struct perf_event *event);
/* @tick of struct pev_perf_counter_cpu. */
enum hrtimer_restart pev_perf_tick(struct hrtimer *timer);
/* @move of it. */
void pev_perf_move(struct irq_work *work);

#endif
