/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Which CPUs there are, and which of them came or went.
 */
#ifndef _PEV_ENGINE_PERF_CPUS_H
#define _PEV_ENGINE_PERF_CPUS_H

#include <pev/engine.h>
#include "engine/perf/perf.h"

#define CPUS_PRESENT	"present"
#define CPUS_ONLINE	"online"

/* Reads a list of the folder that sysfs has of CPUs. 0, -ENODATA: it is empty, or -errno */
int perf_cpus_read(const char *list, struct cpu_mask *mask);
/* Returns one more than the highest number that a CPU may ever have. */
unsigned int perf_cpus_room(void);

static inline bool perf_cpus_has(const struct cpu_mask *mask, unsigned int cpu)
{
	return cpu < MOST_CPUS && mask->words[cpu / 64] >> cpu % 64 & 1;
}

/* Begins to follow them. */
void perf_cpus_watch(struct perf_engine *engine);
int perf_cpus_refresh(struct pev_engine *engine, pev_engine_cpu_fn changed, void *arg);

#endif /* _PEV_ENGINE_PERF_CPUS_H */
