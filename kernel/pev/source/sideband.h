/* SPDX-License-Identifier: GPL-2.0 */
/* Sideband events. */
#ifndef _PEV_SIDEBAND_H
#define _PEV_SIDEBAND_H

struct task_struct;

void pev_sideband_exit(struct task_struct *task);

#endif
