/* SPDX-License-Identifier: GPL-2.0 */
/* Events of kernel modules that are loaded while events of their names are recorded. */
#ifndef PERFCTL_EVENT_LATE_H
#define PERFCTL_EVENT_LATE_H

#include "plan.h"
#include "sampling.h"
#include "set.h"
#include "target.h"

/**
 * struct late - what tells of modules
 * @events:  what was asked for; NULL: no glob, or modules can't be seen
 * @catalog: of the kernel when it was looked at last
 * @machine: all CPUs, for ...
 * @plan:    ... module:module_load, ...
 * @set:     ... opened
 * @loads:   how often it has happened
 */
struct late {
	const struct event_list *events;
	struct pev_catalog *catalog;
	struct target machine;
	struct event_plan plan;
	struct event_set set;
	uint64_t loads;
};

/* Who may not see modules come gets no events of theirs either. */
void late_init(struct late *l, const struct event_list *events);
/* Adds to @plan what has come since; returns the number of events. */
size_t late_look(struct late *l, struct event_plan *plan);
/*
 * Opens what late_look() added behind the first @had of @set, to be recorded into the channel @fd,
 * and switches it on if others are.
 */
void late_open(struct event_set *set, size_t had, const struct target *t, int fd,
	       const struct sampling *sampling);
void late_free(struct late *l);

#endif
