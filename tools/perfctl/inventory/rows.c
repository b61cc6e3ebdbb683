// SPDX-License-Identifier: GPL-2.0
/* What the readers of all kinds share. See rows.h. */
#include "rows.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Numbers of CPUs, interrupts and descriptors are below */
#define NUMBER_MOST INT32_MAX

bool rows_full(const struct gather *g, enum inventory_kind kind)
{
	return g->sums[kind][INVENTORY_WRITTEN] >= INVENTORY_ROWS ||
	       g->bytes[kind] >= INVENTORY_BYTES;
}

void rows_left_out(struct gather *g, enum inventory_kind kind)
{
	g->sums[kind][INVENTORY_LEFT_OUT]++;
}

void rows_unreadable(struct gather *g, enum inventory_kind kind, int err)
{
	if (err == -EACCES || err == -EPERM)
		g->sums[kind][INVENTORY_UNREADABLE]++;
}

int rows_add(struct gather *g, struct inventory_row *row)
{
	const struct inventory_desc *d = &inventory_kinds[row->kind];
	int err;

	if (rows_full(g, row->kind)) {
		rows_left_out(g, row->kind);
		return 0;
	}
	for (size_t i = 0; i < INVENTORY_TEXTS && d->texts[i]; i++) {
		if (!row->s[i])
			row->s[i] = "";
		g->bytes[row->kind] += strnlen(row->s[i], INVENTORY_TEXT);
	}
	err = g->put(g->arg, row);
	if (!err)
		g->sums[row->kind][INVENTORY_WRITTEN]++;
	return err;
}

char *rows_file(struct gather *g, enum inventory_kind kind, const char *root, const char *name)
{
	char *path = xasprintf("%s/%s", root, name);
	char *text = file_read(path, NULL);

	if (!text)
		rows_unreadable(g, kind, -errno);
	free(path);
	return text;
}

int rows_lines(struct gather *g, char *text, int (*fn)(struct gather *g, char *line))
{
	int err = 0;

	for (char *line = text, *next; line && *line && !err; line = next) {
		char *end = strchrnul(line, '\n');

		next = *end ? end + 1 : NULL;
		*end = '\0';
		err = fn(g, line);
	}
	return err;
}

bool rows_text(int dir, const char *name, char *text, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	if (len < 0)
		return false;
	while (len && text[len - 1] == '\n')
		len--;
	text[len] = '\0';
	return true;
}

int64_t rows_number(int dir, const char *name, int64_t other)
{
	char text[32], *end;
	long long n;

	if (!rows_text(dir, name, text, sizeof(text)))
		return other;
	errno = 0;
	n = strtoll(text, &end, 10);
	return end == text || *end || errno ? other : n;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

uint32_t *rows_numbers(int dir, const char *prefix, size_t *n)
{
	int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = own < 0 ? NULL : fdopendir(own);
	uint32_t *numbers = NULL;
	size_t len = strlen(prefix), cap = 0;
	struct dirent *e;
	uint64_t number;

	*n = 0;
	if (!d && own >= 0)
		close(own);
	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, prefix, len) && isdigit((unsigned char)e->d_name[len]) &&
		    !parse_u64(e->d_name + len, &number) && number <= NUMBER_MOST)
			*ARRAY_PUSH(numbers, *n, cap) = (uint32_t)number;
	if (d)
		closedir(d);
	if (*n)
		qsort(numbers, *n, sizeof(*numbers), by_number);
	return numbers;
}

int rows_open(const char *root, const char *name)
{
	char *path = xasprintf("%s/%s", root, name);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = fd < 0 ? -errno : fd;

	free(path);
	return err;
}
