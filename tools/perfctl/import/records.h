/* SPDX-License-Identifier: GPL-2.0 */
/* Walks the records of a perf.data, whatever they hold. */
#ifndef PERFCTL_IMPORT_RECORDS_H
#define PERFCTL_IMPORT_RECORDS_H

#include "import.h"

/* Calls for each record, compressed ones unpacked; what lies at @r lives for the call only,
 * unless @stays. */
typedef int (*import_record_fn)(struct import *im, const struct perf_event_header *r, bool stays,
				struct msg *m);
int import_each(struct import *im, import_record_fn fn, struct msg *m);
/* Returns how many bytes follow a record without being counted in its size. */
uint64_t import_behind(const struct perf_event_header *r);

#endif
