// SPDX-License-Identifier: GPL-2.0
/* Names, sizes and limits of the parts of a recording. See parts.h. */
#include "parts.h"
#include "trace_dir.h"
#include "base/resolve.h"
#include "base/say.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A part has some files of its own beside what is recorded */
#define PART_LEAST (64u << 10)

int parts_parse(struct parts_opts *o, const char *arg, struct msg *m)
{
	uint64_t size = 0, ns = 0;

	if (arg && strcmp(arg, "signal") && parse_time(arg, &ns) && parse_size(arg, &size))
		return msg_set(m, -EINVAL,
			       "--switch-output takes a size such as 100M, a time such as "
			       "10m or 1h, or signal, not \"%s\"",
			       arg);
	/* a number alone would be seconds, which perf takes for bytes */
	if (arg && strspn(arg, "0123456789.") == strlen(arg))
		return msg_set(m, -EINVAL,
			       "--switch-output=%s: is it a size (%sM) or a time (%ss)?", arg, arg,
			       arg);
	if (size && size < PART_LEAST)
		return msg_set(m, -EINVAL,
			       "--switch-output: a part has %u KiB at least, so that most "
			       "of it is what is recorded",
			       PART_LEAST >> 10);
	*o = (struct parts_opts){
		.on = true,
		.size = size,
		.ns = ns,
		.max_files = o->max_files,
		.max_size = o->max_size,
	};
	return 0;
}

/* Bytes of the files of a directory and of those below it; what cannot be seen is not there. */
static uint64_t bytes_of(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	uint64_t bytes = 0;
	struct dirent *d;
	struct stat st;

	if (fd >= 0 && !dir)
		close(fd);
	while (dir && (d = readdir(dir))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..") ||
		    fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		bytes += S_ISDIR(st.st_mode) ? bytes_of(fd, d->d_name) : (uint64_t)st.st_size;
	}
	if (dir)
		closedir(dir);
	return bytes;
}

static int by_number(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Returns the number in NAME.NUMBER as parts_next() writes it, 0 if it is none. */
static uint64_t number_of(const char *name, const char *base)
{
	size_t len = strlen(base);
	uint64_t number;

	if (strncmp(name, base, len) || name[len] != '.' || name[len + 1] < '1' ||
	    name[len + 1] > '9' || parse_u64(name + len + 1, &number) || number >= UINT64_MAX >> 1)
		return 0;
	return number;
}

static void find_older(struct parts *p, DIR *dir, const char *name)
{
	struct dirent *d;
	struct stat st;

	while ((d = readdir(dir))) {
		uint64_t number = number_of(d->d_name, name);

		p->number = max_u64(p->number, number);
		/* another user's is neither removed nor lets any other be removed */
		if (!number || fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
			continue;
		*ARRAY_PUSH(p->done, p->n, p->cap) = (struct part){
			.number = number,
			.bytes = bytes_of(dirfd(dir), d->d_name),
		};
		p->bytes += p->done[p->n - 1].bytes;
	}
	if (p->n)
		qsort(p->done, p->n, sizeof(*p->done), by_number);
}

int parts_open(struct parts *p, const char *base, const struct parts_opts *o, struct msg *m)
{
	size_t len = strlen(base);
	char *plain, *slash;
	DIR *dir;
	int err;

	*p = (struct parts){ .opts = o };
	while (len > 1 && base[len - 1] == '/')
		len--;
	plain = xstrndup(base, len);
	err = resolve_path(plain, &p->base, m);
	free(plain);
	if (err)
		return err;
	slash = strrchr(p->base, '/');
	plain = slash ? xstrndup(p->base, (size_t)(slash - p->base) + 1) : xstrdup(".");
	dir = opendir(plain);
	if (!dir)
		err = msg_set(m, -errno, "%s: %s", plain, strerror(errno));
	else
		find_older(p, dir, slash ? slash + 1 : p->base);
	if (dir)
		closedir(dir);
	free(plain);
	p->first = p->number + 1;
	return err;
}

static char *path_of(const struct parts *p, uint64_t number)
{
	return xasprintf("%s.%llu", p->base, (unsigned long long)number);
}

/* Measures the newest of those that are complete: it may still have been changed. */
static void measure(struct parts *p)
{
	struct part *newest = p->n ? &p->done[p->n - 1] : NULL;

	if (!newest || !p->before)
		return;
	p->bytes -= newest->bytes;
	newest->bytes = bytes_of(AT_FDCWD, p->before);
	p->bytes += newest->bytes;
}

const char *parts_next(struct parts *p)
{
	free(p->before);
	p->before = p->path;
	if (p->path) {
		ARRAY_PUSH(p->done, p->n, p->cap)->number = p->number;
		measure(p);
	}
	p->path = path_of(p, ++p->number);
	p->own = 0;
	return p->path;
}

bool parts_full(const struct parts *p, uint64_t bytes)
{
	uint64_t most = p->opts->size;

	/* the limit for all is kept by removing others: one alone must not reach it */
	if (p->opts->max_size && (!most || most > p->opts->max_size / 2))
		most = p->opts->max_size / 2;
	return p->opts->on && most && bytes >= most;
}

bool parts_over(struct parts *p, uint64_t bytes)
{
	const struct parts_opts *o = p->opts;

	if (!p->own && o->max_size)
		p->own = bytes_of(AT_FDCWD, p->path);
	return p->n && ((o->max_files && p->n >= o->max_files) ||
			(o->max_size && p->bytes + p->own + bytes > o->max_size));
}

void parts_trim(struct parts *p, uint64_t bytes)
{
	struct msg m;

	measure(p);
	while (parts_over(p, bytes)) {
		char *path = path_of(p, p->done[0].number);

		/* what cannot be removed is not tried again and again */
		if (trace_dir_remove(path, &m))
			note("%s", m.text);
		else
			p->removed++;
		free(path);
		p->bytes -= p->done[0].bytes;
		memmove(p->done, p->done + 1, --p->n * sizeof(*p->done));
	}
}

char *parts_text(const struct parts *p)
{
	uint64_t first = max_u64(p->first, p->n ? p->done[0].number : p->number);

	if (!p->path)
		return NULL;
	return first == p->number ?
		       xstrdup(p->path) :
		       xasprintf("%s.%llu to %s", p->base, (unsigned long long)first, p->path);
}

void parts_close(struct parts *p)
{
	free(p->base);
	free(p->path);
	free(p->before);
	free(p->done);
	*p = (struct parts){ 0 };
}
