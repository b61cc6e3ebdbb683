/* SPDX-License-Identifier: GPL-2.0 */
/* Converts perf's records to those of a trace. */
#ifndef PERFCTL_IMPORT_WRITE_H
#define PERFCTL_IMPORT_WRITE_H

#include "import.h"

int import_write_open(struct import *im, const char *path, const char *kallsyms, struct msg *m);
/* Writes a record, in order of time; @time: ns of the records' clock */
int import_write(struct import *im, const struct perf_event_header *r, uint64_t time,
		 struct msg *m);
int import_write_close(struct import *im, int err, struct msg *m);

#endif
