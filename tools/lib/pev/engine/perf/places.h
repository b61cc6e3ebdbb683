/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The tasks and CPUs of a target.
 */
#ifndef _PEV_ENGINE_PERF_PLACES_H
#define _PEV_ENGINE_PERF_PLACES_H

#include "engine/perf/perf.h"

int perf_places_make(const struct perf_engine *engine, struct places *places,
		     const struct pev_attr *attr, struct pev_error *err);

/* Adds a place. 0 or -ENOMEM */
int perf_places_add(struct places *places, int pid, int cpu);
bool perf_places_equal(const struct places *a, const struct places *b);
/* Copies places of tasks. 0 or -ENOMEM */
int perf_places_copy(struct places *to, const struct places *from);
void perf_places_free(struct places *places);

#endif /* _PEV_ENGINE_PERF_PLACES_H */
