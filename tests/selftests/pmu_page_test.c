// SPDX-License-Identifier: GPL-2.0
/*
 * Reading one's own counter through the mapped page: right, or not at all. The
 * reader here is that of the header's comment, in the plainest form.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "pmu_util.h"

FIXTURE(page) {
	int			fd;
	struct pev_user_page	*page;
};

FIXTURE_SETUP(page)
{
	PMU_SKIP_WITHOUT(SKIP);
	if (!(pmu_info().pmu_features & PEV_PMU_USER_READS))
		SKIP(return, "user mode can't read counters here");
	pev_pin(0);
	self->fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY | PEV_F_USER_PAGE);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	self->page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	ASSERT_EQ(PEV_ABI_VERSION, self->page->version);
}

FIXTURE_TEARDOWN(page)
{
	close(self->fd);
}

TEST_F(page, counts_without_a_call)
{
	uint64_t first, before, after, last;

	EXPECT_EQ(PMU_NOTHING, pmu_self_read(self->page));
	pev_on(self->fd);
	first = pev_read(self->fd).value;
	before = pmu_self_read(self->page);
	pmu_loop(100000);
	after = pmu_self_read(self->page);
	last = pev_read(self->fd).value;
	ASSERT_NE(PMU_NOTHING, before);
	ASSERT_NE(PMU_NOTHING, after);
	EXPECT_LT(first, before);
	EXPECT_LE(100000 * PMU_ROUND, after - before);
	EXPECT_GT(100000 * PMU_ROUND + 1000, after - before);
	EXPECT_LT(after, last);
	EXPECT_GT(1000, last - after);
	EXPECT_EQ(0, self->page->partial);
	pev_off(self->fd);
	EXPECT_EQ(PMU_NOTHING, pmu_self_read(self->page));
}

/* A reset is seen at once, not at the next task switch. */
TEST_F(page, reset)
{
	pev_on(self->fd);
	pmu_loop(100000);
	EXPECT_LE(100000 * PMU_ROUND, pmu_self_read(self->page));
	ASSERT_EQ(0, ioctl(self->fd, PEV_IOC_RESET, 0));
	EXPECT_GT(10000, pmu_self_read(self->page));
	pmu_loop(1000);
	EXPECT_LT(1000 * PMU_ROUND, pmu_self_read(self->page));
	EXPECT_GT(1000 * PMU_ROUND + 10000, pmu_self_read(self->page));
	EXPECT_GT(pev_read(self->fd).value + 10000, pmu_self_read(self->page));
	pev_off(self->fd);
}

/* It never goes back and never jumps, whatever else runs meanwhile. */
TEST_F(page, across_switches)
{
	uint64_t last = 0, value, largest = 0;
	pid_t pid;

	pev_on(self->fd);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		for (;;)
			pmu_loop(1000);
	}
	for (int i = 0; i < 3000; i++) {
		value = pmu_self_read(self->page);
		ASSERT_NE(PMU_NOTHING, value);
		ASSERT_LT(last, value);
		if (last && value - last > largest)
			largest = value - last;
		last = value;
		pmu_loop(100);
		if (i % 10 == 0)
			sched_yield();
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_GT(100 * PMU_ROUND + 5000, largest);
	EXPECT_LE(last, pev_read(self->fd).value);
}

/* Nor when a frequency gets another period, with the task on its CPU all the time. */
TEST_F(page, of_a_frequency)
{
	static char zeros[1 << 18];
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC), fd;
	uint64_t last = 0, value, largest = 0, end;
	struct pev_user_page *page;
	struct pev_attr attr;

	attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY | PEV_F_USER_PAGE | PEV_F_FREQ,
			pev_open_channel(1 << 16, 1 << 12, PEV_CHF_OVERWRITE), 100);
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	pev_on(fd);
	end = pev_clock_ns(CLOCK_MONOTONIC) + 100000000;
	while (pev_clock_ns(CLOCK_MONOTONIC) < end)
		pmu_loop(10000);
	/* from here on it is rare */
	end += 200000000;
	while (pev_clock_ns(CLOCK_MONOTONIC) < end) {
		value = pmu_self_read(page);
		if (value != PMU_NOTHING && last && value - last > largest)
			largest = value - last;
		if (value != PMU_NOTHING)
			last = value;
		ASSERT_EQ(sizeof(zeros), read(zero, zeros, sizeof(zeros)));
	}
	EXPECT_LT(0, last);
	EXPECT_GT(10000, largest);
	EXPECT_LE(last, pev_read(fd).value);
	close(zero);
	close(fd);
}

