// SPDX-License-Identifier: GPL-2.0
/*
 * Text from the kernel, <debugfs>/pev/text: lines are what ftrace prints of the same
 * occurrences, in the order of time, with several readers as with one, and bad input is refused.
 */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "pev_sample.h"

#define TEXT "/sys/kernel/debug/pev/text"
#define TRACING "/sys/kernel/tracing"
#define INSTANCE TRACING "/instances/pev_print"

/* A line of the file. */
struct line {
	double time;
	unsigned int cpu;
	unsigned int tid;
	const char *body;
};

static bool parse(const char *text, struct line *line)
{
	int at = 0;

	if (sscanf(text, "%lf [%u] %u %n", &line->time, &line->cpu, &line->tid, &at) != 3 || !at)
		return false;
	line->body = text + at;
	return true;
}

static int listen_to(int fd, const char *event, const char *filter)
{
	char text[256];
	int len = snprintf(text, sizeof(text), "%s %s\n", event, filter);

	return write(fd, text, len) == len ? 0 : -errno;
}

/* A stream over a descriptor that is not to block: what is there ends it. */
static FILE *lines_of(int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return fdopen(dup(fd), "r");
}

FIXTURE(print)
{
	int fd;
	char *line;
	size_t size;
};

FIXTURE_SETUP(print)
{
	PEV_NEEDS_ROOT(return );
	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	mount("tracefs", TRACING, "tracefs", 0, NULL);
	self->fd = open(TEXT, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(print)
{
	free(self->line);
	close(self->fd);
}

static void put(const char *dir, const char *file, const char *text)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		fprintf(stderr, "# %s: %s\n", path, strerror(errno));
	close(fd);
}

/* What both record of this process; the files of ftrace. */
static const struct {
	const char *event, *dir, *filter;
} both[] = {
	{ "syscalls:sys_enter_getsid", "events/syscalls/sys_enter_getsid", "" },
	{ "syscalls:sys_exit_getsid", "events/syscalls/sys_exit_getsid", "" },
	{ "task:task_rename", "events/task/task_rename", "pid == %d" },
	{ "signal:signal_generate", "events/signal/signal_generate", "pid == %d && sig == 23" },
};

#define NR_BOTH (sizeof(both) / sizeof(both[0]))

static int record_both(int fd)
{
	char filter[64], path[128];

	for (unsigned int i = 0; i < NR_BOTH; i++) {
		int err;

		snprintf(filter, sizeof(filter), both[i].filter, getpid());
		err = listen_to(fd, both[i].event, filter);
		if (err)
			return err;
		snprintf(path, sizeof(path), "%s/%s", INSTANCE, both[i].dir);
		if (*filter)
			put(path, "filter", filter);
		put(path, "enable", "1");
	}
	return 0;
}

static void do_things(unsigned int times)
{
	char name[16];

	for (unsigned int i = 0; i < times; i++) {
		getsid(i % 7 ? 0 : 1000000 + i);
		snprintf(name, sizeof(name), "thing %u", i);
		prctl(PR_SET_NAME, name);
		if (i % 5 == 0)
			kill(getpid(), SIGURG);
	}
}

/* The next line of ftrace's file that is not a comment: what is behind the time. */
static const char *next_of_ftrace(FILE *f, char **line, size_t *size)
{
	const char *at;

	while (getline(line, size, f) > 0) {
		if (**line == '#')
			continue;
		at = strstr(*line, "] ");
		at = at ? strstr(at, ": ") : NULL;
		return at ? at + 2 : NULL;
	}
	return NULL;
}

TEST_F(print, is_what_ftrace_prints)
{
	const unsigned int times = pev_kernel_is_slow() ? 300 : 3000;
	size_t size = 0, nr = 0;
	const char *theirs;
	char *line = NULL;
	struct line ours;
	FILE *f, *g;

	if (mkdir(INSTANCE, 0700) && errno != EEXIST)
		SKIP(return, "no ftrace here");
	put(INSTANCE, "buffer_size_kb", "8192");
	ASSERT_EQ(0, pev_pin(0));
	ASSERT_EQ(0, record_both(self->fd));
	do_things(times);
	put(INSTANCE, "tracing_on", "0");
	f = lines_of(self->fd);
	g = fopen(INSTANCE "/trace", "re");
	ASSERT_NE(NULL, f);
	ASSERT_NE(NULL, g);
	while ((theirs = next_of_ftrace(g, &line, &size))) {
		ASSERT_LT(0, getline(&self->line, &self->size, f))
		TH_LOG("line %zu: %s", nr, theirs);
		ASSERT_TRUE(parse(self->line, &ours)) TH_LOG("%s", self->line);
		ASSERT_STREQ(theirs, ours.body);
		EXPECT_EQ(0, ours.cpu);
		EXPECT_EQ(getpid(), ours.tid);
		nr++;
	}
	EXPECT_EQ(3 * times + (times + 4) / 5, nr);
	fclose(f);
	fclose(g);
	free(line);
	rmdir(INSTANCE);
}

/* Lines of all CPUs are in the order of time, and none is missing. */
TEST_F(print, is_in_order)
{
	unsigned int cpus = sysconf(_SC_NPROCESSORS_ONLN), nr = 0, bad = 0;
	const unsigned int times = 2000;
	struct line line;
	double last = 0;
	FILE *f;

	ASSERT_EQ(0, listen_to(self->fd, "syscalls:sys_enter_getsid", "pid > 1000"));
	for (unsigned int i = 0; i < cpus; i++) {
		if (fork())
			continue;
		pev_pin((int)i);
		for (unsigned int n = 0; n < times; n++)
			getsid(1001 + n);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	f = lines_of(self->fd);
	while (getline(&self->line, &self->size, f) > 0) {
		ASSERT_TRUE(parse(self->line, &line)) TH_LOG("%s", self->line);
		bad += line.time < last;
		last = line.time;
		nr++;
	}
	EXPECT_EQ(0, bad);
	EXPECT_EQ(cpus * times, nr);
	fclose(f);
}

TEST_F(print, prints_markers)
{
	static const char *const lines[] = {
		"number: number 0 pointer 0x1000\n",
		"text: name (null) length 4\n",
		"types: hh -1 hhu=200 h -2 hu=ea60 i -3 u: 0xee6b2800 l -5 llu 6 c p s task pct 100% z -7\n",
		"plain: nothing to say\n",
		"number: number -1 pointer 0x1001\n",
		"text: name task length 4\n",
	};
	int err = pev_sample_load();
	struct line line;
	FILE *f;

	if (err)
		SKIP(return, "pev-sample.ko can't be loaded: %s", strerror(-err));
	ASSERT_EQ(0, listen_to(self->fd, "pev_sample:number", ""));
	ASSERT_EQ(0, listen_to(self->fd, "pev_sample:text", ""));
	ASSERT_EQ(0, listen_to(self->fd, "pev_sample:types", ""));
	ASSERT_EQ(0, listen_to(self->fd, "pev_sample:plain", ""));
	ASSERT_EQ(0, pev_sample_fire("task", 2));
	f = lines_of(self->fd);
	for (unsigned int i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		ASSERT_LT(0, getline(&self->line, &self->size, f));
		ASSERT_TRUE(parse(self->line, &line));
		EXPECT_STREQ(lines[i], line.body);
	}
	fclose(f);
}

/* A reader waits, and a signal ends that. */
static void nothing(int sig)
{
}

/* What a child does over and over, until it is killed. */
static pid_t repeat(void (*act)(void))
{
	pid_t pid = fork();

	while (!pid) {
		act();
		usleep(10000);
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void call(void)
{
	getsid(12345);
}

static void interrupt(void)
{
	kill(getppid(), SIGUSR1);
}

TEST_F(print, is_followed)
{
	struct sigaction sa = { .sa_handler = nothing };
	char text[256];
	ssize_t got;
	pid_t pid;

	ASSERT_EQ(0, listen_to(self->fd, "syscalls:sys_enter_getsid", "pid == 12345"));
	pid = repeat(call);
	got = read(self->fd, text, sizeof(text) - 1);
	end(pid);
	ASSERT_LT(0, got);
	text[got] = '\0';
	EXPECT_NE(NULL, strstr(text, "sys_getsid(pid: 3039)\n"));

	sigaction(SIGUSR1, &sa, NULL);
	pid = repeat(interrupt);
	while ((got = read(self->fd, text, sizeof(text))) > 0)
		;
	EXPECT_EQ(-1, got);
	EXPECT_EQ(EINTR, errno);
	end(pid);
}

static int is_ready(int fd, int timeout)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, timeout) == 1 && p.revents == POLLIN;
}

/* The state of a process, 'S' while it sleeps; 0: it is gone. */
static char state_of(pid_t pid)
{
	char path[32], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state;
}

/* One record, far less than wakes a reader of a ring, once the parent sleeps. */
static pid_t call_late(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	while (state_of(getppid()) == 'R')
		pev_yield();
	getsid(12345);
	_exit(0);
}

TEST_F(print, polls)
{
	struct pollfd write_end = { .fd = self->fd, .events = POLLOUT };
	char text[256];
	pid_t pid;

	/* the help would be read */
	EXPECT_TRUE(is_ready(self->fd, 0));
	ASSERT_EQ(0, listen_to(self->fd, "syscalls:sys_enter_getsid", "pid == 12345"));
	EXPECT_FALSE(is_ready(self->fd, 0));
	EXPECT_EQ(1, poll(&write_end, 1, 0));
	EXPECT_EQ(POLLOUT, write_end.revents);
	pid = call_late();
	EXPECT_TRUE(is_ready(self->fd, 30000));
	waitpid(pid, NULL, 0);
	/* a part of the line, which leaves the rest */
	EXPECT_EQ(5, read(self->fd, text, 5));
	EXPECT_TRUE(is_ready(self->fd, 0));
	EXPECT_LT(0, read(self->fd, text, sizeof(text)));
	EXPECT_FALSE(is_ready(self->fd, 0));
}

/* An epoll keeps looking, with no call that asks for it. */
TEST_F(print, polls_by_epoll)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	int ep = epoll_create1(EPOLL_CLOEXEC);
	char text[256];

	ASSERT_LE(0, ep);
	ASSERT_EQ(0, listen_to(self->fd, "syscalls:sys_enter_getsid", "pid == 12345"));
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->fd, &ev));
	for (unsigned int i = 0; i < 3; i++) {
		pid_t pid = call_late();

		EXPECT_EQ(1, epoll_wait(ep, &ev, 1, 30000));
		waitpid(pid, NULL, 0);
		EXPECT_LT(0, read(self->fd, text, sizeof(text)));
	}
	close(ep);
}

