/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that a store named, as files beside the recording that is made of its answer. */
#ifndef PERFCTL_SYMBOLS_SYMFS_H
#define PERFCTL_SYMBOLS_SYMFS_H

#include "store/answer.h"

/*
 * Writes a file for each build id of a->symbols to @dir/symfs, a recording's directory, where
 * readers look first. What makes no sense is left out: others wrote it.
 */
int symfs_write(const char *dir, const struct answer *a, struct msg *m);

#endif
