/* SPDX-License-Identifier: GPL-2.0 */
/* perf.data: the parts before and behind the records. */
#ifndef PERFCTL_EXPORT_PERF_HEAD_H
#define PERFCTL_EXPORT_PERF_HEAD_H

#include "export.h"

int perf_head(struct export *x, struct msg *m);
int perf_tail(struct export *x, struct msg *m);

#endif
