/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel counted of waits, which a recording has beside their records. */
#ifndef PERFCTL_RECORD_WAITED_H
#define PERFCTL_RECORD_WAITED_H

#include "event/set.h"

/* Writes the sums of all waits events of a set that is off; returns -errno. */
int waited_write(const struct event_set *set, struct pev_writer *w);

#endif
