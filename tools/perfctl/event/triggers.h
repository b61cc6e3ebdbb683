/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that start, stop and freeze the rings of a recording when they happen. The kernel
 * does; here is how they are typed, what they did, and what is said of it at the end.
 */
#ifndef PERFCTL_EVENT_TRIGGERS_H
#define PERFCTL_EVENT_TRIGGERS_H

#include "set.h"
#include "spec.h"

#include <pev/pev.h>

/**
 * struct triggers - as typed
 * @events: all of them
 * @flags:  PEV_F_START, PEV_F_STOP and PEV_F_FREEZE, of those that there are
 */
struct triggers {
	struct event_list events;
	uint64_t flags;
};

/* "EVENT[ if FILTER]", for PEV_F_START and the like */
int triggers_add(struct triggers *t, uint64_t flag, const char *arg, struct msg *m);
/* What goes together with triggers; @overwrite: the recording is a flight recorder. */
int triggers_check(const struct triggers *t, const struct pev_info *info, bool overwrite,
		   const char *other, struct msg *m);
/* Returns PEV_STATE_* of the channel, or -errno. */
int triggers_state(int channel, struct msg *m);
/* What led to the trigger was taken. */
int triggers_thaw(int channel, struct msg *m);
/* Says what each did, and what was not recorded because of it. */
void triggers_summary(const struct event_set *set);

#endif
