/* SPDX-License-Identifier: GPL-2.0 */
/* The fields of scheduler events, for all who follow threads over time. */
#ifndef PERFCTL_SCHED_H
#define PERFCTL_SCHED_H

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

#endif
