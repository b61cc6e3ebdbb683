// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Walks through the events of streams in order of time: a heap of the streams'
 * next events. Each stream has a decoder with an event, so nothing is
 * copied or allocated on the way.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/compiler.h"
#include "core/heap.h"
#include "ctf/decode.h"
#include "trace/find.h"
#include "trace/trace.h"

/**
 * struct stream_walk - one stream
 * @packet:  the one that @dec works on
 * @ready:   @dec has an event, which is in the heap
 * @stuck:   the metadata of the next record are not there yet
 * @dropped: bytes of the file up to which memory was given back
 * @from:    ticks: packets that end earlier have only events of the classes @early
 * @early:   by pev_class.index; NULL: all
 * @chosen:  @early, if that holds for the packet
 */
struct stream_walk {
	const struct pev_stream	*stream;
	size_t			packet;
	uint64_t		dropped;
	bool ready;
	bool stuck;
	uint64_t from;
	const bool *early;
	const bool *chosen;
	struct pev_decoder	dec;
};

/**
 * struct pev_cursor - a merge
 * @heap:    the earliest event on top; @nr streams have one
 * @started: the event on top was handed out
 * @all:     of all streams, also of those that are added
 * @updates: of a trace that is followed, which it has seen
 */
struct pev_cursor {
	struct pev_trace	*trace;
	struct stream_walk	*walks;
	struct heap_node	*heap;
	unsigned int		nr_walks;
	unsigned int		nr;
	bool			started;
	bool all;
	uint64_t updates;
};

static uint64_t key_of(const struct pev_cursor *c, const struct stream_walk *w)
{
	if (c->trace->one_clock)
		return w->dec.event.time;
	/* flip the sign bit, so that unsigned comparison orders signed ns */
	return (uint64_t)pev_event_ns(&w->dec.event) ^ 1ULL << 63;
}

static void start_packet(struct stream_walk *w)
{
	pev_decoder_stream_packet(&w->dec, w->stream, w->packet);
	w->chosen = w->stream->packets[w->packet].end < w->from ? w->early : NULL;
}

static inline int next_event(struct stream_walk *w)
{
	return unlikely(w->chosen) ? decode_next_of(&w->dec, w->chosen) : decode_next(&w->dec);
}

/* Finds the first event of the next packets, after a packet that ended with @ret. */
static bool advance_packet(struct stream_walk *w, int ret)
{
	const struct pev_trace *trace = ((const struct stream *)w->stream)->trace;

	for (;;) {
		w->stuck = ret == -ESTALE && trace->follow && !trace->ended;
		if (w->stuck)
			return false;
		if (ret == -ESTALE)
			stream_damaged(w->stream, w->packet,
				       "the metadata does not describe a record");
		else if (ret < 0)
			stream_damaged(w->stream, w->packet,
				       w->dec.no_chain ?
					       "a record names a call chain that is not there" :
					       "a record makes no sense");
		if (++w->packet >= w->stream->nr_packets)
			return false;
		start_packet(w);
		stream_drop(w->stream, &w->dropped, w->stream->packets[w->packet].offset);
		ret = next_event(w);
		if (ret > 0)
			return true;
	}
}

/* Decodes the next event of one stream. Returns false at its end. */
static inline bool advance(struct stream_walk *w)
{
	int ret = next_event(w);

	return likely(ret > 0) || advance_packet(w, ret);
}

/* Goes on with a stream that had come to its end, and may have got packets. */
static bool resume(struct stream_walk *w)
{
	int ret;

	if (!w->stuck) {
		if (w->packet >= w->stream->nr_packets)
			return false;
		start_packet(w);
	}
	ret = next_event(w);
	w->stuck = false;
	return ret > 0 || advance_packet(w, ret);
}

static void build_heap(struct pev_cursor *c)
{
	c->nr = 0;
	for (unsigned int i = 0; i < c->nr_walks; i++)
		if (c->walks[i].ready)
			c->heap[c->nr++] = (struct heap_node){ key_of(c, &c->walks[i]), i };
	heap_make(c->heap, c->nr);
	c->started = false;
}