/* Each file has its own events, and its own losses. */
TEST_F(print, is_private)
{
	int other = open(TEXT, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	char text[4096];

	ASSERT_LE(0, other);
	ASSERT_EQ(0, listen_to(self->fd, "syscalls:sys_enter_getsid", "pid == 12345"));
	ASSERT_EQ(0, listen_to(other, "syscalls:sys_enter_getpgid", "pid == 12345"));
	ASSERT_EQ(0, pev_pin(0));
	/* more than a ring has room for */
	for (unsigned int i = 0; i < 100000; i++)
		getsid(12345);
	getpgid(12345);
	ASSERT_LT(0, read(other, text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "sys_getpgid(pid: 3039)"));
	EXPECT_EQ(NULL, strstr(text, "lost"));
	EXPECT_EQ(-1, read(other, text, sizeof(text)));
	EXPECT_EQ(EAGAIN, errno);
	close(other);
}

TEST_F(print, says_what_was_lost)
{
	unsigned long lost = 0, nr = 0, n;
	FILE *f;

	ASSERT_EQ(0, listen_to(self->fd, "syscalls:sys_enter_getsid", "pid == 12345"));
	ASSERT_EQ(0, pev_pin(0));
	for (unsigned int i = 0; i < 100000; i++)
		getsid(12345);
	f = lines_of(self->fd);
	while (getline(&self->line, &self->size, f) > 0) {
		if (sscanf(self->line, "# %lu records were lost", &n) == 1)
			lost += n;
		else
			nr++;
	}
	EXPECT_LT(0, lost);
	EXPECT_EQ(100000, nr + lost);
	fclose(f);
}

/* Every tracepoint's own function prints: what one of them can't bear would be seen here. */
TEST_F(print, prints_all)
{
	struct pev_attr attr = { .type = PEV_TYPE_CATALOG, .channel_fd = -1, .group_fd = -1 };
	int catalog = pev_open(&attr);
	unsigned int events = 0, nr = 0;
	char *text, *at, *end, name[128];
	struct line line;
	FILE *f;

	ASSERT_LE(0, catalog);
	text = pev_read_text(catalog);
	ASSERT_NE(NULL, text);
	for (at = text; *at && events < (pev_kernel_is_slow() ? 100 : 400); at = end + 1) {
		end = strchr(at, '\n');
		/* those that reading makes would never end, and without a guest there are none of KVM's */
		if (sscanf(at, "tracepoint %127s", name) == 1 && strncmp(name, "lock", 4) &&
		    strncmp(name, "preemptirq", 10) && strncmp(name, "kvm", 3))
			events += !listen_to(self->fd, name, "");
	}
	EXPECT_LT(50, events);
	for (unsigned int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (!pid) {
			close(1);
			close(2);
			execl("/proc/self/exe", "print_test", "-l", NULL);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	f = lines_of(self->fd);
	while (nr < 20000 && getline(&self->line, &self->size, f) > 0) {
		/* some print more than a line */
		nr += parse(self->line, &line);
	}
	EXPECT_LT(100, nr);
	fclose(f);
	free(text);
	close(catalog);
}

TEST_F(print, refuses)
{
	char big[8192], *none = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(big, 'x', sizeof(big));
	EXPECT_EQ(-ENOENT, listen_to(self->fd, "no_such:event", ""));
	EXPECT_EQ(-EINVAL, listen_to(self->fd, "nonsense", ""));
	EXPECT_EQ(-EINVAL, listen_to(self->fd, "sched:sched_switch", "prev_pid >"));
	EXPECT_EQ(-1, write(self->fd, big, sizeof(big)));
	EXPECT_EQ(E2BIG, errno);
	EXPECT_EQ(-1, write(self->fd, none, 10));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(3, write(self->fd, "\n#\n", 3));
	/* nothing is listened to: help, and the end */
	EXPECT_LT(0, read(self->fd, big, sizeof(big)));
	EXPECT_EQ('#', big[0]);
	EXPECT_EQ(0, read(self->fd, big, sizeof(big)));
}

TEST_F(print, is_for_root)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(2);
		_exit(open(TEXT, O_RDWR) < 0 && errno == EACCES ? 0 : 1);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* Level 4 of the setting is for all. */
TEST_F(print, is_off_with_pev)
{
	static const char setting[] = "/proc/sys/kernel", level[] = "pev_paranoid";
	char path[64], before[16] = "";
	int fd, err;

	snprintf(path, sizeof(path), "%s/%s", setting, level);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_LT(0, read(fd, before, sizeof(before) - 1));
	close(fd);
	put(setting, level, "4");
	fd = open(TEXT, O_RDWR | O_CLOEXEC);
	err = errno;
	put(setting, level, before);
	EXPECT_EQ(-1, fd);
	EXPECT_EQ(EACCES, err);
}

TEST_HARNESS_MAIN
