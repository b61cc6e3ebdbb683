/* SPDX-License-Identifier: GPL-2.0 */
/* A process and all that it started, of a recording. */
#ifndef PERFCTL_WAITS_FAMILY_H
#define PERFCTL_WAITS_FAMILY_H

#include "session/session.h"

/**
 * struct family - processes
 * @pids: their numbers; none: the recording does not say which was the first
 */
struct family {
	uint32_t *pids;
	size_t n, cap;
	struct htab h;
};

/* Begins with the command that was recorded, if there was one. */
void family_init(struct family *f, const struct pev_trace *trace);
void family_free(struct family *f);
/* Takes in what a fork event tells. */
void family_event(struct family *f, const struct session_class *cls, const struct pev_event *ev);
bool family_has(const struct family *f, uint32_t pid);

#endif
