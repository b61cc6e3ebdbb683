/* SPDX-License-Identifier: GPL-2.0 */
/* What runs already when a recording begins. */
#ifndef PERFCTL_PROCS_STATE_H
#define PERFCTL_PROCS_STATE_H

#include "event/target.h"

#include <pev/pev.h>

/* Returns the present time in ticks of the metadata's clock. */
uint64_t proc_state_time(const struct pev_meta *meta);
/*
 * Writes it as sideband records, all of the same time; 0 or -errno. @later: what is recorded runs
 * already, also if it is a command
 */
int proc_state_encode(struct pev_encoder *enc, const struct pev_meta *meta, const struct target *t,
		      uint64_t time, bool later);
/* The same of one process; if it has ended, nothing. */
int proc_state_encode_one(struct pev_encoder *enc, const struct pev_meta *meta, uint32_t pid,
			  uint64_t time);
/* Writes it into a stream of its own. */
int proc_state_write(struct pev_writer *w, const struct pev_meta *meta, const struct target *t,
		     uint64_t time, bool later, struct msg *m);

/*
 * Calls @fn for the processes of a target, until it returns another value than 0; for one of which
 * several threads are targets, several times.
 */
int proc_state_each(const struct target *t, int (*fn)(void *arg, int pid), void *arg);
/* Calls @fn for a process and all that are below it now, until it returns another value than 0. */
int proc_state_subtree(int root, int (*fn)(void *arg, int pid), void *arg);

#endif
