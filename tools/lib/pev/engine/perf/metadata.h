/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Writes metadata for records that are made of perf's, in the form of a pev kernel's.
 */
#ifndef _PEV_ENGINE_PERF_METADATA_H
#define _PEV_ENGINE_PERF_METADATA_H

#include "core/text.h"
#include "engine/perf/convert.h"

/**
 * struct metadata_env - the machine that was recorded; NULL for what is not known
 * @engine: that recorded it
 */
struct metadata_env {
	const char	*hostname;
	const char	*release;
	const char	*machine;
	const char	*engine;
};

/* Writes all that comes before the classes. */
void metadata_head(struct text *t, const uint8_t uuid[16], const struct metadata_env *env,
		   int64_t offset_s, int64_t offset);
void metadata_sideband(struct text *t, enum pev_sideband which, uint32_t id);
void metadata_event(struct text *t, const struct perf_class *cls);

#endif /* _PEV_ENGINE_PERF_METADATA_H */
