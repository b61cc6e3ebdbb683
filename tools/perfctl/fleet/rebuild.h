/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a store answered as a recording, which all views read: a record for each row, a process for
 * each program, and every file mapped at an address of its own.
 */
#ifndef PERFCTL_FLEET_REBUILD_H
#define PERFCTL_FLEET_REBUILD_H

#include "store/query.h"

#include <pev/pev.h>

/* @what: describes it, for headings. Returns 0 or -errno. */
int rebuild_recording(struct pev_writer *w, const struct store_query *q, const struct answer *a,
		      const char *what, struct msg *m);

#endif
