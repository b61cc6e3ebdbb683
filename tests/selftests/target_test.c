// SPDX-License-Identifier: GPL-2.0
/*
 * Targets: an event counts what its target does, all of it and nothing else.
 * The occurrences are calls that no other task makes. Subtrees have a test of
 * their own.
 */
#include <pthread.h>
#include "kselftest_harness.h"
#include "pev_child.h"

/* ---- this program once more: calls, and says by its status what it read ---- */

static void __attribute__((constructor)) again_main(void)
{
	const char *calls = getenv("PEV_AGAIN_CALLS"), *fd = getenv("PEV_AGAIN_FD");

	if (!calls)
		return;
	pev_call(atoi(calls));
	_exit(fd ? pev_read(atoi(fd)).value & 0xff : 0);
}

static void exec_again(const char *path, int calls, int fd)
{
	char a[40], b[40], *argv[] = { "again", NULL }, *envp[] = { a, b, NULL };

	snprintf(a, sizeof(a), "PEV_AGAIN_CALLS=%d", calls);
	snprintf(b, sizeof(b), "PEV_AGAIN_FD=%d", fd);
	if (fd < 0)
		envp[1] = NULL;
	execve(path, argv, envp);
	_exit(99);
}

static int open_calls(uint32_t target, int id, uint64_t flags)
{
	struct pev_attr attr = pev_attr_calls(target, id);

	attr.flags = flags;
	return pev_open(&attr);
}

FIXTURE(target) {
	int cpus[2];
	int nr_cpus;
};

FIXTURE_SETUP(target)
{
	PEV_NEEDS_ROOT(return );
	self->nr_cpus = pev_cpus(self->cpus, 2);
}

FIXTURE_TEARDOWN(target)
{
}

/* ---- threads and processes ---- */

struct worker {
	pthread_t	thread;
	pid_t		tid;
	unsigned int	calls;
	pthread_barrier_t *ready;
	pthread_barrier_t *go;
};

static void *work(void *arg)
{
	struct worker *w = arg;

	w->tid = gettid();
	pthread_barrier_wait(w->ready);
	pthread_barrier_wait(w->go);
	pev_call(w->calls);
	return NULL;
}

TEST_F(target, one_thread)
{
	struct worker w[3];
	pthread_barrier_t ready, go;
	int fds[3], self_fd;

	pthread_barrier_init(&ready, NULL, 4);
	pthread_barrier_init(&go, NULL, 4);
	for (unsigned int i = 0; i < 3; i++) {
		w[i] = (struct worker) { .calls = 10 * (i + 1), .ready = &ready, .go = &go };
		ASSERT_EQ(0, pthread_create(&w[i].thread, NULL, work, &w[i]));
	}
	pthread_barrier_wait(&ready);
	for (unsigned int i = 0; i < 3; i++) {
		fds[i] = open_calls(PEV_TARGET_TASK, w[i].tid, 0);
		ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
	}
	self_fd = open_calls(PEV_TARGET_TASK, 0, 0);
	ASSERT_LE(0, self_fd);
	pthread_barrier_wait(&go);
	pev_call(5);
	for (unsigned int i = 0; i < 3; i++) {
		pthread_join(w[i].thread, NULL);
		/* what has exited can still be read, controlled and closed */
		EXPECT_EQ(w[i].calls, pev_read(fds[i]).value);
		EXPECT_EQ(0, pev_off(fds[i]));
		EXPECT_EQ(0, pev_on(fds[i]));
		EXPECT_EQ(w[i].calls, pev_read(fds[i]).value);
		close(fds[i]);
	}
	EXPECT_EQ(5, pev_read(self_fd).value);
	close(self_fd);
}

static void *call_some(void *arg)
{
	pev_call(*(unsigned int *)arg);
	return NULL;
}

