// SPDX-License-Identifier: GPL-2.0
/*
 * The first program of a test machine: makes the guest out of the 9p shares
 * that tests/qemu/vm offers, runs one command in it and reports how it ended.
 *
 *   root      the guest's root file system, read-only
 *   run       the run directory: what to do, and what came out
 *   share<N>  writable directories, mounted where run/shares says
 *
 * The result is out of band: the command's output goes through pipes into the
 * files run/stdout and run/stderr, its exit status into run/status. Pipes, not
 * the files themselves, so that the command may open /dev/stderr and the like.
 * The console belongs to the kernel, unless the command is an interactive one.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUN	"/run/pev"
#define P9_OPTS	"trans=virtio,version=9p2000.L,msize=262144"

static void finish(void)
{
	sync();
	reboot(RB_AUTOBOOT);	/* QEMU runs with -no-reboot */
	for (;;)
		pause();
}

static void die(const char *fmt, ...)
{
	va_list ap;
	int err = errno;

	fprintf(stderr, "init: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", strerror(err));
	finish();
}

static void mount_at(const char *type, const char *what, const char *where,
		     unsigned long flags, const char *opts)
{
	if (mount(what, where, type, flags, opts))
		die("mount %s (%s) on %s", what, type, where);
}

/* For what a kernel or a root file system may lack. */
static void try_mount(const char *type, const char *where, const char *opts)
{
	mkdir(where, 0755);
	mount(type, where, type, 0, opts);
}

static void make_dirs(const char *path)
{
	char *p, *copy = strdup(path);

	for (p = strchr(copy + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = 0;
		mkdir(copy, 0755);
		*p = '/';
	}
	mkdir(copy, 0755);
	free(copy);
}

/* The whole of a file of the run directory, or NULL. */
static char *slurp(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *buf;
	ssize_t n;
	size_t have = 0;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st))
		die("stat %s", path);
	buf = calloc(1, st.st_size + 2);
	while (have < (size_t)st.st_size &&
	       (n = read(fd, buf + have, st.st_size - have)) > 0)
		have += n;
	close(fd);
	if (len)
		*len = have;
	return buf;
}