static atomic_bool stop;

struct other {
	const struct pev_user_page	*page;
	unsigned long			tries, values;
	unsigned int			cpu;
};

/* Another thread has the page, too, and the right to use the instruction. */
static void *read_as_other(void *arg)
{
	struct other *other = arg;

	pev_pin(other->cpu);
	while (!stop) {
		other->tries++;
		other->values += pmu_self_read(other->page) != PMU_NOTHING;
	}
	return NULL;
}

/* Another task's registers are never taken for the counter. */
TEST_F(page, another_thread_gets_nothing)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct other others[2] = { };
	pthread_t threads[2];
	unsigned int i;

	pev_on(self->fd);
	for (i = 0; i < 2; i++) {
		others[i].page = self->page;
		others[i].cpu = i % cpus;
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, read_as_other, &others[i]));
	}
	for (i = 0; i < 200; i++) {
		pmu_loop(20000);
		pev_pin(i % cpus);
		sched_yield();
	}
	stop = true;
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_LT(0, others[i].tries);
		EXPECT_EQ(0, others[i].values) TH_LOG("of %lu", others[i].tries);
	}
	EXPECT_NE(PMU_NOTHING, pmu_self_read(self->page));
}

TEST_F(page, moves_with_the_task)
{
	int cpus[8], nr = pev_cpus(cpus, 8);
	uint64_t value, last = 0;

	pev_on(self->fd);
	sched_setaffinity(0, sizeof(cpu_set_t), &(cpu_set_t){ .__bits = { ~0UL } });
	nr = pev_cpus(cpus, 8);
	for (int i = 0; i < 100; i++) {
		pev_pin(cpus[i % nr]);
		value = pmu_self_read(self->page);
		ASSERT_NE(PMU_NOTHING, value);
		ASSERT_LT(last, value);
		ASSERT_EQ((uint32_t)cpus[i % nr], self->page->cpu);
		last = value;
	}
}

TEST_F(page, after_close_there_is_nothing)
{
	pev_on(self->fd);
	ASSERT_NE(PMU_NOTHING, pmu_self_read(self->page));
	/* the mapping keeps the event; switched off, it has no counter */
	pev_off(self->fd);
	close(self->fd);
	EXPECT_EQ(PMU_NOTHING, pmu_self_read(self->page));
	munmap(self->page, sysconf(_SC_PAGESIZE));
	self->fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
}

/* A mapping that is moved is a mapping still. */
TEST_F(page, moves_in_memory)
{
	long size = sysconf(_SC_PAGESIZE);
	void *to = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, to);
	pev_on(self->fd);
	ASSERT_NE(PMU_NOTHING, pmu_self_read(self->page));
	self->page = mremap(self->page, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	ASSERT_EQ(to, self->page);
	for (int i = 0; i < 5; i++) {
		EXPECT_NE(PMU_NOTHING, pmu_self_read(self->page));
		sched_yield();
	}
}

/* Of those that any event can have. */
#define COUNTERS 4
#define CHILD_ROUNDS 1000000
#if defined(__powerpc64__)
#define FIRST_COUNTER 771
#else
#define FIRST_COUNTER 0
#endif

static void count_by_all(void)
{
	for (unsigned int i = 0; i < COUNTERS; i++)
		pev_on(pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY));
}

static unsigned int read_all(uint64_t *values)
{
	uint32_t there = pmu_info().pmu_counters;
	unsigned int nr = there < COUNTERS ? there : COUNTERS;

	for (unsigned int i = 0; i < nr; i++)
		values[i] = pmu_read_counter(FIRST_COUNTER + i);
	return nr;
}

/* Another process on this CPU, which counts what it does in each of its turns. */
struct counting {
	pid_t pid;
	int to[2];
	int from[2];
};

static bool have_turn(struct counting *c)
{
	char go;

	return write(c->to[1], "x", 1) == 1 && read(c->from[0], &go, 1) == 1;
}

