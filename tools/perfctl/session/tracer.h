/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kernel call chains tell about events themselves. An event that is a call in the
 * kernel's code finds its own machinery innermost. In execve(2) the user's stack and
 * code are replaced one after the other, and no chain through both makes sense.
 */
#ifndef PERFCTL_SESSION_TRACER_H
#define PERFCTL_SESSION_TRACER_H

#include "base/util.h"

#include <pev/pev.h>

#define TRACER_PLACES 256

/**
 * struct tracer_cache - addresses that one walk through a trace has asked for
 * @own:  the address is in the machinery of events
 * @exec: ... in execve(2)
 */
struct tracer_cache {
	struct tracer_place {
		uint64_t addr;
		bool own;
		bool exec;
	} places[TRACER_PLACES];
};

/* Knows the kernel of a trace; all walks through it share one. Free with tracer_free(). */
struct tracer;
struct tracer *tracer_new(const struct pev_trace *trace);
void tracer_free(struct tracer *t);
/* Returns how many of the innermost frames are no code that did something. */
uint32_t tracer_frames(struct tracer *t, struct tracer_cache *c, const struct pev_event *ev);
/* Returns whether the program was being replaced by another. */
bool tracer_in_exec(struct tracer *t, struct tracer_cache *c, const struct pev_event *ev);

#endif
