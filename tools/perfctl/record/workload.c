// SPDX-License-Identifier: GPL-2.0
/* Forking, releasing and waiting for the command. See workload.h. */
#include "workload.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define END_WAIT_MS 2000

static void __attribute__((noreturn)) child(char **argv, int go, int failed, const sigset_t *mask)
{
	int err;
	char c;

	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (read(go, &c, 1) != 1)
		_exit(0); /* given up */
	execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) < 0)
		_exit(127);
	_exit(err == ENOENT ? 127 : 126);
}

/* Returns 0 or -errno. That it exists and may not be run says more than that it is missing. */
static int check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -ENOENT;
	if (!S_ISREG(st.st_mode) || access(path, X_OK))
		return -EACCES;
	return 0;
}

/* Returns the status with which shells exit if they can't run a command. */
static int refuse(const char *name, int err, int *status, struct msg *m)
{
	*status = err == -ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
	return msg_set(m, err, "cannot run %s: %s", name, strerror(-err));
}

/* Looks for the command as execvp() does. */
static int check_command(const char *name)
{
	const char *env = getenv("PATH");
	char *paths = xstrdup(env ? env : "/bin:/usr/bin"), *save, *dir;
	int err = -ENOENT;

	if (strchr(name, '/'))
		err = check_file(name);
	for (dir = strchr(name, '/') ? NULL : strtok_r(paths, ":", &save); dir && err;
	     dir = strtok_r(NULL, ":", &save)) {
		char *path = xasprintf("%s/%s", dir, name);
		int one = check_file(path);

		if (one != -ENOENT)
			err = one;
		free(path);
	}
	free(paths);
	return err;
}

int workload_hold(struct workload *w, char **argv, const sigset_t *mask, int *status,
		  struct msg *m)
{
	int go[2], failed[2], err;

	*w = (struct workload){ .go = -1, .failed = -1 };
	err = check_command(argv[0]);
	if (err)
		return refuse(argv[0], err, status, m);
	if (pipe2(go, O_CLOEXEC))
		return msg_set(m, -errno, "pipe: %s", strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return msg_set(m, -errno, "pipe: %s", strerror(errno));
	}
	fflush(NULL);
	w->pid = fork();
	if (!w->pid) {
		close(go[1]);
		child(argv, go[0], failed[1], mask);
	}
	close(go[0]);
	close(failed[1]);
	w->go = go[1];
	w->failed = failed[0];
	if (w->pid < 0) {
		w->pid = 0;
		return msg_set(m, -errno, "fork: %s", strerror(errno));
	}
	return 0;
}

int workload_go(struct workload *w, const char *name, int *status, struct msg *m)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	bool gone = write(w->go, "", 1) != 1;
	int err = 0;

	signal(SIGPIPE, before);
	if (gone)
		return msg_set(m, -EPIPE, "the process that was to run %s is gone", name);
	close(w->go);
	w->go = -1;
	/* a successful exec closes it, and nothing was written */
	while (read(w->failed, &err, sizeof(err)) < 0 && errno == EINTR)
		;
	if (!err)
		return 0;
	workload_wait(w, true);
	return refuse(name, -err, status, m);
}

bool workload_wait(struct workload *w, bool block)
{
	if (!w->pid || w->ended)
		return true;
	for (;;) {
		pid_t got = wait4(w->pid, &w->status, block ? 0 : WNOHANG, &w->usage);

		if (got == w->pid)
			w->ended = true;
		if (got >= 0 || errno != EINTR)
			return w->ended;
	}
}

void workload_end(struct workload *w)
{
	if (w->go >= 0)
		close(w->go); /* without the pipe, a command that is held back exits */
	if (w->failed >= 0)
		close(w->failed);
	w->go = w->failed = -1;
	if (!w->pid || w->ended)
		return;
	kill(w->pid, SIGTERM);
	kill(w->pid, SIGCONT);
	/* a command that does not end is left to the user */
	for (int i = 0; i < END_WAIT_MS && !workload_wait(w, false); i++)
		usleep(1000);
}

int workload_status(const struct workload *w)
{
	if (WIFSIGNALED(w->status))
		return 128 + WTERMSIG(w->status);
	return WEXITSTATUS(w->status);
}
