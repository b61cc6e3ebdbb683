/* SPDX-License-Identifier: GPL-2.0 */
/* Samples of hardware counters, by any driver. */
#ifndef _PEV_PMU_SAMPLE_H
#define _PEV_PMU_SAMPLE_H

#include <linux/types.h>

struct pev_hw_cpu;
struct pev_pmu_sample;

/* Choose the clock by which PMIs are timed; before the first one. */
void pev_pmi_clock_init(void);
/* A PMI begins: for pev_pmi_end(). In the PMI. */
u64 pev_pmi_begin(void);
void pev_pmi_end(u64 begin);

/**
 * pev_hw_sample() - a sample is due, or overdue
 * @s:      the event on this CPU, folded
 * @sample: where
 *
 * Context: PMI, between pev_pmi_begin() and pev_pmi_end().
 * Return: is it to be throttled, because there were too many?
 */
bool pev_hw_sample(struct pev_hw_cpu *s, const struct pev_pmu_sample *sample);

/**
 * pev_hw_adapt() - shorten the period of an event that has become rare before it is over
 * @s:   an event with a frequency, folded
 * @now: in pev_now_ns()
 *
 * Context: On the CPU, interrupts off; no PMI interferes.
 * Return: is the next sample due earlier now?
 */
bool pev_hw_adapt(struct pev_hw_cpu *s, u64 now);

/* @s takes over its event's new period; its counter is to be loaded. As pev_hw_adapt(). */
void pev_hw_new_period(struct pev_hw_cpu *s);

#endif
