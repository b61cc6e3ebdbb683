// SPDX-License-Identifier: GPL-2.0
/* Reads source files of programs. See source_text.h. */
#include "source_text.h"
#include "regular.h"
#include "snapshot.h"

#include <limits.h>
#include <stdlib.h>

#define SOURCE_MOST (64u << 20)

/* May others have said what the program's source is? @owner: the one that did, 0: any of them */
static bool is_of_others(const struct objects *os, uint32_t object, uid_t *owner)
{
	struct stat st = { 0 };
	bool others;
	char *file;

	if (pev_syms_file(os->syms, (int)object, false, &file))
		return false;
	others = stat(file, &st) || others_may_write(&st);
	*owner = st.st_uid == geteuid() ? 0 : st.st_uid;
	free(file);
	return others;
}

/* May everybody read the file, and get there? */
static bool is_for_all(int fd, const struct stat *st)
{
	char self[32], path[PATH_MAX];
	struct stat dir;
	ssize_t n;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	n = readlink(self, path, sizeof(path) - 1);
	if (n <= 0 || !(st->st_mode & S_IROTH))
		return false;
	path[n] = 0;
	for (char *p = strrchr(path, '/'); p && p > path; p = strrchr(path, '/')) {
		*p = 0;
		if (stat(path, &dir) || !(dir.st_mode & S_IXOTH))
			return false;
	}
	return true;
}

char *source_text(const struct objects *os, uint32_t object, const char *path)
{
	uid_t owner;
	struct stat st;
	int fd = *path == '/' ? regular_open(path) : -1;

	if (fd < 0)
		return NULL;
	if (is_of_others(os, object, &owner) &&
	    (fstat(fd, &st) || !((owner && st.st_uid == owner) || is_for_all(fd, &st)))) {
		close(fd);
		return NULL;
	}
	return file_read_open(fd, SOURCE_MOST, NULL);
}
