/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Writes classes of metadata for records that are made of perf's, in the form of a pev kernel's.
 */
#ifndef _PEV_ENGINE_PERF_METADATA_H
#define _PEV_ENGINE_PERF_METADATA_H

#include "core/text.h"
#include "engine/perf/convert.h"

/* @which: enum pev_sideband or perf_sideband */
void metadata_sideband(struct text *t, unsigned int which, uint32_t id);
void metadata_event(struct text *t, const struct perf_class *cls);

#endif /* _PEV_ENGINE_PERF_METADATA_H */
