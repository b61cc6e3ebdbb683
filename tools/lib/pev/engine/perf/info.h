/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What perf can do here, and the system call.
 */
#ifndef _PEV_ENGINE_PERF_INFO_H
#define _PEV_ENGINE_PERF_INFO_H

#include "engine/perf/perf.h"

unsigned int perf_features(void);
const char *perf_tracefs(void);
/* Returns whether an event is of a PMU of sysfs. */
bool perf_is_pmu(const struct perf_event_attr *attr, const char *name);
/* Returns whether config1 is the address of a name. */
bool perf_is_probe(const struct perf_event_attr *attr);
int perf_paranoid(void);
/* Samples a second at most; 0 if that is not known */
unsigned int perf_max_rate(void);
/* What rings of a user may lock for each CPU, whatever the process may */
unsigned int perf_mlock_kb(void);
int perf_open(const struct perf_event_attr *attr, int pid, int cpu, int group_fd,
	      unsigned long flags);
int perf_info(struct pev_engine *engine, struct pev_info *info, struct pev_error *err);
int perf_catalog(struct pev_engine *engine, struct pev_catalog **catalog, struct pev_error *err);

#endif /* _PEV_ENGINE_PERF_INFO_H */
