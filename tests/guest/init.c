// SPDX-License-Identifier: GPL-2.0
/*
 * The first program of a guest of tests/guest/run: mounts what programs need, runs /command by
 * bash, passes its output on to the VMM and ends the guest with its exit status. What is written
 * to /run/host goes to the VMM's --file.
 */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIPE "/run/host"

/* Reads what has come, at most a page of it, and passes it on. False at its end. */
static bool pass_on(int fd, enum host_stream to)
{
	static char page[HOST_PAGE] __attribute__((aligned(HOST_PAGE)));
	ssize_t n = read(fd, page, HOST_PAGE);

	if (n > 0)
		host_send(to, page, n);
	return n > 0;
}

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	exit(1);
}

static void mount_at(const char *type, const char *where)
{
	mkdir(where, 0755);
	mount(type, where, type, 0, NULL);
}

static void make_tree(void)
{
	mount_at("devtmpfs", "/dev");
	mount_at("proc", "/proc");
	mount_at("sysfs", "/sys");
	mount_at("debugfs", "/sys/kernel/debug");
	mount_at("tracefs", "/sys/kernel/tracing");
	mount_at("tmpfs", "/tmp");
	mount_at("tmpfs", "/run");
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
}

static pid_t start(int out)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/tmp", 1);
	setenv("USER", "root", 1);
	setenv("TERM", "dumb", 1);
	chdir("/tmp");
	execl("/bin/bash", "bash", "/command", NULL);
	_exit(127);
}

/* What the command leaves running is not waited for. */
static int run(int host)
{
	int out[2], status = 0;
	struct pollfd from[3];
	pid_t pid;
	bool ended = false;

	if (pipe2(out, O_CLOEXEC))
		die("init: pipe: %m");
	pid = start(out[1]);
	close(out[1]);
	from[0] = (struct pollfd){ .fd = out[0], .events = POLLIN };
	from[1] = (struct pollfd){ .fd = host, .events = POLLIN };
	/* that it has ended; asking from time to time would interrupt what is measured */
	from[2] = (struct pollfd){ .fd = syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	for (;;) {
		int ready = poll(from, ended ? 2 : 3, ended ? 0 : -1);

		if (from[0].revents && !pass_on(out[0], HOST_STDOUT))
			from[0].fd = -1;
		if (from[1].revents & POLLIN)
			pass_on(host, HOST_FILE);
		if (ended && ready <= 0)
			return status;
		if (!ended && from[2].revents)
			ended = waitpid(pid, &status, 0) == pid;
	}
}

int main(void)
{
	int status, host;

	make_tree();
	host_open();
	if (mkfifo(PIPE, 0600))
		die("init: " PIPE ": %m");
	/* it has a writer, itself, so that it does not end */
	host = open(PIPE, O_RDWR | O_CLOEXEC);
	status = run(host);
	host_end(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}
