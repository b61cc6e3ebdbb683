// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Makes the directories of new traces, and removes older traces. A name alone proves nothing: streams must begin like one, and
 * a directory without info was made by something else.
 */
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pev/trace.h>
#include <pev/writer.h>
#include "core/error.h"
#include "core/file.h"
#include "core/packet.h"
#include "core/zstd.h"
#include "trace/index.h"
#include "trace/older.h"
#include "trace/pack.h"

#define OPEN_DIR	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

struct sweep {
	bool	erase;
	char	*alien;
	size_t	size;
	char	*listed;	/* text of info/record */
};

/* Calls @fn for each entry, until it returns another value than 0. */
static int for_entries(int fd, int (*fn)(int dir, const char *name, struct sweep *s),
		       struct sweep *s)
{
	int again = openat(fd, ".", OPEN_DIR), ret = 0;
	DIR *dir = again < 0 ? NULL : fdopendir(again);
	const struct dirent *e;

	if (!dir) {
		ret = -errno;
		if (again >= 0)
			close(again);
		return ret;
	}
	while (!ret && (e = readdir(dir)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			ret = fn(dirfd(dir), e->d_name, s);
	closedir(dir);
	return ret;
}

static int found_one(int dir, const char *name, struct sweep *s)
{
	(void)dir;
	(void)name;
	(void)s;
	return 1;
}

int older_is_empty(int dir)
{
	int ret = for_entries(dir, found_one, NULL);

	return ret < 0 ? ret : !ret;
}

static int refuse(struct sweep *s, const char *within, const char *name)
{
	snprintf(s->alien, s->size, "%s%s", within, name);
	return -EEXIST;
}

static bool is_kind(int dir, const char *name, mode_t kind)
{
	struct stat st;

	return !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && (st.st_mode & S_IFMT) == kind;
}

static bool is_stream(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	uint32_t magic;
	ssize_t n;

	if (fd < 0)
		return false;
	n = pread(fd, &magic, sizeof(magic), 0);
	close(fd);
	return !n || (n == sizeof(magic) &&
		      (magic == PEV_PACKET_MAGIC || le32toh(magic) == ZSTD_FRAME_MAGIC));
}

static bool is_ours(int dir, const char *name)
{
	if (!is_kind(dir, name, S_IFREG))
		return false;
	if (!strncmp(name, "stream_", 7))
		return is_stream(dir, name);
	return !strcmp(name, "metadata") || !strcmp(name, "metadata.new");
}

/* What ends of frames are has no beginning by which it is known. */
static bool is_ends(const char *name)
{
	size_t len = strlen(name), ending = strlen(PACK_ENDS);

	return !strncmp(name, "stream_", 7) && len > ending &&
	       !strcmp(name + len - ending, PACK_ENDS);
}

/* LTTng's begin alike, but are in no directory with an info like ours. */
static int sweep_index_file(int dir, const char *name, struct sweep *s)
{
	int fd = is_kind(dir, name, S_IFREG) ?
			 openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) :
			 -1;
	uint32_t magic = 0;
	ssize_t n = fd < 0 ? -1 : pread(fd, &magic, sizeof(magic), 0);

	if (fd >= 0)
		close(fd);
	if (n && (n != sizeof(magic) || be32toh(magic) != INDEX_MAGIC) && !is_ends(name))
		return refuse(s, INDEX_DIR "/", name);
	return s->erase && unlinkat(dir, name, 0) ? -errno : 0;
}

static int sweep_index(int dir, struct sweep *s)
{
	int index = openat(dir, INDEX_DIR, OPEN_DIR), ret;

	if (index < 0)
		return -errno;
	ret = for_entries(index, sweep_index_file, s);
	close(index);
	if (!ret && s->erase && unlinkat(dir, INDEX_DIR, AT_REMOVEDIR))
		ret = -errno;
	return ret;
}

static int sweep_file(int dir, const char *name, struct sweep *s)
{
	/* it says whose the rest is, and so goes last */
	if (!strcmp(name, "info") && is_kind(dir, name, S_IFDIR))
		return 0;
	if (!strcmp(name, INDEX_DIR) && is_kind(dir, name, S_IFDIR))
		return sweep_index(dir, s);
	if (!is_ours(dir, name))
		return refuse(s, "", name);
	return s->erase && unlinkat(dir, name, 0) ? -errno : 0;
}

bool older_info_known(const char *name)
{
	static const char *const known[] = { "record", "kallsyms", "modules", "vdso", SYNCED_FILE };

	for (unsigned int i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(name, known[i]))
			return true;
	return false;
}

static bool is_listed(const char *text, const char *name)
{
	const char *key = OLDER_FILE_KEY "=";
	size_t len = strlen(name), key_len = strlen(key);

	for (const char *line = text; line && *line; line += strcspn(line, "\n")) {
		line += *line == '\n';
		if (!strncmp(line, key, key_len) && !strncmp(line + key_len, name, len) &&
		    line[key_len + len] == '\n')
			return true;
	}
	return false;
}

static int sweep_info_file(int dir, const char *name, struct sweep *s)
{
	bool last = !strcmp(name, "record");

	if (!is_kind(dir, name, S_IFREG) || (!older_info_known(name) && !is_listed(s->listed, name)))
		return refuse(s, "info/", name);
	return s->erase && !last && unlinkat(dir, name, 0) ? -errno : 0;
}

static char *read_listed(int info)
{
	int fd = openat(info, "record", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char *text = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || pev_read_whole(fd, &text, NULL))
		text = NULL;
	close(fd);
	return text;
}

static int sweep_info(int dir, struct sweep *s)
{
	int info = openat(dir, "info", OPEN_DIR), ret;

	if (info < 0)
		return errno == ENOENT ? 0 : -errno;
	s->listed = read_listed(info);
	ret = for_entries(info, sweep_info_file, s);
	free(s->listed);
	s->listed = NULL;
	if (!ret && s->erase &&
	    ((unlinkat(info, "record", 0) && errno != ENOENT) ||
	     unlinkat(dir, "info", AT_REMOVEDIR)))
		ret = -errno;
	close(info);
	return ret;
}

static int refuse_first(int dir, const char *name, struct sweep *s)
{
	(void)dir;
	return refuse(s, "", name);
}

int older_sweep(int dir, bool erase, char *alien, size_t size)
{
	struct sweep s = { .erase = erase, .alien = alien, .size = size };
	int ret;

	if (!is_kind(dir, "info", S_IFDIR))
		return for_entries(dir, refuse_first, &s);
	ret = for_entries(dir, sweep_file, &s);
	return ret ? ret : sweep_info(dir, &s);
}

static int cannot(struct pev_error *err, const char *path, int ret)
{
	return pev_fail(err, -ret, 0, "%s cannot be removed: %s", path, strerror(-ret));
}

PEV_EXPORT int pev_trace_remove(const char *path, struct pev_error *err)
{
	char alien[300] = "";
	int dir = open(path, OPEN_DIR), ret;

	if (dir < 0)
		return cannot(err, path, -errno);
	ret = older_sweep(dir, false, alien, sizeof(alien));
	if (!ret)
		ret = older_sweep(dir, true, alien, sizeof(alien));
	close(dir);
	if (ret == -EEXIST)
		return pev_fail(err, EEXIST, 0,
				"%s is not removed: it contains %s, which is no part of a trace",
				path, alien);
	if (!ret && rmdir(path))
		ret = -errno;
	return ret ? cannot(err, path, ret) : 0;
}

/* ---- The directory of a new trace ---- */

/* Opens a directory that existed before: only one of the caller's own, and empty. */
static int open_older(const char *path, unsigned int flags, struct pev_error *err)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret;
	char alien[300] = "";
	struct stat st;

