// SPDX-License-Identifier: GPL-2.0
/* What is said to lttng-relayd. See wire.h. */
#include "wire.h"

#include <endian.h>

enum command {
	CMD_ADD_STREAM = 1,
	CMD_CREATE_SESSION = 2,
	CMD_VERSION = 5,
	CMD_SEND_METADATA = 6,
	CMD_CLOSE_STREAM = 7,
	CMD_DATA_PENDING = 8,
	CMD_SEND_INDEX = 13,
	CMD_STREAMS_SENT = 16,
	CMD_ROTATE_STREAMS = 18,
	CMD_CREATE_CHUNK = 19,
};

static void put8(struct strbuf *b, uint8_t v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void put32(struct strbuf *b, uint32_t v)
{
	v = htobe32(v);
	strbuf_add(b, &v, sizeof(v));
}

static void put64(struct strbuf *b, uint64_t v)
{
	v = htobe64(v);
	strbuf_add(b, &v, sizeof(v));
}

uint32_t wire_get32(const void *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return be32toh(v);
}

uint64_t wire_get64(const void *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return be64toh(v);
}

/* @len: bytes that follow */
static void put_command(struct strbuf *b, enum command command, size_t len)
{
	/* a circuit, which is not used */
	put64(b, 0);
	put64(b, len);
	put32(b, command);
	/* a version of the command, which is not used either */
	put32(b, 0);
}

void wire_version(struct strbuf *b)
{
	put_command(b, CMD_VERSION, 8);
	put32(b, WIRE_MAJOR);
	put32(b, WIRE_MINOR);
}

void wire_create_session(struct strbuf *b, const struct wire_session *s)
{
	uint32_t name = (uint32_t)strlen(s->name) + 1, host = (uint32_t)strlen(s->hostname) + 1;

	put_command(b, CMD_CREATE_SESSION, 4 * 4 + 2 + 16 + 2 * 8 + 9 + name + host);
	put32(b, name);
	put32(b, host);
	/* no path of its own: the relay chooses one */
	put32(b, 0);
	put32(b, s->live_us);
	/* no snapshot; the relay adds the time to the name of the directory */
	put8(b, 0);
	put8(b, 0);
	strbuf_add(b, s->uuid, sizeof(s->uuid));
	put64(b, s->id);
	put64(b, s->time);
	/* the chunk that it has, if any */
	put8(b, s->join);
	put64(b, 0);
	strbuf_add(b, s->name, name);
	strbuf_add(b, s->hostname, host);
}

void wire_create_chunk(struct strbuf *b, uint64_t chunk, uint64_t time)
{
	put_command(b, CMD_CREATE_CHUNK, 20);
	put64(b, chunk);
	put64(b, time);
	/* no name of its own */
	put32(b, 0);
}

void wire_add_stream(struct strbuf *b, const char *path, const char *name, uint64_t chunk)
{
	uint32_t name_len = (uint32_t)strlen(name) + 1, path_len = (uint32_t)strlen(path) + 1;

	put_command(b, CMD_ADD_STREAM, 2 * 4 + 3 * 8 + name_len + path_len);
	put32(b, name_len);
	put32(b, path_len);
	/* one file, of any size */
	put64(b, 0);
	put64(b, 0);
	put64(b, chunk);
	strbuf_add(b, name, name_len);
	strbuf_add(b, path, path_len);
}

void wire_streams_sent(struct strbuf *b)
{
	put_command(b, CMD_STREAMS_SENT, 0);
}

void wire_metadata(struct strbuf *b, uint64_t stream, const void *text, size_t len)
{
	put_command(b, CMD_SEND_METADATA, 12 + len);
	put64(b, stream);
	put32(b, 0);
	strbuf_add(b, text, len);
}

static void put_index(struct strbuf *b, uint64_t stream, uint64_t seq,
		      const struct pev_packet *packet)
{
	put_command(b, CMD_SEND_INDEX, 10 * 8);
	put64(b, stream);
	put64(b, seq);
	put64(b, packet->packet_size);
	put64(b, packet->content_size);
	put64(b, packet->timestamp_begin);
	put64(b, packet->timestamp_end);
	put64(b, packet->events_discarded);
	put64(b, packet->stream_id);
	put64(b, packet->stream_instance_id);
	put64(b, packet->packet_seq_num);
}

void wire_index(struct strbuf *b, uint64_t stream, uint64_t seq, const struct pev_packet *packet)
{
	put_index(b, stream, seq, packet);
}

void wire_beacon(struct strbuf *b, uint64_t stream, uint64_t ticks, const struct pev_packet *last)
{
	struct pev_packet none = {
		.timestamp_end = ticks,
		.stream_id = last->stream_id,
		.stream_instance_id = last->stream_instance_id,
	};

	/* of no bytes: that makes it a beacon */
	put_index(b, stream, 0, &none);
}

void wire_data_pending(struct strbuf *b, uint64_t stream, uint64_t seq)
{
	put_command(b, CMD_DATA_PENDING, 16);
	put64(b, stream);
	put64(b, seq);
}

void wire_close_stream(struct strbuf *b, uint64_t stream, uint64_t seq)
{
	put_command(b, CMD_CLOSE_STREAM, 16);
	put64(b, stream);
	put64(b, seq);
}

void wire_rotate(struct strbuf *b, uint32_t n)
{
	put_command(b, CMD_ROTATE_STREAMS, 4 + 16 + (size_t)n * 16);
	put32(b, n);
	/* no next chunk: a flag, padded as x86-64 does it without saying so, and a number */
	put64(b, 0);
	put64(b, 0);
}

void wire_rotate_stream(struct strbuf *b, uint64_t stream, uint64_t packets)
{
	put64(b, stream);
	put64(b, packets);
}

void wire_data(struct strbuf *b, uint64_t stream, uint64_t seq, uint32_t len)
{
	put64(b, 0);
	put64(b, stream);
	put64(b, seq);
	put32(b, len);
	/* no padding behind it */
	put32(b, 0);
}
