// SPDX-License-Identifier: GPL-2.0
/*
 * PEV_TARGET_SUBTREE is attached without a race: whatever forks meanwhile, no
 * descendant is missed and none counts twice. Each process makes a known number
 * of calls after the event was opened, and the sum must come out exactly.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "withheld.h"

#define WORKERS		3
#define MAX_CHILDREN	12	/* of a worker's thread before the go */
#define HELD_UP 20 /* more than EXITING_MAX in kernel/pev/target/attach.c */

/**
 * struct storm - shared by all processes of a storm
 * @go:    no more waiting: call, and end
 * @born:  processes so far
 * @calls: made by those that ended
 * @held:  those that are about to end
 * @end:   when a parent ends, in ns
 * @gap:   how much later another one does
 */
struct storm {
	int	go;
	int	born;
	int	calls;
	pid_t held[HELD_UP];
	uint64_t end;
	uint64_t gap;
};

static struct storm *storm;

FIXTURE(subtree) {
};

FIXTURE_SETUP(subtree)
{
	PEV_NEEDS_ROOT(return );
	storm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, storm);
}

FIXTURE_TEARDOWN(subtree)
{
	munmap(storm, 4096);
}

static int open_subtree(pid_t pid)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_SUBTREE, pid);

	return pev_open(&attr);
}

static void end_with(unsigned int calls)
{
	pev_call(calls);
	__atomic_add_fetch(&storm->calls, calls, __ATOMIC_SEQ_CST);
	_exit(0);
}

/* Until the other end of the pipe is closed. */
static void wait_go(int fd)
{
	char byte;

	if (read(fd, &byte, 1))
		_exit(1);
}

static bool go(void)
{
	return __atomic_load_n(&storm->go, __ATOMIC_SEQ_CST);
}

static void born(void)
{
	__atomic_add_fetch(&storm->born, 1, __ATOMIC_SEQ_CST);
}

/* A child at a time; every other one is an orphan of a process that ended. */
static void fork_on(int fd)
{
	for (unsigned int i = 0; !go() && i < MAX_CHILDREN; i++) {
		if (fork())
			continue;
		if (i % 2 && fork())
			_exit(0);
		born();
		wait_go(fd);
		end_with(1 + i % 3);
	}
}

static void *thread_forks(void *arg)
{
	fork_on(*(int *)arg);
	return NULL;
}

static void worker(int fd)
{
	pthread_t thread;

	born();
	pthread_create(&thread, NULL, thread_forks, &fd);
	fork_on(fd);
	pthread_join(thread, NULL);
	wait_go(fd);
	/* one generation more, after the event was opened */
	if (!fork())
		end_with(2);
	while (wait(NULL) > 0)
		;
	end_with(5);
}

/* The top of the tree: orphans stay below it. */
static void top(int fd)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (unsigned int i = 0; i < WORKERS; i++)
		if (!fork())
			worker(fd);
	wait_go(fd);
	while (wait(NULL) > 0)
		;
	end_with(3);
}

/* On an emulator whose host is busy a round takes many seconds: fewer of them, then. */
#define STORM_SECONDS 40
#define STORM_LEAST 4

TEST_F_TIMEOUT(subtree, fork_storm, 300)
{
	unsigned int rounds = pev_kernel_is_slow() ? STORM_LEAST : 20;
	time_t end = time(NULL) + STORM_SECONDS;

	for (unsigned int round = 0; round < rounds; round++) {
		int gate[2], fd, status;
		struct pev_value v;
		/* of 75, early and late in turn */
		unsigned int enough = 1 + round * 7 % rounds * 60 / rounds;
		pid_t pid;

		if (round >= STORM_LEAST && time(NULL) > end)
			break;

		memset(storm, 0, sizeof(*storm));
		ASSERT_EQ(0, pipe(gate));
		pid = fork();
		if (!pid) {
			close(gate[1]);
			top(gate[0]);
		}
		close(gate[0]);
		/* in the middle of it */
		while ((unsigned int)__atomic_load_n(&storm->born, __ATOMIC_SEQ_CST) < enough)
			pev_yield();
		fd = open_subtree(pid);
		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		__atomic_store_n(&storm->go, 1, __ATOMIC_SEQ_CST);
		close(gate[1]);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
		v = pev_read(fd);
		EXPECT_EQ(storm->calls, v.value) TH_LOG("round %u, %d processes", round,
							storm->born);
		close(fd);
	}
}