TEST_F(target, process_with_all_its_threads)
{
	unsigned int seven = 7;
	pthread_barrier_t ready, go;
	struct worker w = { .calls = 10, .ready = &ready, .go = &go };
	struct pev_child c;
	pthread_t late;
	int fd, by_tid;

	pthread_barrier_init(&ready, NULL, 2);
	pthread_barrier_init(&go, NULL, 2);
	ASSERT_EQ(0, pthread_create(&w.thread, NULL, work, &w));
	pthread_barrier_wait(&ready);
	fd = open_calls(PEV_TARGET_PROCESS, getpid(), 0);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	by_tid = open_calls(PEV_TARGET_PROCESS, w.tid, 0);
	ASSERT_LE(0, by_tid) TH_LOG("%s", pev_reason());
	pev_call(3);
	pthread_barrier_wait(&go);
	pthread_join(w.thread, NULL);
	ASSERT_EQ(0, pthread_create(&late, NULL, call_some, &seven));
	pthread_join(late, NULL);
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pev_call(100);
		_exit(0);
	}
	ASSERT_EQ(0, pev_child_end(&c));
	EXPECT_EQ(20, pev_read(fd).value);
	EXPECT_EQ(20, pev_read(by_tid).value);
	close(fd);
	close(by_tid);
}

TEST_F(target, exit_and_read)
{
	for (unsigned int i = 0; i < 20; i++) {
		struct pev_child c;
		int fd;

		ASSERT_LE(0, pev_child_start(&c));
		if (!c.pid) {
			pev_child_wait(&c);
			pev_call(i);
			_exit(0);
		}
		fd = open_calls(PEV_TARGET_TASK + i % 3, c.pid, 0);
		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		pev_child_go(&c);
		ASSERT_EQ(0, pev_child_end(&c));
		EXPECT_EQ(i, pev_read(fd).value);
		close(fd);
	}
}

/* Time runs only while the target does. */
TEST_F(target, time_of_a_sleeper)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_TASK_CLOCK, PEV_TARGET_TASK, 0);
	struct pev_child c;
	struct pev_value v;
	int fd;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pev_child_wait(&c);
		_exit(0);
	}
	attr.target_id = c.pid;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd);
	usleep(100000);
	v = pev_read(fd);
	EXPECT_GT(50000000, v.value);
	pev_child_go(&c);
	ASSERT_EQ(0, pev_child_end(&c));
	v = pev_read(fd);
	EXPECT_LT(0, v.value);
	close(fd);
}

/* ---- exec ---- */

TEST_F(target, enable_on_exec)
{
	struct pev_child c;
	int fds[5];

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pev_child_wait(&c);
		pev_call(50);
		pev_child_say(&c, 0);
		pev_child_wait(&c);
		exec_again("/proc/self/exe", 7, -1);
	}
	for (unsigned int i = 0; i < 5; i++) {
		fds[i] = open_calls(PEV_TARGET_TASK + i % 3, c.pid, PEV_F_ENABLE_ON_EXEC |
				    (i % 2 ? PEV_F_DISABLED : 0));
		ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
	}
	pev_child_go(&c);
	ASSERT_EQ(0, pev_child_hear(&c));
	for (unsigned int i = 0; i < 5; i++) {
		EXPECT_EQ(0, pev_read(fds[i]).value);
		EXPECT_EQ(0, pev_read(fds[i]).time_enabled);
	}
	/* an explicit word ends the wait */
	ASSERT_EQ(0, pev_off(fds[3]));
	pev_child_go(&c);
	ASSERT_EQ(0, pev_child_end(&c));
	for (unsigned int i = 0; i < 5; i++) {
		EXPECT_EQ(i == 3 ? 0 : 7, pev_read(fds[i]).value) TH_LOG("event %u", i);
		close(fds[i]);
	}
}

#define MANY 1500 /* more than exec switches on at once with interrupts off */
#define MEMBERS 100

/* Groups of them lie across all places where exec may let interrupts in. */
TEST_F(target, enable_many_on_exec)
{
	struct rlimit limit = { MANY + 100, MANY + 100 };
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_PROCESS, 0);
	int nr = pev_kernel_is_slow() ? MANY / 3 : MANY;
	static int fds[MANY];
	struct pev_child c;
	uint64_t since = 0;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pev_child_wait(&c);
		exec_again("/proc/self/exe", 7, -1);
	}
	attr.target_id = c.pid;
	attr.flags = PEV_F_ENABLE_ON_EXEC;
	for (int i = 0; i < nr; i++) {
		attr.group_fd = i % MEMBERS ? fds[i / MEMBERS * MEMBERS] : -1;
		fds[i] = pev_open(&attr);
		ASSERT_LE(0, fds[i]) TH_LOG("event %d: %s", i, pev_reason());
	}
	/* one that is closed, and one that is off, in the midst of the others */
	close(fds[1]);
	ASSERT_EQ(0, pev_off(fds[2]));
	pev_child_go(&c);
	ASSERT_EQ(0, pev_child_end(&c));
	for (int i = 0; i < nr; i++) {
		struct pev_value v;

		if (i == 1)
			continue;
		v = pev_read(fds[i]);
		EXPECT_EQ(i == 2 ? 0 : 7, v.value) TH_LOG("event %d", i);
		if (i % MEMBERS == 0)
			since = v.time_enabled;
		else if (i != 2)
			EXPECT_EQ(since, v.time_enabled) TH_LOG("event %d is of a group", i);
	}
	for (int i = 0; i < nr; i++)
		if (i != 1)
			close(fds[i]);
}

