// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of producers: what a child has, what an exec leaves, and what becomes of marks
 * without room. The marks are registered by hand, as in user_test.c.
 */
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "user_util.h"

/* A child has rings of its own, without a call; the parent's are as they were. */
TEST(fork_has_its_own)
{
	struct user_seen seen;
	const char *ring;
	struct space s;
	int fd, go[2];
	uint64_t id;
	pid_t pid;

	NEEDS_PEV();
	ASSERT_EQ(0, begin(&s));
	fd = user_listen("shop:*", PEV_TARGET_SUBTREE, 0, 0);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(becomes(&s.gate->on[0], 1));
	id = s.gate->id;
	*(volatile uint64_t *)s.rings = 1111;
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		bool ok = s.gate->on[0] && s.gate->id != id && s.gate->id &&
			  !*(volatile uint64_t *)s.rings;

		*(volatile uint64_t *)s.rings = 2222;
		if (write(go[1], &ok, 1) == 1)
			pause();
		_exit(1);
	}
	{
		bool ok = false;

		EXPECT_EQ(1, read(go[0], &ok, 1));
		EXPECT_TRUE(ok);
	}
	EXPECT_EQ(1111, *(volatile uint64_t *)s.rings);
	EXPECT_EQ(id, s.gate->id);
	/* killed, it leaves what it has written */
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ASSERT_LE(0, user_find(fd, pid, &seen));
	EXPECT_TRUE(user_gate(fd, &seen)->flags & PEV_USER_ENDED);
	ring = user_ring(fd, &seen, 0);
	ASSERT_NE(NULL, ring);
	EXPECT_EQ(2222, *(const uint64_t *)ring);
	close(fd);
	/* the mapping stays what it was */
	EXPECT_EQ(2222, *(const uint64_t *)ring);
	end(&s);
}

#define FAIL_NTH "/proc/self/fail-nth"
#define NO_WAITING "/sys/kernel/debug/failslab/ignore-gfp-wait"
/* More allocations than a fork has. */
#define MOST 1000

/* A fork whose @nth allocation fails. Return: by how many it had fewer; 0: it met that; <0: error. */
static int fork_without(unsigned int nth, pid_t *pid)
{
	int fail = open(FAIL_NTH, O_RDWR), left = -1;
	char text[16];
	ssize_t len;

	len = snprintf(text, sizeof(text), "%u", nth);
	if (write(fail, text, len) == len) {
		*pid = fork();
		if (!*pid)
			return 0;
		/* these two are counted as well: one of them may be what fails, and none behind it */
		len = pread(fail, text, sizeof(text) - 1, 0);
		text[len < 0 ? 0 : len] = '\0';
		left = atoi(text);
		if (write(fail, "0", 1) != 1 && write(fail, "0", 1) != 1)
			left = -1;
	}
	close(fail);
	return left;
}

/* Whatever a fork finds no memory for, a child that there is has its marks until it gives them up. */
TEST(fork_without_memory)
{
	unsigned int nth, forks = 0;
	int left = 0, status;
	pid_t pid = -1;
	struct space s;

	NEEDS_PEV();
	if (access(FAIL_NTH, W_OK) || pev_put_text(NO_WAITING, "N"))
		SKIP(return, "this kernel can't be told when to have no memory");
	ASSERT_EQ(0, begin(&s));
	for (nth = 1; nth < MOST && !left; nth++) {
		left = fork_without(nth, &pid);
		if (!pid) {
			uint64_t id = s.gate->id;

			munmap((void *)s.gate, PAGE);
			*(volatile uint64_t *)s.rings = id;
			_exit(0);
		}
		if (pid < 0)
			continue;
		forks++;
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status) TH_LOG("allocation %u", nth);
	}
	EXPECT_LT(0, left);
	EXPECT_LT(1, forks);
	pev_put_text(NO_WAITING, "Y");
	end(&s);
}

#define SHARERS 3
#define STACK 65536

static int sleep_on(void *arg)
{
	(void)arg;
	while (pause())
		;
	return 0;
}

