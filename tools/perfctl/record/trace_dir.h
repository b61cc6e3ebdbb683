/* SPDX-License-Identifier: GPL-2.0 */
/* The directory of a new trace. */
#ifndef PERFCTL_RECORD_TRACE_DIR_H
#define PERFCTL_RECORD_TRACE_DIR_H

#include "base/util.h"

/* Makes room for a new trace: an older one becomes PATH.old */
int trace_dir_prepare(const char *path, struct msg *m);

#endif
