// SPDX-License-Identifier: LGPL-2.1-only
/* Opens debug information in files of its own. See separate.h. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "crc32.h"
#include "object/separate.h"
#include "regular.h"
#include "snapshot.h"

#define DEBUG_DIR "/usr/lib/debug"
#define LINKS_MOST 16
/* what a sum is computed of */
#define CHECKED_MOST (4ull << 30)

/* ---- by name ---- */

/* Returns the directory of a file, without the slash; "" for the root. Free it. */
static char *directory(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? strndup(file, (size_t)(slash - file)) : strdup(".");
}

static const char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

/* The sum that is in .gnu_debuglink */
static bool has_sum(int fd, uint32_t crc)
{
	static const size_t piece = 1u << 20;
	uint8_t *data = malloc(piece);
	uint32_t sum = 0;
	uint64_t at = 0;
	ssize_t n = -1;

	while (data && at < CHECKED_MOST && (n = pread(fd, data, piece, (off_t)at)) > 0) {
		sum = crc32_add(sum, data, (size_t)n);
		at += (uint64_t)n;
	}
	free(data);
	return !n && sum == crc;
}

static bool is_wanted(int fd, const struct separate *s)
{
	struct stat st, own;
	struct elf_id now;
	int err = elf_id_at(fd, &now);

	if (err == -ENOEXEC || fstat(fd, &st) ||
	    (!stat(s->file, &own) && st.st_ino == own.st_ino && st.st_dev == own.st_dev))
		return false;
	if (s->id->len)
		return elf_id_equal(&now, s->id);
	return !s->link || has_sum(fd, s->crc);
}

