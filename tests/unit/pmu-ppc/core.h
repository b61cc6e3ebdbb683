/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A PMU core in small, that uses the backend as kernel/pev/pmu/cpu.c does: one
 * event a counter, updates that begin with a freeze and end with a thaw, PMIs
 * that leave all to an update which they interrupt.
 */
#ifndef CORE_H
#define CORE_H

#include <linux/pev_pmu.h>

/**
 * struct event - on a counter
 * @on:      has it
 * @config:  how
 * @raw:     the counter when it was folded last
 * @count:   so far
 * @period:  0: only counts
 * @left:    to the next sample
 * @samples: taken
 * @last:    the last one
 */
struct event {
	bool			on;
	u64			config;
	u64			raw;
	u64			count;
	u64			period;
	s64			left;
	u64			samples;
	struct pev_pmu_sample	last;
};

extern struct event events[6];
extern u64 incidents[PEV_PMU_INCIDENTS];
extern unsigned int overflows;
/* counters that stand by pev_pmu_stand() */
extern u64 standing;
extern bool readable;
extern char refusal[400];

void core_reset(void);
void update_begin(void);
void update_end(void);
void attach(unsigned int counter, u64 config, u64 period);
void detach(unsigned int counter);
/* Fold it, and load what is left of its period. */
void reload(unsigned int counter);
/* Without an update of its own. */
void fold_running(unsigned int counter);

#endif
