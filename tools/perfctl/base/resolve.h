/* SPDX-License-Identifier: GPL-2.0 */
/* Which file a path that is to be written leads to. */
#ifndef PERFCTL_BASE_RESOLVE_H
#define PERFCTL_BASE_RESOLVE_H

#include "util.h"

/*
 * Follows symbolic links, but no other user's in a directory that everybody can
 * write to: it may lead to a file of yours that is not meant. What it leads to need
 * not exist. Links of procfs stay, as they lead to open files.
 * @real: to be freed; NULL if it fails.
 */
int resolve_path(const char *path, char **real, struct msg *m);

#endif
