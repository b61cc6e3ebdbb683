/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reading compressed streams: the plain stream is a mapped file without a name, into which a packet
 * is decompressed when it is first needed. So all offsets are those of a plain stream, pointers stay
 * valid, and its pages can leave the memory.
 */
#ifndef _PEV_TRACE_UNPACK_H
#define _PEV_TRACE_UNPACK_H

#include "trace/trace.h"

/*
 * Sets the data and the size of a stream whose file is open. @dir: where the index is; NULL: it is
 * not used, and all packets are decompressed. Returns 0 or -errno.
 */
int unpack_open(struct stream *s, const char *dir);
/*
 * Decompresses a packet that is in the index; what is damaged is no packet then. False: there is no
 * room for it, and nothing may be read.
 */
bool unpack_packet(const struct stream *s, size_t nr);
void unpack_close(struct stream *s);

/* Is to be called before the bytes of a packet are looked at; false: they cannot be. */
static inline bool stream_need(const struct stream *s, size_t nr)
{
	return likely(!s->packed) || unpack_packet(s, nr);
}

#endif /* _PEV_TRACE_UNPACK_H */
