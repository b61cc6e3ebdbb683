/* SPDX-License-Identifier: GPL-2.0 */
/* Which driver hardware events count by. */
#ifndef _PEV_PMU_CHOOSE_H
#define _PEV_PMU_CHOOSE_H

#include <linux/types.h>

/* Would an event that is opened now count by perf's driver? pev_control held. */
bool pev_pmu_by_perf(void);

/* Does what is told about the PMU come from perf, because there is nothing else? */
bool pev_pmu_only_perf(void);

/* Does nothing count by perf's driver? */
bool pev_pmu_only_own(void);

/* As pev_pmu_by_perf(), without the lock. Process context. */
bool pev_pmu_left_to_perf(void);

int pev_pmu_choose_setup(void);
void pev_pmu_choose_teardown(void);

#endif
