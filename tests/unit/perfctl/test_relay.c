// SPDX-License-Identifier: GPL-2.0
/* perfctl record -o net://: what is said to a relay, without one. */
#include "relay/state.h"
#include "relay/url.h"
#include "relay/wire.h"
#include "tests.h"

#include <errno.h>
#include <stdlib.h>

static void refused(const char *text, const char *why)
{
	struct relay_url u;
	struct msg m = { "" };

	OK(relay_url_parse(&u, text, "host", 1, &m) == -EINVAL && strstr(m.text, why), text);
}

static void test_url(void)
{
	struct relay_url u;
	struct msg m;

	OK(relay_url_is("net://a") && !relay_url_is("net:/a") && !relay_url_is("pev.trace"),
	   "a relay's URL is one");
	OK(!relay_url_parse(&u, "net://relay.example", "web-1", 77, &m), "a host is enough");
	IS_STR(u.host, "relay.example", "which is it");
	IS_NUM(u.control, 5342, "the usual port of commands");
	IS_NUM(u.data, 5343, "and of packets");
	IS_STR(u.session, "perfctl-77", "a session of the process");
	IS_STR(u.hostname, "web-1", "of this machine");
	relay_url_free(&u);
	OK(!relay_url_parse(&u, "net://[::1]:1:65535/a.b_c-1", "h", 1, &m), "all parts");
	IS_STR(u.host, "::1", "an address of IPv6");
	IS_NUM(u.control, 1, "one port");
	IS_NUM(u.data, 65535, "and the other");
	IS_STR(u.session, "a.b_c-1", "a session");
	relay_url_free(&u);
	refused("net://", "names no host");
	refused("net://:5342", "names no host");
	refused("net:///session", "names no host");
	refused("net://[::1", "names no host");
	refused("net://[]", "names no host");
	refused("net://h:0", "a port is");
	refused("net://h:65536", "a port is");
	refused("net://h:99999999999999999999", "a port is");
	refused("net://h:-1", "a port is");
	refused("net://h:1:2:3", "a port is");
	refused("net://h/..", "a session has");
	refused("net://h/.hidden", "a session has");
	refused("net://h/-o", "a session has");
	refused("net://h/a/b", "a session has");
	refused("net://h/\x1b[2J", "a session has");
	refused("net://user:secret@h", "(the URL)");
	refused("net://h/a b", "(the URL)");
	OK(relay_url_parse(&u, "net://h", "../etc", 1, &m) == -EINVAL &&
		   strstr(m.text, "this machine's name"),
	   "a machine's name that leads elsewhere");
	OK(relay_url_parse(&u, "net://h", "", 1, &m) == -EINVAL, "and one without any");
}

/* @hex: what the command must be, spaces between its numbers */
static void is_hex(struct strbuf *b, const char *hex, const char *name)
{
	struct strbuf got = { 0 }, want = { 0 };

	for (size_t i = 0; i < b->len; i++)
		strbuf_addf(&got, "%02x", (uint8_t)b->s[i]);
	for (; *hex; hex++)
		if (*hex != ' ')
			strbuf_putc(&want, *hex);
	IS_STR(got.s, want.s, name);
	strbuf_free(&got);
	strbuf_free(&want);
	strbuf_free(b);
}

/* a circuit, bytes that follow, the command and its version */
#define HEAD(bytes, command) "0000000000000000 00000000000000" bytes " 000000" command " 00000000 "

static void test_session(void)
{
	struct wire_session s = { .name = "s",
					.hostname = "h",
					.uuid = { 1, [15] = 0xff },
					.id = 2,
					.time = 0x0102030405060708,
					.live_us = 1000000 };
	struct strbuf b = { 0 };

	wire_version(&b);
	is_hex(&b, HEAD("08", "05") "00000002 0000000b", "the version");
	wire_create_session(&b, &s);
	is_hex(&b,
	       HEAD("3f", "02") "00000002 00000002 00000000 000f4240 00 00 "
				"010000000000000000000000000000ff 0000000000000002 "
				"0102030405060708 00 0000000000000000 7300 6800",
	       "a session");
	s.join = true;
	wire_create_session(&b, &s);
	is_hex(&b,
	       HEAD("3f", "02") "00000002 00000002 00000000 000f4240 00 00 "
				"010000000000000000000000000000ff 0000000000000002 "
				"0102030405060708 01 0000000000000000 7300 6800",
	       "one that must be there");
	wire_create_chunk(&b, 3, 4);
	is_hex(&b, HEAD("14", "13") "0000000000000003 0000000000000004 00000000", "a chunk");
}

