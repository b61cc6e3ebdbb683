/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Writing compressed streams: a frame of zstd for each packet, so that "zstd -d" makes the stream
 * of the file, and that any packet can be read alone. Beside the index, whose offsets are those
 * of packets in the stream, index/NAME.ends has the end of each frame in the file: big-endian
 * numbers of 64 bits.
 */
#ifndef _PEV_TRACE_PACK_H
#define _PEV_TRACE_PACK_H

#include "trace/writer.h"

#define PACK_SUFFIX ".zst"
#define PACK_ENDS ".ends"

/* Writes a packet, of which @used bytes are to be kept. Returns 0 or -errno. */
int pack_packet(struct pev_writer *w, struct out_file *f, const struct pev_packet *head,
		const uint8_t *data, size_t used);
void pack_free(struct pev_writer *w);
void pack_free_hand(struct pev_writer *w, struct hand *h);

#endif /* _PEV_TRACE_PACK_H */
