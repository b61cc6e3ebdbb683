/* SPDX-License-Identifier: GPL-2.0 */
/* Explains why this machine has no PMU that pev can use. */
#ifndef PERFCTL_PMU_ABSENCE_H
#define PERFCTL_PMU_ABSENCE_H

#include "base/util.h"

/*
 * Returns why there is no PMU that pev can use, from what the processor reports
 * about itself, and in *remedy what would help, or NULL. Free both.
 */
char *pmu_absence(char **remedy);

/* Returns whether the hard lockup detector is on and may hold a counter. */
bool pmu_watchdog_is_on(void);

#endif