static void test_streams(void)
{
	const struct pev_packet p = { .stream_id = 1,
				      .stream_instance_id = 2,
				      .timestamp_begin = 3,
				      .timestamp_end = 4,
				      .content_size = 0x280,
				      .packet_size = 0x8000,
				      .events_discarded = 7,
				      .packet_seq_num = 8 };
	struct strbuf b = { 0 };

	wire_add_stream(&b, "p", "n", 1);
	is_hex(&b,
	       HEAD("24", "01") "00000002 00000002 0000000000000000 0000000000000000 "
				"0000000000000001 6e00 7000",
	       "a stream");
	wire_streams_sent(&b);
	is_hex(&b, HEAD("00", "10"), "that viewers may see it");
	wire_metadata(&b, 9, "text", 4);
	is_hex(&b, HEAD("10", "06") "0000000000000009 00000000 74657874", "metadata");
	wire_index(&b, 9, 5, &p);
	is_hex(&b,
	       HEAD("50", "0d") "0000000000000009 0000000000000005 0000000000008000 "
				"0000000000000280 0000000000000003 0000000000000004 "
				"0000000000000007 0000000000000001 0000000000000002 "
				"0000000000000008",
	       "what a packet is");
	wire_beacon(&b, 9, 6, &p);
	is_hex(&b,
	       HEAD("50", "0d") "0000000000000009 0000000000000000 0000000000000000 "
				"0000000000000000 0000000000000000 0000000000000006 "
				"0000000000000000 0000000000000001 0000000000000002 "
				"0000000000000000",
	       "that a stream has none");
	wire_data_pending(&b, 9, 5);
	is_hex(&b, HEAD("10", "08") "0000000000000009 0000000000000005", "is it written?");
	wire_rotate(&b, 1);
	wire_rotate_stream(&b, 9, 6);
	is_hex(&b,
	       HEAD("24", "12") "00000001 0000000000000000 0000000000000000 "
				"0000000000000009 0000000000000006",
	       "the end of streams");
	wire_close_stream(&b, 9, 5);
	is_hex(&b, HEAD("10", "07") "0000000000000009 0000000000000005", "a closed stream");
	wire_data(&b, 9, 5, 4096);
	is_hex(&b, "0000000000000000 0000000000000009 0000000000000005 00001000 00000000",
	       "what is before a packet");
	IS_NUM(wire_get32("\x00\x00\x01\x02"), 258, "32 bits");
	OK(wire_get64("\x00\x00\x00\x01\x00\x00\x00\x02") == 0x100000002, "64 bits");
}

/* One without a relay and a thread: what is queued stays there. */
static struct relay_sink *sink_new(void)
{
	struct relay_sink *s = xcalloc(1, sizeof(*s));

	s->conn.control = s->conn.data = -1;
	relay_list_init(&s->queue);
	relay_list_init(&s->kept);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->work, NULL);
	pthread_cond_init(&s->room, NULL);
	s->ended = s->joined = true;
	return s;
}

static void sink_delete(struct relay_sink *s)
{
	struct relay_item *next;

	for (struct relay_item *i = s->queue.first; i; i = next) {
		next = i->next;
		free(i);
	}
	relay_sink_free(s);
}

static const struct relay_item *newest(const struct relay_sink *s)
{
	const struct relay_item *i = s->queue.first;

	while (i && i->next)
		i = i->next;
	return i;
}

static uint64_t newest_begin(const struct relay_sink *s)
{
	return ((const struct pev_packet *)newest(s)->data)->timestamp_begin;
}

static int put(struct relay_sink *s, const char *ring, uint64_t begin, uint64_t end)
{
	const struct pev_packet p = { .packet_size = sizeof(p) * 8,
				      .content_size = sizeof(p) * 8,
				      .timestamp_begin = begin,
				      .timestamp_end = end };

	return relay_sink_ops.packets(s, ring, true, &p, sizeof(p), NULL, 0);
}

/* A ring that was refused has older records than one that was not. */
static void test_refused(void)
{
	struct relay_sink *s = sink_new();

	put(s, "0", 100, 110);
	relay_sink_ops.synced(s, 105);
	OK(newest(s)->kind == RELAY_BEACONS, "viewers are told that nothing older comes");
	s->bytes = 1 << 30;
	IS_NUM(put(s, "0", 120, 130), -EAGAIN, "a full sink refuses packets of rings");
	s->bytes = 0;
	put(s, "1", 200, 210);
	relay_sink_ops.synced(s, 200);
	OK(newest(s)->kind == RELAY_PACKET, "but not of a time that a ring still has");
	put(s, "0", 120, 130);
	IS_NUM(newest_begin(s), 120, "whose packets begin with their first record");
	relay_sink_ops.synced(s, 210);
	put(s, "0", 140, 150);
	IS_NUM(newest_begin(s), 140, "also those that the ring had no room for");
	relay_sink_ops.synced(s, 210);
	OK(newest(s)->kind == RELAY_BEACONS && newest(s)->ticks == 210, "then they are told");
	put(s, "0", 160, 300);
	IS_NUM(newest_begin(s), 210, "and packets that were begun before begin there");
	sink_delete(s);
}

void test_relay(void)
{
	test_refused();
	test_url();
	test_session();
	test_streams();
}
