/* SPDX-License-Identifier: GPL-2.0 */
/* What a file has, or should have, and the trace made of it has not. */
#ifndef PERFCTL_IMPORT_MISSING_H
#define PERFCTL_IMPORT_MISSING_H

#include "import.h"

/* Counts a record of a type that is not known: what it means for samples is unknown. */
void import_unknown(struct import *im, const struct perf_event_header *r);
/* Adds clauses that say what may be missing; nothing if the trace has all that it can have. */
void import_missing(const struct import *im, struct strbuf *b);

#endif
