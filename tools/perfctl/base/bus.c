// SPDX-License-Identifier: GPL-2.0
/*
 * Names the file behind a SIGBUS, or has zeros there instead. See bus.h. Only what a signal handler
 * may call is used.
 */
#include "bus.h"
#include "output.h"
#include "status.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
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

/* A line of /proc/self/maps; returns whether it has the address and a path. */
static const char *path_at(const char *line, uint64_t addr, const char **rights)
{
	uint64_t start, end;
	const char *p = hex(line, &start), *path;

	if (*p != '-')
		return NULL;
	*rights = hex(p + 1, &end);
	path = strchr(p, '/');
	return addr < start || addr >= end ? NULL : path;
}

static bool put_path(const char *path)
{
	/* the file's name may hold what a terminal obeys */
	for (; *path; path++) {
		char c = *path >= ' ' && *path != 0x7f ? *path : '?';

		put(&c, 1);
	}
	return true;
}

/* Is a page of a file that is only read: " r--p", or " rw-p" as elfutils maps it? */
static bool is_copy(const char *rights)
{
	return strnlen(rights, 5) == 5 && rights[3] == '-' && rights[4] == 'p';
}

/* Looks for the mapping: says its path, or tells whether zeros may be in its place. */
static bool find_file(uint64_t addr, bool say)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	char line[4400], piece[1024];
	bool found = false;
	size_t used = 0;
	ssize_t n;

	while (fd >= 0 && !found && (n = read(fd, piece, sizeof(piece))) > 0) {
		for (ssize_t i = 0; i < n && !found; i++) {
			const char *path, *rights;

			if (piece[i] != '\n') {
				if (used + 1 < sizeof(line))
					line[used++] = piece[i];
				continue;
			}
			line[used] = '\0';
			used = 0;
			path = path_at(line, addr, &rights);
			found = path && (say ? put_path(path) : is_copy(rights));
		}
	}
	if (fd >= 0)
		close(fd);
	return found;
}

static volatile bool reads_others;
static uint64_t page;

/* Another look finds zeros, as in a file that was damaged. */
static bool put_zeros(uint64_t addr)
{
	void *at = (void *)(uintptr_t)(addr & ~(page - 1));

	return mmap(at, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		    0) != MAP_FAILED;
}

static void on_bus(int sig, siginfo_t *info, void *context)
{
	uint64_t addr = (uint64_t)(uintptr_t)info->si_addr;
	int err = errno;

	(void)sig;
	(void)context;
	if (reads_others && info->si_code == BUS_ADRERR && find_file(addr, false) &&
	    put_zeros(addr)) {
		errno = err;
		return;
	}
	out_abandon();
	PUT("perfctl: ");
	if (!find_file(addr, true))
		PUT("a file");
	PUT(" became shorter while it was read, or its disk failed\n");
	_exit(STATUS_BAD_DATA);
}

void bus_explain(void)
{
	struct sigaction act = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &act, NULL);
}

void bus_survive(void)
{
	page = (uint64_t)sysconf(_SC_PAGESIZE);
	reads_others = true;
}
