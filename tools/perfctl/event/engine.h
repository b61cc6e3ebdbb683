/* SPDX-License-Identifier: GPL-2.0 */
/* The engine that events are opened by: the kernel's pev, or perf_event_open(2). */
#ifndef PERFCTL_ENGINE_H
#define PERFCTL_ENGINE_H

#include "base/util.h"

#include <pev/engine.h>

#define ENGINE_OPT                                                                           \
	{ 0, OPT_CALL, "engine", "NAME", "measure by pev, or by perf: perf_event_open(2) "   \
	  "(default: pev if the kernel has it)", 0, engine_choose }

/* Handles --engine NAME, before engine_ready(); @opts is not used. */
int engine_choose(void *opts, const char *name, struct msg *m);
/* Opens the chosen engine, or the best available one; @m says why there is none. */
int engine_ready(struct msg *m);
/* Returns the engine; call it after engine_ready(). */
struct pev_engine *engine(void);
bool engine_is_pev(void);
/* The setting that limits samples a second */
const char *engine_rate_setting(void);
/* Returns how many that are, 0: there is no limit that can be read. */
uint64_t engine_max_rate(void);
/* The settings that limit the memory of rings */
const char *engine_memory_settings(void);
/*
 * "try a larger ring (-m 16M)", or for users who may not lock so much memory, which limit to raise: perf's
 * rings are made as large as it lets them be.
 */
void engine_put_larger_ring(struct strbuf *b, unsigned int mib);

#endif
