/* SPDX-License-Identifier: GPL-2.0 */
/* What a flight recorder's rings hold, as a recording of its own. */
#ifndef PERFCTL_RECORD_SNAPSHOT_H
#define PERFCTL_RECORD_SNAPSHOT_H

#include "recorder.h"

/* Overwrite mode: writes what the rings hold into a trace of its own. */
int recorder_snapshot(struct recorder *r, const char *path, struct msg *m);

#endif
