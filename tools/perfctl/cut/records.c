// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of records that are chosen one by one. See records.h.
 *
 * A record has the low bits of its time only, which count from the record before: where records
 * between are missing, they may have passed through zero. Such a record begins a packet, whose
 * header has the whole time. Call chains that records name are in other records of their packet:
 * a copy has them itself, and the writer interns them again.
 */
#include "records.h"

#include <errno.h>
#include <stdlib.h>

/* A packet is written when it has so much */
#define PACKET_FULL (60u << 10)

void cut_records_open(struct cut_records *c, const struct pev_trace *trace, struct pev_writer *w,
		      int64_t begin, int64_t end)
{
	*c = (struct cut_records){
		.writer = w,
		.n = pev_trace_nr_streams(trace),
		.begin = begin,
		.end = end,
	};
	c->streams = xcalloc(c->n + 1, sizeof(*c->streams));
	for (unsigned int i = 0; i < c->n; i++) {
		const struct pev_stream *s = pev_trace_stream(trace, i);
		const struct pev_packet *first = pev_stream_packet(s, 0);

		c->streams[i].from = s;
		/* without it, no record of the stream can be read, either */
		if (first)
			c->streams[i].head = *first;
		c->streams[i].head.events_discarded = 0;
	}
}

/*
 * Adds losses of packets that end at or before @ticks. A packet that begins before the cut counts
 * whole: where in it records were lost is not known.
 */
static void count_losses(const struct cut_records *c, struct cut_stream *s, uint64_t ticks)
{
	const struct pev_stream *from = s->from;

	for (; s->counted < from->nr_packets && from->packets[s->counted].end <= ticks;
	     s->counted++) {
		const struct pev_packet_index *p = &from->packets[s->counted];

		if (pev_meta_ns(from->meta, p->end) >= c->begin &&
		    pev_meta_ns(from->meta, p->begin) <= c->end)
			s->head.events_discarded += p->lost;
	}
}

static int write_packet(struct cut_records *c, struct cut_stream *s)
{
	const char *name = s->from->name;

	if (!s->len)
		return 0;
	count_losses(c, s, s->last);
	s->head.timestamp_end = s->last;
	s->head.packet_seq_num = s->written++;
	s->head.content_size = s->len * 8;
	s->head.packet_size = s->len * 8;
	memcpy(s->packet, &s->head, sizeof(s->head));
	name += strncmp(name, "stream_", 7) ? 0 : 7;
	return pev_writer_named(c->writer, name, s->packet, s->len);
}

static int end_packet(struct cut_records *c, struct cut_stream *s)
{
	int err = write_packet(c, s);

	s->len = 0;
	return err;
}

static void begin_packet(struct cut_stream *s, uint64_t time)
{
	s->len = sizeof(s->head);
	s->head.timestamp_begin = time;
	s->last = time;
}

static uint8_t *room(struct cut_stream *s, size_t len)
{
	while (s->len + len > s->cap)
		s->packet = array_grow(s->packet, s->cap, &s->cap, 1);
	return s->packet + s->len;
}

static bool is_compact(const void *record)
{
	uint32_t word;

	memcpy(&word, record, sizeof(word));
	return (word & ((1u << PEV_ID_BITS) - 1)) != PEV_ID_EXTENDED;
}

int cut_records_add(struct cut_records *c, const struct pev_event *ev)
{
	struct cut_stream *s = &c->streams[ev->stream->index];
	size_t exact = pev_event_whole(ev, NULL, 0), len = (exact + 7) & ~(size_t)7;
	int err = 0;

	if (s->len >= PACKET_FULL ||
	    (s->len && is_compact(ev->record) && ev->time - s->last >= 1ull << PEV_TIME_BITS))
		err = end_packet(c, s);
	if (err)
		return err;
	if (!s->len) {
		room(s, sizeof(s->head));
		begin_packet(s, ev->time);
	}
	memset(room(s, len), 0, len);
	pev_event_whole(ev, s->packet + s->len, exact);
	s->len += len;
	s->last = ev->time;
	c->records++;
	return 0;
}

/* An empty packet has what was lost behind the last record. */
static int end_stream(struct cut_records *c, struct cut_stream *s)
{
	uint64_t said;
	int err = end_packet(c, s);

	if (err || !s->from->nr_packets)
		return err;
	said = s->head.events_discarded;
	count_losses(c, s, UINT64_MAX);
	c->lost += s->head.events_discarded;
	if (said == s->head.events_discarded)
		return 0;
	room(s, sizeof(s->head));
	begin_packet(s, s->written ? s->last : s->from->packets[0].begin);
	return end_packet(c, s);
}

int cut_records_end(struct cut_records *c)
{
	int err = 0;

	for (unsigned int i = 0; i < c->n && !err; i++)
		err = end_stream(c, &c->streams[i]);
	return err;
}

void cut_records_close(struct cut_records *c)
{
	for (unsigned int i = 0; i < c->n; i++)
		free(c->streams[i].packet);
	free(c->streams);
	*c = (struct cut_records){ 0 };
}
