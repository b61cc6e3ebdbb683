// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads all rings of a channel and merges their events in order of time.
 *
 * When a fetch has closed and copied all packets, every record that is older than
 * the newest one of the fetch before has been copied: it was written before this
 * fetch began. That is how far pev_reader_next() goes; the rest waits. A record that
 * a CPU was still writing when its ring was read comes late, and keeps its place in
 * its ring.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <pev/pev.h>
#include "core/error.h"
#include "core/heap.h"
#include "core/packet.h"
#include "ctf/decode.h"
#include "ring/ring.h"

/**
 * struct chunk - packets that were copied out of a ring
 * @len: bytes
 */
struct chunk {
	struct chunk	*next;
	size_t		len;
	_Alignas(8) uint8_t data[];
};

/**
 * struct source - the packets of one ring that were not handed out yet
 * @first: the chunk that is decoded
 * @last:  the one that was copied last
 * @pos:   bytes of @first up to the end of the packet that @dec works on
 * @ready: @dec has an event, which is in the heap
 */
struct source {
	struct chunk		*first;
	struct chunk		*last;
	size_t			pos;
	bool			ready;
	struct pev_decoder	dec;
};

/**
 * struct pev_reader - a merge
 * @engine:  of the channel; NULL for a descriptor
 * @handle:  of the channel
 * @sources: by number of the ring
 * @heap:    the earliest event on top, with room for all sources
 * @handed:  the event on top was handed out
 * @fetched: sources may have packets and no event
 * @newest:  no packet that was fetched ends later, but for damaged ones
 * @limit:   events up to this time are handed out
 */
struct pev_reader {
	struct pev_engine	*engine;
	int			handle;
	struct pev_channel	*channel;
	struct pev_meta		*meta;
	struct source		*sources;
	struct heap_node	*heap;
	unsigned int		nr_sources;
	unsigned int		nr;
	bool			handed;
	bool			fetched;
	uint64_t		newest;
	uint64_t		limit;
	uint64_t		damaged;
};

PEV_EXPORT int pev_reader_open(struct pev_engine *engine, int channel, unsigned int flags,
			       struct pev_reader **out, struct pev_error *err)
{
	struct pev_reader *r;
	int ret;

	*out = NULL;
	if (flags)
		return pev_fail(err, EINVAL, 0, "pev_reader_open() has no flags 0x%x", flags);
	r = calloc(1, sizeof(*r));
	if (!r)
		return pev_fail(err, ENOMEM, 0, "out of memory");
	r->engine = engine;
	r->handle = channel;
	ret = engine ? pev_engine_map(engine, channel, 0, &r->channel) :
		       pev_channel_map(channel, 0, &r->channel);
	if (ret)
		pev_fail(err, -ret, 0, "mapping the rings: %s", strerror(-ret));
	else if (pev_channel_info(r->channel)->flags & PEV_CHF_OVERWRITE)
		ret = pev_fail(err, EOPNOTSUPP, 0, "the rings are in overwrite mode, which "
			       "only pev_ring_copy() reads");
	if (ret) {
		pev_reader_close(r);
		return ret;
	}
	*out = r;
	return 0;
}

/* Goes on to the next chunk. */
static void drop_chunk(struct source *s)
{
	struct chunk *chunk = s->first;

	s->first = chunk->next;
	s->pos = 0;
	free(chunk);
}

PEV_EXPORT void pev_reader_close(struct pev_reader *r)
{
	if (!r)
		return;
	for (unsigned int i = 0; i < r->nr_sources; i++)
		while (r->sources[i].first)
			drop_chunk(&r->sources[i]);
	pev_channel_unmap(r->channel);
	pev_meta_free(r->meta);
	free(r->sources);
	free(r->heap);
	free(r);
}

PEV_EXPORT int pev_reader_wait(struct pev_reader *r, int timeout_ms)
{
	return pev_channel_poll(r->channel, timeout_ms);
}

PEV_EXPORT const struct pev_channel *pev_reader_channel(const struct pev_reader *r)
{
	return r->channel;
}

PEV_EXPORT uint64_t pev_reader_damaged(const struct pev_reader *r)
{
	return r->damaged;
}

PEV_EXPORT const struct pev_meta *pev_reader_metadata(struct pev_reader *r, struct pev_error *err)
{
	size_t len;
	char *text;
	int ret;

	ret = r->engine ? pev_engine_metadata(r->engine, r->handle, &text, &len) :
			  pev_fd_metadata(r->handle, &text, &len);
	if (ret) {
		pev_fail(err, -ret, 0, "reading the channel's metadata: %s", strerror(-ret));
		return NULL;
	}
	if (r->meta)
		ret = pev_meta_update(r->meta, text, len, err);
	else
		ret = pev_meta_parse(text, len, 0, &r->meta, err);
	free(text);
	return ret ? NULL : r->meta;
}

/* Starts on the next packet; false if there is none. */
static bool next_packet(struct pev_reader *r, struct source *s)
{
	const struct pev_packet *packet;
	size_t size;

	/* don't touch the last packet again: it may be freed */
	s->dec.pos = s->dec.end;
	while (s->first && s->pos >= s->first->len)
		drop_chunk(s);
	if (!s->first)
		return false;
	/* pieces consist of whole packets of one size */
	size = pev_channel_info(r->channel)->packet_size;
	packet = (const struct pev_packet *)(s->first->data + s->pos);
	s->pos += size;
	if (pev_decoder_packet(&s->dec, r->meta, packet, size))
		r->damaged++;
	return true;
}

