// SPDX-License-Identifier: GPL-2.0
/* Temporary files that have no name. See tempfile.h. */
#include "tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <unistd.h>

int tempfile_open(const char *beside, struct msg *m)
{
	char *copy = xstrdup(strcmp(beside, "-") ? beside : "/tmp/x");
	const char *tmp = getenv("TMPDIR");
	int fd = open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	FILE *f;

	free(copy);
	if (fd < 0 && tmp)
		fd = open(tmp, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0) {
		/* file systems without O_TMPFILE */
		f = tmpfile();
		if (!f)
			return msg_set(m, -EIO, "a temporary file: %s", strerror(errno));
		fd = fcntl(fileno(f), F_DUPFD_CLOEXEC, 3);
		fclose(f);
	}
	return fd < 0 ? msg_set(m, -EIO, "a temporary file: %s", strerror(errno)) : fd;
}
