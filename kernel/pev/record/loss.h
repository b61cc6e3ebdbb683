/* SPDX-License-Identifier: GPL-2.0 */
/* Records that found no room. */
#ifndef _PEV_LOSS_H
#define _PEV_LOSS_H

struct pev_event_cpu;

/**
 * pev_event_lost() - count a record that was lost, and tell who listens to the marker pev:loss
 * @ec: its event on this CPU
 *
 * Context: Any with preemption disabled, NMI included.
 */
void pev_event_lost(struct pev_event_cpu *ec);

#endif