/* Decodes the next event of one ring to source.dec; false if there is none. */
static bool advance(struct pev_reader *r, struct source *s)
{
	bool updated = false;
	int ret;

	while ((ret = decode_next(&s->dec)) <= 0) {
		/* the event was opened since */
		if (ret == -ESTALE && !updated) {
			updated = true;
			if (pev_reader_metadata(r, NULL))
				continue;
		}
		r->damaged += ret < 0;
		updated = false;
		if (!next_packet(r, s))
			return false;
	}
	return true;
}

/* Puts sources that have got packets into the heap. */
static void refill(struct pev_reader *r)
{
	if (!r->meta && !pev_reader_metadata(r, NULL))
		return;
	for (unsigned int i = 0; i < r->nr_sources; i++) {
		struct source *s = &r->sources[i];

		if (s->ready || !s->first)
			continue;
		s->ready = advance(r, s);
		if (s->ready)
			r->heap[r->nr++] = (struct heap_node){ s->dec.event.time, i };
	}
	heap_make(r->heap, r->nr);
	r->fetched = false;
}

static int copy_piece(struct source *s, const struct pev_piece *piece)
{
	struct chunk *chunk = malloc(sizeof(*chunk) + piece->len);

	if (!chunk)
		return -ENOMEM;
	chunk->next = NULL;
	chunk->len = piece->len;
	memcpy(chunk->data, piece->data, piece->len);
	if (s->first)
		s->last->next = chunk;
	else
		s->first = chunk;
	s->last = chunk;
	return 0;
}

/* The end of a damaged packet may be any time, and would let all later events through. */
static void note_end(struct pev_reader *r, const struct pev_packet *packet)
{
	if (packet->timestamp_end > r->newest && (r->meta || pev_reader_metadata(r, NULL)) &&
	    !packet_check(r->meta, packet))
		r->newest = packet->timestamp_end;
}

static int copy_ring(struct pev_reader *r, struct pev_ring *ring, struct source *s)
{
	uint32_t size = pev_ring_packet_size(ring);
	struct pev_piece piece;
	int ret;

	while ((ret = pev_ring_next(ring, &piece)) > 0) {
		ret = copy_piece(s, &piece);
		if (ret) {
			ring_put_back(ring, &piece);
			return ret;
		}
		note_end(r, (const void *)((const char *)piece.data + piece.len - size));
		pev_ring_release(ring);
	}
	if (ret < 0) {
		r->damaged++;
		/* release what was skipped, or the kernel would take the ring for full */
		pev_ring_release(ring);
	}
	return 0;
}

/* Makes room for rings that were added to the channel. */
static int grow(struct pev_reader *r)
{
	unsigned int nr = pev_channel_nr_rings(r->channel);
	struct heap_node *heap;
	struct source *sources;

	if (nr <= r->nr_sources)
		return 0;
	heap = realloc(r->heap, nr * sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	r->heap = heap;
	sources = realloc(r->sources, nr * sizeof(*sources));
	if (!sources)
		return -ENOMEM;
	memset(sources + r->nr_sources, 0, (nr - r->nr_sources) * sizeof(*sources));
	r->sources = sources;
	r->nr_sources = nr;
	return 0;
}

PEV_EXPORT int pev_reader_fetch(struct pev_reader *r, unsigned int flags, struct pev_error *err)
{
	uint64_t limit = flags & PEV_FETCH_ALL ? UINT64_MAX : r->newest;
	int ret;

	if (flags & ~PEV_FETCH_ALL)
		return pev_fail(err, EINVAL, 0, "pev_reader_fetch() has no flags 0x%x", flags);
	ret = r->engine ? pev_engine_flush(r->engine, r->handle) : pev_fd_flush(r->handle);
	if (!ret)
		ret = pev_channel_map_new(r->channel);
	if (ret >= 0)
		ret = grow(r);
	for (unsigned int i = 0; !ret && i < r->nr_sources; i++)
		if (pev_channel_ring(r->channel, i))
			ret = copy_ring(r, pev_channel_ring(r->channel, i), &r->sources[i]);
	if (ret)
		return pev_fail(err, -ret, 0, "reading the rings: %s", strerror(-ret));
	r->limit = limit;
	r->fetched = true;
	return 0;
}

/* Replaces the event on top by the next one of its ring. */
static void advance_top(struct pev_reader *r)
{
	struct source *s = &r->sources[r->heap[0].index];

	s->ready = advance(r, s);
	if (s->ready)
		r->heap[0].key = s->dec.event.time;
	else
		r->heap[0] = r->heap[--r->nr];
	if (r->nr > 1)
		heap_sift_down(r->heap, r->nr, 0);
}

PEV_EXPORT int pev_reader_next(struct pev_reader *r, const struct pev_event **ev)
{
	if (r->handed)
		advance_top(r);
	r->handed = false;
	if (r->fetched)
		refill(r);
	if (!r->nr || r->heap[0].key > r->limit)
		return 0;
	r->handed = true;
	*ev = &r->sources[r->heap[0].index].dec.event;
	return 1;
}
