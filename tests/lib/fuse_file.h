/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file whose pages come when a program says so: FUSE, the server of which is a thread of the
 * program itself. Nobody else sees it, as it is mounted only while it is opened, unless it is a
 * program to be executed.
 */
#ifndef FUSE_FILE_H
#define FUSE_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Its inode; the directory's is FUSE_ROOT_ID. */
#define FUSE_FILE_INODE	2

/**
 * struct fuse_file - such a file
 * @size: in bytes
 * @fill: makes the content of a page, by the server's thread: nobody gets it before that returns
 * @attr: the kernel asks for an extended attribute, and hears that there are none when that
 *	  returns; may be NULL
 * @arg:  for both
 * @dir:  stays mounted there, and its programs may have file capabilities; NULL: nowhere
 * @file: open, for reading
 * @fd:   the connection to the kernel
 */
struct fuse_file {
	uint64_t	size;
	void		(*fill)(void *arg, char *data, size_t size);
	void (*attr)(void *arg);
	void		*arg;
	const char *dir;
	int		file;
	int		fd;
};

static inline struct fuse_attr fuse_file_attr(const struct fuse_file *f, uint64_t inode)
{
	bool file = inode == FUSE_FILE_INODE;

	return (struct fuse_attr){
		.ino = inode,
		.mode = file ? S_IFREG | 0555 : S_IFDIR | 0555,
		.nlink = 1,
		.size = file ? f->size : 0,
	};
}

static inline void fuse_file_answer(const struct fuse_file *f, uint64_t unique, int err,
				    void *data, size_t size)
{
	struct fuse_out_header head = {
		.len = sizeof(head) + size, .error = err, .unique = unique,
	};
	struct iovec parts[] = {
		{ &head, sizeof(head) }, { data, size },
	};

	/* who asked may be gone */
	if (writev(f->fd, parts, 2) < 0 && errno != ENOENT)
		perror("an answer to FUSE");
}

static inline void fuse_file_read(const struct fuse_file *f, uint64_t unique, size_t size)
{
	char *data = calloc(1, size);

	if (!data) {
		fuse_file_answer(f, unique, -ENOMEM, NULL, 0);
		return;
	}
	f->fill(f->arg, data, size);
	fuse_file_answer(f, unique, 0, data, size);
	free(data);
}

static inline void fuse_file_serve_one(const struct fuse_file *f, const struct fuse_in_header *in)
{
	/* pages are asked for one by one: nothing is read ahead */
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION,
		.max_write = 4096,
	};
	struct fuse_entry_out entry = {
		.nodeid = FUSE_FILE_INODE, .entry_valid = 3600, .attr_valid = 3600,
		.attr = fuse_file_attr(f, FUSE_FILE_INODE),
	};
	struct fuse_attr_out attr = {
		.attr_valid = 3600, .attr = fuse_file_attr(f, in->nodeid),
	};
	struct fuse_open_out opened = { .fh = 1 };

	switch (in->opcode) {
	case FUSE_INIT:
		fuse_file_answer(f, in->unique, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		fuse_file_answer(f, in->unique, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		fuse_file_answer(f, in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		fuse_file_answer(f, in->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		fuse_file_read(f, in->unique, ((const struct fuse_read_in *)(in + 1))->size);
		break;
	case FUSE_GETXATTR:
		if (f->attr)
			f->attr(f->arg);
		fuse_file_answer(f, in->unique, -ENOSYS, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
		break;		/* nobody waits for these */
	default:
		fuse_file_answer(f, in->unique, -ENOSYS, NULL, 0);
	}
}

static inline void *fuse_file_serve(void *arg)
{
	static _Alignas(uint64_t) char request[FUSE_MIN_READ_BUFFER + 4096];
	const struct fuse_file *f = arg;
	ssize_t n;

	for (;;) {
		n = read(f->fd, request, sizeof(request));
		if (n > 0)
			fuse_file_serve_one(f, (const struct fuse_in_header *)request);
		else if (n == 0 || errno != EINTR)
			return NULL;
	}
}

static inline int fuse_file_open_in(struct fuse_file *f, const char *dir)
{
	char options[80], path[80];
	pthread_t server;

	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", f->fd);
	snprintf(path, sizeof(path), "%s/page", dir);
	if (mount("pev", dir, "fuse.pev", (f->dir ? 0 : MS_NOSUID) | MS_NODEV, options))
		return -1;
	/* requests can be read from now on; who opens the file waits for an answer */
	if (!pthread_create(&server, NULL, fuse_file_serve, f)) {
		pthread_detach(server);
		f->file = open(path, O_RDONLY | O_CLOEXEC);
		/*
		 * The kernel hears that there is nothing to flush. It would ask at the exit, too, when
		 * the server's thread is gone and the connection still there, and wait for ever.
		 */
		close(dup(f->file));
	}
	if (!f->dir)
		umount2(dir, MNT_DETACH);
	return f->file < 0 ? -1 : 0;
}

/* Makes the file; takes root's rights, once in a process. Returns 0, or -1: FUSE is not to be had. */
static inline int fuse_file_open(struct fuse_file *f)
{
	char dir[] = "/tmp/pev-fuse-XXXXXX";
	int ret = -1;

	f->file = -1;
	f->fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (f->fd < 0)
		return -1;
	if (f->dir) {
		ret = fuse_file_open_in(f, f->dir);
	} else if (mkdtemp(dir)) {
		ret = fuse_file_open_in(f, dir);
		rmdir(dir);
	}
	if (ret) {
		close(f->fd);
		f->fd = -1;
	}
	return ret;
}

#endif