/* A producer whose memory other processes have. Says 0 if its marks are off. */
static void shares(struct pev_child *c)
{
	static char stacks[SHARERS][STACK] __attribute__((aligned(16)));
	pid_t pids[SHARERS];
	struct space s;

	for (unsigned int i = 0; i < SHARERS; i++) {
		pids[i] = clone(sleep_on, stacks[i] + STACK, CLONE_VM | SIGCHLD, NULL);
		if (pids[i] < 0)
			_exit(1);
	}
	pev_child_say(c, begin(&s) ? -1 : s.gate->on[0]);
	pev_child_wait(c);
	for (unsigned int i = 0; i < SHARERS; i++)
		kill(pids[i], SIGKILL);
	_exit(0);
}

/* A process that shares its memory with others is no part of a target that it is not in. */
TEST(memory_that_is_shared)
{
	struct pev_child target, other;
	struct user_seen seen;
	int before, after, own;

	NEEDS_PEV();
	ASSERT_LE(0, pev_child_start(&target));
	if (!target.pid) {
		pev_child_wait(&target);
		_exit(0);
	}
	before = user_listen("shop:*", PEV_TARGET_PROCESS, target.pid, 0);
	ASSERT_LE(0, before);
	ASSERT_LE(0, pev_child_start(&other));
	if (!other.pid)
		shares(&other);
	EXPECT_EQ(0, pev_child_hear(&other));
	EXPECT_EQ(-EAGAIN, user_next(before, 0, &seen));
	after = user_listen("shop:*", PEV_TARGET_PROCESS, target.pid, 0);
	ASSERT_LE(0, after);
	EXPECT_EQ(-EAGAIN, user_next(after, 0, &seen));
	own = user_listen("shop:*", PEV_TARGET_PROCESS, other.pid, 0);
	ASSERT_LE(0, own);
	EXPECT_EQ(0, user_next(own, 0, &seen));
	EXPECT_EQ(other.pid, (pid_t)seen.next.pid);
	pev_child_go(&other);
	EXPECT_EQ(0, pev_child_end(&other));
	pev_child_go(&target);
	EXPECT_EQ(0, pev_child_end(&target));
	close(before);
	close(after);
	close(own);
}

TEST(exec_ends_it)
{
	struct user_seen seen;
	int fd, to[2];
	pid_t pid;

	NEEDS_PEV();
	fd = user_listen("shop:*", PEV_TARGET_SUBTREE, 0, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pipe(to));
	pid = fork();
	if (!pid) {
		struct space s;

		if (begin(&s))
			_exit(1);
		*(volatile uint64_t *)s.rings = 3333;
		dup2(to[1], 1);
		execl("/proc/self/exe", "user_memory_test", "--say", NULL);
		_exit(2);
	}
	{
		char c;

		EXPECT_EQ(1, read(to[0], &c, 1));
	}
	ASSERT_LE(0, user_find(fd, pid, &seen));
	EXPECT_TRUE(user_gate(fd, &seen)->flags & PEV_USER_ENDED);
	EXPECT_EQ(3333, *(const uint64_t *)user_ring(fd, &seen, 0));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
}

/* RLIMIT_MEMLOCK holds, and a ring that can't be had kills no program. */
TEST(memory_is_limited)
{
	pid_t pid;

	NEEDS_PEV();
	pid = fork();
	if (!pid) {
		struct rlimit none = { 0, 0 }, some = { 3 * PAGE, 3 * PAGE };
		struct space s;
		struct asked a;

		if (!geteuid() && (setgid(54321) || setuid(54321)))
			_exit(9);
		ask(&a);
		setrlimit(RLIMIT_MEMLOCK, &some);
		/* the gate fits, a ring does not, the smallest being larger than two pages */
		if (PAGE > 8192 || begin(&s))
			_exit(PAGE > 8192 ? 0 : 1);
		for (uint64_t i = 0; i < rings_size(); i += PAGE)
			*(volatile char *)(s.rings + i) = 1;
		if (!(s.gate->flags & PEV_USER_NO_ROOM))
			_exit(2);
		setrlimit(RLIMIT_MEMLOCK, &none);
		_exit(begin(&s) == -EPERM ? 0 : 3);
	}
	EXPECT_EQ(0, reap(pid));
}

/* What a page of a process's memory is, as root is told. */
static uint64_t frame_of(pid_t pid, uint64_t addr)
{
	uint64_t entry = 0;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	fd = open(path, O_RDONLY);
	if (pread(fd, &entry, sizeof(entry), addr / PAGE * sizeof(entry)) != sizeof(entry))
		entry = 0;
	close(fd);
	return entry & ((1ULL << 55) - 1);
}