/* A task that execs a program with more rights leaves events of those without. */
FIXTURE(setuid) {
	char path[64];
};

FIXTURE_VARIANT(setuid) {
	mode_t mode;
	int cap;
	int expect;
};

FIXTURE_VARIANT_ADD(setuid, plain) {
	.mode = 0755, .cap = -1, .expect = 5 + 7,
};

FIXTURE_VARIANT_ADD(setuid, root) {
	.mode = 04755, .cap = -1, .expect = 5,
};

FIXTURE_VARIANT_ADD(setuid, unreadable) {
	.mode = 0711, .cap = -1, .expect = 5,
};

FIXTURE_VARIANT_ADD(setuid, root_watched_with_right) {
	.mode = 04755, .cap = PEV_CAP_PERFMON, .expect = 5 + 7,
};

static int copy_self(const char *to, mode_t mode)
{
	int in = open("/proc/self/exe", O_RDONLY), out = open(to, O_WRONLY | O_CREAT, 0600);
	char buf[65536];
	ssize_t n;

	while ((n = read(in, buf, sizeof(buf))) > 0)
		if (write(out, buf, n) != n)
			return -1;
	close(in);
	if (fchmod(out, mode))
		return -1;
	return close(out);
}

FIXTURE_SETUP(setuid)
{
	PEV_NEEDS_ROOT(return );
	snprintf(self->path, sizeof(self->path), "/tmp/pev-setuid.%d", getpid());
	if (copy_self(self->path, variant->mode))
		SKIP(return, "no room for a copy of this program");
}

FIXTURE_TEARDOWN(setuid)
{
	unlink(self->path);
}

TEST_F(setuid, exec)
{
	int values[2];

	for (unsigned int target = PEV_TARGET_TASK; target <= PEV_TARGET_SUBTREE; target++) {
		struct pev_child c;
		int pair[2], fd;

		ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
		ASSERT_LE(0, pev_child_start(&c));
		if (!c.pid) {
			if (pev_become(1234, variant->cap))
				_exit(101);
			fd = open_calls(target, 0, 0);
			if (fd < 0 || pev_send_fd(pair[1], fd))
				_exit(102);
			pev_call(5);
			exec_again(self->path, 7, -1);
		}
		fd = pev_receive_fd(pair[0]);
		ASSERT_LE(0, fd);
		EXPECT_EQ(0, pev_child_end(&c));
		values[0] = variant->expect;
		values[1] = pev_read(fd).value;
		EXPECT_EQ(values[0], values[1]) TH_LOG("target %u", target);
		close(fd);
		close(pair[0]);
		close(pair[1]);
	}
}

/* ---- CPUs ---- */

static int open_cpus(uint64_t mask)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_CPUS, 0);

	attr.cpus = mask ? (uintptr_t)&mask : 0;
	attr.cpus_size = mask ? sizeof(mask) : 0;
	return pev_open(&attr);
}

TEST_F(target, cpus)
{
	uint64_t one, two;
	int first, second, both, machine;

	if (self->nr_cpus < 2)
		SKIP(return, "needs two CPUs");
	one = 1ULL << self->cpus[0];
	two = 1ULL << self->cpus[1];
	first = open_cpus(one);
	second = open_cpus(two);
	both = open_cpus(one | two);
	machine = open_cpus(0);
	ASSERT_LE(0, first) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, second);
	ASSERT_LE(0, both);
	ASSERT_LE(0, machine);
	for (unsigned int i = 0; i < 10; i++) {
		ASSERT_EQ(0, pev_pin(self->cpus[0]));
		pev_call(3);
		ASSERT_EQ(0, pev_pin(self->cpus[1]));
		pev_call(4);
	}
	EXPECT_EQ(30, pev_read(first).value);
	EXPECT_EQ(40, pev_read(second).value);
	EXPECT_EQ(70, pev_read(both).value);
	EXPECT_EQ(70, pev_read(machine).value);
	close(first);
	close(second);
	close(both);
	close(machine);
}

