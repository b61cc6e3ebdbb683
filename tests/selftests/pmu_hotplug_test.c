// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU goes and comes while its counters run: what they counted stays, what runs
 * elsewhere counts on, and a CPU that comes counts from the start.
 */
#include "kselftest_harness.h"
#include "pev_child.h"
#include "pmu_util.h"

#define MANY	10

FIXTURE(hotplug) {
	int home;
	int victim;
};

FIXTURE_SETUP(hotplug)
{
	int cpus[2];

	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	PMU_SKIP_WITHOUT(SKIP);
	if (geteuid())
		SKIP(return, "needs root");
	if (pev_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	self->home = cpus[0];
	self->victim = cpus[1];
	if (pev_set_online(self->victim, 0) || pev_set_online(self->victim, 1))
		SKIP(return, "CPUs can't be taken offline here");
	pev_pin(self->home);
}

FIXTURE_TEARDOWN(hotplug)
{
	pev_set_online(self->victim, 1);
}

/* User mode on @mask (0: all CPUs), switched on. */
static int open_cpus(uint64_t mask, uint64_t config)
{
	struct pev_attr attr = pmu_attr(config, USER_ONLY, -1, 0);

	attr.target = PEV_TARGET_CPUS;
	attr.flags &= ~PEV_F_DISABLED;
	if (mask) {
		attr.cpus = (uintptr_t)&mask;
		attr.cpus_size = sizeof(mask);
	}
	return pev_open(&attr);
}

TEST_F(hotplug, values_stay)
{
	struct pev_value before, after;
	int there, all;

	there = open_cpus(1ULL << self->victim, PEV_HW_INSTRUCTIONS);
	ASSERT_LE(0, there) TH_LOG("%s", pev_reason());
	all = open_cpus(0, PEV_HW_INSTRUCTIONS);
	ASSERT_LE(0, all) TH_LOG("%s", pev_reason());
	pev_pin(self->victim);
	pmu_loop(100000);
	pev_pin(self->home);
	ASSERT_EQ(0, pev_set_online(self->victim, 0));
	before = pev_read(there);
	EXPECT_LE(100000 * PMU_ROUND, before.value);
	EXPECT_EQ(before.time_enabled, before.time_running);
	pmu_loop(100000);
	after = pev_read(there);
	EXPECT_EQ(before.value, after.value);
	EXPECT_EQ(before.time_enabled, after.time_enabled);
	EXPECT_LE(200000 * PMU_ROUND, pev_read(all).value);

	ASSERT_EQ(0, pev_set_online(self->victim, 1));
	pev_pin(self->victim);
	pmu_loop(100000);
	pev_pin(self->home);
	after = pev_read(there);
	EXPECT_LE(before.value + 100000 * PMU_ROUND, after.value);
	EXPECT_EQ(after.time_enabled, after.time_running);
	EXPECT_LE(300000 * PMU_ROUND, pev_read(all).value);
	close(there);
	close(all);
}

/* It was not there when the event was opened. */
TEST_F(hotplug, a_cpu_that_comes)
{
	struct pev_value v;
	int all;

	ASSERT_EQ(0, pev_set_online(self->victim, 0));
	all = open_cpus(0, PEV_HW_INSTRUCTIONS);
	ASSERT_LE(0, all) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_set_online(self->victim, 1));
	pev_pin(self->victim);
	v = pev_read(all);
	pmu_loop(100000);
	EXPECT_LE(v.value + 100000 * PMU_ROUND, pev_read(all).value);
	close(all);
}

/* The first event that takes the PMU, the last that gives it back: all CPUs at once. */
TEST_F(hotplug, between_two_owners)
{
	int fd;

	for (int i = 0; i < 4; i++) {
		pev_set_online(self->victim, i % 2);
		fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		pev_set_online(self->victim, !(i % 2));
		pev_pin(i % 2 ? self->home : self->victim);
		EXPECT_LE(10000 * PMU_ROUND, pmu_count(fd, 10000));
		pev_pin(self->home);
		close(fd);
	}
}

