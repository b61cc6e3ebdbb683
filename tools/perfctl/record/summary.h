/* SPDX-License-Identifier: GPL-2.0 */
/* What perfctl record says on the error output: how far it is, and what came of it. */
#ifndef PERFCTL_RECORD_SUMMARY_H
#define PERFCTL_RECORD_SUMMARY_H

#include "recorder.h"

/* A line that the next one overwrites. @seconds: since the start */
void summary_progress(const struct recorder *r, double seconds);
void summary_progress_clear(void);
/* Prints "[ DIR.1: 1.5 MiB, 60.00 s ]". */
void summary_part(const char *path, uint64_t size, double seconds);

/* The trace, and a table of its events if they differ in what was lost or filtered. */
void summary_records(struct recorder *r, double seconds);
/* Warns if hardware events were throttled, or shared counters with others. */
void summary_hardware(const struct recorder *r);
/* Of a channel of the kernel's: how much was written, and lost before and meanwhile. */
void summary_channel(const struct recorder *r, double seconds);

#endif
