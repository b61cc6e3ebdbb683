/* SPDX-License-Identifier: GPL-2.0 */
/* Probes in the kernel. */
#ifndef _PEV_PROBE_KERNEL_H
#define _PEV_PROBE_KERNEL_H

#include <linux/types.h>

struct pev_probe_event;
struct pev_refuse;

/*
 * Place the probes, all or none; note that they are to be removed; remove all of which that was
 * noted, with one grace period, after which none of them runs; free what they took. Process
 * context, may sleep, no locks held.
 */
int pev_probe_kernel_hook(struct pev_probe_event *probe, struct pev_refuse *r);
void pev_probe_kernel_unhook(struct pev_probe_event *probe);
void pev_probe_kernel_quiesce(void);
void pev_probe_kernel_free(struct pev_probe_event *probe);

/* How often the kernel could not call the probe, since it was hooked. Any context. */
u64 pev_probe_kernel_missed(const struct pev_probe_event *probe);

#endif
