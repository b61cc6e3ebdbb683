/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _PEV_PMU_NAMES_H
#define _PEV_PMU_NAMES_H

#include <uapi/linux/pev.h>

/* Of enum pev_hardware, as users write them. */
extern const char * const pev_hardware_names[PEV_HW_MAX];

#endif
