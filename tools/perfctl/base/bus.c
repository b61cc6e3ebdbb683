// SPDX-License-Identifier: GPL-2.0
/* Names the file behind a SIGBUS. See bus.h. Only what a signal handler may call is used. */
#include "bus.h"
#include "output.h"
#include "status.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

static void put(const char *text, size_t len)
{
	if (write(STDERR_FILENO, text, len) < 0)
		_exit(STATUS_BAD_DATA);
}

#define PUT(text) put(text, sizeof(text) - 1)

static const char *hex(const char *p, uint64_t *v)
{
	for (*v = 0;; p++) {
		if (*p >= '0' && *p <= '9')
			*v = *v << 4 | (uint64_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			*v = *v << 4 | (uint64_t)(*p - 'a' + 10);
		else
			return p;
	}
}

/* A line of /proc/self/maps; returns whether it has the address and a path, which is said. */
static bool put_path(const char *line, uint64_t addr)
{
	uint64_t start, end;
	const char *p = hex(line, &start), *path;

	if (*p != '-')
		return false;
	hex(p + 1, &end);
	path = strchr(p, '/');
	if (addr < start || addr >= end || !path)
		return false;
	/* the file's name may hold what a terminal obeys */
	for (; *path; path++) {
		char c = *path >= ' ' && *path != 0x7f ? *path : '?';

		put(&c, 1);
	}
	return true;
}

static bool put_file(uint64_t addr)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	static char line[4400], piece[4096];
	size_t used = 0;
	ssize_t n;

	if (fd < 0)
		return false;
	while ((n = read(fd, piece, sizeof(piece))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (piece[i] != '\n') {
				if (used + 1 < sizeof(line))
					line[used++] = piece[i];
				continue;
			}
			line[used] = '\0';
			used = 0;
			if (put_path(line, addr))
				return true;
		}
	}
	return false;
}

static void on_bus(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	out_abandon();
	PUT("perfctl: ");
	if (!put_file((uint64_t)(uintptr_t)info->si_addr))
		PUT("a file");
	PUT(" became shorter while it was read, or its disk failed\n");
	_exit(STATUS_BAD_DATA);
}

void bus_explain(void)
{
	struct sigaction act = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &act, NULL);
}
