// SPDX-License-Identifier: GPL-2.0
/*
 * The thread that sends to a relay. Packets go by one connection, and what they are by the other,
 * where the relay is also asked what it has written.
 */
#include "send.h"
#include "state.h"

#include <stdlib.h>
#include <time.h>

/* Answers that may be outstanding: the relay must find room for all of them. */
#define CODES_MOST 64
/* So long what was sent may be on its way before the relay is asked for it again */
#define ASK_MS 20
/* Directories at the relay, in that of the session: it takes no stream without one. */
#define TRACE_PATH "pev"
#define INFO_PATH TRACE_PATH "/info"
/* Bytes of a file that are sent at once */
#define INFO_PIECE (256u << 10)

/**
 * struct sender - of the thread alone
 * @commands: to be sent at once, @codes of which are answered by a code
 * @fresh:    streams were added that viewers may not see yet
 * @rings:    some of them are rings'
 * @informed: the relay has got what is beside them
 * @metadata: its stream at the relay; @described: it is there
 */
struct sender {
	struct relay_sink *sink;
	struct relay_conn *conn;
	struct strbuf commands;
	size_t codes;
	bool fresh;
	bool rings;
	bool informed;
	uint64_t metadata;
	bool described;
};

/* ---- Commands ---- */

/* The relay takes something: it is worth waiting for. */
static void moved(struct sender *t)
{
	pthread_mutex_lock(&t->sink->lock);
	t->sink->progress++;
	pthread_mutex_unlock(&t->sink->lock);
}

static int flush(struct sender *t)
{
	int err = t->commands.len ? relay_conn_send(t->conn, t->conn->control, t->commands.s,
						    t->commands.len) :
				    0;

	if (!err)
		err = relay_conn_codes(t->conn, t->codes);
	if (!err && t->codes)
		moved(t);
	strbuf_reset(&t->commands);
	t->codes = 0;
	return err;
}

/* A command that is answered by a code was added. */
static int added(struct sender *t)
{
	return ++t->codes < CODES_MOST ? 0 : flush(t);
}

static int send_data(struct sender *t, uint64_t id, uint64_t seq, const void *data, size_t len)
{
	struct strbuf head = { 0 };
	int err;

	wire_data(&head, id, seq, (uint32_t)len);
	err = relay_conn_send(t->conn, t->conn->data, head.s, head.len);
	strbuf_free(&head);
	return err ? err : relay_conn_send(t->conn, t->conn->data, data, len);
}

/* Returns 1: all up to @seq is written, 0: not yet, -EIO. */
static int is_written(struct sender *t, uint64_t id, uint64_t seq)
{
	struct strbuf b = { 0 };
	uint8_t answer[4];
	int err = flush(t);

	wire_data_pending(&b, id, seq);
	if (!err)
		err = relay_conn_ask(t->conn, &b, answer, sizeof(answer));
	strbuf_free(&b);
	return err ? err : !wire_get32(answer);
}

/* ---- Files beside the streams ---- */

static int send_text(struct sender *t, uint64_t id, const void *text, size_t len)
{
	struct strbuf b = { 0 };
	int err;

	wire_metadata(&b, id, text, len);
	err = relay_conn_send(t->conn, t->conn->control, b.s, b.len);
	strbuf_free(&b);
	return err;
}

/*
 * To the relay, a file is a stream. It is written as metadata are: without an index, and so that
 * viewers hear of nothing, as it is closed before streams are shown to them.
 */
static int send_info(struct sender *t, const struct relay_info *info)
{
	uint64_t id;
	int err = flush(t);

	if (!err)
		err = relay_conn_stream(t->conn, INFO_PATH, info->name, &id);
	for (size_t at = 0; at < info->data.len && !err; at += INFO_PIECE)
		err = send_text(t, id, info->data.s + at, min_u64(info->data.len - at, INFO_PIECE));
	if (err)
		return err;
	/* it has no packet, so that the last one is the one before the first */
	wire_close_stream(&t->commands, id, UINT64_MAX);
	t->codes++;
	return flush(t);
}

/* Sends what has changed. The writer's thread may add to it meanwhile. */
static int send_infos(struct sender *t)
{
	struct relay_sink *s = t->sink;
	struct relay_info copy;
	int err = 0;

	for (size_t i = 0; !err; i++) {
		copy = (struct relay_info){ 0 };
		pthread_mutex_lock(&s->lock);
		if (i < s->n_infos) {
			copy.name = s->infos[i]->name;
			copy.dirty = s->infos[i]->dirty;
			s->infos[i]->dirty = false;
			if (copy.dirty)
				strbuf_add(&copy.data,
					   s->infos[i]->data.s ? s->infos[i]->data.s : "",
					   s->infos[i]->data.len);
		}
		pthread_mutex_unlock(&s->lock);
		if (!copy.name)
			break;
		if (copy.dirty)
			err = send_info(t, &copy);
		strbuf_free(&copy.data);
	}
	return err;
}