/* Three events on a chain of processes that goes on to fork. */
TEST_F(subtree, present_and_future)
{
	int gate[2], fds[3], more[2], status;
	pid_t pid;

	ASSERT_EQ(0, pipe(gate));
	ASSERT_EQ(0, pipe(more));
	pid = fork();
	if (!pid) {
		close(gate[1]);
		/* a chain of four processes, then one more generation */
		for (unsigned int i = 0; i < 4; i++) {
			pid_t child = fork();

			if (child) {
				if (write(more[1], "", 1) != 1)
					_exit(1);
				wait_go(gate[0]);
				waitpid(child, &status, 0);
				end_with(10);
			}
		}
		if (write(more[1], "", 1) != 1)
			_exit(1);
		wait_go(gate[0]);
		for (unsigned int i = 0; i < 5; i++)
			if (!fork())
				end_with(1);
		while (wait(NULL) > 0)
			;
		end_with(10);
	}
	close(gate[0]);
	for (unsigned int i = 0; i < 5; i++) {
		char byte;

		ASSERT_EQ(1, read(more[0], &byte, 1));
	}
	for (unsigned int i = 0; i < 3; i++) {
		fds[i] = open_subtree(pid);
		ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
	}
	/* the tester is no part of it */
	pev_call(1000);
	close(gate[1]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	for (unsigned int i = 0; i < 3; i++) {
		EXPECT_EQ(55, pev_read(fds[i]).value);
		close(fds[i]);
	}
	EXPECT_EQ(55, storm->calls);
	close(more[0]);
	close(more[1]);
}

/* A set of events for each kind of child: what has a thread only, and so on. */
TEST_F(subtree, kinds_do_not_mix)
{
	int fds[3], status;
	pthread_t thread;
	pid_t pid;

	pid = fork();
	if (!pid) {
		int codes = 0;

		for (unsigned int i = 0; i < 3; i++) {
			struct pev_attr attr = pev_attr_calls(PEV_TARGET_TASK + i, 0);

			fds[i] = pev_open(&attr);
			if (fds[i] < 0)
				_exit(100);
		}
		pev_call(1);
		/* a thread that forks, and a child with a thread */
		storm->go = 1;
		pid = fork();
		if (!pid) {
			int unused = -1;

			pev_call(10);
			pthread_create(&thread, NULL, thread_forks, &unused);
			pthread_join(thread, NULL);
			if (!fork()) {
				pev_call(100);
				_exit(0);
			}
			wait(NULL);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		codes |= pev_read(fds[0]).value != 1;
		codes |= (pev_read(fds[1]).value != 1) << 1;
		codes |= (pev_read(fds[2]).value != 111) << 2;
		_exit(codes);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* The middle of a chain dies: who came of it is counted on. */
TEST_F(subtree, parents_die)
{
	int gate[2], said[2], fd, status;
	char byte;
	pid_t pid;

	ASSERT_EQ(0, pipe(gate));
	ASSERT_EQ(0, pipe(said));
	pid = fork();
	if (!pid) {
		char go_on;

		if (read(gate[0], &go_on, 1) != 1)
			_exit(1);
		if (!fork()) {
			if (!fork()) {
				/* its parent is gone and init took it */
				while (getppid() != 1 && read(gate[0], &go_on, 1) == 1)
					;
				pev_call(7);
				if (write(said[1], "", 1) != 1)
					_exit(1);
				_exit(0);
			}
			_exit(0);
		}
		wait(NULL);
		_exit(0);
	}
	fd = open_subtree(pid);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(1, write(gate[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(1, write(gate[1], "", 1));
	ASSERT_EQ(1, read(said[0], &byte, 1));
	EXPECT_EQ(7, pev_read(fd).value);
	close(fd);
	close(gate[0]);
	close(gate[1]);
	close(said[0]);
	close(said[1]);
}

/* Events come and go while the target forks: each set of events is let go of. */
TEST_F(subtree, attached_while_others_come_and_go)
{
	struct pev_child c;
	int fds[8];

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		while (!go()) {
			pid_t pid = fork();

			if (!pid)
				_exit(0);
			waitpid(pid, NULL, 0);
		}
		pev_call(9);
		_exit(0);
	}
	for (unsigned int round = 0; round < 30; round++) {
		for (unsigned int i = 0; i < 8; i++) {
			fds[i] = open_subtree(c.pid);
			ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
		}
		for (unsigned int i = round == 29 ? 1 : 0; i < 8; i++)
			close(fds[(i + round) % 8]);
	}
	__atomic_store_n(&storm->go, 1, __ATOMIC_SEQ_CST);
	EXPECT_EQ(0, pev_child_end(&c));
	EXPECT_EQ(9, pev_read(fds[29 % 8]).value);
	close(fds[29 % 8]);
}

/* What threads get is not what processes get, also if an event of these goes meanwhile. */
static void *call_once(void *UNUSED arg)
{
	pev_call(1);
	return NULL;
}

static void *open_and_close(void *UNUSED arg)
{
	int fds[32];

	while (!go()) {
		for (unsigned int i = 0; i < 32; i++)
			fds[i] = open_subtree(getpid());
		for (unsigned int i = 0; i < 32; i++)
			close(fds[i]);
	}
	return NULL;
}

static void make_threads(struct pev_child *c)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_TASK, 0);
	unsigned int missed = 0, rounds = pev_kernel_is_slow() ? 100 : 1000;
	time_t end = time(NULL) + STORM_SECONDS;
	pthread_t other, thread;

	/* so that threads get another set than the one that this thread has */
	if (pev_open(&attr) < 0)
		_exit(1);
	attr.target = PEV_TARGET_PROCESS;
	pthread_create(&other, NULL, open_and_close, NULL);
	for (unsigned int round = 0; round < rounds && time(NULL) <= end; round++) {
		int fd = pev_open(&attr);

		if (fd < 0)
			_exit(1);
		pthread_create(&thread, NULL, call_once, NULL);
		pthread_join(thread, NULL);
		missed += pev_read(fd).value != 1;
		close(fd);
	}
	storm->go = 1;
	pthread_join(other, NULL);
	pev_child_say(c, missed);
	_exit(0);
}

TEST_F_TIMEOUT(subtree, threads_whatever_is_closed, 120)
{
	struct pev_child c;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid)
		make_threads(&c);
	EXPECT_EQ(0, pev_child_hear(&c)) TH_LOG("threads that were not counted");
	EXPECT_EQ(0, pev_child_end(&c));
}

/* ms in which an event is opened, also if the host is busy. */
#define OPENED_MS 20000

/* The kernel's PF_EXITING. */
#define EXITING 4

static bool is_exiting(pid_t pid)
{
	unsigned int flags = 0;
	char path[40];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%*d %*s %*c %*d %*d %*d %*d %*d %u", &flags) != 1)
		flags = 0;
	fclose(f);
	return flags & EXITING;
}

/* A process, its child, and so on: all but the last one end, for which each waits for @page. */
static void chain(void *page)
{
	for (unsigned int i = 0; i < HELD_UP; i++) {
		storm->held[i] = getpid();
		if (!fork())
			continue;
		/* where a thread's locks are, the kernel looks at its end */
		syscall(SYS_set_robust_list, page, 3 * sizeof(long));
		_exit(0);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	born();
	for (;;)
		pause();
}

static void hold_up(struct pev_child *c)
{
	const struct withheld_way *way = &withheld_fuse;
	struct withheld w;

	if (way->keep_out(&w))
		_exit(1);
	if (!fork())
		chain(w.page);
	if (!way->faults(&w))
		_exit(2);
	while (!__atomic_load_n(&storm->born, __ATOMIC_SEQ_CST))
		pev_yield();
	for (unsigned int i = 0; i < HELD_UP; i++)
		while (!is_exiting(storm->held[i]))
			pev_yield();
	pev_child_say(c, 1);
	pev_child_wait(c);
	pev_call(3);
	way->let_in(&w);
	wait(NULL);
	_exit(0);
}

static void watch(struct pev_child *c, pid_t pid)
{
	int fd = open_subtree(pid);

	pev_child_say(c, fd);
	pev_child_wait(c);
	pev_child_say(c, pev_read(fd).value);
	_exit(0);
}

/* A user holds up exits for as long as he likes, and keeps nobody from looking at his processes. */
TEST_F(subtree, exits_held_up)
{
	struct pev_child c, watcher;
	struct pollfd opened;

	if (withheld_fuse.missing())
		SKIP(return, "%s", withheld_fuse.missing());
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid)
		hold_up(&c);
	ASSERT_EQ(1, pev_child_hear(&c));
	ASSERT_LE(0, pev_child_start(&watcher));
	if (!watcher.pid)
		watch(&watcher, c.pid);
	opened = (struct pollfd){ .fd = watcher.said[0], .events = POLLIN };
	EXPECT_EQ(1, poll(&opened, 1, OPENED_MS)) TH_LOG("the event is still being opened");
	if (!opened.revents)
		kill(watcher.pid, SIGKILL);
	EXPECT_LE(0, pev_child_hear(&watcher));
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
	if (opened.revents) {
		pev_child_go(&watcher);
		EXPECT_EQ(3, pev_child_hear(&watcher));
	}
	pev_child_end(&watcher);
}

#define ORPHANS 300
#define ORPHAN_STACK 8192

static int orphan(void *arg)
{
	char byte;

	syscall(SYS_exit, syscall(SYS_read, *(int *)arg, &byte, 1));
	return 0;
}

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){ ns / 1000000000, ns % 1000000000 };
}

/* The second of the parents ends first. */
static void await_end(unsigned int i)
{
	struct timespec t = to_timespec(i ? storm->end : storm->gap);
	struct pollfd other = { .events = POLLIN };

	if (i) {
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		return;
	}
	other.fd = syscall(SYS_pidfd_open, storm->held[1], 0);
	if (other.fd >= 0)
		poll(&other, 1, -1);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

/* A process whose children share its memory, which makes them cheap. */
static void parent(struct pev_child *c, unsigned int i, int fd)
{
	char *stacks = mmap(NULL, (size_t)ORPHANS * ORPHAN_STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sched_param first = { .sched_priority = 1 };

	storm->held[i] = getpid();
	if (stacks == MAP_FAILED || sched_setscheduler(0, SCHED_FIFO, &first))
		_exit(1);
	for (unsigned int k = 1; k <= ORPHANS; k++)
		if (clone(orphan, stacks + k * ORPHAN_STACK, CLONE_VM | SIGCHLD, &fd) < 0)
			_exit(1);
	pev_child_say(c, 1);
	pev_child_wait(c);
	await_end(i);
	_exit(0);
}

/* Two parents and behind them a process that calls; the orphans go behind it. */
static void family(struct pev_child *c, int fd)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* nobody waits for those that end */
	signal(SIGCHLD, SIG_IGN);
	for (unsigned int i = 0; i < 2; i++)
		if (!fork())
			parent(c, i, fd);
	if (!fork()) {
		pev_child_say(c, 1);
		wait_go(fd);
		end_with(3);
	}
	while (wait(NULL) > 0)
		;
	_exit(0);
}

/* Open an event on a family while its parents end. Return: what it counted, -1: it failed. */
static int count_family(void)
{
	int gate[2], fds[3], value = -1;
	uint64_t begin, took = 0;
	struct pev_child c;

	if (pipe2(gate, O_CLOEXEC) || pev_child_start(&c) < 0)
		return -1;
	if (!c.pid) {
		close(gate[1]);
		family(&c, gate[0]);
	}
	close(gate[0]);
	for (unsigned int i = 0; i < 3; i++)
		pev_child_hear(&c);
	/* how long it takes if nothing ends */
	for (unsigned int i = 0; i < 2; i++) {
		begin = pev_clock_ns(CLOCK_MONOTONIC);
		fds[i] = open_subtree(c.pid);
		took = pev_clock_ns(CLOCK_MONOTONIC) - begin;
	}
	begin = pev_clock_ns(CLOCK_MONOTONIC) + 1000000;
	/* one while the walk comes by the first time, one when it comes again */
	storm->end = begin + took * (40 + rand() % 45) / 100;
	storm->gap = took * (25 + rand() % 45) / 100;
	pev_child_go(&c);
	pev_child_go(&c);
	while (pev_clock_ns(CLOCK_MONOTONIC) < begin)
		;
	fds[2] = open_subtree(c.pid);
	close(gate[1]);
	pev_child_end(&c);
	if (fds[2] >= 0 && pev_read(fds[0]).value == 3 && pev_read(fds[1]).value == 3)
		value = pev_read(fds[2]).value;
	for (unsigned int i = 0; i < 3; i++)
		close(fds[i]);
	return value;
}

/* Children whose parents end take the walk along, past a task that it has not come to. */
TEST_F_TIMEOUT(subtree, orphans_go_behind_others, 120)
{
	uint64_t end = pev_clock_ns(CLOCK_MONOTONIC) + 4 * pev_hunt_ns();
	unsigned int rounds = 0, missed = 0;
	cpu_set_t one, all;
	int cpu;

	/* on one CPU, parents end exactly where the walk gives way */
	ASSERT_EQ(1, pev_cpus(&cpu, 1));
	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
	do {
		int value = count_family();

		ASSERT_LE(0, value) TH_LOG("%s", pev_reason());
		missed += value != 3;
		rounds++;
	} while (pev_clock_ns(CLOCK_MONOTONIC) < end);
	sched_setaffinity(0, sizeof(all), &all);
	EXPECT_EQ(0, missed) TH_LOG("in %u rounds", rounds);
}

TEST_HARNESS_MAIN
