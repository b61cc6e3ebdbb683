// SPDX-License-Identifier: GPL-2.0
/* The directory of a new trace: an older trace of that name becomes NAME.old. */
#define _XOPEN_SOURCE_EXTENDED 1
#include "trace_dir.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* -1: is not there, 0: is no trace, 1: a trace, 2: an empty directory */
static int look_at(const char *path)
{
	char *metadata = xasprintf("%s/metadata", path), start[16] = "";
	FILE *f = fopen(metadata, "re");
	struct dirent *e;
	struct stat st;
	int found = 0;
	DIR *d;

	free(metadata);
	if (f) {
		found = fread(start, 1, 7, f) == 7 && !strncmp(start, "/* CTF ", 7);
		fclose(f);
		return found;
	}
	if (lstat(path, &st))
		return -1;
	d = opendir(path);
	if (!d)
		return 0;
	while ((e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			found = 1;
	closedir(d);
	return found ? 0 : 2;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int trace_dir_prepare(const char *path, struct msg *m)
{
	size_t len = strlen(path);
	char *plain, *old;
	int kind, err = 0;

	while (len > 1 && path[len - 1] == '/')
		len--;
	plain = xstrndup(path, len);
	old = xasprintf("%s.old", plain);
	kind = look_at(plain);
	if (kind == 0)
		err = msg_set(m, -EEXIST, "%s exists and is not a pev trace; choose another name "
			      "with -o", plain);
	if (kind == 1) {
		int old_kind = look_at(old);

		if (old_kind == 0)
			err = msg_set(m, -EEXIST, "%s exists and is not a pev trace, so that %s "
				      "cannot be renamed to it", old, plain);
		else if (old_kind > 0 && nftw(old, remove_one, 16, FTW_DEPTH | FTW_PHYS))
			err = msg_set(m, -errno, "removing %s: %s", old, strerror(errno));
		if (!err && rename(plain, old))
			err = msg_set(m, -errno, "renaming %s to %s: %s", plain, old,
				      strerror(errno));
	}
	free(plain);
	free(old);
	return err;
}
