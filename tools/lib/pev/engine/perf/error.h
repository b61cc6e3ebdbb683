/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Sentences about failures.
 */
#ifndef _PEV_ENGINE_PERF_ERROR_H
#define _PEV_ENGINE_PERF_ERROR_H

#include "core/error.h"
#include "engine/perf/perf.h"

/* The limit of descriptors is reached */
int perf_fail_files(struct pev_error *err);
/* Why perf_event_open() failed with @error */
int perf_fail_open(struct pev_error *err, int error, const struct perf_event_attr *attr,
		   const struct places *places);

#endif /* _PEV_ENGINE_PERF_ERROR_H */
