// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Walks through the events of streams in order of time: a heap of the streams'
 * next events. Each stream decodes into an event of its own, so nothing is
 * copied or allocated on the way.
 */
#include <errno.h>
#include <stdlib.h>
#include "trace.h"

/**
 * struct walk - one stream
 * @packet: the one that @dec works on
 * @dropped: bytes of the file up to which memory was given back
 */
struct walk {
	const struct pev_stream	*stream;
	size_t			packet;
	uint64_t		dropped;
	struct pev_decoder	dec;
	struct pev_event	ev;
};

/**
 * struct node - element of the heap
 * @key:  time, in ticks or, if the clocks differ, in ns
 * @walk: number of the stream in the cursor
 */
struct node {
	uint64_t	key;
	unsigned int	walk;
};

/**
 * struct pev_cursor - a merge
 * @heap:    the earliest event on top; @nr streams have one
 * @started: the event on top was handed out
 */
struct pev_cursor {
	struct pev_trace	*trace;
	struct walk		*walks;
	struct node		*heap;
	unsigned int		nr_walks;
	unsigned int		nr;
	bool			started;
};

static uint64_t key_of(const struct pev_cursor *c, const struct walk *w)
{
	if (c->trace->one_clock)
		return w->ev.time;
	/* signed ns in an order that unsigned comparison understands */
	return (uint64_t)pev_event_ns(&w->ev) ^ 1ULL << 63;
}

static bool before(const struct node *a, const struct node *b)
{
	return a->key < b->key || (a->key == b->key && a->walk < b->walk);
}

static inline void sift_down(struct pev_cursor *c, unsigned int at)
{
	struct node node = c->heap[at];
	unsigned int child;

	while ((child = 2 * at + 1) < c->nr) {
		if (child + 1 < c->nr && before(&c->heap[child + 1], &c->heap[child]))
			child++;
		if (!before(&c->heap[child], &node))
			break;
		c->heap[at] = c->heap[child];
		at = child;
	}
	c->heap[at] = node;
}

/* The first event of the next packets, after a packet that ended with @ret */
static bool advance_packet(struct walk *w, int ret)
{
	for (;;) {
		if (ret == -ESTALE)
			stream_damaged(w->stream, w->packet,
				       "the metadata does not describe a record");
		else if (ret < 0)
			stream_damaged(w->stream, w->packet, "a record makes no sense");
		if (++w->packet >= w->stream->nr_packets)
			return false;
		pev_decode_stream_packet(&w->dec, w->stream, w->packet);
		stream_drop(w->stream, &w->dropped, w->stream->packets[w->packet].offset);
		ret = pev_decode_next(&w->dec, &w->ev);
		if (ret > 0)
			return true;
	}
}

/* The next event of one stream. Returns false at its end. */
static inline bool advance(struct walk *w)
{
	int ret = pev_decode_next(&w->dec, &w->ev);

	return likely(ret > 0) || advance_packet(w, ret);
}

static void build_heap(struct pev_cursor *c, const bool *has)
{
	c->nr = 0;
	for (unsigned int i = 0; i < c->nr_walks; i++)
		if (has[i])
			c->heap[c->nr++] = (struct node){ key_of(c, &c->walks[i]), i };
	for (unsigned int i = c->nr / 2; i-- > 0;)
		sift_down(c, i);
	c->started = false;
}

/* The first packet that ends at or after a time */
static size_t find_packet(const struct pev_stream *stream, uint64_t ticks)
{
	size_t low = 0, high = stream->nr_packets, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (stream->packets[mid].end < ticks)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Gives the memory back of what was read since the last time. */
static void leave(const struct walk *w)
{
	const struct pev_stream *s = w->stream;

	if (w->dec.packet)
		stream_forget(s, w->dropped, w->packet < s->nr_packets ?
			      s->packets[w->packet].offset : s->size);
}

static bool seek_walk(struct walk *w, int64_t ns)
{
	leave(w);
	w->packet = find_packet(w->stream, pev_meta_ticks(w->stream->meta, ns));
	if (w->packet >= w->stream->nr_packets)
		return false;
	pev_decode_stream_packet(&w->dec, w->stream, w->packet);
	w->dropped = w->stream->packets[w->packet].offset;
	while (advance(w))
		if (pev_event_ns(&w->ev) >= ns)
			return true;
	return false;
}

PEV_EXPORT int pev_cursor_seek(struct pev_cursor *c, int64_t ns)
{
	bool *has = calloc(c->nr_walks ? c->nr_walks : 1, sizeof(*has));

	if (!has)
		return -ENOMEM;
	for (unsigned int i = 0; i < c->nr_walks; i++)
		has[i] = seek_walk(&c->walks[i], ns);
	build_heap(c, has);
	free(has);
	return 0;
}

PEV_EXPORT int pev_cursor_open(struct pev_trace *trace, const struct pev_stream *stream,
			       struct pev_cursor **out)
{
	struct pev_cursor *c = calloc(1, sizeof(*c));
	unsigned int nr = stream ? 1 : trace->nr_streams;
	int ret;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->trace = trace;
	c->walks = calloc(nr ? nr : 1, sizeof(*c->walks));
	c->heap = calloc(nr ? nr : 1, sizeof(*c->heap));
	if (!c->walks || !c->heap) {
		pev_cursor_close(c);
		return -ENOMEM;
	}
	c->nr_walks = nr;
	for (unsigned int i = 0; i < nr; i++)
		c->walks[i].stream = stream ? stream : &trace->streams[i]->pub;
	ret = pev_cursor_seek(c, INT64_MIN);
	if (ret) {
		pev_cursor_close(c);
		return ret;
	}
	*out = c;
	return 0;
}

PEV_EXPORT void pev_cursor_close(struct pev_cursor *c)
{
	if (!c)
		return;
	for (unsigned int i = 0; c->walks && i < c->nr_walks; i++)
		leave(&c->walks[i]);
	free(c->walks);
	free(c->heap);
	free(c);
}

PEV_EXPORT int pev_cursor_next(struct pev_cursor *c, const struct pev_event **ev)
{
	struct walk *w;

	if (c->started && c->nr) {
		w = &c->walks[c->heap[0].walk];
		if (likely(advance(w)))
			c->heap[0].key = key_of(c, w);
		else
			c->heap[0] = c->heap[--c->nr];
		if (c->nr > 1)
			sift_down(c, 0);
	}
	if (!c->nr)
		return 0;
	c->started = true;
	*ev = &c->walks[c->heap[0].walk].ev;
	return 1;
}
