/* SPDX-License-Identifier: GPL-2.0 */
/* The fields of scheduler events, for all who follow threads over time. */
#ifndef PERFCTL_SESSION_SCHED_H
#define PERFCTL_SESSION_SCHED_H

#include "machine.h"

#include <pev/pev.h>
#include <string.h>

struct sched_fields {
	const struct pev_field *prev_pid, *prev_state, *next_pid, *next_comm;
};

static inline bool sched_is_switch(const struct pev_class *cls, struct sched_fields *f)
{
	if (strcmp(cls->name, "sched:sched_switch"))
		return false;
	f->prev_pid = pev_class_field(cls, "prev_pid");
	f->prev_state = pev_class_field(cls, "prev_state");
	f->next_pid = pev_class_field(cls, "next_pid");
	f->next_comm = pev_class_field(cls, "next_comm");
	return f->prev_pid && f->next_pid;
}

/* Says why a thread left its processor. */
enum sched_state {
	SCHED_PREEMPTED,
	SCHED_BLOCKED,
	SCHED_DEAD,
};

/* Decodes the kernel's bits: EXIT_DEAD and EXIT_ZOMBIE mean exited, 0x100 preempted. */
static inline enum sched_state sched_state(const struct pev_event *ev, const struct sched_fields *f)
{
	uint64_t state = pev_event_int(ev, f->prev_state);

	return state & 0x30 ? SCHED_DEAD : state & 0xff ? SCHED_BLOCKED : SCHED_PREEMPTED;
}

/* Returns the thread that leaves; the last switch of one that ended lacks its numbers. */
static inline const struct seen *sched_prev(struct machine *m, const struct pev_event *ev,
					    const struct sched_fields *f)
{
	uint32_t prev = (uint32_t)pev_event_int(ev, f->prev_pid);

	return ev->tid || !prev ? machine_seen(m, ev->pid, ev->tid) : machine_seen(m, 0, prev);
}

#endif