/* A kernel that has 9p as modules brings them in its initrd, in the order of their names. */
static void load_modules(void)
{
	int fd, i, n;
	struct dirent **list;

	if (chdir("/modules"))
		return;
	n = scandir(".", &list, NULL, alphasort);
	for (i = 0; i < n; i++) {
		if (list[i]->d_name[0] == '.')
			continue;
		fd = open(list[i]->d_name, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
			die("load %s", list[i]->d_name);
		close(fd);
	}
}

static void make_root(void)
{
	mkdir("/new", 0755);
	mount_at("9p", "root", "/new", MS_RDONLY, P9_OPTS ",ro,cache=loose");
	mount_at("devtmpfs", "dev", "/new/dev", 0, "mode=755");
	if (chdir("/new") || mount(".", "/", NULL, MS_MOVE, NULL) ||
	    chroot(".") || chdir("/"))
		die("switch to the root file system");
}

static void make_dev(void)
{
	/* What udev would do. */
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
	try_mount("devpts", "/dev/pts", "mode=620,ptmxmode=666");
	symlink("pts/ptmx", "/dev/ptmx");
	try_mount("tmpfs", "/dev/shm", "mode=1777");
}

static void mount_shares(void)
{
	char *list = slurp(RUN "/shares", NULL), *line, *save, tag[16];
	int i = 0;

	if (!list)
		return;
	for (line = strtok_r(list, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		snprintf(tag, sizeof(tag), "share%d", i++);
		make_dirs(line);
		mount_at("9p", tag, line, 0, P9_OPTS ",cache=mmap");
	}
	free(list);
}

static void make_guest(void)
{
	load_modules();
	make_root();
	mount_at("proc", "proc", "/proc", 0, NULL);
	mount_at("sysfs", "sysfs", "/sys", 0, NULL);
	mount_at("tmpfs", "tmpfs", "/run", 0, "mode=755");
	mount_at("tmpfs", "tmpfs", "/tmp", 0, "mode=1777");
	try_mount("tmpfs", "/var/tmp", "mode=1777");
	make_dev();
	try_mount("debugfs", "/sys/kernel/debug", NULL);
	try_mount("tracefs", "/sys/kernel/tracing", NULL);
	try_mount("securityfs", "/sys/kernel/security", NULL);
	try_mount("cgroup2", "/sys/fs/cgroup", NULL);
	mkdir(RUN, 0755);
	mount_at("9p", "run", RUN, 0, P9_OPTS ",cache=none");
	mount_shares();
	sethostname("pev", 3);
}

/* run/env holds NAME=VALUE strings, each with its NUL. */
static void set_env(void)
{
	size_t len = 0, i;
	char *env = slurp(RUN "/env", &len);

	clearenv();
	for (i = 0; env && i < len; i += strlen(env + i) + 1)
		putenv(env + i);
	if (getenv("PWD") && chdir(getenv("PWD")))
		die("chdir %s", getenv("PWD"));
}

static void own_terminal(void)
{
	struct winsize ws = { 0 };
	const char *rows = getenv("LINES"), *cols = getenv("COLUMNS");
	int fd = open(getenv("PEV_TTY"), O_RDWR);

	if (fd < 0)
		die("open %s", getenv("PEV_TTY"));
	setsid();
	ioctl(fd, TIOCSCTTY, 1);
	if (rows && cols) {
		ws.ws_row = atoi(rows);
		ws.ws_col = atoi(cols);
		ioctl(fd, TIOCSWINSZ, &ws);
	}
	dup2(fd, 0);
	dup2(fd, 1);
	dup2(fd, 2);
	if (fd > 2)
		close(fd);
}

static pid_t start(char *cmd, int out, int err)
{
	struct rlimit core = { 0, 0 };
	pid_t pid = fork();
	int null;

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;

	setrlimit(RLIMIT_CORE, &core);
	if (!cmd) {
		own_terminal();
		execl("/bin/bash", "bash", "-i", NULL);
		die("exec bash");
	}
	setsid();
	null = open("/dev/null", O_RDONLY);
	dup2(null, 0);
	dup2(out, 1);
	dup2(err, 2);
	execl("/bin/bash", "bash", "-c", cmd, NULL);
	die("exec bash");
	return -1;
}

struct pump {
	int from, to;
};

static void open_pump(struct pump *p, int *writer, const char *path)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		die("pipe");
	p->from = fds[0];
	*writer = fds[1];
	fcntl(p->from, F_SETFL, O_NONBLOCK);
	p->to = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (p->to < 0)
		die("open %s", path);
}

/* Moves what there is; false when the pipe is empty or has ended. */
static int pump(struct pump *p)
{
	static char buf[65536];
	ssize_t n = read(p->from, buf, sizeof(buf)), done = 0, w;

	if (n == 0) {
		close(p->from);
		p->from = -1;	/* poll() and read() leave it alone */
	}
	if (n <= 0)
		return 0;
	while (done < n) {
		w = write(p->to, buf + done, n - done);
		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			die("write the command's output");
		done += w;
	}
	return 1;
}

static void report(int status)
{
	int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
					 WEXITSTATUS(status);
	int fd = open(RUN "/status", O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || dprintf(fd, "%d\n", code) < 0)
		die("write the status");
	close(fd);
}

/*
 * x86 checks its APIC timer against the PIT. On a busy host ticks get lost,
 * the check fails, and the machine has no high-resolution timers: ask for
 * another try. The switch to high resolution may still be under way.
 */
static void check_timers(void)
{
	struct timespec res, pause = { 0, 50 * 1000 * 1000 };
	int i, fd;

	for (i = 0; i < 20; i++) {
		if (clock_getres(CLOCK_MONOTONIC, &res) || res.tv_nsec == 1)
			return;
		nanosleep(&pause, NULL);
	}
	fd = open(RUN "/retry", O_WRONLY | O_CREAT, 0644);
	if (fd >= 0)
		close(fd);
	finish();
}

static int child_pipe[2];

static void on_child(int sig)
{
	(void)sig;
	write(child_pipe[1], "", 1);
}

/* Pumps and reaps until the command has ended, then takes what is left. */
static int supervise(pid_t pid, struct pump *out, struct pump *err)
{
	struct pollfd fds[3] = { { .fd = child_pipe[0], .events = POLLIN } };
	int status, result = 0, over = 0;
	char c[64];
	pid_t dead;

	while (!over) {
		fds[1] = (struct pollfd){ .fd = out->from, .events = POLLIN };
		fds[2] = (struct pollfd){ .fd = err->from, .events = POLLIN };
		poll(fds, 3, -1);
		pump(out);
		pump(err);
		while (read(child_pipe[0], c, sizeof(c)) > 0)
			;
		while ((dead = waitpid(-1, &status, WNOHANG)) > 0)
			if (dead == pid) {
				result = status;
				over = 1;
			}
	}
	while (pump(out) | pump(err))
		;
	return result;
}

int main(void)
{
	struct pump out, err;
	int wout, werr;
	char *cmd;
	pid_t pid;

	umask(022);
	make_guest();
	check_timers();
	pipe2(child_pipe, O_CLOEXEC | O_NONBLOCK);
	signal(SIGCHLD, on_child);
	open_pump(&out, &wout, RUN "/stdout");
	open_pump(&err, &werr, RUN "/stderr");
	cmd = slurp(RUN "/cmd", NULL);
	set_env();
	pid = start(cmd, wout, werr);
	close(wout);
	close(werr);
	report(supervise(pid, &out, &err));
	finish();
}
