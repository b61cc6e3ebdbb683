/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Writes records into a ring of the form that <linux/pev.h> describes, as the
 * kernel does into its own.
 */
#ifndef _PEV_ENGINE_PERF_PRODUCER_H
#define _PEV_ENGINE_PERF_PRODUCER_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/pev.h>
#include "engine/perf/sink.h"

/* Bytes of a record before what is its own, at most */
#define RECORD_HEADER	16

/**
 * struct producer - a ring and its only writer
 * @sink:   takes records: its begin() returns -EAGAIN if the reader must first take
 *          what is there; the time of one before the last record's becomes that
 * @pos:    where the next record goes
 * @packet: start of the open packet; @pos if none is open
 * @time:   of the last record
 * @seq:    number of the next packet
 * @head:   of every packet
 */
struct producer {
	struct sink		sink;
	struct pev_ring_kernel	*kernel;
	struct pev_ring_user	*user;
	uint8_t			*data;
	uint64_t		size;
	uint32_t		packet_size;
	bool			overwrite;
	uint64_t		pos;
	uint64_t		packet;
	uint64_t		time;
	uint64_t		seq;
	uint64_t		lost;
	struct pev_packet	head;
	size_t			map_size;
};

/**
 * producer_init() - allocate a ring
 * @info: of the channel
 * @ring: number of the ring and of its CPU
 *
 * Return: 0 or -ENOMEM. Free with producer_free().
 */
int producer_init(struct producer *p, const struct pev_channel_info *info, unsigned int ring);
void producer_free(struct producer *p);

/* Closes the open packet */
void producer_flush(struct producer *p);
/* Counts lost records. */
void producer_lose(struct producer *p, uint64_t nr);
/* Makes what was written so far visible to the reader. */
void producer_publish(struct producer *p);

#endif /* _PEV_ENGINE_PERF_PRODUCER_H */
