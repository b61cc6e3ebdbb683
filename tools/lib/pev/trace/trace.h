/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * An opened trace, as trace.c and cursor.c know it.
 */
#ifndef _PEV_TRACE_TRACE_H
#define _PEV_TRACE_TRACE_H

#include <pthread.h>
#include <sys/types.h>
#include "core/compiler.h"
#include "ctf/meta.h"

#define MAX_WARNINGS	64

/* Mappings of a file that grows, each twice as long as the one before */
#define FIRST_MAP (1ULL << 30)
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
 * @indexed: bytes of the file that were looked at; @gaps: packets that are missing in them
 * @maps: of a file that is followed, from whose beginning each is; pub.data is the last
 * @dev:  with @ino, which file it is
 */
struct stream {
	struct pev_stream	pub;
	struct pev_trace	*trace;
	const struct pev_stream_class *kind;
	struct pev_packet_index	*index;
	size_t			room;
	uint8_t			*bad;
	size_t bad_room;
	uint64_t indexed;
	uint64_t gaps;
	uint64_t told_gaps;
	size_t by_index;
	bool told_differs;
	void *maps[MAX_MAPS];
	unsigned int nr_maps;
	struct packed *packed;
	int			fd;
	dev_t			dev;
	ino_t			ino;
};

struct info_entry {
	char	*key;
	char	*value;
};

/**
 * struct pev_trace - a directory, with all its traces
 * @lock:      warnings, and what cursors count
 * @more_warnings: that found no room
 * @last_counts: so many of them, the text of the last warning says
 * @texts:     of the last warning
 * @follow:    it is being written
 * @ended:     it was, and nothing is held back
 * @limit:     what is older is complete, in ticks
 * @updates:   calls of pev_trace_update()
 * @first_info: as it was opened, with its text; later ones are in @info
 * @one_clock: all metadata have the same clock: ticks can be compared
 */
struct pev_trace {
	char			*path;
	char			*info_path;
	struct pev_meta		**metas;
	unsigned int		nr_metas;
	struct stream		**streams;
	unsigned int		nr_streams;
	bool			one_clock;
	bool follow;
	bool ended;
	uint64_t limit;
	uint64_t updates;
	char *first_text;
	struct info_entry *first_info;
	char			*info_text;
	struct info_entry	*info;
	size_t			nr_info;
	pthread_mutex_t		lock;
	char			*warnings[MAX_WARNINGS];
	unsigned int		nr_warnings;
	uint64_t		more_warnings;
	uint64_t		last_counts;
	struct arena		texts;
	uint64_t		damaged;
};

/*
 * Pages of a stream file that were read lose their memory every so many bytes;
 * pointers into them stay valid: another access reads the file again.
 */
#define DROP_STEP	(1U << 20)
#define DROP_ALIGN	(1U << 16)	/* no page of any machine is larger */

/* Learns what is behind s->indexed. Returns 0 or -errno. */
int stream_index(struct stream *s);
/* Sees what has been added to a stream that is followed. Returns 0 or -errno. */
int stream_grow(struct stream *s);
/* Adds streams of a trace that is followed and has one metadata. Returns 0 or -errno. */
int trace_new_streams(struct pev_trace *trace);
/* Reads info/record again. */
int trace_new_info(struct pev_trace *trace);

/* Drops at once all that lies between two offsets. */
void stream_forget(const struct pev_stream *pub, uint64_t from, uint64_t to);
void stream_drop(const struct pev_stream *pub, uint64_t *from, uint64_t to);
void trace_warn(struct pev_trace *trace, const char *fmt, ...) PEV_PRINTF(2, 3);
void stream_damaged(const struct pev_stream *pub, size_t packet, const char *why);

#endif /* _PEV_TRACE_TRACE_H */
