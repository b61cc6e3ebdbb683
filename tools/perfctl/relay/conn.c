// SPDX-License-Identifier: GPL-2.0
/* A relay's two connections. See conn.h. */
#include "conn.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECT_MS 5000
/* A peer that does not acknowledge what was sent for so long is gone; one that reads slowly is not. */
#define DEAD_MS 30000
#define ALIVE_S 10
/* an answer names a path of the relay's */
#define PATH_MOST 4096

/* ---- Sockets ---- */

static int fail(struct relay_conn *c, const char *why)
{
	if (!*c->why)
		snprintf(c->why, sizeof(c->why), "%s", why);
	return -EIO;
}

int relay_conn_send(struct relay_conn *c, int fd, const void *data, size_t len)
{
	const char *at = data;
	ssize_t n;

	while (len) {
		n = send(fd, at, len, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(c, errno == EAGAIN ? "it takes nothing" :
				       errno == EPIPE  ? "it has closed the connection" :
							 strerror(errno));
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

int relay_conn_receive(struct relay_conn *c, void *data, size_t len)
{
	char *at = data;
	ssize_t n;

	while (len) {
		n = recv(c->control, at, len, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail(c, !n	       ? "it has closed the connection" :
				       errno == EAGAIN ? "it does not answer" :
							 strerror(errno));
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Returns a descriptor or -errno. */
static int try_connect(const struct addrinfo *a)
{
	int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
			a->ai_protocol);
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int err = 0;
	socklen_t len = sizeof(err);

	if (fd < 0)
		return -errno;
	if (connect(fd, a->ai_addr, a->ai_addrlen))
		err = errno;
	if (err == EINPROGRESS) {
		err = poll(&p, 1, CONNECT_MS) > 0 ? 0 : ETIMEDOUT;
		if (!err && getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len))
			err = errno;
	}
	if (err) {
		close(fd);
		return -err;
	}
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static void set_timeout(int fd, int ms)
{
	struct timeval t = { .tv_sec = ms / 1000 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
}

static void set_options(int fd)
{
	int on = 1, alive = ALIVE_S, probes = 3;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &alive, sizeof(alive));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &alive, sizeof(alive));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
	set_timeout(fd, CONNECT_MS);
}

static int connect_to(const struct relay_url *u, uint16_t port, int *fd, struct msg *m)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *list, *a;
	char service[8];
	int err, ret = -EHOSTUNREACH;

	snprintf(service, sizeof(service), "%u", port);
	err = getaddrinfo(u->host, service, &hints, &list);
	if (err)
		return msg_set(m, -EHOSTUNREACH, "%s: %s", u->text, gai_strerror(err));
	for (a = list; a && ret < 0; a = a->ai_next)
		ret = try_connect(a);
	freeaddrinfo(list);
	if (ret < 0)
		return msg_set(
			m, ret,
			"%s: no relay answers at port %u: %s; is lttng-relayd started there?",
			u->text, port, strerror(-ret));
	*fd = ret;
	set_options(ret);
	return 0;
}

/* ---- Commands ---- */

int relay_conn_ask(struct relay_conn *c, const struct strbuf *command, void *answer, size_t len)
{
	int err = relay_conn_send(c, c->control, command->s, command->len);

	return err ? err : relay_conn_receive(c, answer, len);
}

int relay_conn_codes(struct relay_conn *c, size_t n)
{
	uint8_t code[4];
	int err = 0;

	while (!err && n--) {
		err = relay_conn_receive(c, code, sizeof(code));
		if (!err && wire_get32(code) != WIRE_OK)
			err = fail(c, "it refuses a command");
	}
	return err;
}

int relay_conn_stream(struct relay_conn *c, const char *path, const char *name, uint64_t *id)
{
	struct strbuf b = { 0 };
	uint8_t answer[12];
	int err;

	wire_add_stream(&b, path, name, c->chunk);
	err = relay_conn_ask(c, &b, answer, sizeof(answer));
	strbuf_free(&b);
	if (!err && wire_get32(answer + 8) != WIRE_OK)
		err = fail(c, "it cannot make a file for a stream");
	if (!err)
		*id = wire_get64(answer);
	return err;
}

/* ---- A session ---- */

static int check_version(struct relay_conn *c, const struct relay_url *u, struct msg *m)
{
	struct strbuf b = { 0 };
	uint8_t answer[8];
	uint32_t major, minor;
	int err;

	wire_version(&b);
	err = relay_conn_ask(c, &b, answer, sizeof(answer));
	strbuf_free(&b);
	if (err)
		return msg_set(m, err, "%s: what listens at port %u is no lttng-relayd: %s",
			       u->text, u->control, c->why);
	major = wire_get32(answer);
	minor = wire_get32(answer + 4);
	if (major != WIRE_MAJOR || minor < WIRE_MINOR)
		return msg_set(
			m, -EPROTO,
			"%s: what listens there speaks version %u.%u of the relay's protocol: "
			"lttng-relayd 2.11 or a later 2.x is needed",
			u->text, major, minor);
	return 0;
}

/* The same for all sessions of a name, so that the relay can be asked for it */
static void name_uuid(const struct relay_url *u, uint8_t uuid[16])
{
	uint64_t h[2] = { 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f };
	const char *const names[] = { u->hostname, "/", u->session };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		for (const char *s = names[i]; *s; s++) {
			h[0] = (h[0] ^ (uint8_t)*s) * 0x100000001b3;
			h[1] = (h[1] + (uint8_t)*s) * 0xff51afd7ed558ccd;
			h[1] ^= h[1] >> 29;
		}
	}
	memcpy(uuid, h, 16);
	/* random, as RFC 4122 has it, and so never the one of zeros, which is refused */
	uuid[6] = (uuid[6] & 0x0f) | 0x40;
	uuid[8] = (uuid[8] & 0x3f) | 0x80;
}

/* Asks for a session. Returns 0, -EEXIST: the relay refuses it, or -EIO. */
static int ask_session(struct relay_conn *c, const struct wire_session *s)
{
	uint8_t answer[WIRE_SESSION_ANSWER];
	struct strbuf b = { 0 };
	char path[PATH_MOST];
	uint32_t len;
	int err;

	wire_create_session(&b, s);
	err = relay_conn_ask(c, &b, answer, sizeof(answer));
	strbuf_free(&b);
	if (err)
		return err;
	len = wire_get32(answer + 12);
	if (wire_get32(answer + 8) != WIRE_OK || len > sizeof(path))
		return -EEXIST;
	return len ? relay_conn_receive(c, path, len) : 0;
}

/*
 * Two sessions of one name in one second would be the same files. The relay joins a session that it
 * has, and refuses to join another.
 */
static int check_name(const struct relay_url *u, const struct wire_session *like, struct msg *m)
{
	struct relay_conn c = { .control = -1, .data = -1 };
	struct wire_session s = *like;
	int err = connect_to(u, u->control, &c.control, m);

	if (!err)
		err = check_version(&c, u, m);
	if (err) {
		relay_conn_close(&c);
		return err;
	}
	s.join = true;
	err = ask_session(&c, &s);
	relay_conn_close(&c);
	if (err)
		return err == -EEXIST ? 0 : msg_set(m, err, "%s: asking for the session: %s",
						    u->text, c.why);
	return msg_set(m, -EEXIST,
		       "%s: the relay receives a session %s of %s already: choose another name "
		       "(net://%s/NAME)",
		       u->text, u->session, u->hostname, u->host);
}

static int create(struct relay_conn *c, const struct relay_url *u, uint64_t nr, uint32_t live_us,
		  struct msg *m)
{
	struct wire_session s = { .name = u->session,
				  .hostname = u->hostname,
				  .time = (uint64_t)time(NULL),
				  .live_us = live_us };
	int err;

	name_uuid(u, s.uuid);
	/* those of one recording follow each other after a second at least */
	err = nr ? 0 : check_name(u, &s, m);
	if (err)
		return err;
	err = ask_session(c, &s);
	c->chunk = 0;
	return err ? msg_set(m, -EIO, "%s: the relay cannot make the session %s of %s%s%s", u->text,
			     u->session, u->hostname, *c->why ? ": " : "", c->why) :
		     0;
}

static int create_chunk(struct relay_conn *c, const struct relay_url *u, struct msg *m)
{
	struct strbuf b = { 0 };
	int err;

	wire_create_chunk(&b, c->chunk, (uint64_t)time(NULL));
	err = relay_conn_send(c, c->control, b.s, b.len);
	strbuf_free(&b);
	if (!err)
		err = relay_conn_codes(c, 1);
	return err ? msg_set(m, err, "%s: the relay cannot make files for the session: %s", u->text,
			     c->why) :
		     0;
}

int relay_conn_open(struct relay_conn *c, const struct relay_url *u, uint64_t nr, uint32_t live_us,
		    struct msg *m)
{
	int err;

	*c = (struct relay_conn){ .control = -1, .data = -1 };
	err = connect_to(u, u->control, &c->control, m);
	if (!err)
		err = check_version(c, u, m);
	if (!err)
		err = connect_to(u, u->data, &c->data, m);
	if (!err)
		err = create(c, u, nr, live_us, m);
	if (!err)
		err = create_chunk(c, u, m);
	if (err) {
		relay_conn_close(c);
		return err;
	}
	/* from now on a slow relay is waited for */
	set_timeout(c->control, 0);
	set_timeout(c->data, 0);
	return 0;
}

void relay_conn_close(struct relay_conn *c)
{
	if (c->control >= 0)
		close(c->control);
	if (c->data >= 0)
		close(c->data);
	c->control = c->data = -1;
}

/* TCP_USER_TIMEOUT would also end a connection whose peer answers, but has no room for more. */
static bool is_dead(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);

	return !getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) && info.tcpi_unacked &&
	       info.tcpi_last_ack_recv >= DEAD_MS && info.tcpi_retransmits;
}

bool relay_conn_dead(const struct relay_conn *c)
{
	return is_dead(c->control) || is_dead(c->data);
}

void relay_conn_abort(const struct relay_conn *c)
{
	shutdown(c->control, SHUT_RDWR);
	shutdown(c->data, SHUT_RDWR);
}
