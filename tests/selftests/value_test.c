// SPDX-License-Identifier: GPL-2.0
/* What software events count, and that a descriptor works for another process. */
#include "kselftest_harness.h"
#include "pev_child.h"

#define ROUNDS 50

FIXTURE(value){};

FIXTURE_SETUP(value)
{
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
}

FIXTURE_TEARDOWN(value)
{
}

static int open_off(uint64_t config)
{
	struct pev_attr attr = pev_attr_software(config, PEV_TARGET_TASK, 0);

	attr.flags = PEV_F_DISABLED;
	return pev_open(&attr);
}

/*
 * The scheduler reads its clock when a switch begins, pev where it ends: an emulated CPU that
 * stands still in between makes them differ, which does not happen again and again.
 */
#define CLOCK_TRIES 5

/* Return: does a clock tell the time that the thread ran, as the scheduler has it? */
static bool clock_agrees(struct __test_metadata *_metadata, uint64_t config)
{
	uint64_t outer, inner, wall;
	struct pev_value v;
	int fd = open_off(config);

	EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
	wall = pev_clock_ns(CLOCK_MONOTONIC);
	outer = pev_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	EXPECT_EQ(0, pev_on(fd));
	inner = pev_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	pev_spin(50000000);
	usleep(20000);
	inner = pev_clock_ns(CLOCK_THREAD_CPUTIME_ID) - inner;
	EXPECT_EQ(0, pev_off(fd));
	outer = pev_clock_ns(CLOCK_THREAD_CPUTIME_ID) - outer;
	wall = pev_clock_ns(CLOCK_MONOTONIC) - wall;
	v = pev_read(fd);
	close(fd);
	EXPECT_GE(wall, v.value);
	EXPECT_EQ(v.value, v.time_running);
	TH_LOG("clock %llu: %llu ns, within %llu to %llu", (unsigned long long)config,
	       (unsigned long long)v.value, (unsigned long long)inner, (unsigned long long)outer);
	/* the scheduler's clock may not tick quite like the wall's */
	return inner - inner / 20 <= v.value && v.value <= outer + outer / 5;
}

TEST_F(value, clocks)
{
	static const uint64_t clocks[] = { PEV_SW_TASK_CLOCK, PEV_SW_CPU_CLOCK };

	for (unsigned int i = 0; i < 2; i++) {
		unsigned int tries = 0;

		while (tries < CLOCK_TRIES && !clock_agrees(_metadata, clocks[i]))
			tries++;
		EXPECT_GT(CLOCK_TRIES, tries);
	}
}

static void touch(uint8_t *p, unsigned int pages, long page)
{
	for (unsigned int i = 0; i < pages; i++)
		*(volatile uint8_t *)(p + i * page) = 1;
}

TEST_F(value, page_faults)
{
	static const unsigned int counts[] = { 1, 7, 100 };
	long page = sysconf(_SC_PAGESIZE);
	int all = open_off(PEV_SW_PAGE_FAULTS), minor = open_off(PEV_SW_PAGE_FAULTS_MIN);
	int major = open_off(PEV_SW_PAGE_FAULTS_MAJ);

	ASSERT_LE(0, all);
	ASSERT_LE(0, minor);
	ASSERT_LE(0, major);
	/* the first round touches the code and the stack */
	for (unsigned int round = 0; round < 4; round++) {
		unsigned int n = counts[round % 3];
		uint8_t *p = mmap(NULL, n * page, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		ASSERT_NE(MAP_FAILED, p);
		madvise(p, n * page, MADV_NOHUGEPAGE);
		ioctl(all, PEV_IOC_RESET, 0);
		ioctl(minor, PEV_IOC_RESET, 0);
		ioctl(major, PEV_IOC_RESET, 0);
		ioctl(all, PEV_IOC_ENABLE, 0);
		ioctl(minor, PEV_IOC_ENABLE, 0);
		ioctl(major, PEV_IOC_ENABLE, 0);
		touch(p, n, page);
		ioctl(major, PEV_IOC_DISABLE, 0);
		ioctl(minor, PEV_IOC_DISABLE, 0);
		ioctl(all, PEV_IOC_DISABLE, 0);
		munmap(p, n * page);
		if (!round)
			continue;
		EXPECT_EQ(n, pev_read(all).value);
		EXPECT_EQ(n, pev_read(minor).value);
		EXPECT_EQ(0, pev_read(major).value);
	}
	close(all);
	close(minor);
	close(major);
}

static long switches(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return u.ru_nvcsw + u.ru_nivcsw;
}

TEST_F(value, context_switches)
{
	int fd = open_off(PEV_SW_CONTEXT_SWITCHES);
	long outer, inner;
	struct pev_child c;
	uint64_t value;

	ASSERT_LE(0, fd);
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		for (unsigned int i = 0; i < ROUNDS; i++) {
			pev_child_wait(&c);
			pev_child_say(&c, i);
		}
		_exit(0);
	}
	outer = switches();
	ASSERT_EQ(0, pev_on(fd));
	inner = switches();
	for (unsigned int i = 0; i < ROUNDS; i++) {
		pev_child_go(&c);
		ASSERT_EQ(i, pev_child_hear(&c));
	}
	inner = switches() - inner;
	ASSERT_EQ(0, pev_off(fd));
	outer = switches() - outer;
	value = pev_read(fd).value;
	EXPECT_LE(inner, value);
	EXPECT_GE(outer, value);
	EXPECT_EQ(0, pev_child_end(&c));
	close(fd);
}

