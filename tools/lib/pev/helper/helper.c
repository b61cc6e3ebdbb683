// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Starts pev-perfmon and asks it. See helper.h.
 *
 * The program has the capability, not the caller: what the caller loads, runs and writes
 * is done with the caller's own rights.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/compiler.h"
#include "core/file.h"
#include "helper/helper.h"

/*
 * The connection, of this process alone: a child that forked would read its parent's
 * answers. The helper ends when the last descriptor of the connection is closed.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int connection = -1;
static pid_t connected;

const char *helper_path(void)
{
	static const char *const places[] = { "/usr/local/libexec/pev-perfmon",
					      "/usr/libexec/pev-perfmon" };
	const char *path = secure_getenv("PEV_PERFMON");

	if (path)
		return access(path, F_OK) ? NULL : path;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (!access(places[i], F_OK))
			return places[i];
	return NULL;
}

/* Becomes the helper, in a session of its own: ^C is for the program that is measured. */
static void become_helper(int end, const char *path)
{
	char *argv[] = { (char *)path, NULL }, *envp[] = { NULL };
	int null = open("/dev/null", O_RDWR);

	setsid();
	/* the caller must not wait for it, nor be told when it ends */
	if (fork() || null < 0)
		_exit(0);
	if (dup2(end, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
		_exit(127);
	execve(path, argv, envp);
	_exit(127);
}

static int start(const char *path)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	pid = fork();
	if (!pid)
		become_helper(ends[1], path);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return -EAGAIN;
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return ends[0];
}

/* Returns the connection or -ENOSYS; with the lock held. */
static int connect_helper(void)
{
	const char *path;

	if (connected == getpid())
		return connection < 0 ? -ENOSYS : connection;
	if (connection >= 0)
		close(connection);
	connection = -1;
	connected = getpid();
	path = helper_path();
	/* root is refused for other reasons, and runs no program that a variable names */
	if (!path || !geteuid() || access(path, X_OK))
		return -ENOSYS;
	connection = start(path);
	return connection < 0 ? -ENOSYS : connection;
}

static void give_up(void)
{
	close(connection);
	connection = -1;
}

static int send_question(const struct helper_question *q, const int *fds, unsigned int nr)
{
	union {
		struct cmsghdr	align;
		char		room[CMSG_SPACE(2 * sizeof(int))];
	} control = { 0 };
	struct iovec iov = { (void *)q, offsetof(struct helper_question, attr) + q->size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (nr) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(nr * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(nr * sizeof(int));
		memcpy(CMSG_DATA(c), fds, nr * sizeof(int));
	}
	while (sendmsg(connection, &msg, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int receive_answer(void)
{
	union {
		struct cmsghdr	align;
		char		room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct helper_answer a;
	struct iovec iov = { &a, sizeof(a) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	ssize_t n;
	int fd;

	do {
		n = recvmsg(connection, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n != sizeof(a))
		return -EPIPE;
	if (a.error)
		return -a.error;
	c = CMSG_FIRSTHDR(&msg);
	if (!c || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof(int)))
		return -EPIPE;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static int ask(const struct helper_question *q, const int *fds, unsigned int nr)
{
	int ret;

	pthread_mutex_lock(&lock);
	ret = connect_helper();
	if (ret >= 0) {
		ret = send_question(q, fds, nr);
		if (!ret)
			ret = receive_answer();
		/* it has ended, or could not be run: with its capability, or at all */
		if (ret == -EPIPE || ret == -ECONNRESET) {
			give_up();
			ret = -ENOSYS;
		}
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

int helper_perf_open(const struct perf_event_attr *attr, int pid, int cpu, int group_fd,
		     unsigned long flags)
{
	struct helper_question q = {
		.what = HELPER_OPEN,
		.flags = (uint32_t)flags & PERF_FLAG_PID_CGROUP,
		/* 0 is the caller, which it would be for the helper, too */
		.pid = pid ? pid : (int)syscall(SYS_gettid),
		.cpu = cpu,
		.group = group_fd >= 0,
		.size = sizeof(*attr),
	};
	int fds[2];
	unsigned int nr = 0;

	_Static_assert(sizeof(*attr) <= HELPER_ATTR_MAX, "attributes fit into a question");
	if (q.flags & PERF_FLAG_PID_CGROUP)
		fds[nr++] = pid;
	if (q.group)
		fds[nr++] = group_fd;
	memcpy(q.attr, attr, sizeof(*attr));
	return ask(&q, fds, nr);
}

int helper_read(enum helper_what what, char **text, size_t *len)
{
	const struct helper_question q = { .what = what };
	int fd = ask(&q, NULL, 0), ret;

	if (fd < 0)
		return fd;
	ret = pev_read_whole(fd, text, len);
	close(fd);
	return ret;
}
