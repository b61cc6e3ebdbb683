// SPDX-License-Identifier: GPL-2.0
/* Files that are written. See output.h. */
#include "output.h"
#include "perf_file.h"
#include "resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes for stdio, and keeps the reason of the first failure, which stdio forgets. */
static ssize_t out_fd_write(void *cookie, const char *data, size_t len)
{
	struct out *o = cookie;
	size_t done = 0;
	ssize_t n;

	/* what is there stays until there is something better */
	if (o->empty && o->is_file && ftruncate(o->fd, 0) && !o->error)
		o->error = errno;
	o->empty = false;
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

/* ---- What is incomplete when the program ends is removed ---- */

static struct out *volatile pending;
static pid_t pending_of;

void out_abandon(void)
{
	if (pending_of == getpid())
		for (const struct out *o = pending; o; o = o->next)
			unlink(o->temp);
}

static void on_signal(int sig)
{
	out_abandon();
	signal(sig, SIG_DFL);
	raise(sig);
}

static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU };

static void watch_end(void)
{
	struct sigaction act = { .sa_handler = on_signal }, old;

	if (pending_of == getpid())
		return;
	pending_of = getpid();
	atexit(out_abandon);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &act, NULL);
}

/*
 * Makes the file that is removed unless it becomes whole. A signal waits until it is known to be
 * there: it would stay if the program ended between the two.
 */
static int make_pending(struct out *o)
{
	sigset_t ends, before;

	watch_end();
	sigemptyset(&ends);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(&ends, signals[i]);
	pthread_sigmask(SIG_BLOCK, &ends, &before);
	o->fd = mkostemp(o->temp, O_CLOEXEC);
	if (o->fd >= 0) {
		o->next = pending;
		pending = o;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return o->fd;
}

static void pending_drop(struct out *o)
{
	if (pending == o) {
		pending = o->next;
		return;
	}
	for (struct out *other = pending; other; other = other->next)
		if (other->next == o)
			other->next = o->next;
}

/* ---- Opening ---- */

/* A name of a descriptor of ours: its position and flags are those of the caller */
static int own_fd(const char *path)
{
	int fd, len = 0;

	if (sscanf(path, "/proc/self/fd/%d%n", &fd, &len) < 1 &&
	    sscanf(path, "/dev/fd/%d%n", &fd, &len) < 1)
		return -1;
	return len && !path[len] ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
}

static mode_t mode_of(const struct out *o, const struct stat *older)
{
	mode_t mask;

	if (o->older)
		return older->st_mode & 0777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

/* The file is made beside the one that it is to replace, with its owner and rights. */
static int open_beside(struct out *o, const struct stat *older, struct msg *m)
{
	const char *slash = strrchr(o->real, '/');
	int dir_len = slash ? (int)(slash - o->real) + 1 : 0;

	if (o->older && faccessat(AT_FDCWD, o->real, W_OK, AT_EACCESS))
		return msg_set(m, -EIO, "%s: %s", o->path, strerror(errno));
	o->temp = xasprintf("%.*s.perfctl-XXXXXX", dir_len, o->real);
	if (make_pending(o) < 0)
		return msg_set(m, -EIO, "%s: %s%s", o->path, strerror(errno), o->older ?
			       ": it is replaced as a whole, and needs another file beside it" : "");
	/* one who may not give files away keeps what he makes */
	if (o->older && (older->st_uid != geteuid() || older->st_gid != getegid()) &&
	    fchown(o->fd, older->st_uid, older->st_gid))
		errno = 0;
	if (fchmod(o->fd, mode_of(o, older)))
		return msg_set(m, -EIO, "%s: %s", o->path, strerror(errno));
	o->is_file = true;
	return 0;
}

static int open_in_place(struct out *o, int flags, struct msg *m)
{
	struct stat st;

	o->fd = own_fd(o->real);
	if (o->fd < 0)
		o->fd = open(o->real, O_WRONLY | O_CLOEXEC | O_NOCTTY | flags, 0666);
	if (o->fd < 0 || fstat(o->fd, &st))
		return msg_set(m, -EIO, "%s: %s", o->path, strerror(errno));
	o->is_file = S_ISREG(st.st_mode);
	return 0;
}

static int open_file(struct out *o, enum out_kind kind, struct msg *m)
{
	struct stat st;
	bool link;
	int err = resolve_path(o->path, &o->real, m);

	if (err)
		return err;
	o->older = !lstat(o->real, &st);
	link = o->older && S_ISLNK(st.st_mode);
	if (o->older && S_ISREG(st.st_mode) && (kind == OUT_WHOLE || kind == OUT_LINES) &&
	    perf_file_is_original(o->real))
		return msg_set(m, -EEXIST, "%s is a recording that perf made, and is not replaced: "
			       "choose another name with -o, or move it away; export replaces it "
			       "with --force", o->path);
	if (link)
		return open_in_place(o, 0, m);
	if (o->older && !S_ISREG(st.st_mode))
		return open_in_place(o, O_NOFOLLOW, m);
	if (kind == OUT_WHOLE || kind == OUT_FORCE)
		return open_beside(o, &st, m);
	o->empty = kind == OUT_LINES;
	return open_in_place(o, O_CREAT | O_NOFOLLOW | (kind == OUT_APPEND ? O_APPEND : 0), m);
}

/* Without a file: what is incomplete is removed. */
static void drop(struct out *o)
{
	if (o->fd > 2)
		close(o->fd);
	if (o->temp) {
		pending_drop(o);
		unlink(o->temp);
	}
	free(o->temp);
	free(o->real);
	o->temp = o->real = NULL;
	o->fd = -1;
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
		if (err) {
			drop(o);
			return err;
		}
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

static const char *what_is_left(const struct out *o)
{
	if (!o->temp)
		return "";
	return o->older ? "; the older file stays" : "; the incomplete file is removed";
}

int out_close(struct out *o, int err, struct msg *m)
{
	if (!o->f || o->f == stderr)
		return err;
	if (fclose(o->f) && !o->error)
		o->error = errno;
	o->f = NULL;
	if (o->fd > 2 && close(o->fd) && !o->error)
		o->error = errno;
	o->fd = -1;
	if (!err && !o->error && o->temp) {
		if (rename(o->temp, o->real)) {
			o->error = errno;
		} else {
			pending_drop(o);
			free(o->temp);
			o->temp = NULL;
		}
	}
	if (!err && o->error == EPIPE)
		err = msg_set(m, -EIO, "%s: its reader stopped before the end", o->path);
	else if (!err && o->error)
		err = msg_set(m, -EIO, "%s: %s%s", o->path, strerror(o->error), what_is_left(o));
	drop(o);
	return err;
}

void out_printf(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(o->f, fmt, ap);
	va_end(ap);
}
