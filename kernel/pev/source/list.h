/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of the sources. A new one is a number in enum pev_type, a name here, a line
 * in the table of event/sources.c, and the file or folder that defines it.
 */
#ifndef _PEV_SOURCE_LIST_H
#define _PEV_SOURCE_LIST_H

#include "types.h"

extern const struct pev_source_ops pev_software_source;
extern const struct pev_source_ops pev_timer_source;
extern const struct pev_source_ops pev_tracepoint_source;
extern const struct pev_source_ops pev_marker_source;
extern const struct pev_source_ops pev_sideband_source;
extern const struct pev_source_ops pev_pmu_source;
extern const struct pev_source_ops pev_raw_source;
extern const struct pev_source_ops pev_probe_source;
extern const struct pev_source_ops pev_wait_source;
extern const struct pev_source_ops pev_user_source;
extern const struct pev_source_ops pev_ustack_source;

#endif
