/* SPDX-License-Identifier: GPL-2.0 */
/* Probes in files. */
#ifndef _PEV_PROBE_USER_H
#define _PEV_PROBE_USER_H

struct pev_probe_event;
struct pev_refuse;

/*
 * Place the probes, all or none; remove them; wait until none of those that were removed runs,
 * with one grace period for all of them; free what they took. Process context, may sleep, no
 * locks held.
 */
int pev_probe_user_hook(struct pev_probe_event *probe, struct pev_refuse *r);
void pev_probe_user_unhook(struct pev_probe_event *probe);
void pev_probe_user_quiesce(void);
void pev_probe_user_free(struct pev_probe_event *probe);

#endif
