/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Level 1 of the top-down method: of the slots in which a core could have started an
 * operation, how many did work that was kept, and where the others went.
 */
#ifndef PERFCTL_STAT_TOPDOWN_H
#define PERFCTL_STAT_TOPDOWN_H

#include "event/spec.h"
#include "metric.h"
#include "stat.h"

struct topdown;

/* Returns what a processor counts for it; NULL if perfctl knows no events for that. */
const struct topdown *topdown_find(const char *vendor, unsigned int family, unsigned int model);

/* Gets what this machine's processor counts for it, or -errno with a sentence. */
int topdown_here(const struct topdown **t, struct msg *m);

/* Appends its events, as one group. */
int topdown_events(const struct topdown *t, struct event_list *list, struct msg *m);

/* Returns the name of share @i as in "topdown.retiring"; NULL behind the last one. */
const char *topdown_name(const struct topdown *t, size_t i);
/* Computes share @i, in percent of all slots, from what was counted. */
enum ratio_state topdown_share(const struct topdown *t, const struct stat_result *r, size_t i,
			       double *percent);

#endif
