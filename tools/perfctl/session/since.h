/* SPDX-License-Identifier: GPL-2.0 */
/* Where to begin to read, to know the processes at a time. */
#ifndef PERFCTL_SESSION_SINCE_H
#define PERFCTL_SESSION_SINCE_H

#include <pev/pev.h>

/*
 * Returns the time of the last checkpoint before @from, all in ns since the epoch; INT64_MIN: there
 * is none. Events of processes from there on say which there are at @from.
 */
int64_t since_checkpoint(const struct pev_trace *trace, int64_t from);

#endif
