// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Whole files in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/file.h"
#include "regular.h"

static ssize_t read_some(int fd, bool positioned, char *to, size_t len, size_t at)
{
	ssize_t n;

	do {
		n = positioned ? pread(fd, to, len, (off_t)at) : read(fd, to, len);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static int read_to_end(int fd, bool positioned, char **text, size_t *len)
{
	size_t room = 0, used = 0;
	char *buf = NULL, *more;
	ssize_t n;

	do {
		if (used + 1 >= room) {
			room = room ? 2 * room : 65536;
			more = realloc(buf, room);
			if (!more) {
				n = -ENOMEM;
				break;
			}
			buf = more;
		}
		n = read_some(fd, positioned, buf + used, room - used - 1, used);
		if (n > 0)
			used += (size_t)n;
	} while (n > 0);
	if (n < 0) {
		free(buf);
		return (int)n;
	}
	buf[used] = '\0';
	*text = buf;
	if (len)
		*len = used;
	return 0;
}

int pev_read_whole(int fd, char **text, size_t *len)
{
	return read_to_end(fd, false, text, len);
}

int pev_pread_whole(int fd, char **text, size_t *len)
{
	return read_to_end(fd, true, text, len);
}

/* The metadata of the largest number of events need less. */
#define PEV_MAX_TEXT	(1LL << 30)

int pev_read_file(const char *path, char **text, size_t *len)
{
	int fd = regular_open(path), err;
	struct stat st;

	if (fd < 0)
		return fd;
	/* a sparse file may not fit in memory */
	if (fstat(fd, &st))
		err = -errno;
	else if (st.st_size > PEV_MAX_TEXT)
		err = -EFBIG;
	else
		err = pev_read_whole(fd, text, len);
	close(fd);
	return err;
}

int pev_temporary_file(uint64_t size)
{
	const char *dir = getenv("TMPDIR");
	int fd = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), err;

	if (fd < 0)
		return -errno;
	err = ftruncate(fd, (off_t)size) ? -errno : 0;
	if (!err)
		return fd;
	close(fd);
	return err;
}
