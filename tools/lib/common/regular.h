/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Opens files at paths that others have a say in. What includes it has it for its own, so that no
 * library has to export it to another one.
 */
#ifndef _PEV_COMMON_REGULAR_H
#define _PEV_COMMON_REGULAR_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* What was looked at is opened, whatever others put at the path meanwhile. */
static inline int regular_open_seen(int seen, const char *path)
{
	static const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	struct stat st, now;
	char self[32];
	int fd;

	if (fstat(seen, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -ENXIO;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", seen);
	fd = open(self, flags);
	if (fd >= 0 || errno != ENOENT)
		return fd < 0 ? -errno : fd;
	/* there is no /proc */
	fd = open(path, flags);
	if (fd >= 0 && (fstat(fd, &now) || now.st_dev != st.st_dev || now.st_ino != st.st_ino)) {
		close(fd);
		return -ENXIO;
	}
	return fd < 0 ? -errno : fd;
}

/**
 * regular_open() - open a regular file, without opening what is none
 *
 * A FIFO may be waited at, and there are devices that do something when they are opened, such as
 * a watchdog, which begins to run.
 *
 * Return: a descriptor to read from; -EISDIR, -ENXIO for other files; -errno.
 */
static inline int regular_open(const char *path)
{
	int seen = open(path, O_PATH | O_CLOEXEC), fd;

	if (seen < 0)
		return -errno;
	fd = regular_open_seen(seen, path);
	close(seen);
	return fd;
}

#endif /* _PEV_COMMON_REGULAR_H */
