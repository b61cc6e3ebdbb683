/* SPDX-License-Identifier: GPL-2.0 */
/* What is the same for the places of each kind of probe. */
#ifndef _PEV_PROBE_PLACE_H
#define _PEV_PROBE_PLACE_H

#include <linux/types.h>

struct pev_probe_event;
struct pev_refuse;

/* Place one, into what the kind has for all of them. Return: 0 or an error. */
typedef int (*pev_probe_place_fn)(struct pev_probe_event *probe, void *to, u32 i);

/* Say why a place is refused. Return: -@err, as it is told to the user. */
typedef int (*pev_probe_refuse_fn)(const struct pev_probe_event *probe, u32 i, int err,
				   struct pev_refuse *r);

/**
 * pev_probe_place_all() - place all that can be placed
 * @probe:  the probe
 * @to:     for @place
 * @place:  called for each
 * @refuse: called for one that may not be left out, or if none is left
 * @r:      for @refuse
 *
 * The caller has to remove what has been placed, also after an error.
 *
 * Context: Process context, may sleep; a fatal signal ends it.
 * Return: 0 or an error.
 */
int pev_probe_place_all(struct pev_probe_event *probe, void *to, pev_probe_place_fn place,
			pev_probe_refuse_fn refuse, struct pev_refuse *r);

/* A pev_probe_refuse_fn for what is the same in each kind. */
int pev_probe_refuse_place(const struct pev_probe_event *probe, u32 i, int err,
			   struct pev_refuse *r);

#endif
