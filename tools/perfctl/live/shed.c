// SPDX-License-Identifier: GPL-2.0
/* When to sample less often. See shed.h. */
#include "shed.h"

/* What costs more at twice the rate must still be so far below the limit. */
#define ROOM 0.8

unsigned int shed_decide(struct shed *s, uint64_t cpu, uint64_t now, double limit, double *share)
{
	unsigned int level = s->level;

	*share = s->now && now > s->now ? 100 * (double)(cpu - s->cpu) / (double)(now - s->now) : 0;
	if (s->now && *share > limit && level < SHED_MOST)
		level++;
	else if (s->now && level && 2 * *share < ROOM * limit)
		level--;
	s->cpu = cpu;
	s->now = now;
	return level;
}

void shed_set(struct shed *s, unsigned int level, uint64_t ticks)
{
	s->level = level;
	if (s->n == SHED_PAST) {
		memmove(s->past, s->past + 1, (SHED_PAST - 1) * sizeof(*s->past));
		s->n--;
	}
	s->past[s->n].since = ticks;
	s->past[s->n++].level = level;
}

unsigned int shed_times(const struct shed *s, uint64_t ticks)
{
	size_t i = s->n;

	while (i && s->past[i - 1].since > ticks)
		i--;
	/* what is older than all that is known was taken at the oldest of them */
	return 1u << (i ? s->past[i - 1].level : s->n == SHED_PAST ? s->past[0].level : 0);
}
