/* SPDX-License-Identifier: GPL-2.0 */
/* What of a recording has reached the disk. */
#ifndef PERFCTL_SESSION_WRITTEN_H
#define PERFCTL_SESSION_WRITTEN_H

#include <stdint.h>

/* Counts the records of events in a trace whose recorder failed; 0 if it cannot be read. */
uint64_t written_records(const char *path);

#endif
