/* SPDX-License-Identifier: GPL-2.0 */
/* What one recording says of itself, in another one that is made of it. */
#ifndef PERFCTL_CUT_INFO_H
#define PERFCTL_CUT_INFO_H

#include "base/util.h"

#include <pev/pev.h>

/*
 * Metadata of the trace, which has one; the new one gets a UUID of its own. @shift: ns by which all
 * its times are later
 */
int cut_metadata(struct pev_writer *w, const struct pev_trace *trace, int64_t shift, struct msg *m);
/*
 * The directory info, without the counts by event. What was incomplete stays so.
 * @from: of the recording itself, for parts of a trace
 */
int cut_info(struct pev_writer *w, const char *from, struct msg *m);

#endif
