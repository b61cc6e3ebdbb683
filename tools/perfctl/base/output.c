// SPDX-License-Identifier: GPL-2.0
/* Files that are written. See output.h. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

/* Below stdio, so that the reason of the first failure is kept. */
static ssize_t out_fd_write(void *cookie, const char *data, size_t len)
{
	struct out *o = cookie;
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = write(o->fd, data + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (!o->error)
				o->error = n ? errno : ENOSPC;
			return 0;
		}
		done += (size_t)n;
	}
	return (ssize_t)len;
}

static int out_fd_seek(void *cookie, off64_t *offset, int whence)
{
	struct out *o = cookie;

	*offset = lseek(o->fd, *offset, whence);
	return *offset < 0 ? -1 : 0;
}

static int open_file(struct out *o, enum out_kind kind, struct msg *m)
{
	int how = kind == OUT_APPEND ? O_WRONLY | O_APPEND : O_RDWR | O_TRUNC;
	struct stat st;

	o->fd = open(o->path, how | O_CREAT | O_CLOEXEC, 0666);
	if (o->fd < 0 && kind != OUT_APPEND &&
	    (errno == EACCES || errno == EINVAL || errno == EPERM))
		o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
	if (o->fd < 0)
		return msg_set(m, -EIO, "%s: %s", o->path, strerror(errno));
	o->is_file = !fstat(o->fd, &st) && S_ISREG(st.st_mode);
	/* what a link leads to is not known to be a file of ours */
	o->remove = kind == OUT_WHOLE && !lstat(o->path, &st) && S_ISREG(st.st_mode);
	return 0;
}

int out_open(struct out *o, const char *path, enum out_kind kind, struct msg *m)
{
	static const cookie_io_functions_t io = { .write = out_fd_write, .seek = out_fd_seek };
	int err;

	if (!path) {
		*o = (struct out){ .fd = 2, .path = "the error output", .f = stderr };
		return 0;
	}
	*o = (struct out){ .fd = 1, .path = path };
	if (strcmp(path, "-")) {
		err = open_file(o, kind, m);
		if (err)
			return err;
	} else {
		o->path = "the standard output";
		fflush(stdout);
	}
	o->f = fopencookie(o, "w", io);
	if (!o->f)
		return msg_set(m, -ENOMEM, "%s: %s", path, strerror(errno));
	setvbuf(o->f, NULL, _IOFBF, 1 << 18);
	return 0;
}

int out_close(struct out *o, int err, struct msg *m)
{
	int write_err;

	if (!o->f || o->f == stderr)
		return err;
	if (fclose(o->f) && !o->error)
		o->error = errno;
	write_err = o->error;
	if (o->fd > 1 && close(o->fd) && !write_err)
		write_err = errno;
	o->f = NULL;
	if (!err && write_err == EPIPE)
		err = msg_set(m, -EIO, "%s: whoever read it stopped before the end", o->path);
	else if (!err && write_err)
		err = msg_set(m, -EIO, "%s: %s%s", o->path, strerror(write_err),
			      o->remove ? "; the incomplete file is removed" : "");
	if (err && o->remove)
		unlink(o->path);
	return err;
}

void out_printf(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(o->f, fmt, ap);
	va_end(ap);
}
