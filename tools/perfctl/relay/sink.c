// SPDX-License-Identifier: GPL-2.0
/* The writer's side of a sink. See sink.h. */
#include "send.h"
#include "state.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* Bytes of packets that wait for the relay; a single larger run of them is taken, too */
#define ROOM (16u << 20)
/* Encoders have no ring in which packets could stay. */
#define ROOM_MOST (4 * (uint64_t)ROOM)
/* So long an end waits for a relay that does nothing. */
#define PATIENCE_S 5
/*
 * Syncs for which the rings may have older records after a packet was refused: until the next one,
 * packets are in them, and until the one behind it, what found no room in them then.
 */
#define BEHIND 2

/* ---- What the relay does not get ---- */

static void lose(struct relay_sink *s, unsigned int ring, void *packet)
{
	if (s->events)
		s->events->lost(s->events_arg, ring, packet);
}

static void lose_list(struct relay_sink *s, struct relay_list *l)
{
	struct relay_item *next;

	for (struct relay_item *i = l->first; i; i = next) {
		next = i->next;
		if (i->kind == RELAY_PACKET)
			lose(s, i->stream->ring, i->data);
		free(i);
	}
	relay_list_init(l);
}

static bool has_failed(struct relay_sink *s)
{
	bool failed;

	pthread_mutex_lock(&s->lock);
	failed = s->failed;
	pthread_mutex_unlock(&s->lock);
	return failed;
}

static void join(struct relay_sink *s)
{
	if (s->joined)
		return;
	pthread_join(s->thread, NULL);
	s->joined = true;
	/* in the order in which they were made */
	lose_list(s, &s->kept);
	lose_list(s, &s->queue);
}

bool relay_sink_failed(struct relay_sink *s)
{
	if (!has_failed(s)) {
		/* its thread waits for it, and will fail */
		if (!s->dead && relay_conn_dead(&s->conn)) {
			s->dead = true;
			relay_conn_abort(&s->conn);
		}
		return false;
	}
	s->known = true;
	join(s);
	return true;
}

const char *relay_sink_why(const struct relay_sink *s)
{
	return s->given_up ? "it takes nothing" : s->dead ? "its machine does not answer" : s->conn.why;
}

uint64_t relay_sink_unsaid(const struct relay_sink *s, unsigned int ring)
{
	for (size_t i = 0; i < s->n_streams; i++)
		if (s->streams[i]->ring == ring)
			return s->streams[i]->last.events_discarded - s->streams[i]->said;
	return 0;
}

void relay_sink_tell(struct relay_sink *s, const struct relay_sink_events *events, void *arg)
{
	s->events = events;
	s->events_arg = arg;
}

void relay_sink_ending(struct relay_sink *s)
{
	s->ending = true;
}

/* ---- Waiting ---- */

/* Is there room for @len bytes, or is @s done if they are 0? The lock is held. */
static bool is_ready(const struct relay_sink *s, size_t len)
{
	return s->ended || (len && (!s->bytes || s->bytes + len <= ROOM));
}

/*
 * Waits until there is room, or until the relay did nothing for PATIENCE_S. The lock is held. The
 * thread also wakes when it has only asked: time alone says how long nothing came of it.
 */
static bool wait_moving(struct relay_sink *s, size_t len)
{
	uint64_t before = s->progress - 1;
	struct timespec until;

	while (!is_ready(s, len)) {
		if (before != s->progress) {
			before = s->progress;
			clock_gettime(CLOCK_MONOTONIC, &until);
			until.tv_sec += PATIENCE_S;
		}
		if (pthread_cond_clockwait(&s->room, &s->lock, CLOCK_MONOTONIC, &until) ==
			    ETIMEDOUT &&
		    before == s->progress)
			return is_ready(s, len);
	}
	return true;
}

static void wait_ready(struct relay_sink *s, size_t len)
{
	pthread_mutex_lock(&s->lock);
	if (!wait_moving(s, len)) {
		s->given_up = true;
		relay_conn_abort(&s->conn);
		while (!s->ended)
			pthread_cond_wait(&s->room, &s->lock);
	}
	pthread_mutex_unlock(&s->lock);
}

/* ---- Queueing ---- */

static struct relay_item *item_new(enum relay_item_kind kind, const void *data, size_t len)
{
	struct relay_item *i = xmalloc(sizeof(*i) + len);

