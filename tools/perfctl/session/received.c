// SPDX-License-Identifier: GPL-2.0
/* A recording from the standard input. See received.h. */
#include "received.h"
#include "base/say.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t interrupts;

/* Ctrl-C is for the one that writes into the pipe, too: what it wrote is wanted. */
static void on_interrupt(int sig)
{
	(void)sig;
	interrupts++;
}

static void catch_interrupt(void)
{
	/* without SA_RESTART: a second one ends the reading */
	struct sigaction act = { .sa_handler = on_interrupt }, old;

	if (!sigaction(SIGINT, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(SIGINT, &act, NULL);
}

int received_head(char *head, ssize_t *len, struct msg *m)
{
	ssize_t n;

	*len = 0;
	if (isatty(STDIN_FILENO))
		return msg_set(m, -EINVAL,
			       "a recording comes through a pipe, not from a terminal: "
			       "perfctl record -o - | perfctl script -i -");
	do {
		n = read(STDIN_FILENO, head + *len, 8 - (size_t)*len);
		*len += n > 0 ? n : 0;
	} while ((n > 0 && *len < 8) || (n < 0 && errno == EINTR));
	return n < 0 ? msg_set(m, -EIO, "the standard input: %s", strerror(errno)) : 0;
}

int received_open(struct received *r, struct pev_writer *w, const void *head, size_t len,
		  struct msg *m)
{
	int err;

	*r = (struct received){ .writer = w };
	err = pev_pipe_open(STDIN_FILENO, head, len, w, &r->pipe);
	if (err)
		return msg_set(m, err, "the standard input: %s", strerror(-err));
	catch_interrupt();
	return 0;
}

/* What has come can be used; whatever reads it says that it is not all. */
static int cut(struct received *r, const char *why, struct msg *m)
{
	int err = pev_writer_info(r->writer, "incomplete", why);

	r->ended = true;
	return err ? msg_set(m, -EIO, "writing what comes through the pipe: %s", strerror(-err)) :
		     0;
}

int received_next(struct received *r, struct msg *m)
{
	struct pev_error e = { 0 };
	int ret = pev_pipe_read(r->pipe, &e);

	if (ret == -EINTR)
		return interrupts > 1 ? cut(r, "you ended it while it came through the pipe", m) :
					0;
	if (ret == -ENODATA && pev_writer_packets_written(r->writer))
		return cut(r, e.text, m);
	if (ret < 0)
		return msg_set(m, ret == -ENODATA || ret == -ENOTSUP ? -EBADMSG : ret, "%s",
			       e.text);
	r->ended = !ret;
	r->synced = ret == 2;
	return 0;
}

int received_all(struct received *r, struct msg *m)
{
	int err = 0;

	while (!err && !r->ended)
		err = received_next(r, m);
	return err;
}

int received_close(struct received *r, int err, struct msg *m)
{
	int close_err;

	pev_pipe_close(r->pipe);
	close_err = pev_writer_close(r->writer);
	if (close_err && !err)
		err = msg_set(m, -EIO, "writing what comes through the pipe: %s",
			      strerror(-close_err));
	*r = (struct received){ .closed = true };
	return err;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

/* Functions that a store named lie beside what a trace has. */
static void remove_symfs(const char *path)
{
	char *symfs = xasprintf("%s/symfs", path);

	nftw(symfs, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	free(symfs);
}

/* Runs in the keeper: whatever ends the other process, the directory goes. */
static void __attribute__((noreturn)) keep(const char *path, int fd)
{
	sigset_t all;
	char c;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	/* nothing is to wait for the keeper, another keeper neither, whose pipe it was born with */
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	if (fd > STDERR_FILENO + 1)
		close_range(STDERR_FILENO + 1, (unsigned int)fd - 1, 0);
	close_range((unsigned int)fd + 1, UINT_MAX, 0);
	while (read(fd, &c, 1) < 0 && errno == EINTR)
		;
	remove_symfs(path);
	_exit(pev_trace_remove(path, NULL) ? 1 : 0);
}

static int start_keeper(struct received_dir *d)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	d->keeper = fork();
	if (!d->keeper) {
		close(fds[1]);
		keep(d->path, fds[0]);
	}
	close(fds[0]);
	d->hold = fds[1];
	if (d->keeper > 0)
		return 0;
	close(fds[1]);
	return -EAGAIN;
}

int received_dir_make(struct received_dir *d, struct pev_writer **w, struct msg *m)
{
	const char *tmp = getenv("TMPDIR");
	struct pev_error e;
	int err;

	*w = NULL;
	*d = (struct received_dir){ 0 };
	d->path = xasprintf("%s/perfctl.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(d->path))
		err = msg_set(m, -EIO, "a directory for what comes through the pipe, %s: %s",
			      d->path, strerror(errno));
	else if (pev_writer_open(d->path, 0, w, &e))
		err = msg_set(m, -EIO, "%s", e.text);
	else if (start_keeper(d))
		err = msg_set(m, -EAGAIN, "a process that removes %s cannot be started", d->path);
	else
		return 0;
	if (*w) {
		pev_writer_close(*w);
		pev_trace_remove(d->path, NULL);
	} else {
		rmdir(d->path);
	}
	free(d->path);
	d->path = NULL;
	return err;
}

void received_dir_pass_on(const struct received_dir *d)
{
	if (d->path)
		fcntl(d->hold, F_SETFD, 0);
}

void received_dir_remove(struct received_dir *d)
{
	int status;

	if (!d->path)
		return;
	close(d->hold);
	if (waitpid(d->keeper, &status, 0) == d->keeper && status)
		note("%s could not be removed", d->path);
	free(d->path);
	*d = (struct received_dir){ 0 };
}
