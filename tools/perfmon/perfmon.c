// SPDX-License-Identifier: GPL-2.0
/*
 * pev-perfmon opens events for those who may run it, with the capability of its file:
 * CAP_PERFMON for perf_event_open(2), and CAP_SYSLOG, without which the kernel does not
 * show where its functions are. libpev starts it with a socket as standard input.
 *
 * It trusts no one: it takes no arguments, reads no environment, opens files of the
 * kernel by fixed names and none else, and ends with its last question. Probes change the
 * code of the kernel and of programs: these it does not place.
 */
#include "helper/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_FDS 2

/**
 * struct request - a question with its descriptors
 * @len: bytes that came
 */
struct request {
	struct helper_question q;
	size_t len;
	int fds[MAX_FDS];
	unsigned int nr_fds;
};

/* Takes the descriptors, all of them, so that none is left open. */
static void take_fds(struct request *r, struct msghdr *msg)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t nr = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < nr; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
			if (r->nr_fds < MAX_FDS)
				r->fds[r->nr_fds++] = fd;
			else
				close(fd);
		}
	}
}

/* Returns 1, 0 at the end, or -EINVAL for a non-question. */
static int receive(struct request *r)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(MAX_FDS * sizeof(int))];
	} control;
	struct iovec iov = { &r->q, sizeof(r->q) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	ssize_t n;

	memset(r, 0, sizeof(*r));
	do {
		n = recvmsg(STDIN_FILENO, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return 0;
	take_fds(r, &msg);
	r->len = (size_t)n;
	if (msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC) || r->len < offsetof(struct helper_question, attr))
		return -EINVAL;
	return 1;
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Reads a number that the kernel shows; 0: there is none. */
static unsigned int number_in(const char *path)
{
	int fd = open_file(path);
	char text[16] = "";
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 ? (unsigned int)strtoul(text, NULL, 10) : 0;
}

/* PMUs have numbers of their own at each boot. */
static bool is_probe(unsigned int type)
{
	if (type < PERF_TYPE_MAX)
		return false;
	/* without sysfs it could be one */
	return access("/sys/bus/event_source/devices", F_OK) ||
	       type == number_in("/sys/bus/event_source/devices/kprobe/type") ||
	       type == number_in("/sys/bus/event_source/devices/uprobe/type");
}

/* Returns a descriptor or -errno. */
static int open_event(const struct request *r)
{
	const struct helper_question *q = &r->q;
	bool cgroup = q->flags & PERF_FLAG_PID_CGROUP;
	unsigned int want = cgroup + (q->group == 1);
	struct perf_event_attr *attr = (struct perf_event_attr *)q->attr;
	long fd;

	if (q->flags & ~(uint32_t)PERF_FLAG_PID_CGROUP || q->group > 1 || r->nr_fds != want)
		return -EINVAL;
	/* the size that the kernel will read is that of what came */
	if (q->size < PERF_ATTR_SIZE_VER0 || q->size > sizeof(q->attr) ||
	    r->len != offsetof(struct helper_question, attr) + q->size || attr->size != q->size)
		return -EINVAL;
	if (is_probe(attr->type))
		return -EACCES;
	/* 0 would be this program */
	if (!cgroup && (!q->pid || q->pid < -1))
		return -EINVAL;
	fd = syscall(SYS_perf_event_open, attr, cgroup ? r->fds[0] : q->pid, q->cpu,
		     q->group ? r->fds[want - 1] : -1, q->flags | PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

static int answer_of(const struct request *r)
{
	switch (r->q.what) {
	case HELPER_OPEN:
		return open_event(r);
	case HELPER_KALLSYMS:
		return open_file("/proc/kallsyms");
	case HELPER_MODULES:
		return open_file("/proc/modules");
	default:
		return -EINVAL;
	}
}

/* Sends @fd, or -errno instead of one. */
static bool reply(int fd)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct helper_answer a = { .error = fd < 0 ? -fd : 0 };
	struct iovec iov = { &a, sizeof(a) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;
	ssize_t n;

	if (fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	do {
		n = sendmsg(STDIN_FILENO, &msg, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n == sizeof(a);
}

int main(void)
{
	socklen_t len = sizeof(int);
	struct request r;
	bool going = true;
	int type, ret;

	if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &len) || type != SOCK_SEQPACKET) {
		fprintf(stderr, "pev-perfmon opens events for perfctl, which starts it: see "
			"pev-perfmon(8)\n");
		return 2;
	}
	while (going && (ret = receive(&r))) {
		ret = ret < 0 ? ret : answer_of(&r);
		going = reply(ret);
		if (ret >= 0)
			close(ret);
		for (unsigned int i = 0; i < r.nr_fds; i++)
			close(r.fds[i]);
	}
	return 0;
}