	*i = (struct relay_item){ .kind = kind, .len = len };
	if (len)
		memcpy(i->data, data, len);
	return i;
}

static void queue(struct relay_sink *s, struct relay_item *i)
{
	pthread_mutex_lock(&s->lock);
	relay_list_add(&s->queue, i);
	if (i->kind == RELAY_PACKET)
		s->bytes += i->len;
	pthread_cond_signal(&s->work);
	pthread_mutex_unlock(&s->lock);
}

static struct relay_stream *find_stream(struct relay_sink *s, const char *name, bool ring)
{
	struct relay_stream *stream;

	for (size_t i = 0; i < s->n_streams; i++)
		if (!strcmp(s->streams[i]->name, name))
			return s->streams[i];
	stream = xcalloc(1, sizeof(*stream));
	snprintf(stream->name, sizeof(stream->name), "%s", name);
	stream->ring = ring ? (unsigned int)strtoul(name, NULL, 10) : RELAY_NO_RING;
	pthread_mutex_lock(&s->lock);
	*ARRAY_PUSH(s->streams, s->n_streams, s->cap_streams) = stream;
	pthread_mutex_unlock(&s->lock);
	return stream;
}

/*
 * Queues a packet, the first @head_len bytes of which are @head. Viewers were told that nothing
 * comes that is older than a beacon: a packet that was begun before it, but has no record from
 * there, begins at it.
 */
static void queue_packet(struct relay_sink *s, struct relay_stream *stream, const void *head,
			 size_t head_len, const void *data, size_t len)
{
	struct relay_item *i = item_new(RELAY_PACKET, NULL, 0);
	struct pev_packet *packet;

	i = xrealloc(i, sizeof(*i) + head_len + len);
	i->stream = stream;
	i->len = head_len + len;
	memcpy(i->data, head, head_len);
	if (len)
		memcpy((char *)i->data + head_len, data, len);
	packet = (struct pev_packet *)i->data;
	packet->timestamp_begin = max_u64(packet->timestamp_begin, stream->passed);
	packet->timestamp_end = max_u64(packet->timestamp_end, packet->timestamp_begin);
	stream->last = *packet;
	queue(s, i);
}

/* ---- The writer's calls ---- */

static int sink_metadata(void *arg, const char *text, size_t len)
{
	struct relay_sink *s = arg;

	/* a relay appends, and viewers have read what there was */
	if (len < s->metadata)
		return -EINVAL;
	if (len > s->metadata)
		queue(s, item_new(RELAY_METADATA, text + s->metadata, len - s->metadata));
	s->metadata = len;
	return 0;
}

/* Returns 0: queue them; > 0: they are lost; -EAGAIN: leave them in the ring. */
static int find_room(struct relay_sink *s, bool ring, size_t len)
{
	uint64_t bytes;
	bool failed;

	if (s->ending)
		wait_ready(s, len);
	pthread_mutex_lock(&s->lock);
	failed = s->failed;
	bytes = s->bytes;
	pthread_mutex_unlock(&s->lock);
	if (failed)
		return ring && !s->ending ? -EAGAIN : 1;
	if (!bytes || bytes + len <= ROOM)
		return 0;
	return ring ? -EAGAIN : bytes + len > ROOM_MOST;
}

static int sink_packets(void *arg, const char *name, bool ring, const void *head, size_t head_len,
			const void *data, size_t len)
{
	int ret = find_room(arg, ring, head_len + len);
	struct relay_sink *s = arg;
	struct relay_stream *stream;
	const struct pev_packet *p;

	if (ret < 0) {
		s->behind = BEHIND;
		return ret;
	}
	if (ret)
		join(s);
	stream = find_stream(s, name, ring);
	/* several that are as they came, or one with another header */
	for (size_t at = 0; at < head_len; at += p->packet_size / 8) {
		p = (const struct pev_packet *)((const char *)head + at);
		queue_packet(s, stream, p, len ? head_len : p->packet_size / 8, data, len);
	}
	if (ret)
		lose_list(s, &s->queue);
	return 0;
}

static struct relay_info *find_info(struct relay_sink *s, const char *name)
{
	struct relay_info *info;

	for (size_t i = 0; i < s->n_infos; i++)
		if (!strcmp(s->infos[i]->name, name))
			return s->infos[i];
	info = xcalloc(1, sizeof(*info));
	info->name = xstrdup(name);
	*ARRAY_PUSH(s->infos, s->n_infos, s->cap_infos) = info;
	return info;
}

