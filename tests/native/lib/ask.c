// SPDX-License-Identifier: GPL-2.0
/*
 * Asks pev-perfmon what it must refuse, and what it must do, and prints TAP without a plan.
 * usage: ask PROGRAM
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "helper/protocol.h"

static int sock, number;
static pid_t helper;

static void check(const char *what, int got, int want)
{
	printf("%s %d - pev-perfmon: %s\n", got == want ? "ok" : "not ok", ++number, what);
	if (got != want)
		printf("# got %d (%s), expected %d\n", got, strerror(abs(got)), want);
}

static void start(const char *path)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		exit(1);
	helper = fork();
	if (!helper) {
		dup2(ends[1], 0);
		execl(path, path, NULL);
		_exit(127);
	}
	close(ends[1]);
	sock = ends[0];
}

/* Sends @len bytes with @nr descriptors, and returns the error of the answer, negative. */
static int ask(const void *data, size_t len, const int *fds, unsigned int nr)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(16 * sizeof(int))];
	} control = { 0 };
	struct iovec iov = { (void *)data, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct helper_answer a;
	struct cmsghdr *c;
	int fd;

	if (nr) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(nr * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(nr * sizeof(int));
		memcpy(CMSG_DATA(c), fds, nr * sizeof(int));
	}
	if (sendmsg(sock, &msg, MSG_NOSIGNAL) < 0)
		return -errno;
	iov = (struct iovec){ &a, sizeof(a) };
	msg = (struct msghdr){ .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			       .msg_controllen = sizeof(control) };
	if (recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) != sizeof(a))
		return -EPIPE;
	c = CMSG_FIRSTHDR(&msg);
	if (c) {
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
		close(fd);
	}
	/* a descriptor comes if and only if it worked */
	return !c == !!a.error ? -a.error : -EBADMSG;
}

static struct helper_question question(void)
{
	struct helper_question q = { .what = HELPER_OPEN, .pid = getpid(), .cpu = -1,
				     .size = sizeof(struct perf_event_attr) };
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
					.config = PERF_COUNT_SW_DUMMY, .disabled = 1 };

	memcpy(q.attr, &attr, sizeof(attr));
	return q;
}

static int ask_for(struct helper_question *q, const int *fds, unsigned int nr)
{
	return ask(q, offsetof(struct helper_question, attr) + q->size, fds, nr);
}

/*
 * Returns how many descriptors the helper has; -1 if root alone may see it. What it answered
 * with, it has closed before it reads the next question.
 */
static int nr_open(void)
{
	struct helper_question q = { .what = 99 };
	char path[64];
	int n = -2;
	DIR *d;

	ask_for(&q, NULL, 0);
	snprintf(path, sizeof(path), "/proc/%d/fd", helper);
	d = opendir(path);
	if (!d)
		return -1;
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* A kernel without them has nothing to refuse. */
static void probe(const char *pmu)
{
	struct perf_event_attr *attr;
	struct helper_question q = question();
	char path[64], what[32];
	unsigned int type;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	f = fopen(path, "r");
	if (!f)
		return;
	if (fscanf(f, "%u", &type) != 1)
		type = 0;
	fclose(f);
	attr = (struct perf_event_attr *)q.attr;
	attr->type = type;
	snprintf(what, sizeof(what), "places no %s", pmu);
	check(what, ask_for(&q, NULL, 0), -EACCES);
}

static void refusals(void)
{
	static const int many[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	struct helper_question q = question();
	char large[sizeof(q) + 8] = { 0 };

	q.pid = 0;
	check("itself is no target", ask_for(&q, NULL, 0), -EINVAL);
	q = question();
	q.pid = -2;
	check("nor are other numbers below 0", ask_for(&q, NULL, 0), -EINVAL);
	q = question();
	q.flags = PERF_FLAG_FD_OUTPUT;
	check("a flag that is not for it", ask_for(&q, NULL, 0), -EINVAL);
	q = question();
	check("a descriptor that no word announces", ask_for(&q, many, 1), -EINVAL);
	check("more of them than it takes", ask_for(&q, many, 16), -EINVAL);
	q.group = 1;
	check("a leader without a descriptor", ask_for(&q, NULL, 0), -EINVAL);
	check("a leader that is no event", ask_for(&q, many, 1), -EBADF);
	q = question();
	check("less than it says", ask(&q, offsetof(struct helper_question, attr) + 8, NULL, 0),
	      -EINVAL);
	check("less than a question", ask(&q, 4, NULL, 0), -EINVAL);
	check("more than a question", ask(large, sizeof(large), NULL, 0), -EINVAL);
	q.size = 0xffffffff;
	check("a size that wraps", ask(&q, sizeof(q), NULL, 0), -EINVAL);
	q = question();
	q.attr[4] = 8;
	check("attributes that give another size", ask_for(&q, NULL, 0), -EINVAL);
	q = question();
	q.what = 99;
	check("a question that it does not know", ask_for(&q, NULL, 0), -EINVAL);
	probe("kprobe");
	probe("uprobe");
}

int main(int argc, char **argv)
{
	struct helper_question q = question();
	int before, status;

	if (argc < 2)
		return 1;
	start(argv[1]);
	check("an event of a process", ask_for(&q, NULL, 0), 0);
	before = nr_open();
	check("its descriptors can be counted", before > 0, true);
	refusals();
	q = question();
	q.pid = -1;
	q.cpu = 0;
	check("an event of a CPU", ask_for(&q, NULL, 0), 0);
	q = (struct helper_question){ .what = HELPER_KALLSYMS };
	check("the kernel's symbols", ask_for(&q, NULL, 0), 0);
	check("no descriptor is left open", nr_open(), before);
	close(sock);
	waitpid(helper, &status, 0);
	check("it ends with the connection", status, 0);
	return 0;
}