TEST_F(value, cpu_migrations)
{
	int cpus[2], fd = open_off(PEV_SW_CPU_MIGRATIONS);

	ASSERT_LE(0, fd);
	if (pev_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pev_pin(cpus[0]));
	ASSERT_EQ(0, pev_on(fd));
	for (unsigned int i = 1; i <= ROUNDS; i++)
		ASSERT_EQ(0, pev_pin(cpus[i % 2]));
	ASSERT_EQ(0, pev_off(fd));
	EXPECT_EQ(ROUNDS, pev_read(fd).value);
	close(fd);
}

/*
 * Computes for so long. A machine that is held up misses ticks, and makes none up: Return: in how
 * many periods the thread has seen that it runs.
 */
static uint64_t spin_and_see(uint64_t ns, uint64_t period)
{
	uint64_t begin = pev_clock_ns(CLOCK_THREAD_CPUTIME_ID), passed, last = ~0ULL, seen = 0;

	do {
		passed = pev_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
		seen += passed / period != last;
		last = passed / period;
	} while (passed < ns);
	return seen;
}

TEST_F(value, timer)
{
	uint64_t periods[] = { 1000000, 500000 };

	for (unsigned int i = 0; i < 2; i++) {
		struct pev_attr attr = {
			.type = PEV_TYPE_TIMER,
			.config = PEV_TIMER_TASK_CLOCK,
			.target = PEV_TARGET_TASK,
			.channel_fd = -1,
			.group_fd = -1,
			.flags = PEV_F_DISABLED,
			.period = periods[i],
		};
		struct pev_value v;
		int tries = pev_kernel_is_slow() ? 1 : 50;
		uint64_t seen;

		if (i) {
			attr.flags |= PEV_F_FREQ;
			attr.period = 1000000000 / periods[i];
		}
		do {
			int fd = pev_open(&attr);

			ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
			ASSERT_EQ(0, pev_on(fd));
			seen = spin_and_see(100000000, periods[i]);
			ASSERT_EQ(0, pev_off(fd));
			v = pev_read(fd);
			EXPECT_GE(v.time_running / periods[i] + 1, v.value);
			close(fd);
		} while (v.value < seen / 4 && --tries);
		EXPECT_LT(0, v.value);
		if (!pev_kernel_is_slow())
			EXPECT_LT(0, tries);
	}
}

/* ---- fds of others ---- */

TEST_F(value, fds_of_a_process_that_is_gone)
{
	struct pev_child c;
	struct pev_map map;
	int pair[2], channel, fd;

	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct pev_attr attr = pev_attr_calls(PEV_TARGET_TASK, getppid());

		channel = pev_open_channel(1 << 16, 4096, 0);
		attr.channel_fd = channel;
		attr.period = 1;
		attr.sample = PEV_SAMPLE_TID;
		fd = pev_open(&attr);
		if (channel < 0 || fd < 0)
			_exit(1);
		_exit(pev_send_fd(pair[1], channel) || pev_send_fd(pair[1], fd));
	}
	ASSERT_EQ(0, pev_child_end(&c));
	channel = pev_receive_fd(pair[0]);
	fd = pev_receive_fd(pair[0]);
	ASSERT_LE(0, channel);
	ASSERT_LE(0, fd);
	pev_call(10);
	ASSERT_EQ(0, pev_off(fd));
	EXPECT_EQ(10, pev_read(fd).value);
	EXPECT_EQ(10, pev_read(fd).samples);
	ASSERT_EQ(0, pev_map_channel(channel, &map));
	pev_unmap_channel(&map);
	close(fd);
	close(channel);
	close(pair[0]);
	close(pair[1]);
}

TEST_HARNESS_MAIN
