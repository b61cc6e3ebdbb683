// SPDX-License-Identifier: GPL-2.0
/* From files to functions of a store. See upload.h. */
#include "upload.h"
#include "base/text.h"
#include "session/object.h"
#include "store/symbols.h"

#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <pev/sym.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

/* What is sent at once */
#define ROWS_BYTES (8u << 20)
/* of a file: the largest programs have a million */
#define FUNCTIONS_MOST 8000000u

/* ---- one file ---- */

static void say(const struct upload *u, const char *path, const char *what)
{
	char safe[512];

	if (u->verbose)
		printf("%s: %s\n", text_safe(safe, sizeof(safe), path), what);
}

/*
 * Adds all functions to @f, or with @h sends them as they come. Returns their number or -errno;
 * -ENODATA: the file is not to be found.
 */
static int64_t take_functions(struct pev_syms *syms, int object, struct http *h,
			      struct store_functions *f, struct msg *m)
{
	struct pev_sym s;
	int64_t n = 0;
	int ret;

	for (uint32_t i = 0; i < FUNCTIONS_MOST; i++) {
		ret = pev_sym_nth(syms, object, i, &s);
		if (ret <= 0)
			return ret ? ret : n;
		if (s.start == UINT64_MAX)
			continue;
		store_functions_add(f, s.start, s.size, pev_sym_raw_name(syms, object, i));
		n++;
		if (f->rows.len < ROWS_BYTES)
			continue;
		ret = h ? store_functions_insert(h, f, m) : 0;
		strbuf_reset(&f->rows);
		if (ret)
			return ret;
	}
	return n;
}

static int send(struct upload *u, struct pev_syms *syms, int object, const char *path,
		struct store_functions *f, struct msg *m)
{
	uint64_t there;
	int64_t n = take_functions(syms, object, NULL, f, m);
	const char *why = pev_syms_problem(syms, object);
	int err;

	if (n <= 0) {
		u->without++;
		say(u, path, why ? why : "has no functions");
		return 0;
	}
	err = store_functions_count(u->h, f->build_id, &there, m);
	if (err)
		return err;
	if (there >= f->n) {
		u->there++;
		say(u, path, "is there");
		return 0;
	}
	strbuf_reset(&f->rows);
	n = take_functions(syms, object, u->h, f, m);
	err = n < 0 ? (int)n : store_functions_insert(u->h, f, m);
	if (err)
		return err;
	u->files++;
	u->functions += (uint64_t)n;
	say(u, path, "sent");
	return 0;
}

/* Each file has symbols of its own, whose memory goes with it. */
static int upload_object(struct upload *u, const char *path, const struct build_id *id,
			 struct msg *m)
{
	struct store_functions f = { .day = (uint32_t)(time(NULL) / STORE_DAY) };
	struct pev_syms *syms = NULL;
	char text[41];
	int object, err = 0;

	build_id_text(id, text);
	f.build_id = text;
	if (pev_syms_new(PEV_SYMS_DEBUGINFOD, &syms))
		checked(NULL);
	object = pev_syms_object(syms, path, id->bytes, id->len);
	if (object >= 0)
		err = send(u, syms, object, path, &f, m);
	strbuf_free(&f.rows);
	pev_syms_free(syms);
	return err;
}

/* ---- what was named ---- */

/* Why a file that is there cannot be sent, 0 if it can; -ENOENT: it has no build id */
static int look(const char *path, struct build_id *id)
{
	int len = pev_syms_build_id(path, id->bytes);

	id->len = len > 0 ? (uint8_t)len : 0;
	return len < 0 ? len : len ? 0 : -ENOENT;
}

static int upload_file(struct upload *u, const char *path, struct msg *m)
{
	struct build_id id;
	int err = look(path, &id);

	if (err == -ENOEXEC)
		return msg_set(m, -EINVAL, "%s is no program or library (ELF)", path);
	if (err == -ENOENT)
		return msg_set(m, -EINVAL,
			       "%s has no build id, by which a store knows it: link it with "
			       "--build-id",
			       path);
	if (err)
		return msg_set(m, err, "%s: %s", path, strerror(-err));
	return upload_object(u, path, &id, m);
}

static int upload_tree(struct upload *u, const char *path, struct msg *m)
{
	char *paths[] = { (char *)path, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	struct build_id id;
	int err = 0;
	FTSENT *e;

	while (fts && !err && (e = fts_read(fts))) {
		if (e->fts_info != FTS_F || !S_ISREG(e->fts_statp->st_mode))
			continue;
		if (!look(e->fts_path, &id))
			err = upload_object(u, e->fts_path, &id, m);
	}
	if (!fts)
		err = msg_set(m, -errno, "%s: %s", path, strerror(errno));
	else
		fts_close(fts);
	return err;
}

int upload_path(struct upload *u, const char *typed, struct msg *m)
{
	/* objects are known by whole paths */
	char *path = realpath(typed, NULL);
	struct stat st;
	int err;

	if (!path || stat(path, &st))
		err = msg_set(m, -errno, "%s: %s", typed, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		err = upload_tree(u, path, m);
	else if (!S_ISREG(st.st_mode))
		err = msg_set(m, -EINVAL, "%s is neither a file nor a directory", typed);
	else
		err = upload_file(u, path, m);
	free(path);
	return err;
}

/* ---- what the store lacks ---- */

/* A path that another machine wrote: what the kernel makes up is no program. */
static bool is_plausible(const char *path)
{
	static const char *const not_[] = { "/proc/", "/sys/", "/dev/" };

	for (size_t i = 0; i < ARRAY_SIZE(not_); i++)
		if (!strncmp(path, not_[i], strlen(not_[i])))
			return false;
	return *path == '/' && !strstr(path, "/../");
}

int upload_missing(struct upload *u, struct msg *m)
{
	struct store_file *files;
	struct build_id id;
	size_t n;
	int err = store_files(u->h, &files, &n, m);

	for (size_t i = 0; i < n && !err; i++) {
		if (files[i].named)
			continue;
		if (is_plausible(files[i].path) && build_id_parse(files[i].build_id, &id))
			err = upload_object(u, files[i].path, &id, m);
		else
			u->without++;
	}
	store_files_free(files, n);
	return err;
}

int upload_list(struct http *h, FILE *out, struct msg *m)
{
	struct store_file *files;
	char safe[512], id[48];
	size_t n;
	int err = store_files(h, &files, &n, m);

	if (!err)
		fprintf(out, "%10s  %-9s  %-40s  %s\n", "Places", "Functions", "Build id", "File");
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%10" PRIu64 "  %-9s  %-40s  %s\n", files[i].places,
			files[i].named ? "yes" : "no", text_safe(id, sizeof(id), files[i].build_id),
			text_safe(safe, sizeof(safe), files[i].path));
	store_files_free(files, n);
	return err;
}
