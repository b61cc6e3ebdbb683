// SPDX-License-Identifier: GPL-2.0
/* perfctl archive. See archive.h. */
#include "archive.h"
#include "base/say.h"
#include "base/tar.h"
#include "base/text.h"
#include "cli/term.h"
#include "profile/load.h"
#include "regular.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Adds the regular file that @fd is, and closes it. */
static int add(struct archive *a, const char *name, int fd, const char *path, struct msg *m)
{
	struct stat st;
	int err;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return 0;
	}
	err = tar_add(&a->out, name, fd);
	close(fd);
	a->bytes += err ? 0 : (uint64_t)st.st_size;
	return err ? msg_set(m, -EIO, "%s cannot be put into an archive: %s", path,
			     err == -ESTALE ? "it was cut while it was read" : strerror(-err)) :
		     0;
}

/* Adds the files of the recording in one of its directories. */
static int add_directory(struct archive *a, const char *below, struct msg *m)
{
	char *dir = xasprintf("%s/%s", pev_trace_path(a->session->trace), below);
	/* a recording of others may have a link there to what only the user may read */
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (*below ? O_NOFOLLOW : 0);
	int at = open(dir, flags);
	DIR *d = at < 0 ? NULL : fdopendir(at);
	struct dirent *entry;
	int err = 0;

	while (d && !err && (entry = readdir(d))) {
		int fd = openat(dirfd(d), entry->d_name,
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		char *name, *path;

		if (fd < 0)
			continue;
		name = xasprintf("%s/%s%s%s", a->name, below, *below ? "/" : "", entry->d_name);
		path = xasprintf("%s/%s", dir, entry->d_name);
		err = add(a, name, fd, path, m);
		free(path);
		free(name);
	}
	if (d)
		closedir(d);
	free(dir);
	return err;
}

/* The kernel gives no other paths, but a recording of others may have them. */
static bool is_below_root(const char *path)
{
	bool ok = *path == '/';

	for (; ok && (path = strstr(path, "/..")); path += 3)
		ok = path[3] && path[3] != '/';
	return ok;
}

/* Where pev_syms_add_root() finds it; NULL: nowhere */
static char *symfs_name(const struct archive *a, const struct object *o, bool debug)
{
	char id[41];

	if (o->id.len < 2)
		return debug || !is_below_root(o->path) ? NULL :
							  xasprintf("%s/symfs%s", a->name, o->path);
	build_id_text(&o->id, id);
	return xasprintf("%s/symfs/.build-id/%.2s/%s%s", a->name, id, id + 2,
			 debug ? ".debug" : "");
}

/* What the object was read from may have gone since, and another file is at the path. */
static bool is_same(int fd, const struct object *o)
{
	struct build_id id;
	char self[32];
	int err;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	err = elf_build_id(self, &id);
	if (o->id.len < 2)
		return !err || err == -ENOENT;
	return !err && id.len == o->id.len && !memcmp(id.bytes, o->id.bytes, id.len);
}

/* Returns 1 if the object's file was added, 0 if there is none. */
static int add_object(struct archive *a, uint32_t object, bool debug, struct msg *m)
{
	const struct object *o = &a->session->objects.o[object];
	char *name = symfs_name(a, o, debug), *path = NULL;
	int fd = -1, err = 0;

	if (name && !pev_syms_file(a->session->objects.syms, (int)object, debug, &path))
		fd = regular_open(path);
	if (fd >= 0 && !is_same(fd, o)) {
		close(fd);
		fd = -1;
	}
	if (fd >= 0)
		err = add(a, name, fd, path, m);
	free(path);
	free(name);
	return err ? err : fd >= 0;
}

static void note_missing(struct archive *a, uint32_t object)
{
	const struct object *o = &a->session->objects.o[object];
	const char *why = pev_syms_problem(a->session->objects.syms, (int)object);
	char safe[512];

	if (o->id.len < 2 && !is_below_root(o->path))
		why = "its path leads out of the archive";
	a->missing++;
	note("%s is not taken along: %s", text_safe(safe, sizeof(safe), o->path),
	     why ? why : "it cannot be read");
}

static int add_objects(struct archive *a, const bool *wanted, size_t n, bool debug, struct msg *m)
{
	int got = 0;

	for (uint32_t i = 0; i < n && got >= 0; i++) {
		const struct object *o = &a->session->objects.o[i];

		if (wanted[i] && o->kind == OBJECT_CODE)
			note("code that process %u generated is not taken along", o->pid);
		if (!wanted[i] || o->kind != OBJECT_FILE)
			continue;
		got = add_object(a, i, false, m);
		if (!got)
			note_missing(a, i);
		a->objects += got > 0;
		if (got > 0 && debug)
			got = add_object(a, i, true, m);
		else
			continue;
		a->debugs += got > 0;
		term_progress("archiving", i, n);
	}
	term_progress_end();
	return got < 0 ? got : 0;
}

/* Finds the objects that any address of a sample lies in. */
static int find_objects(struct archive *a, bool **wanted, size_t *n, struct msg *m)
{
	const struct load_config config = { .chains = true, .from = INT64_MIN, .to = INT64_MAX };
	const struct stacks *st = &a->session->stacks;
	struct load load = { 0 };
	int err = load_samples(&load, a->session, &config, m);

	*n = a->session->objects.n;
	*wanted = xcalloc(*n + 1, sizeof(**wanted));
	for (size_t i = 0; !err && i < st->n_frames; i++)
		if (st->frames[i].object < *n)
			(*wanted)[st->frames[i].object] = true;
	load_free(&load);
	return err;
}

int archive_write(struct archive *a, bool debug, struct msg *m)
{
	bool *wanted = NULL;
	size_t n = 0;
	int err = find_objects(a, &wanted, &n, m);

	if (!err)
		err = add_directory(a, "", m);
	if (!err)
		err = add_directory(a, "info", m);
	if (!err)
		err = add_directory(a, "index", m);
	if (!err)
		err = add_objects(a, wanted, n, debug, m);
	tar_end(&a->out);
	free(wanted);
	return err;
}
