// SPDX-License-Identifier: GPL-2.0
/* Runs pev_script of the Python module pev. See handlers.h. */
#include "handlers.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static const char start[] =
	"import sys\n"
	"try:\n"
	"    import pev_script\n"
	"except ImportError as e:\n"
	"    sys.exit(f'perfctl: -s needs the Python module pev, which comes with perfctl; "
	"PYTHONPATH can name its directory ({e})')\n"
	"pev_script.main()\n";

int handlers_exec(const char *file, const char *trace, int64_t from, int64_t to,
		  const char *events, struct msg *m)
{
	char *names = xstrdup(events ? events : ""), *save, *p;
	char *begin = xasprintf("%lld", (long long)from), *end = xasprintf("%lld", (long long)to);
	const char **argv = NULL;
	size_t n = 0, cap = 0;
	int err;

	if (access(file, R_OK)) {
		err = msg_set(m, -errno, "%s: %s", file, strerror(errno));
	} else {
		const char *const head[] = { "python3", "-c", start, file, trace, begin, end };

		for (size_t i = 0; i < ARRAY_SIZE(head); i++)
			*(const char **)ARRAY_PUSH(argv, n, cap) = head[i];
		for (p = strtok_r(names, ",", &save); p; p = strtok_r(NULL, ",", &save))
			*(const char **)ARRAY_PUSH(argv, n, cap) = p;
		ARRAY_PUSH(argv, n, cap);
		execvp(argv[0], (char **)argv);
		err = msg_set(m, -errno, "-s runs python3: %s", strerror(errno));
	}
	free(argv);
	free(names);
	free(begin);
	free(end);
	return err;
}
