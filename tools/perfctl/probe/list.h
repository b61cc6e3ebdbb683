/* SPDX-License-Identifier: GPL-2.0 */
/* Lists what can be probed. */
#ifndef PERFCTL_PROBE_LIST_H
#define PERFCTL_PROBE_LIST_H

#include "view.h"

/*
 * Prints places. @what: a file, the number of a process, or "kernel"; @glob: of names, or NULL.
 * Returns an exit status, or -errno with a sentence.
 */
int probe_list(const char *what, const char *glob, const struct probe_view *view, struct msg *m);

#endif
