/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The file of a stream, with an index of its packets.
 */
#ifndef _PEV_TRACE_STREAM_H
#define _PEV_TRACE_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "ctf/meta.h"

/* Mappings of a file that grows */
#define MAX_MAPS 16

/**
 * struct stream - struct pev_stream and what is private
 * @pub:  must be the first member
 * @kind: class of its packets; NULL if there is none
 * @room: of @index
 * @bad:  packets that were found damaged while decoding; by trace.lock
 * @by_index: packets that were taken from an index, see index.h
 * @told_differs: a warning has told that the index differs
 * @told_gaps: of @gaps, a warning has told
 * @packed: of a compressed file, see unpack.h; NULL: it is none
 * @fd:   of the file while it is indexed, or the trace is followed
 * @source: the same, if @fd is of a copy, as others may write the file; -1: it is not
 * @indexed: bytes of the file that were looked at; @gaps: packets that are missing in them
 * @maps: of a file that is followed, from whose beginning each is; pub.data is the last
 * @dev:  with @ino, which file it is
 */
struct stream {
	struct pev_stream pub;
	struct pev_trace *trace;
	const struct pev_stream_class *kind;
	struct pev_packet_index *index;
	size_t room;
	uint8_t *bad;
	size_t bad_room;
	uint64_t indexed;
	uint64_t gaps;
	uint64_t told_gaps;
	size_t by_index;
	bool told_differs;
	void *maps[MAX_MAPS];
	unsigned int nr_maps;
	struct packed *packed;
	int fd;
	int source;
	dev_t dev;
	ino_t ino;
};

/* Maps the file of @s, which it leaves open in s->fd. Returns 0 or -errno, see stream_why_not(). */
int stream_map(struct stream *s, const char *dir);
const char *stream_why_not(int err);
/* Learns where the packets are: from an index, and from the file behind what that has. */
int stream_find_packets(struct stream *s, const char *dir);
void stream_close_file(struct stream *s);
void stream_free(struct stream *s);

/* Learns what is behind s->indexed. Returns 0 or -errno. */
int stream_index(struct stream *s);
/* Sees what has been added to a stream that is followed. Returns 0 or -errno. */
int stream_grow(struct stream *s);

/* Drops at once the pages of all that lies between two offsets. */
void stream_forget(const struct pev_stream *pub, uint64_t from, uint64_t to);
/* Drops pages, so that a walk through a recording of any length takes little memory. */
void stream_drop(const struct pev_stream *pub, uint64_t *from, uint64_t to);
/* Warns, once for each, of a packet with records that stop making sense. */
void stream_damaged(const struct pev_stream *pub, size_t packet, const char *why);

#endif /* _PEV_TRACE_STREAM_H */
