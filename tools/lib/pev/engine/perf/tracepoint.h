/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reads the descriptions of the running kernel's tracepoints.
 */
#ifndef _PEV_ENGINE_PERF_TRACEPOINT_H
#define _PEV_ENGINE_PERF_TRACEPOINT_H

#include "engine/perf/perf.h"

/* Reads the format of "system:event"; free it with tp_format_free(). 0 or -errno */
int perf_tracepoint_format(const struct perf_engine *engine, const char *name,
			   struct tp_format *format, struct pev_error *err);
int perf_fields(struct pev_engine *engine, const struct pev_catalog_entry *entry, char **fields,
		struct pev_error *err);

#endif /* _PEV_ENGINE_PERF_TRACEPOINT_H */
