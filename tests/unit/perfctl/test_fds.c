// SPDX-License-Identifier: GPL-2.0
/* perfctl trace -y: what descriptors are, after calls. */
#include "strace/fds.h"
#include "tests.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PID 4711

/* A call of PID with arguments, which returns @ret; @path is what argument @arg points to. */
static void call(struct fds *f, const char *name, const uint64_t *args, int64_t ret, int arg,
		 const char *path)
{
	struct syscall_desc desc = {
		.name = (char *)name,
		.execs = !strcmp(name, "execve"),
	};
	struct fds_done done = { .desc = &desc, .args = args, .ret = ret };
	struct live_text *t = NULL;
	size_t len = path ? strlen(path) + 1 : 0;

	if (path) {
		t = calloc(1, sizeof(*t) + len);
		t->copied = (uint8_t)(1u << arg);
		t->len[arg] = (uint16_t)len;
		memcpy(t->bytes, path, len);
		done.texts[1] = t;
	}
	fds_call(f, PID, &done);
	free(t);
}

#define ARGS(...) ((const uint64_t[6]){ __VA_ARGS__ })

static const char *name(const struct fds *f, uint32_t pid, int fd)
{
	const char *s = fds_name(f, pid, fd);

	return s ? s : "unknown";
}

static void opens(struct fds *f)
{
	call(f, "openat", ARGS((uint64_t)AT_FDCWD, 0, O_CLOEXEC), 3, 1, "/etc");
	IS_STR(name(f, PID, 3), "/etc", "a file that was opened");
	call(f, "openat", ARGS(3, 0, 0), 4, 1, "passwd");
	IS_STR(name(f, PID, 4), "/etc/passwd", "... in a directory that is known");
	call(f, "openat", ARGS((uint64_t)AT_FDCWD, 0, 0), 5, 1, "here");
	IS_STR(name(f, PID, 5), "here", "... by a relative name");
	call(f, "openat", ARGS((uint64_t)AT_FDCWD, 0, 0), -2, 1, "nowhere");
	call(f, "openat", ARGS((uint64_t)AT_FDCWD, 0, 0), 6, 1, NULL);
	IS_STR(name(f, PID, 6), "unknown", "... by a name that was not copied");
	call(f, "socket", ARGS(AF_UNIX, SOCK_STREAM, 0), 6, 0, NULL);
	IS_STR(name(f, PID, 6), "socket", "a socket");
	IS_STR(name(f, PID, 99), "unknown", "a number that was never seen");
	IS_STR(name(f, PID, -1), "unknown", "no descriptor");
}

static void changes(struct fds *f)
{
	call(f, "dup2", ARGS(4, 0), 0, 0, NULL);
	IS_STR(name(f, PID, 0), "/etc/passwd", "dup2()");
	call(f, "fcntl", ARGS(4, F_DUPFD_CLOEXEC, 10), 10, 0, NULL);
	IS_STR(name(f, PID, 10), "/etc/passwd", "fcntl(F_DUPFD)");
	fds_fork(f, PID, PID + 1);
	call(f, "close", ARGS(5), 0, 0, NULL);
	IS_STR(name(f, PID, 5), "unknown", "close()");
	IS_STR(name(f, PID + 1, 5), "here", "... is of that process alone");
	fds_fork(f, PID, PID);
	IS_STR(name(f, PID, 4), "/etc/passwd", "a thread has those of its process");
	call(f, "execve", ARGS(0), 0, 0, NULL);
	OK(!fds_name(f, PID, 3) && !fds_name(f, PID, 10), "an exec closes what is to be closed");
	IS_STR(name(f, PID, 4), "/etc/passwd", "... and nothing else");
	call(f, "close_range", ARGS(5, UINT32_MAX), 0, 0, NULL);
	OK(!fds_name(f, PID, 6) && fds_name(f, PID, 4), "close_range()");
	call(f, "close", NULL, 0, 0, NULL);
	IS_STR(name(f, PID, 4), "unknown", "a close() of which the begin is not known");
	fds_forget(f);
	IS_STR(name(f, PID + 1, 5), "unknown", "calls were lost");
}

void test_fds(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct fds f = { 0 };

	opens(&f);
	changes(&f);
	fds_look(&f, (uint32_t)getpid());
	IS_STR(name(&f, (uint32_t)getpid(), fd), "/dev/null", "what is open already");
	dup2(STDERR_FILENO, fd);
	fds_look(&f, (uint32_t)getpid());
	IS_STR(name(&f, (uint32_t)getpid(), fd), "unknown", "... unless it has changed meanwhile");
	close(fd);
	fds_free(&f);
}
