/* SPDX-License-Identifier: GPL-2.0 */
/* Sorts records by time. */
#ifndef PERFCTL_IMPORT_SORT_H
#define PERFCTL_IMPORT_SORT_H

#include "import.h"

int import_queue_add(struct import *im, const struct perf_event_header *r, bool stays,
		     struct msg *m);
/* Writes all that is left. */
int import_queue_end(struct import *im, struct msg *m);
void import_queue_free(struct import *im);

#endif
