/* SPDX-License-Identifier: GPL-2.0 */
/* What a process has open: /proc/PID/fd. */
#ifndef PERFCTL_INVENTORY_FDS_H
#define PERFCTL_INVENTORY_FDS_H

#include "gather.h"

/* @execs: it is to exec: leaves out what it closes then. Returns 0 or what gather.put did. */
int gather_fds(struct gather *g, int pid, bool execs);

#endif
