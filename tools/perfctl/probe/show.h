/* SPDX-License-Identifier: GPL-2.0 */
/* Shows where a place is, and its arguments. */
#ifndef PERFCTL_PROBE_SHOW_H
#define PERFCTL_PROBE_SHOW_H

#include "view.h"

/* @place: as -e takes it. Returns an exit status, or -errno with a sentence. */
int probe_show(const char *place, const struct probe_view *view, struct msg *m);

#endif
