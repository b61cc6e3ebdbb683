/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of a recording, packed into the streams of another one. Knows nothing of which are
 * wanted.
 */
#ifndef PERFCTL_CUT_RECORDS_H
#define PERFCTL_CUT_RECORDS_H

#include "base/util.h"

#include <pev/pev.h>

/**
 * struct cut_stream - a stream that is made
 * @from:    where its records come from
 * @head:    of its packets
 * @packet:  the one that is being filled, header included
 * @len:     bytes of it, 0: there is none
 * @last:    time of the last record
 * @counted: packets of @from whose losses are counted
 * @written: packets
 */
struct cut_stream {
	const struct pev_stream *from;
	struct pev_packet head;
	uint8_t *packet;
	size_t len, cap;
	uint64_t last;
	size_t counted;
	uint64_t written;
};

/**
 * struct cut_records - all streams
 * @begin:   losses count from there on, in ns
 * @end:     to there
 * @records: so many were copied
 * @lost:    so many of the losses belong to them
 */
struct cut_records {
	struct pev_writer *writer;
	struct cut_stream *streams;
	unsigned int n;
	int64_t begin;
	int64_t end;
	uint64_t records;
	uint64_t lost;
};

void cut_records_open(struct cut_records *c, const struct pev_trace *trace, struct pev_writer *w,
		      int64_t begin, int64_t end);
/* Copies a record; those of one stream come in their order. Returns 0 or -errno. */
int cut_records_add(struct cut_records *c, const struct pev_event *ev);
/* Writes the rest, and losses behind the last record. */
int cut_records_end(struct cut_records *c);
void cut_records_close(struct cut_records *c);

#endif
