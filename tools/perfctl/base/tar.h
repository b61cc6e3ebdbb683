/* SPDX-License-Identifier: GPL-2.0 */
/* Writes tar archives of regular files, in the form of POSIX (ustar). */
#ifndef PERFCTL_BASE_TAR_H
#define PERFCTL_BASE_TAR_H

#include "output.h"

/*
 * Adds what @fd has, from where it stands. Returns 0; -ENAMETOOLONG, -EFBIG if the
 * format has no room for @name or the size: then nothing was written; -errno if reading
 * failed: then the archive is of no use.
 */
int tar_add(struct out *out, const char *name, int fd);
void tar_end(struct out *out);

#endif
