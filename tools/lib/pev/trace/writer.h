/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A writer, as the other files of this folder know it.
 */
#ifndef _PEV_TRACE_WRITER_H
#define _PEV_TRACE_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <pev/writer.h>
#include "core/packet.h"

/**
 * struct hand - what one thread writes streams with; it is empty until it is needed
 */
struct hand {
	struct packing *packing;
	struct chain_table *chains;
};

/**
 * struct out_file - one stream file
 * @hand: of the thread that writes it
 * @fd:   -1: not open
 * @size: bytes of @packets whole packets
 * @on_disk: of a compressed stream, bytes of whole frames
 * @last: header of the last of them as it came, zero if there is none
 * @base: losses that earlier parts count: see part.h
 * @more: losses that the ring does not count: see pev_writer_add_lost(); the last packet has @said of them
 * @stale: bytes of the metadata that did not describe a record of the packet that comes next
 * @name: behind "stream_"
 * @index: entries of its index that are not written yet, @nr_index of them
 * @ends: of their frames, if they are compressed
 * @indexed: the index has a beginning
 * @no_index: it has an end, too, as it could not be written
 */
struct out_file {
	struct hand *hand;
	int fd;
	uint64_t size;
	uint64_t packets;
	uint64_t on_disk;
	struct pev_packet last;
	uint64_t base;
	uint64_t more;
	uint64_t said;
	size_t stale;
	char name[44];
	struct index_entry *index;
	uint64_t *ends;
	unsigned int nr_index;
	bool indexed;
	bool no_index;
};

/**
 * struct pev_writer - a trace that is being written
 * @dir:   -1: it goes into @sink
 * @sink:  NULL: it goes into files; @sink_arg is what it is called with
 * @part:  it goes on where another one ended; NULL: it does not
 * @index_dir: -1: no index was written yet; -2: none can be
 * @packer: compresses packets; NULL: they are written as they are
 * @interner: writes call chains once a packet; NULL: they are written as they are
 * @error: the first one: writer_failed(), writer_error()
 * @own:   of the caller's thread
 * @team:  further threads; NULL: there are none
 * @named: of encoders
 * @sync:  of info/synced; -1: there was none yet
 * @newest: end of the newest packet of a ring at the last pev_writer_sync()
 */
struct pev_writer {
	int dir;
	int info_dir;
	int index_dir;
	const struct pev_sink_ops *sink;
	void *sink_arg;
	struct trace_part *part;
	struct packer *packer;
	struct interner *interner;
	int error;
	struct hand own;
	struct team *team;
	char *meta;
	size_t meta_len;
	size_t meta_written;
	struct out_file *files;
	unsigned int nr_files;
	struct out_file *named;
	unsigned int nr_named;
	int sync;
	uint64_t newest;
};

/* Bytes that are written at once, but for the last packet of them */
#define WRITE_MOST (4U << 20)

/* What the writer has failed with, by any thread, or 0 */
static inline int writer_error(const struct pev_writer *w)
{
	return __atomic_load_n(&w->error, __ATOMIC_RELAXED);
}

/*
 * Drains every @of-th ring from @first on, those of one thread. The streams of the channel's rings must
 * have their places. 0 or -errno
 */
int writer_drain_share(struct pev_writer *w, struct pev_channel *channel, unsigned int first,
		       unsigned int of, int64_t *bytes);
void writer_free_hand(struct pev_writer *w, struct hand *h);

/* Says that all records up to a time are written. */
int writer_synced(struct pev_writer *w, uint64_t ticks);

#endif /* _PEV_TRACE_WRITER_H */
