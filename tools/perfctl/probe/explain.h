/* SPDX-License-Identifier: GPL-2.0 */
/* Says why a place is refused. */
#ifndef PERFCTL_PROBE_EXPLAIN_H
#define PERFCTL_PROBE_EXPLAIN_H

#include "view.h"

/* @place: as -e takes it. Returns an exit status, or -errno with a sentence. */
int probe_explain(const char *place, const struct probe_view *view, struct msg *m);

#endif
