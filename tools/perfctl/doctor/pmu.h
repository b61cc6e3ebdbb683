/* SPDX-License-Identifier: GPL-2.0 */
/* What the processor, the hypervisor or another holder withholds. */
#ifndef PERFCTL_DOCTOR_PMU_H
#define PERFCTL_DOCTOR_PMU_H

#include "doctor.h"

void doctor_pmu(struct doctor *d);

#endif