/* Takes ownership of @path. */
static int try(const struct separate *s, char *path, char **found)
{
	int fd = path ? regular_open(path) : -1;

	if (fd >= 0 && is_wanted(fd, s)) {
		*found = path;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return -1;
}

static int in_places(const struct separate *s, const char *file, const char *name, char **found)
{
	char *dir = directory(file), *path = directory(s->path);
	int fd = -1;

	if (dir && s->link)
		fd = try(s, text_make("%s/%s", dir, name), found);
	if (dir && fd < 0)
		fd = try(s, text_make("%s/.debug/%s", dir, name), found);
	if (path && *path == '/' && fd < 0)
		fd = try(s, text_make(DEBUG_DIR "%s/%s", path, name), found);
	free(dir);
	free(path);
	return fd;
}

int separate_open(const struct separate *s, char **found)
{
	char *name = s->link ? strdup(s->link) : text_make("%s.debug", base_name(s->path)), *real;
	int fd = -1;

	/* a name leads nowhere else */
	if (name && *name && !strchr(name, '/')) {
		fd = in_places(s, s->file, name, found);
		real = fd < 0 ? realpath(s->file, NULL) : NULL;
		if (real && strcmp(real, s->file))
			fd = in_places(s, real, name, found);
		free(real);
	}
	free(name);
	return fd;
}

int separate_shared(const struct finder *f, void *dw, const char *file, char **found)
{
	const void *bits;
	const char *name;
	ssize_t len = dwelf_dwarf_gnu_debugaltlink(dw, &name, &bits);
	struct elf_id id = elf_id_make(bits, len > 0 ? (size_t)len : 0);
	struct separate s = { .id = &id, .path = file, .file = file };
	char *dir;
	int fd;

	if (len <= 0)
		return -1;
	fd = find_debug(f, &id, found);
	dir = fd < 0 ? directory(file) : NULL;
	if (dir)
		fd = try(&s, *name == '/' ? strdup(name) : text_make("%s/%s", dir, name), found);
	if (dir && fd < 0)
		fd = try(&s, text_make("%s/.dwz/%s", dir, base_name(name)), found);
	if (dir && fd < 0)
		fd = try(&s, text_make(DEBUG_DIR "/.dwz/%s", base_name(name)), found);
	free(dir);
	return fd < 0 ? -1 : fd;
}

/* ---- what libdw opens on its own ---- */

static bool is_ours(const struct stat *st)
{
	return !st->st_uid || st->st_uid == geteuid();
}

/* Returns the path that a link within a path leads to, and the rest of that; free it. */
static char *through_link(const char *path, size_t len, const char *rest)
{
	char to[PATH_MAX], *link = strndup(path, len);
	ssize_t n = link ? readlink(link, to, sizeof(to) - 1) : -1;
	size_t dir = len;

	free(link);
	if (n <= 0)
		return NULL;
	to[n] = 0;
	while (path[dir - 1] != '/')
		dir--;
	return *to == '/' ? text_make("%s%s", to, rest) :
			    text_make("%.*s%s%s", (int)dir, path, to, rest);
}

/*
 * A path is followed step by step, as in directories of others it may lead elsewhere when it is
 * opened. Nothing there is good, too, if nobody else can put something there.
 */
static bool is_ours_at(const char *path, unsigned int links)
{
	size_t len = 0;
	bool shared = false, ok;
	struct stat st;
	char *part, *other;
	int err;

	if (*path != '/' || links > LINKS_MOST)
		return false;
	while (path[len]) {
		len += strspn(path + len, "/");
		len += strcspn(path + len, "/");
		part = strndup(path, len);
		err = !part || lstat(part, &st) ? errno : 0;
		free(part);
		if (err)
			return err == ENOENT && !shared;
		if (!is_ours(&st))
			return false;
		if (S_ISLNK(st.st_mode)) {
			other = through_link(path, len, path + len);
			ok = other && is_ours_at(other, links + 1);
			free(other);
			return ok;
		}
		shared = others_may_write(&st);
		if (!S_ISDIR(st.st_mode))
			return S_ISREG(st.st_mode) && !shared;
		/* where others may rename what is not theirs */
		if (shared && !(st.st_mode & S_ISVTX))
			return false;
	}
	return true;
}

static bool is_ours_below(const char *dir, const char *name)
{
	char *path = *name == '/' ? strdup(name) : dir ? text_make("%s/%s", dir, name) : NULL;
	bool ok = path && is_ours_at(path, 0);

	free(path);
	return ok;
}

/* libdw looks in the directory of the file first. */
static bool is_ours_beside(const char *const files[2], const char *name)
{
	bool ok = true;

	for (int i = 0; ok && i < 2; i++) {
		/* what libdw takes for the directory of a file in another root is not known */
		bool known = files[i] && strncmp(files[i], "/proc/", 6);
		char *real = known ? realpath(files[i], NULL) : NULL;
		char *dir = real ? directory(real) : NULL;

		ok = !files[i] || is_ours_below(dir, name);
		free(real);
		free(dir);
	}
	return ok;
}

static bool may_open_shared(Dwarf *dw, const char *const files[2])
{
	const void *bits;
	const char *name;

	return dwelf_dwarf_gnu_debugaltlink(dw, &name, &bits) <= 0 || is_ours_beside(files, name);
}

static const char *text_of(Dwarf_Die *die, unsigned int what)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, what, &attr) ? dwarf_formstring(&attr) : NULL;
}

static bool may_open_split(Dwarf_Die *unit, const char *const files[2])
{
	const char *name = text_of(unit, DW_AT_dwo_name), *dir = text_of(unit, DW_AT_comp_dir);
	char *path;
	bool ok;

	name = name ? name : text_of(unit, DW_AT_GNU_dwo_name);
	if (!name)
		return true;
	if (!is_ours_beside(files, name))
		return false;
	if (!dir || *name == '/')
		return true;
	path = text_make("%s/%s", dir, name);
	ok = path && is_ours_beside(files, path);
	free(path);
	return ok;
}

bool separate_may_open(void *dw, const char *const files[2])
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;

	if (!may_open_shared(dw, files))
		return false;
	while (!dwarf_get_units(dw, cu, &cu, NULL, &type, &unit, NULL))
		if (type == DW_UT_skeleton && !may_open_split(&unit, files))
			return false;
	return true;
}
