// SPDX-License-Identifier: GPL-2.0
/*
 * A hostile relay: whatever it answers, a recording to it begins or is refused, ends without being
 * held up, and each packet that it has not confirmed is told as lost, no other.
 *
 * A thread answers each command as lttng-relayd does, unless the next byte of the input says
 * otherwise, so that all of the protocol is reached; an input without bytes is a good relay.
 * Sockets are pairs of this process, and no port is used: CFLAGS rename what makes them.
 */
// FUZZ-SOURCES: tools/perfctl/relay/conn.c tools/perfctl/relay/send.c tools/perfctl/relay/sink.c tools/perfctl/relay/wire.c tools/perfctl/base/util.c
// FUZZ-CFLAGS: -iquote tools/perfctl -Itools/lib/pev/include -Iinclude/uapi -Dsocket=fuzz_socket -Dconnect=fuzz_connect -Dgetaddrinfo=fuzz_getaddrinfo -Dfreeaddrinfo=fuzz_freeaddrinfo
// FUZZ-LIBS: -lpthread
// FUZZ-SEEDS: printf x > "$1/right"; for i in 0 1 2 3 4 5 6 8 9 12 20; do for b in 371 372 373 374 375 376 377; do { head -c $i /dev/zero; printf "\\$b\0\0\0\13\0\0\0\0\0\0\0\0"; } > "$1/$i-$b"; done; done
// FUZZ-RUNS: 1000
#include "relay/state.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS 3
#define PACKETS 12
#define HEAD 24
#define BODY_MOST 65536

/* Bytes of the input from this one on say how an answer is wrong. */
enum wrong {
	WRONG = 249,
	WRONG_CODE = WRONG, /* another code, in the next four bytes */
	WRONG_BYTES, /* all of the answer is of the input */
	WRONG_SHORT, /* half of it, and the end */
	WRONG_LONG, /* more than all of it */
	WRONG_NONE, /* the end */
	WRONG_PENDING, /* not written */
	WRONG_TWICE,
};

/* The last code of an answer is its end; a session's has a path behind it. */
static const struct {
	uint8_t command;
	uint8_t len;
	uint8_t code_at;
} commands[] = {
	{ 0x01, 12, 8 }, { 0x02, 16, 8 }, { 0x05, 8, 4 }, { 0x06, 0, 0 }, { 0x07, 4, 0 },
	{ 0x08, 4, 0 },	 { 0x0d, 4, 0 },  { 0x10, 4, 0 }, { 0x12, 4, 0 }, { 0x13, 4, 0 },
};

static struct peer {
	int fd;
	size_t nr;
	pthread_t thread;
} peers[CONNECTIONS];
static size_t n_peers;
static const uint8_t *input;
static size_t input_len;
static uint64_t streams;
static size_t lost;
static bool had_input;

/* Connections have their turns: one that asks waits for its answer. */
static uint8_t next(void)
{
	return input_len ? input_len--, *input++ : 0;
}

static void put32(uint8_t *at, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(v >> (24 - 8 * i));
}

static bool get(int fd, void *data, size_t len)
{
	/* nothing is waited for, too */
	return !len || recv(fd, data, len, MSG_WAITALL) == (ssize_t)len;
}

/* Returns the length of the right answer to a command. */
static size_t answer(const struct peer *p, uint8_t command, uint8_t *a, size_t *code_at)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (commands[i].command != command)
			continue;
		*code_at = commands[i].code_at;
		put32(a + *code_at, 10);
		if (command == 0x05) {
			put32(a, 2);
			put32(a + 4, 11);
		}
		/* the third connection asks whether the session is there */
		if (command == 0x02 && p->nr == 2)
			put32(a + 8, 11);
		if (command == 0x01)
			a[7] = (uint8_t)++streams;
		if (command == 0x08)
			put32(a, 0);
		return commands[i].len;
	}
	abort();
}

/* Returns whether the connection goes on. */
static bool say(const struct peer *p, uint8_t *a, size_t len, size_t code_at)
{
	uint8_t how = len ? next() : 0;
	size_t n = len;

	if (how == WRONG_CODE || how == WRONG_PENDING)
		put32(a + code_at, how == WRONG_PENDING);
	for (size_t i = 0; how == WRONG_CODE && i < 4; i++)
		a[code_at + i] = next();
	for (size_t i = 0; how == WRONG_BYTES && i < len; i++)
		a[i] = next();
	if (how == WRONG_SHORT)
		n = len / 2;
	if (how == WRONG_LONG)
		n = len + next();
	if (how == WRONG_NONE)
		n = 0;
	send(p->fd, a, n, MSG_NOSIGNAL);
	if (how == WRONG_TWICE)
		send(p->fd, a, len, MSG_NOSIGNAL);
	return how != WRONG_SHORT && how != WRONG_NONE;
}

