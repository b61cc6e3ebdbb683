// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads indexes. They are as untrusted as everything else: entries have to follow each other from
 * the beginning of the stream to within its end, so that whatever they say, no byte outside is
 * read; some packets are compared at once, and each one when it is read.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/file.h"
#include "core/packet.h"
#include "ctf/decode.h"
#include "trace/index.h"
#include "trace/index_read.h"
#include "trace/unpack.h"

/* Packets that are compared at once; of larger streams they lie evenly between the ends */
#define COMPARED 64

/**
 * struct index_walk - while an index is taken over
 * @entry: as read, @nr of them
 * @lost:  up to the last one
 * @last:  events_discarded of it
 */
struct index_walk {
	const uint8_t *entries;
	size_t nr;
	uint64_t lost;
	uint64_t last;
};

static struct index_entry entry_at(const struct index_walk *w, size_t nr)
{
	struct index_entry e;

	memcpy(&e, w->entries + nr * sizeof(e), sizeof(e));
	return (struct index_entry){
		.offset = be64toh(e.offset),
		.packet_size = be64toh(e.packet_size),
		.content_size = be64toh(e.content_size),
		.timestamp_begin = be64toh(e.timestamp_begin),
		.timestamp_end = be64toh(e.timestamp_end),
		.events_discarded = be64toh(e.events_discarded),
		.stream_id = be64toh(e.stream_id),
		.stream_instance_id = be64toh(e.stream_instance_id),
		.packet_seq_num = be64toh(e.packet_seq_num),
	};
}

/* Returns what is wrong with an entry behind @s->indexed bytes; NULL: nothing */
static const char *check_entry(const struct stream *s, const struct index_entry *e)
{
	const struct pev_packet_index *last = s->pub.nr_packets ? &s->index[s->pub.nr_packets - 1] :
								  NULL;
	uint64_t size = e->packet_size / 8, content = e->content_size / 8;

	if (e->offset != s->indexed)
		return "packets do not follow each other";
	if (e->packet_size % 64 || e->content_size % 8 || size > UINT32_MAX ||
	    content < PACKET_HEADER || content > size)
		return "a packet has a senseless size";
	if (size > s->pub.size - s->indexed)
		return "the stream ends before its last packets";
	if (e->stream_id != s->pub.stream_id || e->stream_instance_id != s->pub.instance)
		return "a packet is another stream's";
	if (e->timestamp_begin > e->timestamp_end ||
	    (last && (e->timestamp_begin < last->begin || e->packet_seq_num <= last->seq)))
		return "packets are not in order";
	return NULL;
}

static void add(struct stream *s, struct index_walk *w, const struct index_entry *e)
{
	struct pev_packet_index *i = &s->index[s->pub.nr_packets];
	const struct pev_packet_index *last = s->pub.nr_packets ? i - 1 : NULL;

	*i = (struct pev_packet_index){
		.offset = e->offset,
		.begin = e->timestamp_begin,
		.end = e->timestamp_end,
		.lost = e->events_discarded > w->lost ? e->events_discarded - w->lost : 0,
		.seq = e->packet_seq_num,
		.size = (uint32_t)(e->packet_size / 8),
		.content = (uint32_t)(e->content_size / 8),
	};
	if (last && i->seq > last->seq + 1)
		s->gaps += i->seq - last->seq - 1;
	w->lost += i->lost;
	w->last = e->events_discarded;
	s->indexed += i->size;
	s->pub.nr_packets++;
}

/*
 * Returns what is wrong with a packet, whatever its entry says; NULL: nothing. @differs: the entry
 * says otherwise
 */
static const char *check_packet(const struct stream *s, size_t nr, bool *differs)
{
	const struct pev_packet_index *i = &s->index[nr];
	const struct pev_packet *p = (const void *)(s->pub.data + i->offset);
	const char *why;

	*differs = true;
	if (!stream_need(s, nr))
		return "it cannot be decompressed";
	why = packet_check(s->pub.meta, p);

	*differs = why || p->content_size / 8 != i->content || p->timestamp_begin != i->begin ||
		   p->timestamp_end != i->end || p->packet_seq_num != i->seq;
	if (why)
		return why;
	if (p->packet_size / 8 != i->size || p->stream_id != s->pub.stream_id ||
	    p->stream_instance_id != s->pub.instance || p->cpu_id != (uint32_t)s->pub.cpu)
		return "it is not what the index says";
	return NULL;
}

bool index_agrees(const struct stream *s, size_t nr)
{
	bool differs;

	return nr >= s->by_index || (!check_packet(s, nr, &differs) && !differs);
}

