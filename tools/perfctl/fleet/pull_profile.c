// SPDX-License-Identifier: GPL-2.0
/* Makes profiles for whatever asks for them. See pull_profile.h. */
#include "pull_profile.h"

#include <errno.h>
#include <pev/pev.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define SELF "/proc/self/exe"
#define POLL_US 50000

extern char **environ;

/* Runs perfctl, until it ends or *stop becomes true; what it prints goes to /dev/null. */
static int run(char *const argv[], const volatile bool *stop)
{
	posix_spawn_file_actions_t files;
	int status = -1;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", 0, 0);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", 1, 0);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", 1, 0);
	if (posix_spawn(&pid, SELF, &files, NULL, argv, environ))
		pid = -1;
	posix_spawn_file_actions_destroy(&files);
	if (pid < 0)
		return -EAGAIN;
	while (!waitpid(pid, &status, WNOHANG)) {
		if (*stop)
			kill(pid, SIGTERM);
		usleep(POLL_US);
	}
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

static int make(const char *dir, unsigned int seconds, const volatile bool *stop, struct strbuf *b)
{
	char *trace = xasprintf("%s/trace", dir), *file = xasprintf("%s/profile", dir), time[16];
	char *const record[] = { "perfctl", "record",	 "-q", "-a",  "-g",	   "-F", "99",
				 "-e",	    "cpu-clock", "-o", trace, "--timeout", time, NULL };
	char *const export[] = { "perfctl", "export", "pprof", "-o", file, trace, NULL };
	size_t len;
	char *data = NULL;
	int err;

	snprintf(time, sizeof(time), "%us", seconds);
	err = run(record, stop);
	if (!err)
		err = run(export, stop);
	if (!err)
		data = file_read(file, &len);
	if (data)
		strbuf_add(b, data, len);
	unlink(file);
	pev_trace_remove(trace, NULL);
	free(data);
	free(trace);
	free(file);
	return err || !b->len ? -EIO : 0;
}

unsigned int pull_profile(unsigned int seconds, const volatile bool *stop, const char **type,
			  struct strbuf *b)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	const char *tmp = getenv("TMPDIR");
	char *dir;
	int err;

	if (pthread_mutex_trylock(&one))
		return 503;
	dir = xasprintf("%s/perfctl-pull.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	err = mkdtemp(dir) ? make(dir, seconds, stop, b) : -EIO;
	rmdir(dir);
	free(dir);
	pthread_mutex_unlock(&one);
	*type = "application/octet-stream";
	return err ? 500 : 200;
}
