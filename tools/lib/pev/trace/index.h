/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The index of a stream, in the form of LTTng's index files, which other readers of CTF know, too:
 * index/NAME.idx beside the stream NAME, a header and an entry for each packet, all of it big-endian.
 */
#ifndef _PEV_TRACE_INDEX_H
#define _PEV_TRACE_INDEX_H

#include <stddef.h>
#include <stdint.h>
#include "trace/trace.h"
#include "trace/writer.h"

#define INDEX_DIR "index"
#define INDEX_MAGIC 0xc1f1dcc1u
#define INDEX_MAJOR 1
#define INDEX_MINOR 1

/**
 * struct index_head - the beginning of an index
 * @entry: bytes of an entry
 */
struct index_head {
	uint32_t magic;
	uint32_t major;
	uint32_t minor;
	uint32_t entry;
};

/**
 * struct index_entry - a packet: @offset of its first byte, and what its header has
 */
struct index_entry {
	uint64_t offset;
	uint64_t packet_size;
	uint64_t content_size;
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t events_discarded;
	uint64_t stream_id;
	uint64_t stream_instance_id;
	uint64_t packet_seq_num;
};

/*
 * Writing. What cannot be written ends the index, not the trace: the stream has all of it.
 *
 * index_add() - whole packets that lie at the end of a stream from @offset on
 */
void index_add(struct pev_writer *w, struct out_file *f, uint64_t offset, const void *data,
	       size_t len);
/* Writes what was added. */
void index_flush(struct pev_writer *w, struct out_file *f);

/*
 * Reading. Takes the packets of a stream from its index, as far as that goes; the rest is looked
 * for in the stream. @why: what is wrong with an index, of which nothing was taken then; NULL:
 * nothing, or there is none. Returns 0 or -ENOMEM.
 */
int index_load(struct stream *s, const char *dir, const char **why);
/*
 * Returns what is wrong with a packet, whatever its entry says; NULL: nothing. @differs: the entry
 * says otherwise
 */
const char *index_check(const struct stream *s, size_t nr, bool *differs);
/*
 * Bytes of header and records of a packet that is to be read now; of one that is not there, the
 * header's alone, and it is told.
 */
size_t index_content(struct stream *s, size_t nr);

#endif /* _PEV_TRACE_INDEX_H */
