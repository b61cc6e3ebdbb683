// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Keeps files that were found where they may be gone tomorrow (in a container), by
 * build id, in $XDG_CACHE_HOME/perfctl or ~/.cache/perfctl.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <pev/sym.h>
#include "object/cache.h"
#include "regular.h"
#include "util/vec.h"

/* larger ones would fill the user's home */
#define KEEP_MOST (256u << 20)
/* what all of them may take */
#define CACHE_MOST (1024ull << 20)
/* seconds after which half a copy is taken for a left-over */
#define HALF_OLD 3600

static char *cache_dir(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (xdg && xdg[0] == '/')
		return text_make("%s/perfctl", xdg);
	return home && home[0] == '/' ? text_make("%s/.cache/perfctl", home) : NULL;
}

static char *cache_file(const struct elf_id *id)
{
	char *dir = cache_dir(), *file = NULL, text[41];

	elf_id_text(id, text);
	if (dir)
		file = text_make("%s/%s", dir, text);
	free(dir);
	return file;
}

int cache_open(const struct elf_id *id, char **file)
{
	char *path = cache_file(id);
	int fd = path ? regular_open(path) : -ENOENT;
	struct elf_id now;

	if (fd < 0) {
		free(path);
		return fd;
	}
	if (elf_id_of(path, &now) || !elf_id_equal(&now, id)) {
		close(fd);
		free(path);
		return -ENOENT;
	}
	/* the time of its last use: those of long ago are removed first */
	futimens(fd, NULL);
	*file = path;
	return fd;
}

struct kept {
	char		name[64];
	time_t		used;
	uint64_t	bytes;
};

/* A build id, and behind the id a process that has not finished its copy */
static bool is_ours(const char *name)
{
	size_t len = strspn(name, "0123456789abcdef");

	if (len < 2 || len > 40 || len % 2)
		return false;
	return !name[len] ||
	       (name[len] == '.' && name[len + 1] &&
		!name[len + 1 + strspn(name + len + 1, "0123456789")]);
}

static int by_use(const void *va, const void *vb)
{
	const struct kept *a = va, *b = vb;

	return a->used < b->used ? -1 : a->used > b->used;
}

/* Lists the files, those first that were not used for the longest time. */
static struct kept *list(int fd, size_t *n)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again < 0 ? NULL : fdopendir(again);
	VEC(struct kept) all = { 0 };
	const struct dirent *e;
	struct stat st;

	while (dir && (e = readdir(dir))) {
		struct kept *k;

		if (!is_ours(e->d_name) || strlen(e->d_name) >= sizeof(k->name) ||
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		/* another process is at it */
		if (strchr(e->d_name, '.') && st.st_mtime + HALF_OLD > time(NULL))
			continue;
		k = VEC_PUSH(&all);
		if (!k)
			break;
		strcpy(k->name, e->d_name);
		k->used = strchr(e->d_name, '.') ? 0 : st.st_mtime;
		k->bytes = (uint64_t)st.st_blocks * 512;
	}
	if (dir)
		closedir(dir);
	if (all.n)
		qsort(all.p, all.n, sizeof(*all.p), by_use);
	*n = all.n;
	return all.p;
}

PEV_EXPORT int pev_syms_cache(uint64_t keep, struct pev_syms_cache *cache)
{
	char *path = cache_dir();
	struct kept *all;
	size_t n = 0;
	int fd;

	if (cache->size != sizeof(*cache) || !path || strlen(path) >= sizeof(cache->path)) {
		free(path);
		return cache->size != sizeof(*cache) ? -EINVAL : -ENOENT;
	}
	*cache = (struct pev_syms_cache){ .size = sizeof(*cache), .most = CACHE_MOST };
	strcpy(cache->path, path);
	free(path);
	fd = open(cache->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	all = list(fd, &n);
	for (size_t i = 0; i < n; i++)
		cache->bytes += all[i].bytes;
	cache->files = (uint32_t)n;
	for (size_t i = 0; i < n && cache->bytes > keep; i++) {
		if (unlinkat(fd, all[i].name, 0))
			continue;
		cache->bytes -= all[i].bytes;
		cache->files--;
		cache->removed++;
	}
	free(all);
	close(fd);
	return 0;
}

static void make_room(off_t size)
{
	struct pev_syms_cache cache = { .size = sizeof(cache) };

	pev_syms_cache(CACHE_MOST - (uint64_t)size, &cache);
}

static bool copy(int from, int to, off_t size)
{
	off_t at = 0;

	while (at < size) {
		ssize_t n = sendfile(to, from, &at, (size_t)(size - at));

		if (n <= 0)
			return false;
	}
	return true;
}

static void make_dirs(char *file)
{
	for (char *p = strchr(file + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = 0;
		mkdir(file, 0700);
		*p = '/';
	}
}

void cache_keep(const struct elf_id *id, int fd)
{
	char *path = cache_file(id), *tmp = path ? text_make("%s.%d", path, getpid()) : NULL;
	struct stat st;
	int to;

	if (tmp && access(path, F_OK) && !fstat(fd, &st) && st.st_size <= KEEP_MOST) {
		make_dirs(path);
		make_room(st.st_size);
		to = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (to >= 0) {
			bool ok = copy(fd, to, st.st_size);

			close(to);
			if (!ok || rename(tmp, path))
				unlink(tmp);
		}
	}
	free(path);
	free(tmp);
}