static void take_turns(struct counting *c)
{
	char go;

	close(c->to[1]);
	close(c->from[0]);
	count_by_all();
	while (read(c->to[0], &go, 1) == 1) {
		pmu_loop(CHILD_ROUNDS);
		if (write(c->from[1], "x", 1) != 1)
			break;
	}
	_exit(0);
}

/* When it returns the child has had its counters once. */
static bool start_counting(struct counting *c)
{
	if (pipe(c->to) || pipe(c->from))
		return false;
	c->pid = fork();
	if (!c->pid)
		take_turns(c);
	close(c->to[0]);
	close(c->from[1]);
	return c->pid > 0 && have_turn(c);
}

static void end_counting(struct counting *c)
{
	close(c->to[1]);
	close(c->from[0]);
	waitpid(c->pid, NULL, 0);
}

/* Raw registers tell nothing of what other tasks counted while one was away. */
TEST_F(page, counters_of_others_are_hidden)
{
	uint64_t before[COUNTERS], after[COUNTERS];
	struct counting child;
	unsigned int nr;

	ASSERT_TRUE(start_counting(&child));
	nr = read_all(before);
	ASSERT_TRUE(have_turn(&child));
	read_all(after);
	for (unsigned int i = 0; i < nr; i++)
		EXPECT_EQ(before[i], after[i]);
	end_counting(&child);
}

/* Nor do those that the reader's own events without a page have taken over from others. */
TEST_F(page, counters_are_not_handed_on_as_they_are)
{
	uint64_t before[COUNTERS], after[COUNTERS];
	unsigned int nr, used = 0;
	struct counting child;

	pev_on(self->fd);
	ASSERT_TRUE(start_counting(&child));
	count_by_all();
	nr = read_all(before);
	ASSERT_TRUE(have_turn(&child));
	read_all(after);
	for (unsigned int i = 0; i < nr; i++) {
		int64_t more = after[i] - before[i];

		used += before[i] != 0;
		EXPECT_GT(CHILD_ROUNDS, more) TH_LOG("counter %u", i);
		EXPECT_LT(-CHILD_ROUNDS, more) TH_LOG("counter %u", i);
	}
	EXPECT_LT(0, used);
	end_counting(&child);
}

#if defined(__powerpc64__)
#define MAX_RATE "/proc/sys/kernel/pev_max_sample_rate"
#define TRIES 20000
#ifndef PPC_FEATURE2_ARCH_3_1
#define PPC_FEATURE2_ARCH_3_1 0x00040000
#endif

static uint64_t sampled_address(void)
{
	uint64_t at;

	asm volatile("mfspr %0, 780" : "=r"(at));
	return at;
}

/*
 * Who may read counters may read where the last sample was, too. A privileged event samples the
 * kernel, comes too often, and stands still.
 */
TEST_F(page, shows_no_address_of_the_kernel)
{
	int rate = pev_get_number(MAX_RATE, 0);
	struct pev_attr attr;
	uint64_t seen = 0;
	int channel, fd;

	PEV_NEEDS_ROOT(return );
	/* MMCR0[PMCCEXT], which the emulator does not know */
	if (getauxval(AT_HWCAP2) & PPC_FEATURE2_ARCH_3_1)
		SKIP(return, "the processor lets no program read it");
	channel = pev_open_channel(1 << 18, 4096, 0);
	attr = pmu_attr(PEV_HW_INSTRUCTIONS, PEV_F_EXCLUDE_USER, channel, 1000);
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_put_text(MAX_RATE, "1000"));
	pev_on(fd);
	for (unsigned int i = 0; i < TRIES && !seen; i++) {
		pev_call(1);
		seen = sampled_address();
	}
	EXPECT_EQ(0, seen) TH_LOG("%llx", seen + 0ULL);
	EXPECT_LT(0, pmu_multiplexed(fd).throttled);
	pev_off(fd);
	pev_put_number(MAX_RATE, rate);
	close(fd);
	close(channel);
}
#endif

