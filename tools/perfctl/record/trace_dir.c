// SPDX-License-Identifier: GPL-2.0
/* The directory of a new trace: an older trace of that name becomes NAME.old. */
#include "trace_dir.h"
#include "base/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum found { FOUND_NOTHING, FOUND_TRACE, FOUND_OTHER };

static enum found look_at(const char *path)
{
	char *metadata = xasprintf("%s/metadata", path), start[16] = "";
	enum found found = FOUND_OTHER;
	FILE *f = fopen(metadata, "re");
	struct stat st;

	free(metadata);
	if (f) {
		if (fread(start, 1, 7, f) == 7 && !strncmp(start, "/* CTF ", 7))
			found = FOUND_TRACE;
		fclose(f);
	} else if (lstat(path, &st)) {
		found = FOUND_NOTHING;
	}
	return found;
}

static bool is_at(int fd, const char *path)
{
	struct stat here, there;

	return !fstat(fd, &here) && !stat(path, &there) && here.st_dev == there.st_dev &&
	       here.st_ino == there.st_ino;
}

/*
 * Locks a directory, until the descriptor is closed: it stays locked when it is renamed. Returns
 * 0 with *fd < 0 if there is none, or none that can be locked.
 */
static int lock(const char *path, int *fd, struct msg *m)
{
	do {
		*fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (*fd < 0)
			return 0;
		if (flock(*fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
			close(*fd);
			*fd = -1;
			return msg_set(m, -EBUSY, "%s is being written by another perfctl: wait until "
				       "that has ended, or choose another name with -o", path);
		}
		if (is_at(*fd, path))
			return 0;
		/* it was renamed before it was locked */
		close(*fd);
	} while (true);
}

static void unlock(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int trace_dir_remove(const char *path, struct msg *m)
{
	struct pev_error e = { 0 };
	int fd, err = lock(path, &fd, m);

	if (err)
		return err;
	err = pev_trace_remove(path, &e);
	unlock(&fd);
	if (err && err != -ENOENT)
		msg_set(m, err, "%s", e.text);
	return err == -ENOENT ? 0 : err;
}

static bool is_same(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool trace_dir_would_move(const char *path, const char *other)
{
	char *real = realpath(path, NULL), *old;
	bool would;

	/* what is not there moves nothing */
	if (!real)
		return false;
	old = xasprintf("%s.old", real);
	would = is_same(real, other) || is_same(old, other);
	free(old);
	free(real);
	return would;
}

static int rotate(struct trace_dir *d, struct msg *m)
{
	char *old = xasprintf("%s.old", d->path);
	struct msg why;
	int err = trace_dir_remove(old, &why);

	if (err == -EBUSY)
		*m = why;
	else if (err)
		msg_set(m, err,
			"%s cannot be renamed to %s, as %s; move that away, or choose another "
			"name with -o",
			d->path, old, why.text);
	else if (rename(d->path, old))
		err = msg_set(m, -errno, "renaming %s to %s: %s", d->path, old, strerror(errno));
	d->rotated = !err;
	free(old);
	return err;
}

/* Only an empty directory may be there otherwise. */
static int open_writer(struct trace_dir *d, struct pev_writer **w, struct msg *m)
{
	struct pev_error e;
	int err = pev_writer_open(d->path, 0, w, &e);

	if (err == -EEXIST || err == -ENOTDIR)
		return msg_set(m, err, "%s exists and is not a pev trace; choose another name with -o",
			       d->path);
	return err ? msg_set(m, err == -EPERM ? err : -EIO, "%s", e.text) : 0;
}

/* Gets an empty directory and its lock, if that can be; open_writer() says why it cannot. */
static int make_room(struct trace_dir *d, struct msg *m)
{
	int err;

	do {
		d->made = !mkdir(d->path, 0700);
		err = lock(d->path, &d->lock, m);
		/* another one was quicker, and writes there now */
		if (err)
			d->made = false;
		if (err || d->made || look_at(d->path) != FOUND_TRACE)
			return err;
		err = rotate(d, m);
		unlock(&d->lock);
	} while (!err);
	return err;
}

int trace_dir_open(struct trace_dir *d, const char *path, struct pev_writer **w, struct msg *m)
{
	size_t len = strlen(path);
	char *plain;
	int err;

	*d = (struct trace_dir){ .lock = -1 };
	while (len > 1 && path[len - 1] == '/')
		len--;
	plain = xstrndup(path, len);
	err = resolve_path(plain, &d->path, m);
	free(plain);
	if (!err)
		err = make_room(d, m);
	if (!err)
		err = open_writer(d, w, m);
	if (err) {
		if (d->made)
			rmdir(d->path);
		trace_dir_free(d);
	}
	return err;
}

void trace_dir_discard(struct trace_dir *d)
{
	char *old = xasprintf("%s.old", d->path);

	if (!pev_trace_remove(d->path, NULL) && d->rotated)
		rename(old, d->path);
	free(old);
	trace_dir_free(d);
}

void trace_dir_free(struct trace_dir *d)
{
	if (!d->path)
		return;
	free(d->path);
	unlock(&d->lock);
	*d = (struct trace_dir){ 0 };
}