/* Rotated events on a CPU that goes offline in the middle of a slice. */
/* Each had a turn: on a host that is busy that may take more than one loop. */
static bool all_counted(const int *fds)
{
	for (int i = 0; i < MANY; i++)
		if (!pev_read(fds[i]).value)
			return false;
	return true;
}

TEST_F(hotplug, turns)
{
	struct pev_value before[MANY], after;
	int fds[MANY];

	for (int i = 0; i < MANY; i++) {
		fds[i] = open_cpus(1ULL << self->victim,
				   i % 2 ? PEV_HW_CYCLES : PEV_HW_INSTRUCTIONS);
		ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
	}
	for (int round = 0; round < 3; round++) {
		int tries = 100;

		pev_pin(self->victim);
		do
			pmu_loop(3000000);
		while (!all_counted(fds) && --tries);
		pev_pin(self->home);
		ASSERT_EQ(0, pev_set_online(self->victim, 0));
		for (int i = 0; i < MANY; i++)
			before[i] = pev_read(fds[i]);
		usleep(5000);
		for (int i = 0; i < MANY; i++) {
			after = pev_read(fds[i]);
			EXPECT_LT(0, after.value);
			EXPECT_EQ(before[i].value, after.value);
			EXPECT_EQ(before[i].time_enabled, after.time_enabled);
			EXPECT_EQ(before[i].time_running, after.time_running);
			EXPECT_GE(after.time_enabled, after.time_running);
		}
		ASSERT_EQ(0, pev_set_online(self->victim, 1));
	}
	for (int i = 0; i < MANY; i++)
		close(fds[i]);
}

/* What had no counter on one CPU for as long as it ran there is not all on the next one. */
TEST_F(hotplug, a_page_that_moves)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, PEV_F_PINNED | PEV_F_EXCLUSIVE, -1, 0);
	uint64_t mask = 1ULL << self->home;
	struct pev_multiplexed m;
	struct pev_user_page *page;
	int all, fd;

	if (!(pmu_info().pmu_features & PEV_PMU_USER_READS))
		SKIP(return, "user mode can't read counters here");
	attr.target = PEV_TARGET_CPUS;
	attr.cpus = (uintptr_t)&mask;
	attr.cpus_size = sizeof(mask);
	all = pev_open(&attr);
	ASSERT_LE(0, all) TH_LOG("%s", pev_reason());
	fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY | PEV_F_USER_PAGE);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	pev_on(all);
	pev_on(fd);
	pmu_loop(100000);
	EXPECT_EQ(PMU_NOTHING, pmu_self_read(page));
	pev_pin(self->victim);
	EXPECT_NE(PMU_NOTHING, pmu_self_read(page));
	EXPECT_EQ(1, page->partial);
	m = pmu_multiplexed(fd);
	EXPECT_LT(m.time_running, m.time_enabled);
	close(fd);
	close(all);
}

/* A task that is moved off the CPU loses nothing, not an instruction. */
TEST_F(hotplug, a_task_that_moves)
{
	const unsigned int rounds = 20000, times = 500;
	uint64_t want = (uint64_t)rounds * times * PMU_ROUND, value;
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
	struct pev_child c;
	int fd;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		cpu_set_t set;

		/* anywhere, at first on the one that goes */
		pev_pin(self->victim);
		CPU_ZERO(&set);
		CPU_SET(self->home, &set);
		CPU_SET(self->victim, &set);
		sched_setaffinity(0, sizeof(set), &set);
		pev_child_wait(&c);
		for (unsigned int i = 0; i < times; i++)
			pmu_loop(rounds);
		pev_child_say(&c, 0);
		pev_child_wait(&c);
		_exit(0);
	}
	attr.target_id = c.pid;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	pev_child_go(&c);
	for (int i = 0; i < 5; i++) {
		EXPECT_EQ(0, pev_set_online(self->victim, 0));
		EXPECT_EQ(0, pev_set_online(self->victim, 1));
	}
	ASSERT_EQ(0, pev_child_hear(&c));
	value = pev_read(fd).value;
	EXPECT_LE(want, value);
	/* the calls before and after, and the loop around the loop */
	EXPECT_GT(want + 20 * times + 5000, value) TH_LOG("%lu for %lu", value, want);
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
	close(fd);
}

TEST_HARNESS_MAIN
