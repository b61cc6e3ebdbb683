// SPDX-License-Identifier: GPL-2.0
/*
 * The first program of a guest that linux_vmm.c boots: mounts what programs need, runs /command by bash,
 * passes its output on to the VMM and ends the guest with its exit status. What is written to
 * /run/host goes to the VMM's --file.
 */
#include "linux_vmm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOST "/run/host"

#define PAGE 4096

static int msr = -1;

static void tell(uint32_t reg, uint64_t value)
{
	if (pwrite(msr, &value, sizeof(value), reg) != sizeof(value))
		perror("init: a register of the VMM's");
}

/* Where the page is in the guest's memory */
static uint64_t physical(const void *page)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;

	pread(fd, &entry, sizeof(entry), (uintptr_t)page / PAGE * sizeof(entry));
	close(fd);
	return (entry & ((1ULL << 55) - 1)) * PAGE;
}

/* Reads what has come, at most a page of it, and passes it on. False at its end. */
static bool pass_on(int fd, uint32_t reg)
{
	static char page[PAGE] __attribute__((aligned(PAGE)));
	ssize_t n = read(fd, page, PAGE);

	if (n > 0)
		tell(reg, physical(page) + n - 1);
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
	struct pollfd from[2];
	pid_t pid;
	bool ended = false;

	if (pipe2(out, O_CLOEXEC))
		die("init: pipe: %m");
	pid = start(out[1]);
	close(out[1]);
	from[0] = (struct pollfd){ .fd = out[0], .events = POLLIN };
	from[1] = (struct pollfd){ .fd = host, .events = POLLIN };
	for (;;) {
		int ready = poll(from, 2, ended ? 0 : 100);

		if (from[0].revents && !pass_on(out[0], MSR_STDOUT))
			from[0].fd = -1;
		if (from[1].revents & POLLIN)
			pass_on(host, MSR_FILE);
		if (ended && ready <= 0)
			return status;
		if (!ended && waitpid(pid, &status, WNOHANG) == pid)
			ended = true;
	}
}

int main(void)
{
	int status, host;

	make_tree();
	msr = open("/dev/cpu/0/msr", O_WRONLY | O_CLOEXEC);
	if (msr < 0)
		die("init: /dev/cpu/0/msr: %m");
	if (mkfifo(HOST, 0600))
		die("init: " HOST ": %m");
	/* it has a writer, itself, so that it does not end */
	host = open(HOST, O_RDWR | O_CLOEXEC);
	status = run(host);
	tell(MSR_STATUS, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	for (;;)
		pause();
}
