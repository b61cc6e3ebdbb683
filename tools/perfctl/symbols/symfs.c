// SPDX-License-Identifier: GPL-2.0
/* From functions of a store to files. See symfs.h. */
#include "symfs.h"
#include "names_elf.h"
#include "session/object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* no file has code behind this, and no function is as large */
#define OFFSET_MOST (1ull << 36)
/* of all names of a file, whose places are numbers of 32 bits */
#define NAMES_MOST (1ull << 30)

static int failed(struct msg *m, const char *path)
{
	return msg_set(m, -EIO, "%s: %s", path, strerror(errno));
}

static int make_dir(const char *path, struct msg *m)
{
	return mkdir(path, 0700) && errno != EEXIST ? failed(m, path) : 0;
}

static int write_file(const char *path, const struct strbuf *b, struct msg *m)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600), err = 0;
	size_t at = 0;

	/* the same id in capitals: the first one counts */
	if (fd < 0)
		return errno == EEXIST ? 0 : failed(m, path);
	while (at < b->len && !err) {
		ssize_t n = write(fd, b->s + at, b->len - at);

		if (n > 0)
			at += (size_t)n;
		else if (errno != EINTR)
			err = failed(m, path);
	}
	close(fd);
	return err;
}

/* The path is made of the bytes of the id, not of the text that came. */
static int put_file(const char *dir, const struct build_id *id, const struct strbuf *elf,
		    struct msg *m)
{
	char text[41], *path;
	int err;

	build_id_text(id, text);
	path = xasprintf("%s/symfs/.build-id/%.2s", dir, text);
	err = make_dir(path, m);
	free(path);
	path = xasprintf("%s/symfs/.build-id/%.2s/%s", dir, text, text + 2);
	if (!err)
		err = write_file(path, elf, m);
	free(path);
	return err;
}

/* @n: functions that have the same build id */
static int write_one(const char *dir, const struct answer_symbol *s, size_t n, struct msg *m)
{
	struct names_elf_function *f = xcalloc(n, sizeof(*f));
	struct strbuf elf = { 0 };
	uint64_t names = 0;
	struct build_id id;
	size_t used = 0;
	int err = 0;

	for (size_t i = 0; i < n; i++) {
		names += strlen(s[i].name) + 1;
		if (!*s[i].name || s[i].place >= OFFSET_MOST || names > NAMES_MOST)
			continue;
		f[used++] = (struct names_elf_function){ s[i].name, s[i].place,
							 min_u64(s[i].size, OFFSET_MOST) };
	}
	if (used && build_id_parse(s->build_id, &id) && id.len >= 2) {
		names_elf_file(&elf, f, used, id.bytes, id.len);
		err = put_file(dir, &id, &elf, m);
	}
	strbuf_free(&elf);
	free(f);
	return err;
}

int symfs_write(const char *dir, const struct answer *a, struct msg *m)
{
	char *path = xasprintf("%s/symfs", dir), *below = xasprintf("%s/.build-id", path);
	size_t n;
	int err = 0;

	if (a->n_symbols)
		err = make_dir(path, m);
	if (a->n_symbols && !err)
		err = make_dir(below, m);
	for (size_t i = 0; i < a->n_symbols && !err; i += n) {
		for (n = 1; i + n < a->n_symbols &&
			    !strcmp(a->symbols[i].build_id, a->symbols[i + n].build_id);)
			n++;
		err = write_one(dir, &a->symbols[i], n, m);
	}
	free(below);
	free(path);
	return err;
}