/* ---- cgroups ---- */

#define CGROUPS	"/sys/fs/cgroup"

FIXTURE(cgroup) {
	char path[64];
	char sub[80];
	int fd;
	int cpus[2];
	int nr_cpus;
};

static int move_to(const char *cgroup, pid_t pid)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	return pev_put_number(path, pid);
}

FIXTURE_SETUP(cgroup)
{
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	if (geteuid() || access(CGROUPS "/cgroup.procs", W_OK))
		SKIP(return, "needs root and cgroup v2 at " CGROUPS);
	snprintf(self->path, sizeof(self->path), CGROUPS "/pev-test.%d", getpid());
	snprintf(self->sub, sizeof(self->sub), "%s/sub", self->path);
	ASSERT_EQ(0, mkdir(self->path, 0755));
	ASSERT_EQ(0, mkdir(self->sub, 0755));
	self->fd = open(self->path, O_RDONLY | O_DIRECTORY);
	ASSERT_LE(0, self->fd);
	self->nr_cpus = pev_cpus(self->cpus, 2);
}

FIXTURE_TEARDOWN(cgroup)
{
	close(self->fd);
	rmdir(self->sub);
	rmdir(self->path);
}

/* The child calls as often as it is told to, until it is told 0. */
static void obey(struct pev_child *c)
{
	uint8_t calls;

	while (read(c->go[0], &calls, 1) == 1 && calls) {
		pev_call(calls);
		pev_child_say(c, calls);
	}
	_exit(0);
}

static void tell(struct __test_metadata *_metadata, struct pev_child *c, uint8_t calls)
{
	ASSERT_EQ(1, write(c->go[1], &calls, 1));
	if (calls)
		ASSERT_EQ(calls, pev_child_hear(c));
}

TEST_F(cgroup, in_and_out)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_CGROUP, self->fd);
	struct pev_child c;
	int fd;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid)
		obey(&c);
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	tell(_metadata, &c, 1);
	EXPECT_EQ(0, pev_read(fd).value);
	for (unsigned int i = 0; i < 10; i++) {
		uint64_t before = pev_read(fd).value;

		ASSERT_EQ(0, move_to(self->path, c.pid));
		tell(_metadata, &c, 3);
		EXPECT_EQ(before + 3, pev_read(fd).value);
		ASSERT_EQ(0, move_to(self->sub, c.pid));
		tell(_metadata, &c, 5);
		EXPECT_EQ(before + 8, pev_read(fd).value);
		ASSERT_EQ(0, move_to(CGROUPS, c.pid));
		tell(_metadata, &c, 100);
		EXPECT_EQ(before + 8, pev_read(fd).value);
	}
	tell(_metadata, &c, 0);
	EXPECT_EQ(0, pev_child_end(&c));
	close(fd);
}

/* Events on a cgroup and on one in it, whichever is the first, and again when all were closed. */
TEST_F(cgroup, nested)
{
	struct pev_attr outer = pev_attr_calls(PEV_TARGET_CGROUP, self->fd), inner;
	int outer_fd, inner_fd, sub = open(self->sub, O_RDONLY | O_DIRECTORY);
	struct pev_child c;

	ASSERT_LE(0, sub);
	inner = pev_attr_calls(PEV_TARGET_CGROUP, sub);
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid)
		obey(&c);
	ASSERT_EQ(0, move_to(self->sub, c.pid));
	outer_fd = pev_open(&outer);
	ASSERT_LE(0, outer_fd) TH_LOG("%s", pev_reason());
	tell(_metadata, &c, 3);
	EXPECT_EQ(3, pev_read(outer_fd).value);
	inner_fd = pev_open(&inner);
	ASSERT_LE(0, inner_fd) TH_LOG("%s", pev_reason());
	tell(_metadata, &c, 5);
	EXPECT_EQ(8, pev_read(outer_fd).value);
	EXPECT_EQ(5, pev_read(inner_fd).value);
	close(outer_fd);
	tell(_metadata, &c, 2);
	EXPECT_EQ(7, pev_read(inner_fd).value);
	close(inner_fd);
	inner_fd = pev_open(&inner);
	ASSERT_LE(0, inner_fd) TH_LOG("%s", pev_reason());
	outer_fd = pev_open(&outer);
	ASSERT_LE(0, outer_fd) TH_LOG("%s", pev_reason());
	tell(_metadata, &c, 1);
	EXPECT_EQ(1, pev_read(outer_fd).value);
	EXPECT_EQ(1, pev_read(inner_fd).value);
	tell(_metadata, &c, 0);
	EXPECT_EQ(0, pev_child_end(&c));
	close(inner_fd);
	close(outer_fd);
	close(sub);
}

