/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * How much memory perf's rings may lock.
 */
#ifndef _PEV_ENGINE_PERF_LOCKED_H
#define _PEV_ENGINE_PERF_LOCKED_H

#include "engine/perf/perf.h"

/*
 * Returns how large a ring of each CPU that is online may be beside those that there are;
 * UINT64_MAX: of any size. Other processes of the same user may leave less.
 */
uint64_t perf_ring_room(const struct perf_engine *engine);

#endif /* _PEV_ENGINE_PERF_LOCKED_H */
