// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Traces that are written by functions of the caller's, here into another trace: what they refuse is
 * not lost, and what is lost behind them is counted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sample.h"
#include "tap.h"

#define EVENTS 600

static char dir[4096], source[4200], path[4200];
static struct pev_trace *from;

/**
 * struct sink - where it goes
 * @room:    runs of packets that are taken, then -EAGAIN
 * @error:   what all functions return
 * @ended:   the trace is complete
 * @released: nothing is called any more
 */
struct sink {
	struct pev_writer *to;
	unsigned int room;
	int error;
	uint64_t synced;
	bool ended;
	bool released;
};

static int metadata(void *arg, const char *text, size_t len)
{
	struct sink *s = arg;

	return s->error ? s->error : pev_writer_metadata(s->to, text, len);
}

static int packets(void *arg, const char *stream, bool ring, const void *head, size_t head_len,
		   const void *data, size_t len)
{
	struct sink *s = arg;
	char *all;
	int ret;

	if (s->error)
		return s->error;
	if (!s->room)
		return -EAGAIN;
	s->room--;
	all = malloc(head_len + len);
	memcpy(all, head, head_len);
	if (len)
		memcpy(all + head_len, data, len);
	ret = ring ? pev_writer_packets(s->to, (unsigned int)atoi(stream), all, head_len + len) :
		     pev_writer_named(s->to, stream, all, head_len + len);
	free(all);
	return ret;
}

static int info(void *arg, const char *key, const char *value)
{
	struct sink *s = arg;

	return s->error ? s->error : pev_writer_info(s->to, key, value);
}

static int info_file(void *arg, const char *name, const void *data, size_t len)
{
	struct sink *s = arg;

	return s->error ? s->error : pev_writer_info_file(s->to, name, data, len);
}

static int synced(void *arg, uint64_t ticks)
{
	struct sink *s = arg;

	s->synced = ticks;
	return s->error;
}

static int end(void *arg)
{
	struct sink *s = arg;

	s->ended = true;
	return s->error;
}

static void release(void *arg)
{
	struct sink *s = arg;

	s->released = true;
}

static const struct pev_sink_ops ops = {
	.metadata = metadata,
	.packets = packets,
	.info = info,
	.info_file = info_file,
	.synced = synced,
	.end = end,
	.release = release,
};

static int put(struct pev_writer *w, unsigned int nr, size_t packet)
{
	const struct pev_stream *s = pev_trace_stream(from, nr);
	const struct pev_packet_index *i = &s->packets[packet];

	return pev_writer_packets(w, (unsigned int)s->instance, s->data + i->offset, i->size);
}

static struct pev_writer *open_sink(struct sink *s)
{
	struct pev_writer *w = NULL;
	const char *text;
	size_t len;

	remove_tree(path);
	text = pev_meta_text(pev_trace_meta(from, 0), &len);
	if (pev_writer_open(path, 0, &s->to, NULL) || pev_writer_sink(&ops, s, &w) ||
	    pev_writer_metadata(w, text, len))
		check(false, "a sink opens");
	return w;
}

static void test_all(void)
{
	struct sink s = { .room = 1000 };
	struct pev_writer *w = open_sink(&s);
	unsigned int wrong = 0;
	struct pev_trace *t;

	for (unsigned int nr = 0; nr < SAMPLE_CPUS; nr++)
		for (size_t i = 0; i < pev_trace_stream(from, nr)->nr_packets; i++)
			wrong += put(w, nr, i) != 0;
	wrong += pev_writer_info(w, "key", "value") ||
		 pev_writer_info_file(w, "notes", "text", 4) || pev_writer_sync(w) ||
		 pev_writer_sync(w);
	check(!wrong && s.synced, "all calls arrive");
	check(pev_writer_compress(w, 1) == -EINVAL, "but nothing is compressed");
	check(!pev_writer_close(w) && s.ended && s.released, "and the end");
	pev_writer_close(s.to);
	if (pev_trace_open(path, 0, &t, NULL)) {
		check(false, "the trace opens");
		return;
	}
	wrong = 0;
	for (unsigned int nr = 0; nr < SAMPLE_CPUS; nr++)
		wrong += pev_trace_stream(t, nr)->nr_packets !=
			 pev_trace_stream(from, nr)->nr_packets;
	check(!wrong && !strcmp(pev_trace_info(t, "key"), "value"), "it has all of the trace");
	pev_trace_close(t);
}

static void test_room(void)
{
	struct sink s = { .room = 1 };
	struct pev_writer *w = open_sink(&s);
	uint64_t before;

	check(!put(w, 0, 0) && put(w, 0, 1) == -EAGAIN, "packets that find no room are refused");
	before = pev_writer_packets_written(w);
	check(put(w, 0, 1) == -EAGAIN && pev_writer_packets_written(w) == before,
	      "and count for nothing");
	s.room = 1;
	check(!put(w, 0, 1) && pev_writer_packets_written(w) == before + 1, "until there is room");
	s.error = -EPIPE;
	check(put(w, 0, 2) == -EPIPE, "an error is one");
	s.error = 0;
	s.room = 1;
	check(put(w, 0, 2) == -EPIPE && pev_writer_info(w, "a", "b") == -EPIPE,
	      "and the writer's from then on");
	check(pev_writer_close(w) == -EPIPE && !s.ended && s.released, "no end comes after it");
	pev_writer_close(s.to);
}

static void test_lost(void)
{
	struct sink s = { .room = 1000 };
	struct pev_writer *w = open_sink(&s);
	struct pev_trace *t;

	check(!put(w, 0, 0) && !pev_writer_add_lost(w, 0, 5) && !put(w, 0, 1) &&
		      !pev_writer_add_lost(w, 0, 2) && !pev_writer_lost(w, 0, 0, 3, 0),
	      "what is lost behind a ring is added to what it has lost");
	check(!pev_writer_add_lost(w, 1, 4) && !pev_writer_lost(w, 1, 1, 0, 0),
	      "also if the ring has no packet");
	check(pev_writer_add_lost(w, ~0u, 1) == -EINVAL, "but there are not so many rings");
	check(!pev_writer_close(w), "the trace ends");
	pev_writer_close(s.to);
	if (pev_trace_open(path, 0, &t, NULL)) {
		check(false, "the trace with losses opens");
		return;
	}
	check(pev_trace_lost(t) == 5 + 2 + 3 + 4, "it says %llu of 14",
	      (unsigned long long)pev_trace_lost(t));
	pev_trace_close(t);
}

int main(void)
{
	char *made = test_dir();

	snprintf(dir, sizeof(dir), "%s", made);
	free(made);
	snprintf(source, sizeof(source), "%s.source", dir);
	snprintf(path, sizeof(path), "%s/sink", dir);
	if (sample_trace(source, EVENTS, 4096) || pev_trace_open(source, 0, &from, NULL)) {
		check(false, "a trace to copy");
		return 1;
	}
	test_all();
	test_room();
	test_lost();
	pev_trace_close(from);
	remove_tree(source);
	remove_tree(dir);
	return tap_done();
}