TEST_F(cgroup, born_inside)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_CGROUP, self->fd);
	struct pev_child c;
	int fd;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct pev_child grand;

		pev_child_wait(&c);
		for (unsigned int i = 0; i < 10; i++) {
			if (!pev_child_start(&grand)) {
				pev_call(2);
				_exit(0);
			}
			if (pev_child_end(&grand))
				_exit(1);
		}
		_exit(0);
	}
	ASSERT_EQ(0, move_to(self->sub, c.pid));
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
	EXPECT_EQ(20, pev_read(fd).value);
	close(fd);
}

TEST_F(cgroup, on_one_cpu)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_CGROUP, self->fd);
	struct pev_child c;
	uint64_t mask;
	int fd;

	if (self->nr_cpus < 2)
		SKIP(return, "needs two CPUs");
	mask = 1ULL << self->cpus[1];
	attr.cpus = (uintptr_t)&mask;
	attr.cpus_size = sizeof(mask);
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pev_child_wait(&c);
		for (unsigned int i = 0; i < 10; i++) {
			if (pev_pin(self->cpus[i % 2]))
				_exit(1);
			pev_call(1 + i % 2 * 10);
		}
		_exit(0);
	}
	ASSERT_EQ(0, move_to(self->path, c.pid));
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
	EXPECT_EQ(55, pev_read(fd).value);
	close(fd);
}

#define THREADS 40

static void *sleep_on(void *c)
{
	pause();
	return NULL;
}

/* On a CPU of its own, which nobody takes from it: no switch tells of the new cgroup. */
static void *work_on(void *arg)
{
	struct sched_param first = { .sched_priority = 50 };
	struct pev_child *c = arg;

	if (sched_setscheduler(0, SCHED_FIFO, &first))
		_exit(1);
	pev_child_say(c, 1);
	for (;;)
		pev_call(1);
}

#define SOON_NS (pev_kernel_is_slow() ? 5000000000ULL : 500000000ULL)

/* Threads of a process move together, those that run, too, however many sleep. */
TEST_F(cgroup, thread_that_runs)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_CGROUP, self->fd);
	uint64_t end, before;
	struct pev_child c;
	int fd;

	if (self->nr_cpus < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pev_pin(self->cpus[0]));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pthread_t thread;

		for (unsigned int i = 0; i < THREADS; i++)
			if (pthread_create(&thread, NULL, sleep_on, NULL))
				_exit(1);
		if (pev_pin(self->cpus[1]) || pthread_create(&thread, NULL, work_on, &c) ||
		    pev_pin(self->cpus[0]))
			_exit(1);
		sleep_on(&c);
	}
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(1, pev_child_hear(&c));
	ASSERT_EQ(0, move_to(self->path, c.pid));
	end = pev_clock_ns(CLOCK_MONOTONIC) + SOON_NS;
	while (!pev_read(fd).value && pev_clock_ns(CLOCK_MONOTONIC) < end)
		pev_yield();
	EXPECT_LT(0, pev_read(fd).value);
	/* out again */
	ASSERT_EQ(0, move_to(CGROUPS, c.pid));
	end = pev_clock_ns(CLOCK_MONOTONIC) + SOON_NS;
	do {
		before = pev_read(fd).value;
		usleep(10000);
	} while (pev_read(fd).value != before && pev_clock_ns(CLOCK_MONOTONIC) < end);
	EXPECT_EQ(before, pev_read(fd).value);
	kill(c.pid, SIGKILL);
	EXPECT_EQ(1000 + SIGKILL, pev_child_end(&c));
	close(fd);
}

/* The directory may go while an event is open on it. */
TEST_F(cgroup, removed)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_CGROUP, self->fd);
	int fd = pev_open(&attr);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, rmdir(self->sub));
	ASSERT_EQ(0, rmdir(self->path));
	pev_call(1);
	EXPECT_EQ(0, pev_read(fd).value);
	close(fd);
}

TEST_HARNESS_MAIN
