/* SPDX-License-Identifier: GPL-2.0 */
/* Temporary files that have no name, and so are gone with the process. */
#ifndef PERFCTL_BASE_TEMPFILE_H
#define PERFCTL_BASE_TEMPFILE_H

#include "util.h"

/**
 * tempfile_open() - open a file without a name, for reading and writing
 * @beside: a file: as there is room for that, there is for this; "-": there is none
 *
 * $TMPDIR and /tmp come next.
 *
 * Return: a descriptor, -EIO with @m set.
 */
int tempfile_open(const char *beside, struct msg *m);

#endif
