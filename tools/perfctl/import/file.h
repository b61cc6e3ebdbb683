/* SPDX-License-Identifier: GPL-2.0 */
/* Reads records of a perf.data, one after the other. */
#ifndef PERFCTL_IMPORT_FILE_H
#define PERFCTL_IMPORT_FILE_H

#include "import.h"

/* Reads what describes the records of what import_input() has mapped. */
int import_open(struct import *im, struct msg *m);
/* Gets what any record has; false if it makes no sense. */
bool import_head(const struct import *im, const struct perf_event_header *r,
		 struct import_head *h);
const struct import_event *import_event_by_id(const struct import *im, uint64_t id);
void import_free(struct import *im);

#endif
