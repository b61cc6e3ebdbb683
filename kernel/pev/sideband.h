/* SPDX-License-Identifier: GPL-2.0 */
/* Sideband events and the list of what counts on this CPU, by source. */
#ifndef _PEV_SIDEBAND_H
#define _PEV_SIDEBAND_H

struct task_struct;

void pev_sideband_exit(struct task_struct *task);
void pev_sideband_fork(struct task_struct *child);

#endif