/* Gives back the memory of what was read since the last time. */
static void leave(const struct stream_walk *w)
{
	const struct pev_stream *s = w->stream;

	if (w->dec.packet)
		stream_forget(s, w->dropped, w->packet < s->nr_packets ?
			      s->packets[w->packet].offset : s->size);
}

static bool seek_walk(struct stream_walk *w, int64_t ns)
{
	leave(w);
	w->packet = stream_find(w->stream, pev_meta_ticks(w->stream->meta, ns), NULL);
	if (w->packet >= w->stream->nr_packets)
		return false;
	start_packet(w);
	w->dropped = w->stream->packets[w->packet].offset;
	while (advance(w))
		if (pev_event_ns(&w->dec.event) >= ns)
			return true;
	return false;
}

PEV_EXPORT int pev_cursor_seek_early(struct pev_cursor *c, int64_t since, const bool *early,
				     int64_t ns)
{
	for (unsigned int i = 0; i < c->nr_walks; i++) {
		struct stream_walk *w = &c->walks[i];

		w->stuck = false;
		w->early = early;
		w->from = pev_meta_ticks(w->stream->meta, ns);
		w->ready = seek_walk(w, since);
	}
	build_heap(c);
	return 0;
}

PEV_EXPORT int pev_cursor_seek(struct pev_cursor *c, int64_t ns)
{
	return pev_cursor_seek_early(c, ns, NULL, ns);
}

PEV_EXPORT int pev_cursor_open(struct pev_trace *trace, const struct pev_stream *stream,
			       unsigned int flags, struct pev_cursor **out)
{
	unsigned int nr = stream ? 1 : trace->nr_streams;
	struct pev_cursor *c;

	*out = NULL;
	if (flags)
		return -EINVAL;
	c = calloc(1, sizeof(*c));
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
	c->all = !stream;
	/* the first packets are read when they are asked for: a seek may come before */
	c->updates = trace->updates - 1;
	for (unsigned int i = 0; i < nr; i++)
		c->walks[i].stream = stream ? stream : &trace->streams[i]->pub;
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

/* Makes room for streams that were added. */
static int grow(struct pev_cursor *c)
{
	unsigned int nr = c->trace->nr_streams;
	struct stream_walk *walks;
	struct heap_node *heap;

	if (!c->all || nr == c->nr_walks)
		return 0;
	heap = realloc(c->heap, nr * sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	c->heap = heap;
	walks = realloc(c->walks, nr * sizeof(*walks));
	if (!walks)
		return -ENOMEM;
	c->walks = walks;
	memset(walks + c->nr_walks, 0, (nr - c->nr_walks) * sizeof(*walks));
	for (unsigned int i = c->nr_walks; i < nr; i++)
		walks[i].stream = &c->trace->streams[i]->pub;
	c->nr_walks = nr;
	return 0;
}

/* Puts what an update has brought into the heap. */
static int refill(struct pev_cursor *c)
{
	int ret = grow(c);

	if (ret)
		return ret;
	c->updates = c->trace->updates;
	for (unsigned int i = 0; i < c->nr_walks; i++)
		if (!c->walks[i].ready)
			c->walks[i].ready = resume(&c->walks[i]);
	build_heap(c);
	return 0;
}

/* Of a trace that is followed: may an event of another stream that is older be missing? */
static bool is_held(const struct pev_cursor *c)
{
	return c->trace->follow && !c->trace->ended &&
	       c->walks[c->heap[0].index].dec.event.time > c->trace->limit;
}

PEV_EXPORT int pev_cursor_next(struct pev_cursor *c, const struct pev_event **ev)
{
	struct stream_walk *w;

	if (c->started && c->nr) {
		w = &c->walks[c->heap[0].index];
		w->ready = advance(w);
		if (likely(w->ready))
			c->heap[0].key = key_of(c, w);
		else
			c->heap[0] = c->heap[--c->nr];
		if (c->nr > 1)
			heap_sift_down(c->heap, c->nr, 0);
	}
	c->started = false;
	if (c->updates != c->trace->updates && refill(c))
		return -ENOMEM;
	if (!c->nr || is_held(c))
		return 0;
	c->started = true;
	*ev = &c->walks[c->heap[0].index].dec.event;
	return 1;
}
