/* SPDX-License-Identifier: GPL-2.0 */
/* What was recorded before the machine went down. */
#ifndef PERFCTL_CRASH_TAKE_H
#define PERFCTL_CRASH_TAKE_H

#include "base/util.h"

/*
 * Writes it to the directory @path, and drops it once that is on the disk. Returns 0 or -errno
 * with a sentence; then it is still there.
 */
int crash_take(const char *path, bool quiet, struct msg *m);
/* Drops it unread. */
int crash_drop(bool quiet, struct msg *m);
/*
 * One line about it, without a newline; NULL: no memory was set aside, or the right to look is
 * missing
 */
const char *crash_state(char *buf, size_t size);

#endif
