/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The index of a stream, in the form of LTTng's index files, which other readers of CTF know, too:
 * index/NAME.idx beside the stream NAME, a header and an entry for each packet, all of it big-endian.
 */
#ifndef _PEV_TRACE_INDEX_H
#define _PEV_TRACE_INDEX_H

#include <stdint.h>

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

#endif /* _PEV_TRACE_INDEX_H */
