// SPDX-License-Identifier: LGPL-2.1-only
/* Processes that were recorded, as far as they are still there. See process.h. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "object/process.h"

#define NS	  1000000000LL
#define TOLERANCE NS /* clocks are set, and a start is known to some ms */

static int64_t clock_ns(clockid_t id)
{
	struct timespec t = { 0 };

	clock_gettime(id, &t);
	return t.tv_sec * NS + t.tv_nsec;
}

/* Returns when a process began, in ns since the epoch; -1: it is not there. */
static int64_t start_ns(uint32_t pid)
{
	char path[32], text[1024], *p;
	unsigned long long ticks;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return -1;
	text[n] = 0;
	/* the name may have anything in it; 19 fields lie between its end and the start */
	p = strrchr(text, ')');
	if (!p || sscanf(p + 1, " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			 "%*s %*s %*s %*s %llu", &ticks) != 1)
		return -1;
	return clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME) +
	       (int64_t)(ticks * (unsigned long long)(NS / sysconf(_SC_CLK_TCK)));
}

bool process_lives(uint32_t pid, int64_t end)
{
	int64_t start = pid ? start_ns(pid) : -1;

	return start >= 0 && (!end || start - TOLERANCE <= end);
}

bool process_owns(uint32_t pid, uid_t owner)
{
	char path[32];
	struct stat st;

	if (!owner || owner == geteuid())
		return true;
	snprintf(path, sizeof(path), "/proc/%u", pid);
	return pid && !stat(path, &st) && st.st_uid == owner;
}
