// SPDX-License-Identifier: GPL-2.0
/* The bytes of a perf.data, from a file or a pipe. See input.h. */
#include "input.h"
#include "base/tempfile.h"
#include "snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PIECE (1u << 20)

static void go_on(int sig)
{
	(void)sig;
}

/* Ctrl-C is for the one that writes into the pipe: what it wrote is wanted. A second one ends us. */
static void leave_interrupt_to_writer(struct sigaction *old)
{
	struct sigaction once = { .sa_handler = go_on,
				  .sa_flags = SA_RESTART | (int)SA_RESETHAND };

	sigaction(SIGINT, NULL, old);
	if (old->sa_handler != SIG_IGN)
		sigaction(SIGINT, &once, NULL);
}

static int write_all(int fd, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

static int copy(struct import *im, int from, int to, struct msg *m)
{
	uint8_t *piece = xmalloc(PIECE);
	struct sigaction old;
	ssize_t n;
	int err;

	err = write_all(to, (const uint8_t *)im->head, im->n_head);
	im->size = im->n_head;
	n = 0;
	leave_interrupt_to_writer(&old);
	while (!err && (n = read(from, piece, PIECE))) {
		if (n > 0)
			err = write_all(to, piece, (size_t)n);
		else if (errno != EINTR)
			break;
		im->size += n > 0 ? (uint64_t)n : 0;
	}
	if (err)
		msg_set(m, err, "the temporary file for %s: %s", im->path, strerror(-err));
	else if (n < 0)
		err = msg_set(m, -EIO, "%s: %s", im->path, strerror(errno));
	sigaction(SIGINT, &old, NULL);
	free(piece);
	return err;
}

/* Replaces @fd, which can only be read once. */
static int keep(struct import *im, int *fd, const char *beside, struct msg *m)
{
	int to = tempfile_open(beside, m), err;

	if (to < 0)
		return to;
	err = copy(im, *fd, to, m);
	im->written = (int64_t)time(NULL) * 1000000000LL;
	close(*fd);
	*fd = to;
	return err;
}

/* Replaces @fd, whose file others may write while it is looked at. */
static int keep_file(const struct import *im, int *fd, const struct stat *st, const char *beside,
		     struct msg *m)
{
	int to = tempfile_open(beside, m), err;

	if (to < 0)
		return to;
	err = ftruncate(to, st->st_size) ? -errno : snapshot_copy(*fd, to, 0, st->st_size);
	close(*fd);
	*fd = to;
	return err ? msg_set(m, err, "the temporary file for %s: %s", im->path, strerror(-err)) : 0;
}

static int open_input(const struct import *im)
{
	struct stat st;

	if (!strcmp(im->path, "-"))
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	/* opening a FIFO waits for its writer, opening a device must not */
	return open(im->path, O_RDONLY | O_CLOEXEC | O_NOCTTY |
			      (!stat(im->path, &st) && S_ISFIFO(st.st_mode) ? 0 : O_NONBLOCK));
}

int import_input(struct import *im, const char *beside, struct msg *m)
{
	int fd = open_input(im), err = 0;
	struct stat st;
	void *p;

	if (!strcmp(im->path, "-"))
		im->path = "the standard input";
	if (fd < 0 || fstat(fd, &st)) {
		msg_set(m, -EBADMSG, "%s: %s", im->path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -EBADMSG;
	}
	if (S_ISREG(st.st_mode)) {
		im->size = (uint64_t)st.st_size;
		im->written = st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec;
		if (snapshot_is_needed(fd, &st))
			err = keep_file(im, &fd, &st, beside, m);
	} else if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) {
		err = keep(im, &fd, beside, m);
	} else {
		err = msg_set(m, -EBADMSG, "%s: it is no file%s", im->path, S_ISDIR(st.st_mode) ?
			      " but a directory (perf record --threads writes these; perf script "
			      "can read them)" : " and no pipe");
	}
	p = !err && im->size ? mmap(NULL, im->size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	if (!err && p == MAP_FAILED)
		err = msg_set(m, -EBADMSG, "%s: %s", im->path,
			      im->size ? strerror(errno) : "it is empty");
	close(fd);
	im->data = err ? NULL : p;
	return err;
}
