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
 * perf_calls_class() - the class of a call's record; any thread may call it
 * @cls:      NULL: the sample leaves no record
 *
 * Return: 0; -ENODATA: perf_calls_ask() has not been called for that call.
 */
int perf_calls_class(const struct event *event, const struct perf_sample *sample,
		     const struct perf_class **cls);
/**
 * perf_calls_ask() - make the class of a call's record; one thread at a time
 * @describe: gives a new class its id
 *
 * Return: 0, also if it was made before; -errno if the tracepoint's format could not be read, or
 * that of @describe.
 */
int perf_calls_ask(const struct event *event, const struct perf_sample *sample,
		   int (*describe)(void *arg, struct perf_class *cls), void *arg);

#endif /* _PEV_ENGINE_PERF_CALLS_H */