/* A line of the file of keys and values, in which newlines and backslashes are escaped */
static int sink_info(void *arg, const char *key, const char *value)
{
	struct relay_sink *s = arg;
	struct relay_info *info;

	pthread_mutex_lock(&s->lock);
	info = find_info(s, "record");
	info->dirty = true;
	strbuf_addf(&info->data, "%s=", key);
	for (; *value; value++) {
		if (*value == '\n' || *value == '\\')
			strbuf_putc(&info->data, '\\');
		strbuf_putc(&info->data, *value == '\n' ? 'n' : *value);
	}
	strbuf_putc(&info->data, '\n');
	pthread_mutex_unlock(&s->lock);
	return 0;
}

static int sink_info_file(void *arg, const char *name, const void *data, size_t len)
{
	struct relay_sink *s = arg;
	struct relay_info *info;

	pthread_mutex_lock(&s->lock);
	info = find_info(s, name);
	info->dirty = true;
	strbuf_reset(&info->data);
	strbuf_add(&info->data, data, len);
	pthread_mutex_unlock(&s->lock);
	return 0;
}

/* Viewers are not told of a time of which a ring still has records: they would come too late. */
static int sink_synced(void *arg, uint64_t ticks)
{
	struct relay_sink *s = arg;
	struct relay_item *i;

	if (!ticks || has_failed(s))
		return 0;
	if (s->behind) {
		s->behind--;
		return 0;
	}
	for (size_t k = 0; k < s->n_streams; k++)
		if (s->streams[k]->last.timestamp_end < ticks)
			s->streams[k]->passed = ticks;
	i = item_new(RELAY_BEACONS, NULL, 0);
	i->ticks = ticks;
	queue(s, i);
	return 0;
}

/* What is lost is no error: it is counted. */
static int sink_end(void *arg)
{
	struct relay_sink *s = arg;

	if (!has_failed(s)) {
		sink_info(s, "complete", "yes");
		queue(s, item_new(RELAY_END, NULL, 0));
		wait_ready(s, 0);
	}
	if (has_failed(s) && !s->known && s->events)
		s->events->cut(s->events_arg, relay_sink_why(s));
	join(s);
	return 0;
}

void relay_sink_free(struct relay_sink *s)
{
	pthread_mutex_lock(&s->lock);
	if (!s->ended)
		relay_conn_abort(&s->conn);
	s->failed |= !s->ended;
	pthread_cond_signal(&s->work);
	pthread_mutex_unlock(&s->lock);
	/* the caller has given up what it had to lose */
	s->events = NULL;
	join(s);
	relay_conn_close(&s->conn);
	for (size_t i = 0; i < s->n_streams; i++)
		free(s->streams[i]);
	for (size_t i = 0; i < s->n_infos; i++) {
		strbuf_free(&s->infos[i]->data);
		free(s->infos[i]->name);
		free(s->infos[i]);
	}
	free(s->streams);
	free(s->infos);
	pthread_cond_destroy(&s->work);
	pthread_cond_destroy(&s->room);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static void sink_release(void *arg)
{
	relay_sink_free(arg);
}

const struct pev_sink_ops relay_sink_ops = {
	.metadata = sink_metadata,
	.packets = sink_packets,
	.info = sink_info,
	.info_file = sink_info_file,
	.synced = sink_synced,
	.end = sink_end,
	.release = sink_release,
};

int relay_sink_open(const struct relay_url *u, uint64_t nr, uint64_t live_ns,
		    struct relay_sink **out, struct msg *m)
{
	struct relay_sink *s = xcalloc(1, sizeof(*s));
	int err = relay_conn_open(&s->conn, u, nr, (uint32_t)min_u64(live_ns / 1000, UINT32_MAX),
				  m);

	*out = NULL;
	if (err) {
		free(s);
		return err;
	}
	relay_list_init(&s->queue);
	relay_list_init(&s->kept);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->work, NULL);
	pthread_cond_init(&s->room, NULL);
	sink_info(s, "complete", "no");
	err = pthread_create(&s->thread, NULL, relay_send, s);
	if (err) {
		s->ended = s->joined = true;
		relay_sink_free(s);
		return msg_set(m, -err, "a thread for %s: %s", u->text, strerror(err));
	}
	*out = s;
	return 0;
}