/* ---- Streams ---- */

static int add_stream(struct sender *t, struct relay_stream *stream)
{
	char name[64];
	int err = flush(t);

	snprintf(name, sizeof(name), "stream_%s", stream->name);
	if (!err)
		err = relay_conn_stream(t->conn, TRACE_PATH, name, &stream->id);
	stream->added = !err;
	t->fresh |= !err;
	t->rings |= stream->ring != RELAY_NO_RING;
	return err;
}

static int send_metadata(struct sender *t, const struct relay_item *i)
{
	int err = flush(t);

	if (!err && !t->described) {
		err = relay_conn_stream(t->conn, TRACE_PATH, "metadata", &t->metadata);
		t->described = !err;
	}
	return err ? err : send_text(t, t->metadata, i->data, i->len);
}

static int send_packet(struct sender *t, struct relay_item *i)
{
	struct relay_stream *stream = i->stream;
	int err = stream->added ? 0 : add_stream(t, stream);

	i->seq = stream->sent;
	if (!err)
		err = send_data(t, stream->id, i->seq, i->data, i->len);
	if (err)
		return err;
	moved(t);
	memcpy(&stream->shown, i->data, sizeof(stream->shown));
	stream->sent++;
	wire_index(&t->commands, stream->id, i->seq, &stream->shown);
	return added(t);
}

/* A copy of the list, which the writer's thread may extend; free it. */
static struct relay_stream **all_streams(struct relay_sink *s, size_t *n)
{
	struct relay_stream **copy;

	pthread_mutex_lock(&s->lock);
	*n = s->n_streams;
	copy = xcalloc(*n + 1, sizeof(struct relay_stream *));
	if (*n)
		memcpy(copy, s->streams, *n * sizeof(struct relay_stream *));
	pthread_mutex_unlock(&s->lock);
	return copy;
}

static int send_beacons(struct sender *t, uint64_t ticks)
{
	struct relay_stream **streams;
	int err = 0;
	size_t n;

	streams = all_streams(t->sink, &n);
	for (size_t i = 0; i < n && !err; i++) {
		struct relay_stream *stream = streams[i];

		if (!stream->sent || stream->shown.timestamp_end >= ticks)
			continue;
		wire_beacon(&t->commands, stream->id, ticks, &stream->shown);
		err = added(t);
	}
	free(streams);
	return err;
}

/*
 * Shows new streams to viewers. The relay tells a viewer of them with the next packet of another
 * stream: a first one that gets no packet any more would never tell.
 */
static int publish(struct sender *t, bool ending)
{
	int err = flush(t);

	if (err || !t->fresh || (!t->rings && !ending))
		return err;
	t->fresh = false;
	/* viewers see all streams that there are then: these files are closed before */
	if (!t->informed)
		err = send_infos(t);
	if (err)
		return err;
	t->informed = true;
	wire_streams_sent(&t->commands);
	t->codes++;
	return flush(t);
}

/* ---- What the relay has written ---- */

static void pause_some(void)
{
	nanosleep(&(const struct timespec){ .tv_nsec = ASK_MS * 1000000 / 4 }, NULL);
}

/* Frees what is kept of a stream up to @acked packets. */
static uint64_t forget(struct relay_list *l)
{
	struct relay_list left;
	struct relay_item *next;
	struct pev_packet packet;
	uint64_t bytes = 0;

	relay_list_init(&left);
	for (struct relay_item *i = l->first; i; i = next) {
		next = i->next;
		if (i->seq >= i->stream->acked) {
			relay_list_add(&left, i);
			continue;
		}
		memcpy(&packet, i->data, sizeof(packet));
		i->stream->said = packet.events_discarded;
		bytes += i->len;
		free(i);
	}
	relay_list_init(l);
	if (left.first)
		*l = left;
	return bytes;
}

/* Is so much written of what is not known to be? Returns 1, 0 or -EIO. */
static int ask_part(struct sender *t, struct relay_stream *stream, uint64_t packets)
{
	int ret = packets ? is_written(t, stream->id, stream->acked + packets - 1) : 0;

	if (ret > 0)
		stream->acked += packets;
	return ret;
}

