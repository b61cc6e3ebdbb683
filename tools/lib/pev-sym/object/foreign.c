// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Opens files by a process of its own. See foreign.h.
 *
 * What a path leads to is known only behind it, and each step of it may be served by a program
 * that does not answer: neither open() nor statfs() come back then, O_NONBLOCK or not. So a
 * child tries, and is given up. One that waits for an answer cannot even be killed; it ends
 * when that program does, and until then there may be few of them. The caller's program learns
 * nothing of children: they end without a signal, and wait() does not see them.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "object/foreign.h"

#define PATIENCE_MS 1000
#define FUSE_MAGIC 0x65735546

union control {
	struct cmsghdr align;
	char room[CMSG_SPACE(sizeof(int))];
};

/* Sends an error, or 0 with a descriptor. */
static void answer(int to, int err, int fd)
{
	union control control = { 0 };
	struct iovec iov = { &err, sizeof(err) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (!err) {
		struct cmsghdr *c;

		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	sendmsg(to, &msg, MSG_NOSIGNAL);
}

/* A child that is left behind must not keep locks and pipes. */
static void close_others(int but)
{
#ifdef SYS_close_range
	if (but)
		syscall(SYS_close_range, 0, but - 1, 0);
	syscall(SYS_close_range, but + 1, ~0U, 0);
#else
	(void)but;
#endif
}

/* Looks at what the path leads to before that is opened: devices may do something then. */
static int open_seen(int seen, const char *as, int flags)
{
	struct statfs fs;
	struct stat st;

	if (fstat(seen, &st) || fstatfs(seen, &fs))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -ENXIO;
	if (fs.f_type == FUSE_MAGIC)
		return -EREMOTE;
	seen = open(as, (flags & ~O_NOFOLLOW) | O_CLOEXEC);
	return seen < 0 ? -errno : seen;
}

/* In the child, of a program that may have threads: calls what is safe in signal handlers alone. */
static void try(int to, const char *path, int flags)
{
	int seen, fd;

	close_others(to);
	seen = open(path, O_PATH | (flags & O_NOFOLLOW) | O_CLOEXEC);
	/* a number that is known */
	if (seen < 0 || dup2(seen, !to) < 0)
		fd = -errno;
	else
		fd = open_seen(!to, to ? "/proc/self/fd/0" : "/proc/self/fd/1", flags);
	answer(to, fd < 0 ? -fd : 0, fd);
	_exit(0);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int wait_for(int from)
{
	int64_t end = now_ms() + PATIENCE_MS, left;
	int ret = -1;

	while ((left = end - now_ms()) > 0) {
		struct pollfd p = { .fd = from, .events = POLLIN };

		ret = poll(&p, 1, (int)left);
		if (ret >= 0 || errno != EINTR)
			break;
	}
	return ret > 0 ? 0 : -ETIMEDOUT;
}

static int receive(int from)
{
	union control control;
	int err = 0, fd;
	struct iovec iov = { &err, sizeof(err) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;

	if (recvmsg(from, &msg, MSG_CMSG_CLOEXEC) != sizeof(err))
		return -EIO;
	c = CMSG_FIRSTHDR(&msg);
	if (err || !c || c->cmsg_type != SCM_RIGHTS)
		return err ? -err : -EIO;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* Children that could not be killed */
static struct {
	pthread_mutex_t lock;
	pid_t pids[FOREIGN_MOST];
} left_behind = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Forgets those that have ended since; returns whether there is room for one more. */
static bool has_room(void)
{
	bool room = false;

	pthread_mutex_lock(&left_behind.lock);
	for (unsigned int i = 0; i < FOREIGN_MOST; i++) {
		pid_t *pid = &left_behind.pids[i];

		if (*pid && waitpid(*pid, NULL, WNOHANG | __WALL))
			*pid = 0;
		room |= !*pid;
	}
	pthread_mutex_unlock(&left_behind.lock);
	return room;
}

static void leave_behind(pid_t child)
{
	pthread_mutex_lock(&left_behind.lock);
	for (unsigned int i = 0; i < FOREIGN_MOST; i++)
		if (!left_behind.pids[i]) {
			left_behind.pids[i] = child;
			break;
		}
	pthread_mutex_unlock(&left_behind.lock);
}

/* Gives what is on its way to an end a moment for it. */
static void end_child(pid_t child)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	kill(child, SIGKILL);
	for (unsigned int i = 0; i < 100; i++) {
		if (waitpid(child, NULL, WNOHANG | __WALL))
			return;
		nanosleep(&moment, NULL);
	}
	leave_behind(child);
}

int foreign_open(const char *path, int flags)
{
	int ends[2], ret;
	pid_t child;

	if (!has_room())
		return -EBUSY;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	child = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
	if (!child)
		try(ends[1], path, flags);
	ret = child < 0 ? -errno : 0;
	close(ends[1]);
	if (!ret)
		ret = wait_for(ends[0]);
	if (!ret)
		ret = receive(ends[0]);
	close(ends[0]);
	if (child > 0)
		end_child(child);
	return ret;
}
