/* SPDX-License-Identifier: GPL-2.0 */
/* What the machine has when a recording begins, and what its processes have open. */
#ifndef PERFCTL_PROCS_MACHINE_STATE_H
#define PERFCTL_PROCS_MACHINE_STATE_H

#include "event/plan.h"
#include "event/target.h"

#include <pev/pev.h>

/**
 * struct machine_state - what is to be written
 * @target: whose descriptors; NULL: nobody's
 * @plan:   of the recording
 * @execs:  a command is to exec: it closes some of its descriptors then
 * @time:   of all records
 */
struct machine_state {
	const struct target *target;
	const struct event_plan *plan;
	bool execs;
	uint64_t time;
};

/* Writes it into a stream of its own; 0 or -errno. */
int machine_state_write(const struct machine_state *s, struct pev_writer *w,
			const struct pev_meta *meta);

#endif