/* Returns 0 or -EIO. @closely: also for parts, so that a relay which is slow is seen to write */
static int ask_stream(struct sender *t, struct relay_stream *stream, bool closely)
{
	uint64_t n = stream->sent - stream->acked;
	int ret = ask_part(t, stream, n);

	if (!ret && closely)
		ret = ask_part(t, stream, n / 2);
	if (!ret && closely && n > 1)
		ret = ask_part(t, stream, 1);
	return ret < 0 ? ret : 0;
}

/* Asks what is written by now. Returns 0 or -EIO. */
static int ask(struct sender *t, bool closely)
{
	struct relay_sink *s = t->sink;
	struct relay_stream **streams;
	uint64_t bytes;
	int ret = 0;
	size_t n;

	streams = all_streams(s, &n);
	for (size_t i = 0; i < n && !ret; i++)
		ret = ask_stream(t, streams[i], closely);
	free(streams);
	bytes = forget(&s->kept);
	pthread_mutex_lock(&s->lock);
	s->bytes -= bytes;
	s->progress += !!bytes;
	pthread_cond_signal(&s->room);
	pthread_mutex_unlock(&s->lock);
	return ret;
}

/* ---- The thread ---- */

/* Waits for something to do, but not for long while answers are outstanding. */
static void take(struct relay_sink *s, struct relay_list *l)
{
	struct timespec until;

	relay_list_init(l);
	pthread_mutex_lock(&s->lock);
	while (!s->queue.first && !s->failed) {
		if (!s->kept.first) {
			pthread_cond_wait(&s->work, &s->lock);
			continue;
		}
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += ASK_MS * 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_clockwait(&s->work, &s->lock, CLOCK_MONOTONIC, &until);
		break;
	}
	if (s->queue.first)
		*l = s->queue;
	relay_list_init(&s->queue);
	pthread_mutex_unlock(&s->lock);
}

static int end_streams(struct sender *t)
{
	struct relay_stream **streams;
	uint32_t n_added = 0;
	int err = flush(t);
	size_t n;

	streams = all_streams(t->sink, &n);
	for (size_t i = 0; i < n; i++)
		n_added += streams[i]->added;
	wire_rotate(&t->commands, n_added);
	for (size_t i = 0; i < n; i++)
		if (streams[i]->added)
			wire_rotate_stream(&t->commands, streams[i]->id, streams[i]->sent);
	t->codes++;
	for (size_t i = 0; i < n && !err; i++) {
		if (!streams[i]->added)
			continue;
		wire_close_stream(&t->commands, streams[i]->id, streams[i]->sent - 1);
		err = added(t);
	}
	free(streams);
	return err ? err : flush(t);
}

static int finish(struct sender *t)
{
	int err = publish(t, true);

	while (!err && t->sink->kept.first) {
		err = ask(t, true);
		if (!err && t->sink->kept.first)
			pause_some();
	}
	if (!err)
		err = send_infos(t);
	return err ? err : end_streams(t);
}

static int send_item(struct sender *t, struct relay_item *i)
{
	switch (i->kind) {
	case RELAY_METADATA:
		return send_metadata(t, i);
	case RELAY_PACKET:
		return send_packet(t, i);
	case RELAY_BEACONS:
		return send_beacons(t, i->ticks);
	case RELAY_END:
		return finish(t);
	}
	return 0;
}

/* Sends a list. After an error, what is left of it is kept, too. Returns 1 at the end. */
static int send_list(struct sender *t, struct relay_list *l)
{
	struct relay_item *next;
	bool end = false;
	int err = 0;

	for (struct relay_item *i = l->first; i; i = next) {
		next = i->next;
		if (!err)
			err = send_item(t, i);
		end |= !err && i->kind == RELAY_END;
		if (i->kind == RELAY_PACKET)
			relay_list_add(&t->sink->kept, i);
		else
			free(i);
	}
	return err ? err : end;
}

static int send_some(struct sender *t)
{
	struct relay_list list;
	bool failed;
	int ret;

	take(t->sink, &list);
	ret = send_list(t, &list);
	if (ret)
		return ret;
	ret = publish(t, false);
	if (!ret)
		ret = ask(t, false);
	pthread_mutex_lock(&t->sink->lock);
	failed = t->sink->failed;
	pthread_mutex_unlock(&t->sink->lock);
	return failed ? -1 : ret;
}

void *relay_send(void *arg)
{
	struct relay_sink *s = arg;
	struct sender t = { .sink = s, .conn = &s->conn };
	int ret = 0;

	while (!ret)
		ret = send_some(&t);
	strbuf_free(&t.commands);
	pthread_mutex_lock(&s->lock);
	s->ended = true;
	s->failed |= ret < 0;
	pthread_cond_broadcast(&s->room);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}
