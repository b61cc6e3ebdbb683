/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A probe: what the user asked for, and what those that place it share.
 */
#ifndef _PEV_PROBE_H
#define _PEV_PROBE_H

#include <linux/path.h>
#include "fetch.h"

struct pev_event;
struct pev_refuse;

/**
 * struct pev_probe_event - the private part of an event
 * @event:      back
 * @fetches:    its fields
 * @nr:         of @places
 * @places:     copies of the user's, checked
 * @strings:    their names
 * @strings_size: bytes of @strings
 * @max_active: see struct pev_probe
 * @path:       of the file; kernel: empty
 * @hooks:      what kernel.c, function.c or user.c has for each place, while hooked
 * @skipped:    of each place why it was left out, 0: it was not; NULL: none may be
 * @results:    where the opener wants @skipped
 * @forgotten:  misses before the last reset
 */
struct pev_probe_event {
	struct pev_event		*event;
	struct pev_fetches		fetches;
	u32				nr;
	struct pev_probe_place		*places;
	char				*strings;
	u32				strings_size;
	u32				max_active;
	struct path			path;
	void				*hooks;
	s32				*skipped;
	s32 __user			*results;
	u64				forgotten;
};

static inline const char *pev_probe_name(const struct pev_probe_event *probe, u32 place)
{
	return probe->strings + probe->places[place].name;
}

/**
 * pev_probe_hit() - a place was reached
 * @probe: the probe
 * @place: index of the place
 * @ip:    its address
 * @in:    the registers
 *
 * Context: Any with preemption disabled, NMI included.
 */
void pev_probe_hit(struct pev_probe_event *probe, u32 place, unsigned long ip,
		   const struct pev_fetch_in *in);

#endif