/* A child has not inherited what it could not use. */
TEST_F(page, is_not_inherited)
{
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid) {
		unsigned char vec;

		_exit(mincore(self->page, sysconf(_SC_PAGESIZE), &vec) == -1 &&
		      errno == ENOMEM ? 0 : 1);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

#if defined(__x86_64__)
/* The right to use rdpmc comes with the mapping and goes with it. */
TEST(the_right_to_read)
{
	struct pev_user_page *page;
	int fd, status;
	pid_t pid;

	PMU_SKIP_WITHOUT(SKIP);
	for (int mapped = 0; mapped < 2; mapped++) {
		fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY | PEV_F_USER_PAGE);
		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			/* ours, mapped and unmapped, or mapped */
			page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
			if (page == MAP_FAILED)
				_exit(1);
			if (!mapped)
				munmap(page, sysconf(_SC_PAGESIZE));
			pmu_read_counter(0);
			_exit(0);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(mapped, WIFEXITED(status) && !WEXITSTATUS(status));
		EXPECT_EQ(!mapped, WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
		close(fd);
	}
}
#endif

#if defined(__x86_64__)
/* The right belongs to the address space that mapped the page: fork() takes none along. */
TEST_F(page, right_is_not_inherited)
{
	pid_t pid;
	int status;

	static const char *const children[] = {
		"that has nothing mapped",
		"that has unmapped what it was to get",
		"of a parent that has nothing mapped any more",
	};
	size_t size = sysconf(_SC_PAGESIZE);

	pev_on(self->fd);
	EXPECT_NE(PMU_NOTHING, pmu_self_read(self->page));
	for (unsigned int i = 0; i < 3; i++) {
		if (i == 1)
			ASSERT_EQ(0, madvise(self->page, size, MADV_DOFORK));
		if (i == 2)
			munmap(self->page, size);
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			signal(SIGSEGV, SIG_DFL);
			/* a mapping of its own has a right, which ends with it */
			if (i == 1) {
				pmu_read_counter(0);
				munmap(self->page, size);
			}
			/* the right is in a register, which is updated where it has changed */
			sched_yield();
			pmu_read_counter(0);
			_exit(0);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV)
		TH_LOG("a child %s reads counters", children[i]);
		/* the parent still can */
		if (i < 2)
			EXPECT_NE(PMU_NOTHING, pmu_self_read(self->page));
	}
}

#define RDPMC "/sys/bus/event_source/devices/cpu/rdpmc"

static bool write_rdpmc(const char *value)
{
	int fd = open(RDPMC, O_WRONLY);
	bool done = fd >= 0 && write(fd, value, 1) == 1;

	if (fd >= 0)
		close(fd);
	return done;
}

/* The administrator takes the right while a page is mapped: the reader goes the long way. */
TEST_F(page, right_is_revoked)
{
	uint64_t before;

	if (access(RDPMC, W_OK))
		SKIP(return, "perf has no counters here");
	pev_on(self->fd);
	pmu_loop(1000);
	EXPECT_NE(PMU_NOTHING, pmu_self_read(self->page));
	ASSERT_TRUE(write_rdpmc("0"));
	EXPECT_EQ(0, self->page->counter);
	before = pev_read(self->fd).value;
	/* and it stays so after a switch and a change of what counts */
	pev_off(self->fd);
	pev_on(self->fd);
	sched_yield();
	EXPECT_EQ(PMU_NOTHING, pmu_self_read(self->page));
	pmu_loop(1000);
	EXPECT_LE(before + 1000 * PMU_ROUND, pev_read(self->fd).value);
	/* everybody may, and then again who has a page */
	for (const char *value = "21"; *value; value++) {
		ASSERT_TRUE(write_rdpmc(value));
		before = pmu_self_read(self->page);
		EXPECT_NE(PMU_NOTHING, before);
		pmu_loop(1000);
		EXPECT_LE(before + 1000 * PMU_ROUND, pmu_self_read(self->page));
	}
}

/* With 2 all tasks may read: what stands says nothing. */
TEST_F(page, all_may_read)
{
	int fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
	uint32_t counter;

	if (access(RDPMC, W_OK))
		SKIP(return, "perf has no counters here");
	ASSERT_LE(0, fd);
	pev_on(self->fd);
	counter = self->page->counter - 1;
	pev_off(self->fd);
	munmap(self->page, sysconf(_SC_PAGESIZE));
	pev_on(fd);
	pmu_loop(100000);
	ASSERT_TRUE(write_rdpmc("2"));
	EXPECT_LE(100000 * PMU_ROUND, pmu_read_counter(counter));
	pev_off(fd);
	EXPECT_EQ(0, pmu_read_counter(counter));
	EXPECT_TRUE(write_rdpmc("1"));
	close(fd);
}
#endif

TEST_HARNESS_MAIN
