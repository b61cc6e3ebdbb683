/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Our attributes as perf's.
 */
#ifndef _PEV_ENGINE_PERF_ATTR_H
#define _PEV_ENGINE_PERF_ATTR_H

#include "engine/perf/perf.h"

/* @what where perf does not know which guest an interrupt hit; else 0 */
#if defined(__x86_64__) || defined(__aarch64__)
#define NO_GUESTS(what) 0
#else
#define NO_GUESTS(what) (what)
#endif

/* Our attributes as perf's, without where */
int perf_attr_make(const struct perf_engine *engine, const struct pev_attr *from,
		   struct perf_event_attr *to, struct perf_class *cls, struct pev_error *err);

#endif /* _PEV_ENGINE_PERF_ATTR_H */
