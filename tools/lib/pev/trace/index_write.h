/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Writing indexes. What cannot be written ends the index, not the trace: the stream has all of it.
 */
#ifndef _PEV_TRACE_INDEX_WRITE_H
#define _PEV_TRACE_INDEX_WRITE_H

#include "trace/writer.h"

/* Adds whole packets that lie at the end of a stream from @offset on. */
void index_add(struct pev_writer *w, struct out_file *f, uint64_t offset, const void *data,
	       size_t len);
/* Makes the directory of indexes, which threads must not do at once. */
void index_prepare(struct pev_writer *w);
/* Writes what was added. */
void index_flush(struct pev_writer *w, struct out_file *f);

#endif /* _PEV_TRACE_INDEX_WRITE_H */
