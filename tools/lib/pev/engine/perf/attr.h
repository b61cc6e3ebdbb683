/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Our attributes as perf's.
 */
#ifndef _PEV_ENGINE_PERF_ATTR_H
#define _PEV_ENGINE_PERF_ATTR_H

#include "engine/perf/perf.h"

/* Our attributes as perf's, without where */
int perf_attr_make(const struct perf_engine *engine, const struct pev_attr *from,
		   struct perf_event_attr *to, struct perf_class *cls, struct pev_error *err);

#endif /* _PEV_ENGINE_PERF_ATTR_H */
