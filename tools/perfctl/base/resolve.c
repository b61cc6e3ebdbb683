// SPDX-License-Identifier: GPL-2.0
/* Which file a path leads to. See resolve.h. */
#include "resolve.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* as many as the kernel follows */
#define LINKS_MOST 40

/* The length of the part before the last name, with its slash */
static size_t dir_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* 1: to be followed; 0: of procfs; as to its owner, the rule is that of fs.protected_symlinks */
static int check_link(const char *path, const struct stat *link, struct msg *m)
{
	char *dir = dir_len(path) ? xstrndup(path, dir_len(path)) : xstrdup(".");
	struct statfs fs;
	struct stat st;
	int err = stat(dir, &st) || statfs(dir, &fs) ? -errno : 0;

	free(dir);
	if (err)
		return msg_set(m, -EIO, "%s: %s", path, strerror(-err));
	if (fs.f_type == PROC_SUPER_MAGIC)
		return 0;
	if (!(st.st_mode & S_IWOTH) || link->st_uid == geteuid() || link->st_uid == st.st_uid)
		return 1;
	return msg_set(m, -EPERM, "%s is a symbolic link of another user (%u) in a directory that "
		       "everybody can write to, and is not followed: remove it, or choose another "
		       "name", path, link->st_uid);
}

static int follow(char **path, struct msg *m)
{
	char to[PATH_MAX], *next;
	ssize_t len = readlink(*path, to, sizeof(to) - 1);

	if (len < 0)
		return msg_set(m, -EIO, "%s: %s", *path, strerror(errno));
	to[len] = '\0';
	next = *to == '/' ? xstrdup(to) : xasprintf("%.*s%s", (int)dir_len(*path), *path, to);
	free(*path);
	*path = next;
	return 0;
}

int resolve_path(const char *path, char **real, struct msg *m)
{
	char *at = xstrdup(path);
	struct stat st;
	int links = 0, err = 0;

	*real = NULL;
	while (!err && !lstat(at, &st) && S_ISLNK(st.st_mode)) {
		err = check_link(at, &st, m);
		if (!err)
			break;
		if (err > 0 && ++links > LINKS_MOST)
			err = msg_set(m, -EIO, "%s: %s", path, strerror(ELOOP));
		if (err > 0)
			err = follow(&at, m);
	}
	if (err)
		free(at);
	else
		*real = at;
	return err;
}
