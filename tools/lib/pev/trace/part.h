/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Traces that follow each other: what the kernel counts for a channel is made the count of one.
 */
#ifndef _PEV_TRACE_PART_H
#define _PEV_TRACE_PART_H

#include "trace/writer.h"

/*
 * The functions below do nothing with a writer that continues no other one.
 *
 * Gives metadata the UUID of the part. @own: a copy as long as the text, which the caller frees;
 * NULL: the text is right. Returns 0 or -errno.
 */
int part_metadata(struct pev_writer *w, const char *text, size_t len, char **own);
/* Makes the header of a packet one of this part. */
void part_header(const struct pev_writer *w, const struct out_file *f, struct pev_packet *packet);
/* What earlier parts say was lost of a ring */
uint64_t part_base(const struct pev_writer *w, unsigned int ring);
void part_free(struct pev_writer *w);

#endif /* _PEV_TRACE_PART_H */
