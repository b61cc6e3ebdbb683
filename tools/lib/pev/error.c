// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Errors with a sentence, whole files in memory, memory freed at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "internal.h"

PEV_EXPORT const char *pev_version(void)
{
	return "1.0";
}

/* Returns -error, so that a caller can write return pev_fail(...). */
int pev_fail(struct pev_error *err, int error, unsigned int line, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		err->error = error;
		err->line = line;
		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
	}
	return -error;
}

int pev_read_whole(int fd, char **text, size_t *len)
{
	size_t room = 65536, used = 0;
	char *buf = malloc(room), *more;
	ssize_t n;

	if (!buf)
		return -ENOMEM;
	for (;;) {
		if (used + 1 >= room) {
			room *= 2;
			more = realloc(buf, room);
			if (!more) {
				free(buf);
				return -ENOMEM;
			}
			buf = more;
		}
		n = read(fd, buf + used, room - used - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int error = errno;

			free(buf);
			return -error;
		}
		if (!n)
			break;
		used += n;
	}
	buf[used] = '\0';
	*text = buf;
	if (len)
		*len = used;
	return 0;
}

/* Of metadata for the most events that there can be, and more */
#define PEV_MAX_TEXT	(1LL << 30)

int pev_read_file(const char *path, char **text, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), err;
	struct stat st;

	if (fd < 0)
		return -errno;
	/* what is no file may never end, a sparse one not in memory */
	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = S_ISDIR(st.st_mode) ? -EISDIR : -ENXIO;
	else if (st.st_size > PEV_MAX_TEXT)
		err = -EFBIG;
	else
		err = pev_read_whole(fd, text, len);
	close(fd);
	return err;
}

struct arena_block {
	struct arena_block	*next;
	_Alignas(16) unsigned char data[];
};

#define ARENA_BLOCK	16384

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *block;
	size_t room;

	size = align_up(size ? size : 1, 16);
	if (!arena->blocks || arena->room - arena->used < size) {
		room = size > ARENA_BLOCK ? size : ARENA_BLOCK;
		block = calloc(1, sizeof(*block) + room);
		if (!block)
			return NULL;
		block->next = arena->blocks;
		arena->blocks = block;
		arena->room = room;
		arena->used = 0;
	}
	arena->used += size;
	return arena->blocks->data + arena->used - size;
}

char *arena_strndup(struct arena *arena, const char *text, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	if (copy)
		memcpy(copy, text, len);
	return copy;
}

void arena_free(struct arena *arena)
{
	struct arena_block *block = arena->blocks, *next;

	for (; block; block = next) {
		next = block->next;
		free(block);
	}
	memset(arena, 0, sizeof(*arena));
}