static void *serve(void *arg)
{
	static _Thread_local uint8_t body[BODY_MOST];
	struct peer *p = arg;
	uint8_t head[HEAD];
	bool more = true;

	while (more && get(p->fd, head, sizeof(head))) {
		uint8_t a[16 + 256] = { 0 };
		uint64_t len = wire_get64(head + 8);
		size_t code_at = 0;

		if (len > BODY_MOST || !get(p->fd, body, len))
			abort();
		len = answer(p, head[19], a, &code_at);
		more = say(p, a, len, code_at);
	}
	shutdown(p->fd, SHUT_WR);
	/* nothing that is sent must wait */
	while (recv(p->fd, body, sizeof(body), 0) > 0)
		;
	return NULL;
}

static void *swallow(void *arg)
{
	static _Thread_local uint8_t body[BODY_MOST];
	const struct peer *p = arg;

	while (recv(p->fd, body, sizeof(body), 0) > 0)
		;
	return NULL;
}

/* Commands, packets, and the question of check_name(): connections are made in this order. */
int socket(int family, int type, int protocol)
{
	struct peer *p = &peers[n_peers];
	int pair[2];

	(void)family;
	(void)protocol;
	if (n_peers == CONNECTIONS ||
	    socketpair(AF_UNIX, SOCK_STREAM | (type & SOCK_NONBLOCK), 0, pair))
		abort();
	fcntl(pair[1], F_SETFL, 0);
	*p = (struct peer){ .fd = pair[1], .nr = n_peers++ };
	if (pthread_create(&p->thread, NULL, p->nr == 1 ? swallow : serve, p))
		abort();
	return pair[0];
}

int connect(int fd, const struct sockaddr *to, socklen_t len)
{
	(void)fd;
	(void)to;
	(void)len;
	return 0;
}

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		struct addrinfo **found)
{
	static struct addrinfo one = { .ai_family = AF_UNIX, .ai_socktype = SOCK_STREAM };

	(void)host;
	(void)service;
	(void)hints;
	*found = &one;
	return 0;
}

void freeaddrinfo(struct addrinfo *found)
{
	(void)found;
}

static void on_lost(void *arg, unsigned int ring, struct pev_packet *packet)
{
	(void)arg;
	(void)ring;
	if (packet->packet_size != sizeof(*packet) * 8)
		abort();
	lost++;
}

static void on_cut(void *arg, const char *why)
{
	(void)arg;
	if (!*why)
		abort();
}

/* Returns the packets that the sink took: it leaves others in their rings. */
static size_t send_packets(struct relay_sink *s)
{
	static const char *const names[] = { "0", "1", "before" };
	size_t taken = 0;

	for (uint64_t i = 0; i < PACKETS; i++) {
		const struct pev_packet p = { .packet_size = sizeof(p) * 8,
					      .content_size = sizeof(p) * 8,
					      .packet_seq_num = i / 3,
					      .timestamp_begin = 10 * i,
					      .timestamp_end = 10 * i + 5 };

		taken += !relay_sink_ops.packets(s, names[i % 3], i % 3 < 2, &p, sizeof(p), NULL,
						 0);
		if (i == PACKETS / 2)
			relay_sink_ops.synced(s, 10 * i);
	}
	return taken;
}

static void record(struct relay_sink *s)
{
	static const struct relay_sink_events events = { on_lost, on_cut };
	uint64_t acked = 0;
	size_t taken;

	lost = 0;
	relay_sink_tell(s, &events, NULL);
	relay_sink_ops.metadata(s, "/* CTF 1.8 */", 13);
	relay_sink_ops.info_file(s, "counts", "1 2 3 x\n", 8);
	taken = send_packets(s);
	relay_sink_ending(s);
	relay_sink_ops.end(s);
	for (size_t i = 0; i < s->n_streams; i++) {
		if (s->streams[i]->acked > s->streams[i]->sent)
			abort();
		acked += s->streams[i]->acked;
	}
	/* a good relay has all */
	if (lost + acked != taken || (!had_input && lost))
		abort();
	relay_sink_ops.release(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct relay_url u = { .text = "net://h", .host = "h", .session = "s", .hostname = "m" };
	struct relay_sink *s;
	struct msg m;

	input = data;
	input_len = size;
	had_input = size;
	n_peers = 0;
	streams = 0;
	if (!relay_sink_open(&u, 0, 1000000, &s, &m))
		record(s);
	else if (!size || !*m.text)
		abort();
	for (size_t i = 0; i < n_peers; i++) {
		pthread_join(peers[i].thread, NULL);
		close(peers[i].fd);
	}
	return 0;
}
