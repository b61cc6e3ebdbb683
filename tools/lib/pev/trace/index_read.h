/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reading indexes.
 */
#ifndef _PEV_TRACE_INDEX_READ_H
#define _PEV_TRACE_INDEX_READ_H

#include "trace/trace.h"

/*
 * Takes the packets of a stream from its index, as far as that goes; the rest is looked
 * for in the stream. @why: what is wrong with an index, of which nothing was taken then; NULL:
 * nothing, or there is none. Returns 0 or -ENOMEM.
 */
int index_load(struct stream *s, const char *dir, const char **why);
/* Does an entry agree with its packet? */
bool index_agrees(const struct stream *s, size_t nr);
/* Forgets what is known of a stream's packets. */
void index_forget(struct stream *s);
/*
 * Bytes of header and records of a packet that is to be read now; of one that is not there, the
 * header's alone, and it is told.
 */
size_t index_content(struct stream *s, size_t nr);

#endif /* _PEV_TRACE_INDEX_READ_H */
