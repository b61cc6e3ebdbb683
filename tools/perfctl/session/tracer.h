/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frames that tracing itself adds to kernel call chains: an event that is a call
 * in the kernel's code finds its own machinery innermost.
 */
#ifndef PERFCTL_SESSION_TRACER_H
#define PERFCTL_SESSION_TRACER_H

#include "base/util.h"

#include <pev/pev.h>

#define TRACER_PLACES 256

/**
 * struct tracer_cache - addresses that one walk through a trace has asked for
 * @own: the address is in the machinery of events
 */
struct tracer_cache {
	struct {
		uint64_t addr;
		bool own;
	} places[TRACER_PLACES];
};

/* Knows the kernel of a trace; all walks through it share one. Free with tracer_free(). */
struct tracer;
struct tracer *tracer_new(const struct pev_trace *trace);
void tracer_free(struct tracer *t);
/* Returns how many of the innermost frames are no code that did something. */
uint32_t tracer_frames(struct tracer *t, struct tracer_cache *c, const struct pev_event *ev);

#endif
