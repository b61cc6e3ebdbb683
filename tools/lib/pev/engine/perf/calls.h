/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The records of all system calls, taken by one perf event: PEV_EF_CALLS.
 */
#ifndef _PEV_ENGINE_PERF_CALLS_H
#define _PEV_ENGINE_PERF_CALLS_H

#include "engine/perf/perf.h"

/* Refuses what PEV_EF_CALLS is not for; 0 or -EINVAL. */
int perf_calls_check(const struct pev_attr *attr, struct pev_error *err);
/* Makes @event->calls, of an event whose class is that of a raw_syscalls tracepoint. 0 or -ENOMEM */
int perf_calls_new(const struct perf_engine *engine, struct event *event);
void perf_calls_free(struct calls *calls);

/**
 * perf_calls_class() - the class of a call's record
 * @cls:      NULL: the sample leaves no record
 * @is_new:   the class was made for this sample: it has no id yet
 *
 * Return: 0; -errno if the tracepoint's format could not be read.
 */
int perf_calls_class(const struct event *event, const struct perf_sample *sample,
		     struct perf_class **cls, bool *is_new);

#endif /* _PEV_ENGINE_PERF_CALLS_H */
