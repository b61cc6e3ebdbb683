/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What records are written to: a ring, or the packets of a file.
 */
#ifndef _PEV_ENGINE_PERF_SINK_H
#define _PEV_ENGINE_PERF_SINK_H

#include <stdint.h>

/**
 * struct record_head - what any record begins with
 * @id: of its class
 */
struct record_head {
	uint32_t	id;
	uint32_t	tid;
	uint64_t	time;
};

/**
 * struct sink - takes one record after the other
 * @begin:  writes the head and sets its last argument to the place behind it, where
 *          there is room for as many bytes; returns 0, -E2BIG if they are too many, or
 *          another error of the sink's. A record that is not committed leaves nothing.
 * @commit: ends the record at the given place; returns 0 or an error of the sink's
 */
struct sink {
	int (*begin)(struct sink *sink, uint32_t size, const struct record_head *head,
		     uint8_t **at);
	int (*commit)(struct sink *sink, uint8_t *end);
};

#endif /* _PEV_ENGINE_PERF_SINK_H */