	if (dir < 0 || fstat(dir, &st)) {
		ret = pev_fail(err, errno, 0, "%s: %s", path, strerror(errno));
		goto out;
	}
	if (st.st_uid != geteuid()) {
		ret = pev_fail(err, EPERM, 0, "%s belongs to another user (%u)", path, st.st_uid);
		goto out;
	}
	ret = older_is_empty(dir);
	if (ret > 0)
		return dir;
	if (!ret && !(flags & PEV_WRITER_REPLACE)) {
		ret = pev_fail(err, EEXIST, 0, "%s exists already", path);
		goto out;
	}
	if (!ret)
		ret = older_sweep(dir, false, alien, sizeof(alien));
	if (ret == -EEXIST) {
		pev_fail(err, EEXIST, 0,
			 "%s is not replaced: it contains %s, which is no part of a trace", path,
			 alien);
		goto out;
	}
	if (!ret)
		ret = older_sweep(dir, true, alien, sizeof(alien));
	if (!ret)
		return dir;
	pev_fail(err, -ret, 0, "%s: the older trace cannot be removed: %s", path, strerror(-ret));
out:
	if (dir >= 0)
		close(dir);
	return ret;
}

int older_make_dir(const char *path, unsigned int flags, struct pev_error *err)
{
	int dir;

	if (mkdir(path, 0700)) {
		if (errno == EEXIST)
			return open_older(path, flags, err);
		return pev_fail(err, errno, 0, "%s: %s", path, strerror(errno));
	}
	dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return pev_fail(err, errno, 0, "%s: %s", path, strerror(errno));
	return dir;
}
