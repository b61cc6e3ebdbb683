/* SPDX-License-Identifier: GPL-2.0 */
/* What is counted unless events are named, as far as this processor counts it. */
#ifndef PERFCTL_STAT_EVENTS_H
#define PERFCTL_STAT_EVENTS_H

#include "event/spec.h"

#include <pev/pev.h>

/* Counted, with hardware events, unless others are asked for */
#define STAT_EVENTS "task-clock,context-switches,cpu-migrations,page-faults"

/* The same of guests: the rest is the host's to count */
#define STAT_GUEST_EVENTS "cpu-clock"

/* Does this processor count enum pev_hardware @event? */
bool stat_counts(const struct pev_info *info, uint32_t event);
/* Adds a group of two events, so that their ratio is of the same time. */
int stat_add_pair(struct event_list *list, const struct pev_info *info, uint32_t a, uint32_t b,
		  struct msg *m);
/* @guests: of guests alone */
int stat_default_events(struct event_list *list, const struct pev_info *info, bool guests,
			struct msg *m);

#endif