/* Writes to rings without room go to one page, but to no more than what counts its users can count. */
TEST(lost_writes_wrap_no_count)
{
	const uint64_t ring = 16 << 20, nr = (65536 + 1024) * PAGE / ring + 1;
	const uint64_t size = nr * (PAGE + ring);
	struct pev_child c;
	int64_t rings;

	NEEDS_PEV();
	if (geteuid())
		SKIP(return, "not root: pages have no numbers");
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct rlimit some = { 3 * PAGE, 3 * PAGE };
		struct asked a;
		int fd;

		if (setgid(54321) || setuid(54321))
			_exit(9);
		ask(&a);
		a.producer.ring_size = ring;
		a.producer.nr_rings = nr;
		setrlimit(RLIMIT_MEMLOCK, &some);
		fd = produce(&a);
		if (fd < 0 || mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
			_exit(1);
		rings = (intptr_t)mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				       (off_t)PAGE);
		if (rings == -1)
			_exit(2);
		for (uint64_t i = 0; i < size; i += PAGE)
			*(volatile char *)(rings + i) = 1;
		pev_child_say(&c, rings);
		pev_child_wait(&c);
		_exit(0);
	}
	rings = pev_child_hear(&c);
	ASSERT_LT(0, rings);
	EXPECT_NE(0, frame_of(c.pid, rings));
	EXPECT_EQ(frame_of(c.pid, rings), frame_of(c.pid, rings + size / 2));
	EXPECT_NE(frame_of(c.pid, rings), frame_of(c.pid, rings + size - PAGE));
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
}

/*
 * Rings alone, of which nothing is paid for: writes are lost, and not tried again and again. When
 * there is room, the process has no ring of which a page is lost.
 */
TEST(rings_without_producer)
{
	pid_t pid;

	NEEDS_PEV();
	pid = fork();
	if (!pid) {
		struct rlimit limit;
		struct asked a;
		char *rings;
		int fd;

		if (!geteuid() && (setgid(54321) || setuid(54321)))
			_exit(9);
		ask(&a);
		fd = produce(&a);
		rings = mmap(NULL, rings_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			     (off_t)PAGE);
		if (rings == MAP_FAILED)
			_exit(1);
		getrlimit(RLIMIT_MEMLOCK, &limit);
		limit.rlim_cur = 0;
		setrlimit(RLIMIT_MEMLOCK, &limit);
		alarm(10);
		*(volatile char *)rings = 1;
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_MEMLOCK, &limit);
		_exit(try_map(fd, PAGE, PROT_READ, MAP_SHARED, 0) == -EPERM ? 0 : 2);
	}
	EXPECT_EQ(0, reap(pid));
}

/* A signal's handler forks in the midst of a mark, and the child has no room. */
TEST(fork_without_room)
{
	struct user_seen seen;
	struct space s;
	pid_t pid;
	int fd;

	NEEDS_PEV();
	ASSERT_EQ(0, begin(&s));
	fd = user_listen("shop:*", PEV_TARGET_PROCESS, getpid(), 0);
	ASSERT_LE(0, fd);
	ASSERT_LE(0, user_find(fd, getpid(), &seen));
	ASSERT_TRUE(becomes(&s.gate->on[0], 1));
	pid = fork();
	if (!pid) {
		struct rlimit none = { 0, 0 };

		setrlimit(RLIMIT_MEMLOCK, &none);
		if (!geteuid() && (setgid(54321) || setuid(54321)))
			_exit(9);
		/* what the mark read of the gate is in registers */
		for (uint64_t i = 0; i < rings_size(); i += PAGE)
			*(volatile char *)(s.rings + i) = 1;
		_exit(s.gate->id || s.gate->on[0] ? 1 : 0);
	}
	EXPECT_EQ(0, reap(pid));
	EXPECT_TRUE(s.gate->on[0]);
	close(fd);
	end(&s);
}

/* What exec_ends_it runs. */
static __attribute__((constructor)) void say(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--say") && write(1, "", 1) == 1)
		pause();
}

TEST_HARNESS_MAIN
