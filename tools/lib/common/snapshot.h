/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Files that other users may write while they are read: what was checked may change before it is
 * used, and elfutils takes a mapping for constant.
 */
#ifndef _PEV_COMMON_SNAPSHOT_H
#define _PEV_COMMON_SNAPSHOT_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

/*
 * Says whether anybody but root and the user may write what @st is of. The group that
 * distributions make for each user alone, which has his number, is the user.
 */
static inline bool others_may_write(const struct stat *st)
{
	uid_t user = geteuid();
	bool own_group = user && st->st_gid == user && getegid() == user;

	return (st->st_uid && st->st_uid != user) || st->st_mode & S_IWOTH ||
	       (st->st_mode & S_IWGRP && !own_group);
}

/* Has @st of the file, and says whether anybody but root and the user may write that. */
static inline bool snapshot_is_needed(int fd, struct stat *st)
{
	static const long fuse = 0x65735546;
	struct statfs fs;

	if (fstat(fd, st) || fstatfs(fd, &fs)) {
		*st = (struct stat){ 0 };
		return true;
	}
	/* what a program serves is what that program likes */
	return fs.f_type == fuse || others_may_write(st);
}

/*
 * Copies what is from an offset on to another one, to the same place. Of a file with holes, only
 * what is between them: a copy has them, too.
 */
static inline int snapshot_copy(int from, int to, off_t at, off_t size)
{
	off_t data;
	ssize_t n = 1;

	while (n > 0 && at < size) {
		data = lseek(from, at, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			break;
		at = data > at ? data : at;
		data = lseek(from, at, SEEK_HOLE);
		data = data > at && data < size ? data : size;
		if (at >= data || lseek(to, at, SEEK_SET) < 0)
			break;
		while (at < data && (n = sendfile(to, from, &at, (size_t)(data - at))) > 0)
			;
	}
	return n < 0 ? -errno : 0;
}

/**
 * snapshot_make() - copy a file into memory
 *
 * What another user writes meanwhile may be in the copy or not.
 *
 * Return: a descriptor, whose file nobody else has; -errno.
 */
static inline int snapshot_make(int fd, const struct stat *st)
{
	int copy = memfd_create("copy", MFD_CLOEXEC | MFD_NOEXEC_SEAL), err;

	/* before Linux 6.3 */
	if (copy < 0 && errno == EINVAL)
		copy = memfd_create("copy", MFD_CLOEXEC);
	if (copy < 0)
		return -errno;
	err = ftruncate(copy, st->st_size) ? -errno : snapshot_copy(fd, copy, 0, st->st_size);
	if (err) {
		close(copy);
		return err;
	}
	return copy;
}

/* Bytes that copies may take at the most: half of the memory that there is. */
static inline uint64_t snapshot_most(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages / 2 * (uint64_t)size : 1ull << 30;
}

#endif /* _PEV_COMMON_SNAPSHOT_H */