size_t index_content(struct stream *s, size_t nr)
{
	const struct pev_packet *p = (const void *)(s->pub.data + s->index[nr].offset);
	bool differs, told;
	const char *why = check_packet(s, nr, &differs);
	uint64_t content;

	if (why) {
		stream_damaged(&s->pub, nr, why);
		return PACKET_HEADER;
	}
	if (!differs)
		return s->index[nr].content;
	told = __atomic_exchange_n(&s->told_differs, true, __ATOMIC_RELAXED);
	if (!told)
		trace_warn(s->trace,
			   "%s: its index has other times than its packets: remove the "
			   "directory " INDEX_DIR ", which can be done without",
			   s->pub.name);
	/* the file may have changed since the header was checked */
	content = __atomic_load_n(&p->content_size, __ATOMIC_RELAXED) / 8;
	return content >= PACKET_HEADER && content <= s->index[nr].size ? content : PACKET_HEADER;
}

/* Compares some packets, the first and the last among them. */
static const char *compare(const struct stream *s, uint64_t discarded)
{
	size_t nr = s->pub.nr_packets, steps = nr < COMPARED ? nr : COMPARED;
	const struct pev_packet *last = (const void *)(s->pub.data + s->index[nr - 1].offset);
	bool differs;

	for (size_t i = 0; i < steps; i++)
		if (check_packet(s, steps > 1 ? i * (nr - 1) / (steps - 1) : 0, &differs) || differs)
			return "the stream has other packets";
	if (!stream_need(s, nr - 1))
		return "it cannot be decompressed";
	return last->events_discarded == discarded ?
		       NULL :
		       "the stream has lost another number of records";
}

/* All packets are of the class, the ring and the CPU of the first one. */
static const char *take_first(struct stream *s)
{
	const struct pev_packet *p = (const void *)s->pub.data;

	if (s->pub.size < PACKET_HEADER || !stream_need(s, 0) || packet_check(s->pub.meta, p) ||
	    (p->cpu_id > INT32_MAX && p->cpu_id != UINT32_MAX))
		return "the stream does not begin with a packet";
	s->pub.cpu = (int)p->cpu_id;
	s->pub.stream_id = p->stream_id;
	s->pub.instance = p->stream_instance_id;
	s->kind = meta_stream(s->pub.meta, p->stream_id);
	return NULL;
}

static const char *take_entries(struct stream *s, struct index_walk *w)
{
	const char *why = take_first(s);

	for (size_t i = 0; i < w->nr && !why; i++) {
		struct index_entry e = entry_at(w, i);

		why = check_entry(s, &e);
		if (!why)
			add(s, w, &e);
	}
	return why ? why : compare(s, w->last);
}

static const char *check_head(const char *text, size_t len)
{
	struct index_head h;

	if (len < sizeof(h))
		return "it is too short";
	memcpy(&h, text, sizeof(h));
	if (be32toh(h.magic) != INDEX_MAGIC || be32toh(h.major) != INDEX_MAJOR ||
	    be32toh(h.minor) < INDEX_MINOR || be32toh(h.entry) != sizeof(struct index_entry))
		return "it is of another form";
	return NULL;
}

void index_forget(struct stream *s)
{
	free(s->index);
	s->index = NULL;
	s->room = 0;
	s->indexed = s->gaps = s->told_gaps = 0;
	s->by_index = 0;
	s->pub.lost = 0;
	s->kind = NULL;
	s->pub.cpu = -1;
	s->pub.stream_id = 0;
	s->pub.instance = 0;
	s->pub.nr_packets = 0;
	s->pub.packets = NULL;
}

static int take(struct stream *s, const char *text, size_t len, const char **why)
{
	struct index_walk w = { .entries = (const uint8_t *)text + sizeof(struct index_head) };

	*why = check_head(text, len);
	if (*why)
		return 0;
	w.nr = (len - sizeof(struct index_head)) / sizeof(struct index_entry);
	/* more entries than packets fit into the stream are not made room for */
	if (!w.nr || w.nr > s->pub.size / PACKET_HEADER) {
		*why = w.nr ? "the stream ends before its last packets" : NULL;
		return 0;
	}
	s->index = malloc(w.nr * sizeof(*s->index));
	if (!s->index)
		return -ENOMEM;
	s->room = w.nr;
	s->pub.packets = s->index;
	*why = take_entries(s, &w);
	s->pub.lost = w.lost;
	s->by_index = s->pub.nr_packets;
	if (*why)
		index_forget(s);
	return 0;
}

int index_load(struct stream *s, const char *dir, const char **why)
{
	char *path, *text;
	size_t len;
	int ret;

	*why = NULL;
	if (asprintf(&path, "%s/" INDEX_DIR "/%s.idx", dir, s->pub.name) < 0)
		return -ENOMEM;
	ret = pev_read_file(path, &text, &len);
	free(path);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = take(s, text, len, why);
	free(text);
	return ret;
}
