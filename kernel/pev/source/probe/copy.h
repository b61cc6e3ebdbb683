/* SPDX-License-Identifier: GPL-2.0 */
/* What a user wants probed, and what became of it. */
#ifndef _PEV_PROBE_COPY_H
#define _PEV_PROBE_COPY_H

#include <linux/types.h>

struct pev_probe_event;
struct pev_refuse;

/**
 * pev_probe_copy() - copy what a user asks for, and check it
 * @probe: empty; receives all of it, also if it fails: see pev_probe_free()
 * @addr:  of a struct pev_probe of the user's
 * @r:     says what is wrong with it
 *
 * Context: Process context, for as long as the user's memory likes; no locks held.
 * Return: 0 or an error.
 */
int pev_probe_copy(struct pev_probe_event *probe, u64 addr, struct pev_refuse *r);

/* Free what pev_probe_copy() took. */
void pev_probe_free(struct pev_probe_event *probe);

#endif
