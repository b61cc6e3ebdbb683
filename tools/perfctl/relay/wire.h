/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is said to lttng-relayd, byte by byte: version 2.11 of its protocol, which later ones of
 * version 2 speak, too. All numbers are big-endian, and nothing is aligned. Knows no sockets.
 */
#ifndef PERFCTL_RELAY_WIRE_H
#define PERFCTL_RELAY_WIRE_H

#include "base/util.h"

#include <linux/pev.h>

#define WIRE_MAJOR 2
#define WIRE_MINOR 11
/* ret_code of a command that succeeded */
#define WIRE_OK 10

/**
 * struct wire_session - a session to be made
 * @name:     of it
 * @hostname: of the machine that is traced
 * @uuid:     with @id, the same for all sessions of that name
 * @id:       see @uuid
 * @time:     when it was made, seconds since the epoch
 * @join:     it is made only if there is one with this @uuid and @id, and chunk 0
 * @live_us:  a viewer hears of each stream so often
 */
struct wire_session {
	const char *name;
	const char *hostname;
	uint8_t uuid[16];
	uint64_t id;
	uint64_t time;
	uint32_t live_us;
	bool join;
};

/* Commands, each with its header; what is answered is said in parentheses. */
/* (the relay's own version: two numbers of 32 bits) */
void wire_version(struct strbuf *b);
/* (WIRE_SESSION_ANSWER bytes, and a path that is as long as the last four of them say) */
void wire_create_session(struct strbuf *b, const struct wire_session *s);
/* (code) */
void wire_create_chunk(struct strbuf *b, uint64_t chunk, uint64_t time);
/* (64 bits by which the relay knows the stream, and a code) */
void wire_add_stream(struct strbuf *b, const char *path, const char *name, uint64_t chunk);
/* (code) Viewers may see the streams that were added. */
void wire_streams_sent(struct strbuf *b);
/* (nothing) */
void wire_metadata(struct strbuf *b, uint64_t stream, const void *text, size_t len);
/* (code) @seq: of the packet in its stream, from 0 */
void wire_index(struct strbuf *b, uint64_t stream, uint64_t seq, const struct pev_packet *packet);
/* (code) Nothing older than @ticks will come in a stream. */
void wire_beacon(struct strbuf *b, uint64_t stream, uint64_t ticks, const struct pev_packet *last);
/* (0: all packets up to @seq are written; 1: they are not) */
void wire_data_pending(struct strbuf *b, uint64_t stream, uint64_t seq);
/*
 * (code) Streams end, but viewers that have not seen all of them read on; @n calls of
 * wire_rotate_stream() follow, with the packets of each.
 */
void wire_rotate(struct strbuf *b, uint32_t n);
void wire_rotate_stream(struct strbuf *b, uint64_t stream, uint64_t packets);
/* (code) */
void wire_close_stream(struct strbuf *b, uint64_t stream, uint64_t seq);

/* What goes before a packet on the other connection (nothing) */
void wire_data(struct strbuf *b, uint64_t stream, uint64_t seq, uint32_t len);

#define WIRE_SESSION_ANSWER 16

/* Numbers of answers */
uint32_t wire_get32(const void *at);
uint64_t wire_get64(const void *at);

#endif
