/* SPDX-License-Identifier: GPL-2.0 */
/* What the writer's side of a sink, sink.c, and its thread, send.c, share. */
#ifndef PERFCTL_RELAY_STATE_H
#define PERFCTL_RELAY_STATE_H

#include "conn.h"
#include "sink.h"

#include <pthread.h>

enum relay_item_kind {
	RELAY_METADATA,
	RELAY_PACKET,
	RELAY_BEACONS,
	RELAY_END,
};

/**
 * struct relay_stream - packets of one ring or encoder
 * @ring:  its number, or RELAY_NO_RING
 * @id:    at the relay
 * @added: the relay knows it
 * @sent:  packets that were sent, @acked of which are written there
 * @shown: end of the newest that was sent
 * @last:  header of the newest that was queued
 * @said:  losses that the newest that is written counts
 * @passed: viewers were told that nothing older comes
 */
struct relay_stream {
	char name[44];
	unsigned int ring;
	uint64_t id;
	bool added;
	uint64_t sent;
	uint64_t acked;
	struct pev_packet shown;
	struct pev_packet last;
	uint64_t said;
	uint64_t passed;
};

/**
 * struct relay_item - what is to be sent
 * @seq:   of a packet in its stream
 * @ticks: of beacons
 * @data:  a packet, or more of the metadata; 8-byte aligned
 */
struct relay_item {
	struct relay_item *next;
	enum relay_item_kind kind;
	struct relay_stream *stream;
	uint64_t seq;
	uint64_t ticks;
	size_t len;
	uint64_t data[];
};

struct relay_list {
	struct relay_item *first;
	struct relay_item **end;
};

/**
 * struct relay_info - a file that says more of the recording than CTF can
 * @dirty: the relay has not got it like this
 */
struct relay_info {
	char *name;
	struct strbuf data;
	bool dirty;
};

/**
 * struct relay_sink - a recording that goes to a relay
 * @lock:    of all down to @progress
 * @work:    there is something to send
 * @room:    something was sent, or the thread has ended
 * @queue:   to be sent
 * @streams: they stay where they are; so do @infos
 * @bytes:   of packets that the relay has not written
 * @ended:   the thread has come to its end ...
 * @failed:  ... without all that it had to do
 * @progress: times that the relay did something
 * @kept:    sent, but not known to be written; of the thread, until it has ended
 * @metadata: bytes that were queued
 * @events:  of the writer's thread, as the rest; NULL: they are not wanted
 * @behind:  syncs that do not hold, as rings have older records
 * @joined:  the thread was
 * @known:   the caller was told that the connection has ended
 * @ending:  see relay_sink_ending()
 * @given_up: it took nothing for too long, or @dead: its machine does not answer
 */
struct relay_sink {
	pthread_mutex_t lock;
	pthread_cond_t work;
	pthread_cond_t room;
	struct relay_list queue;
	struct relay_stream **streams;
	size_t n_streams, cap_streams;
	struct relay_info **infos;
	size_t n_infos, cap_infos;
	uint64_t bytes;
	bool ended;
	bool failed;
	uint64_t progress;

	struct relay_conn conn;
	struct relay_list kept;

	pthread_t thread;
	uint64_t metadata;
	const struct relay_sink_events *events;
	void *events_arg;
	unsigned int behind;
	bool joined;
	bool known;
	bool ending;
	bool given_up;
	bool dead;
};

static inline void relay_list_init(struct relay_list *l)
{
	l->first = NULL;
	l->end = &l->first;
}

static inline void relay_list_add(struct relay_list *l, struct relay_item *i)
{
	i->next = NULL;
	*l->end = i;
	l->end = &i->next;
}

#endif
