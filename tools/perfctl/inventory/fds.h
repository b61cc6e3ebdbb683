/* SPDX-License-Identifier: GPL-2.0 */
/* What a process has open: /proc/PID/fd. */
#ifndef PERFCTL_INVENTORY_FDS_H
#define PERFCTL_INVENTORY_FDS_H

#include "gather.h"

/* The flags of a descriptor whose flags were not asked for */
#define FDS_NO_FLAGS UINT32_MAX

/**
 * enum gather_fds - what to read
 * @FDS_NAMES: no flags: these take more time than all the rest
 * @FDS_FLAGS: as open() takes them, with O_CLOEXEC
 * @FDS_KEPT:  the same, of what is open after an exec
 */
enum gather_fds {
	FDS_NAMES,
	FDS_FLAGS,
	FDS_KEPT,
};

/* Returns 0, also if there is no such process, or what gather.put did. */
int gather_fds(struct gather *g, int pid, enum gather_fds what);

#endif
