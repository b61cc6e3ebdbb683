/* SPDX-License-Identifier: GPL-2.0 */
/* How much less often an agent samples than it was asked to, so that it costs what it may. */
#ifndef PERFCTL_LIVE_SHED_H
#define PERFCTL_LIVE_SHED_H

#include "base/util.h"

/* A sample stands for up to 2 to the power of so many of those that were asked for. */
#define SHED_MOST 6
#define SHED_PAST 8

/**
 * struct shed - what is sampled, and since when
 * @level: samples are taken 2 to the power of it times less often
 * @past:  the newest levels, and the ticks from which on each was in force, the newest last
 * @cpu:   processor time of the agent, ns, when it was looked at last ...
 * @now:   ... and when that was; 0: never
 */
struct shed {
	unsigned int level;
	struct {
		uint64_t since;
		unsigned int level;
	} past[SHED_PAST];
	size_t n;
	uint64_t cpu;
	uint64_t now;
};

/*
 * Chooses a level by what the agent took since the last call. @cpu: of the agent; @now: both in ns;
 * @limit: percent of one CPU; *share: what it took, percent. Returns the level; the first call
 * only begins.
 */
unsigned int shed_decide(struct shed *s, uint64_t cpu, uint64_t now, double limit, double *share);
/* The level is another from @ticks on. */
void shed_set(struct shed *s, unsigned int level, uint64_t ticks);
/* How many of those that were asked for a sample of that time stands for */
unsigned int shed_times(const struct shed *s, uint64_t ticks);

#endif
