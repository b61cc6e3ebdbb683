// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Keeps files that were found where they may be gone tomorrow (in a container), by
 * build id, in $XDG_CACHE_HOME/perfctl or ~/.cache/perfctl.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include "object/cache.h"
#include "util/vec.h"

/* larger ones would fill the user's home */
#define KEEP_MOST (256u << 20)

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
	int fd = path ? open_regular(path) : -ENOENT;
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
	*file = path;
	return fd;
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
