// SPDX-License-Identifier: GPL-2.0
/* What a process has open. See fds.h. */
#include "fds.h"
#include "rows.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* The file says them in octal. */
static uint64_t flags_of(int infos, const char *fd)
{
	char text[512], *flags;

	flags = infos >= 0 && rows_text(infos, fd, text, sizeof(text)) ? strstr(text, "flags:") :
									 NULL;
	return flags ? strtoul(flags + strlen("flags:"), NULL, 8) & UINT32_MAX : FDS_NO_FLAGS;
}

static int add_fd(struct gather *g, int dir, int infos, int pid, const char *name,
		  enum gather_fds what)
{
	struct inventory_row row = { .kind = INVENTORY_FD };
	char path[PATH_MAX];
	ssize_t len;

	if (parse_u64(name, &row.n[1]) || row.n[1] > INT32_MAX)
		return 0;
	/* it is not worth asking what there is no room for */
	if (rows_full(g, INVENTORY_FD)) {
		rows_left_out(g, INVENTORY_FD);
		return 0;
	}
	row.n[2] = flags_of(infos, name);
	if (what == FDS_KEPT && row.n[2] & O_CLOEXEC)
		return 0;
	len = readlinkat(dir, name, path, sizeof(path) - 1);
	if (len < 0)
		return 0; /* it was closed meanwhile */
	path[len] = '\0';
	row.n[0] = (uint32_t)pid;
	row.s[0] = path;
	return rows_add(g, &row);
}

int gather_fds(struct gather *g, int pid, enum gather_fds what)
{
	char name[40];
	int fd, infos, err = 0;
	struct dirent *e;
	DIR *dir;

	snprintf(name, sizeof(name), "%d/fd", pid);
	fd = rows_open(g->proc, name);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		rows_unreadable(g, INVENTORY_FD, fd);
		if (fd >= 0)
			close(fd);
		return 0;
	}
	snprintf(name, sizeof(name), "%d/fdinfo", pid);
	infos = what == FDS_NAMES ? -1 : rows_open(g->proc, name);
	while (!err && (e = readdir(dir)))
		if (*e->d_name != '.')
			err = add_fd(g, fd, infos, pid, e->d_name, what);
	if (infos >= 0)
		close(infos);
	closedir(dir);
	return err;
}
