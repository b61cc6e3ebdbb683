/* SPDX-License-Identifier: GPL-2.0 */
/* Sideband events. */
#ifndef _PEV_SIDEBAND_H
#define _PEV_SIDEBAND_H

struct task_struct;

void pev_sideband_exit(struct task_struct *task);

/* Wait for records that are under way, now that there is no event. Process context. */
void pev_sideband_teardown(void);

#endif
