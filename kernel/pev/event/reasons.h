/* SPDX-License-Identifier: GPL-2.0 */
/* Who tells why guests are left: KVM's tracepoints, while an event asks. */
#ifndef _PEV_REASONS_H
#define _PEV_REASONS_H

#include <linux/types.h>

struct pev_event;
struct pev_refuse;

/* Would pev_reasons_init() find KVM? Process context, may sleep. */
bool pev_reasons_known(void);

/**
 * pev_reasons_init() - prepare for an event that asks for PEV_SAMPLE_EXIT
 * @event: what it samples is set; others are left alone
 * @r:     says why not
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error.
 */
int pev_reasons_init(struct pev_event *event, struct pev_refuse *r);

/* Undo pev_reasons_init(), if that is not done: @event stands still. Process context, may sleep. */
void pev_reasons_exit(struct pev_event *event);

#endif
