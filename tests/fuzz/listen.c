// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to an agent's --metrics: whatever a client sends, the agent is asked for a text and a number
 * of seconds that make sense, or not at all, and goes on to answer others.
 *
 * An input is what a client sends, to the real libmicrohttpd: what is fuzzed is what we make of its
 * words, and how we use it.
 */
// FUZZ-SOURCES: tools/perfctl/fleet/listen.c tools/perfctl/base/util.c
// FUZZ-CFLAGS: -iquote tools/perfctl -DHAVE_MICROHTTPD
// FUZZ-LIBS: -lpthread -ldl
// FUZZ-SEEDS: h='HTTP/1.1\r\nHost: a\r\n\r\n'; for p in /metrics '/debug/pprof/profile?seconds=10' '/debug/pprof/profile?seconds=0' '/debug/pprof/profile?seconds=601' '/debug/pprof/profile?seconds=-1' '/x?seconds' '/x?seconds=18446744073709551617' '/x?seconds=1&seconds=2' '/%2e%2e/etc'; do printf "GET $(printf %s "$p" | sed 's/%/%%/g') $h" > "$1/$(printf %s "$p" | tr -c 'a-z0-9' _)"; done; printf "POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello" > "$1/post"; printf "GET /metrics HTTP/1.0\n\nGET /metrics HTTP/1.1\r\nHost: b\r\n\r\n" > "$1/two"
// FUZZ-RUNS: 1000
#include "fleet/listen.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in at;

static unsigned int on_request(void *arg, const char *path, unsigned int seconds, const char **type,
			       struct strbuf *b)
{
	if (arg != &at || !path || seconds > 600)
		abort();
	*type = "text/plain";
	strbuf_puts(b, "fine");
	return strcmp(path, "/metrics") ? 404 : 200;
}

/* On a port that is free: ports are not reserved, so that several are tried. */
static void start(void)
{
	static struct listener *l;
	socklen_t len = sizeof(at);
	char address[32];
	struct msg m;
	int fd;

	for (int i = 0; i < 100 && !l; i++) {
		at = (struct sockaddr_in){ .sin_family = AF_INET,
					   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
		    getsockname(fd, (struct sockaddr *)&at, &len))
			abort();
		close(fd);
		snprintf(address, sizeof(address), "127.0.0.1:%u", ntohs(at.sin_port));
		listen_open(&l, address, on_request, &at, &m);
	}
	if (!l) {
		fprintf(stderr, "%s\n", m.text);
		exit(1);
	}
}

/* Returns what comes back, up to the end; no port stays in use for it. */
static size_t ask(const uint8_t *data, size_t size, char *answer, size_t room)
{
	const struct linger none = { 1, 0 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	size_t got = 0;
	ssize_t n;

	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)))
		abort();
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	while (size && (n = send(fd, data, size, MSG_NOSIGNAL)) > 0) {
		data += n;
		size -= (size_t)n;
	}
	shutdown(fd, SHUT_WR);
	while (got < room && (n = recv(fd, answer + got, room - got, 0)) > 0)
		got += (size_t)n;
	close(fd);
	return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char good[] = "GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
	static char answer[65536];
	size_t got;

	if (!at.sin_port)
		start();
	got = ask(data, size, answer, sizeof(answer));
	if (got && (got < 5 || memcmp(answer, "HTTP/", 5)))
		abort();
	got = ask((const uint8_t *)good, sizeof(good) - 1, answer, sizeof(answer));
	if (got < 12 || memcmp(answer + 8, " 200", 4))
		abort();
	return 0;
}
