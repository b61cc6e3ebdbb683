// SPDX-License-Identifier: GPL-2.0
/* One stream after the other, with counts that go on. See join.h. */
#include "join.h"

#include <errno.h>
#include <stdlib.h>

#define UUID_KEY "uuid = \""
#define UUID_TEXT 36

static int by_begin(const void *a, const void *b)
{
	int64_t x = pev_trace_begin_ns(*(const struct pev_trace *const *)a);
	int64_t y = pev_trace_begin_ns(*(const struct pev_trace *const *)b);

	return (x > y) - (x < y);
}

static const char *text_of(const struct pev_trace *t, size_t *len)
{
	return pev_meta_text(pev_trace_meta(t, 0), len);
}

/* The same up to the end of the shorter one, but for the UUID */
static bool same_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
	const char *uuid = memmem(a, a_len, UUID_KEY, strlen(UUID_KEY));
	size_t len = min_u64(a_len, b_len), at = uuid ? (size_t)(uuid - a) + strlen(UUID_KEY) : len;
	size_t end = at + UUID_TEXT;

	return end <= len && !memcmp(a, b, at) && !memcmp(a + end, b + end, len - end);
}

/* What kernels describe later is added at the end: the longest text has all. */
static const char *longest_text(const struct pev_trace *const *traces, unsigned int n, size_t *len)
{
	const char *longest = text_of(traces[0], len), *text;
	size_t l;

	for (unsigned int i = 1; i < n; i++) {
		text = text_of(traces[i], &l);
		if (l <= *len)
			continue;
		longest = text;
		*len = l;
	}
	return longest;
}

static bool same_events(const struct pev_trace *const *traces, unsigned int n)
{
	size_t len, l;
	const char *longest = longest_text(traces, n, &len), *text;

	for (unsigned int i = 0; i < n; i++) {
		text = text_of(traces[i], &l);
		if (!same_text(longest, len, text, l))
			return false;
	}
	return true;
}

static const struct pev_stream *stream_of(const struct pev_trace *t, const char *name)
{
	for (unsigned int i = 0; i < pev_trace_nr_streams(t); i++)
		if (!strcmp(pev_trace_stream(t, i)->name, name))
			return pev_trace_stream(t, i);
	return NULL;
}

static bool follows(const struct pev_stream *s, const struct pev_stream *next)
{
	if (!next || !s->nr_packets || !next->nr_packets)
		return true;
	return s->stream_id == next->stream_id && s->instance == next->instance &&
	       s->cpu == next->cpu && s->packets[s->nr_packets - 1].end <= next->packets[0].begin;
}

/* Also behind traces that lack the stream */
static bool all_follow(const struct pev_trace *const *traces, unsigned int n)
{
	for (unsigned int i = 0; i + 1 < n; i++)
		for (unsigned int k = 0; k < pev_trace_nr_streams(traces[i]); k++)
			for (unsigned int j = i + 1; j < n; j++) {
				const struct pev_stream *s = pev_trace_stream(traces[i], k);

				if (!follows(s, stream_of(traces[j], s->name)))
					return false;
			}
	return true;
}

bool join_can(const struct pev_trace **traces, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (pev_trace_nr_metas(traces[i]) != 1)
			return false;
	qsort(traces, n, sizeof(*traces), by_begin);
	return same_events(traces, n) && all_follow(traces, n);
}

/* Writes a packet whose counts are those of the joined stream. */
static int write_packet(struct pev_writer *w, const struct pev_stream *s, size_t nr, uint64_t seq,
			uint64_t lost)
{
	const struct pev_packet_index *i = &s->packets[nr];
	const struct pev_packet *packet = pev_stream_packet(s, nr);
	struct pev_packet *copy;
	int err;

	if (!packet)
		return -ENOSPC;
	copy = xmalloc(i->size);
	memcpy(copy, packet, i->size);
	copy->packet_size = (uint64_t)i->size * 8;
	copy->content_size = (uint64_t)i->content * 8;
	copy->packet_seq_num = seq;
	copy->events_discarded = lost;
	err = pev_writer_named(w, s->name + (strncmp(s->name, "stream_", 7) ? 0 : 7), copy,
			       i->size);
	free(copy);
	return err;
}

static int write_stream(struct pev_writer *w, const struct pev_trace *const *traces, unsigned int n,
			const char *name)
{
	uint64_t seq = 0, lost = 0;
	int err = 0;

	for (unsigned int i = 0; i < n && !err; i++) {
		const struct pev_stream *s = stream_of(traces[i], name);

		for (size_t k = 0; s && k < s->nr_packets && !err; k++) {
			/* a gap in the numbers stays one */
			if (k)
				seq += s->packets[k].seq - s->packets[k - 1].seq - 1;
			lost += s->packets[k].lost;
			err = write_packet(w, s, k, seq++, lost);
		}
	}
	return err;
}

int join_write(struct pev_writer *w, const struct pev_trace *const *traces, unsigned int n)
{
	size_t len;
	const char *text = longest_text(traces, n, &len);
	int err = pev_writer_continue(w, NULL);

	if (!err)
		err = pev_writer_metadata(w, text, len);
	for (unsigned int i = 0; i < n && !err; i++) {
		for (unsigned int k = 0; k < pev_trace_nr_streams(traces[i]) && !err; k++) {
			const char *name = pev_trace_stream(traces[i], k)->name;
			bool written = false;

			for (unsigned int j = 0; j < i && !written; j++)
				written = stream_of(traces[j], name);
			if (!written)
				err = write_stream(w, traces, n, name);
		}
	}
	return err;
}
