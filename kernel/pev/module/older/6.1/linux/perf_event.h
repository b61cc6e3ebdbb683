/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: drivers that count for other CPUs move an event to the one that does. */
#ifndef _PEV_OLDER_LINUX_PERF_EVENT_H
#define _PEV_OLDER_LINUX_PERF_EVENT_H

#include_next <linux/perf_event.h>

enum perf_pmu_scope {
	PERF_PMU_SCOPE_NONE, PERF_PMU_SCOPE_CORE, PERF_PMU_SCOPE_DIE, PERF_PMU_SCOPE_CLUSTER,
	PERF_PMU_SCOPE_PKG, PERF_PMU_SCOPE_SYS_WIDE,
};

#define pev_perf_scope(pmu)	((void)(pmu), PERF_PMU_SCOPE_NONE)

#endif
