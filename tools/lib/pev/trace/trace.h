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

/**
 * struct stream - struct pev_stream and what is private
 * @pub:  must be the first member
 * @kind: class of its packets; NULL if there is none
 * @room: of @index
 * @bad:  packets that were found damaged while decoding; by trace.lock
 * @fd:   of the file while it is indexed
 * @dev:  with @ino, which file it is
 */
struct stream {
	struct pev_stream	pub;
	struct pev_trace	*trace;
	const struct pev_stream_class *kind;
	struct pev_packet_index	*index;
	size_t			room;
	uint8_t			*bad;
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

/* Drops at once all that lies between two offsets. */
void stream_forget(const struct pev_stream *pub, uint64_t from, uint64_t to);
void stream_drop(const struct pev_stream *pub, uint64_t *from, uint64_t to);
void trace_warn(struct pev_trace *trace, const char *fmt, ...) PEV_PRINTF(2, 3);
void stream_damaged(const struct pev_stream *pub, size_t packet, const char *why);

#endif /* _PEV_TRACE_TRACE_H */
