/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Events: perf events at each place of their target.
 */
#ifndef _PEV_ENGINE_PERF_EVENT_H
#define _PEV_ENGINE_PERF_EVENT_H

#include "engine/perf/perf.h"

int perf_event_new(struct perf_engine *engine, const struct pev_attr *attr,
		   struct pev_error *err);
void perf_event_free(struct perf_engine *engine, struct event *event);
/*
 * Opens an event of whole CPUs on one that came online, as it is elsewhere. Returns 1; 0 if it
 * does not belong there, or is there already; or -errno.
 */
int perf_event_add_cpu(struct event *event, unsigned int cpu);
int perf_event_enable(struct event *event, bool on);
int perf_event_reset(struct event *event);
int perf_event_period(struct event *event, uint64_t period);
int perf_event_filter(struct event *event, const char *filter, struct pev_error *err);
int perf_event_read(struct event *event, struct pev_value *value);
/* Adds the event's lost records, by CPU. */
void perf_event_add_losses(struct event *event, uint64_t *lost);
int perf_event_read_cpus(struct event *event, struct pev_value *values, unsigned int *nr);

#endif /* _PEV_ENGINE_PERF_EVENT_H */
