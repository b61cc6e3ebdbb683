// SPDX-License-Identifier: GPL-2.0
/*
 * Counting with hardware counters: values to the instruction, domains, groups,
 * task switches, CPUs, subtrees. On machines that are not exact the loops are
 * held to one part in a thousand.
 */
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "pmu_util.h"

FIXTURE(count) {
	struct pev_info info;
};

FIXTURE_SETUP(count)
{
	PMU_SKIP_WITHOUT(SKIP);
	self->info = pmu_info();
	pev_pin(0);
}

FIXTURE_TEARDOWN(count)
{
}

/* Off by what a machine with interrupts and caches may be off by. */
static bool about(uint64_t got, uint64_t want)
{
	uint64_t slack = pmu_is_exact() ? 0 : want / 1000 + 100;

	return got >= want - slack && got <= want + slack;
}

/* Twice the rounds is twice the instructions, to the last one. */
TEST_F(count, instructions_exactly)
{
	int fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
	uint64_t none, few, many;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pmu_count(fd, 1000);
	none = pmu_count(fd, 1000);
	few = pmu_count(fd, 101000);
	many = pmu_count(fd, 1001000);
	EXPECT_TRUE(about(few - none, 100000 * PMU_ROUND)) TH_LOG("%lu", few - none);
	EXPECT_TRUE(about(many - none, 1000000 * PMU_ROUND)) TH_LOG("%lu", many - none);
	/* what it takes to switch on and off is not much */
	EXPECT_GT(200, none - 1000 * PMU_ROUND);
	close(fd);
}

TEST_F(count, branches_exactly)
{
	int fd = pmu_open(PEV_HW_BRANCHES, USER_ONLY);
	uint64_t few, many;

	if (fd == -EOPNOTSUPP)
		SKIP(return, "%s", pev_reason());
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	if (getenv("PEV_PMU") && !strncmp(getenv("PEV_PMU"), "power", 5))
		SKIP(return, "the emulated POWER has no source for branches");
	few = pmu_count(fd, 1000);
	many = pmu_count(fd, 101000);
	EXPECT_TRUE(about(many - few, 100000)) TH_LOG("%lu", many - few);
	close(fd);
}

/* Each domain counts its own, and together they are all. */
TEST_F(count, domains_add_up)
{
	int user = pmu_open(PEV_HW_INSTRUCTIONS, PEV_F_EXCLUDE_KERNEL);
	int kernel = pmu_open(PEV_HW_INSTRUCTIONS, PEV_F_EXCLUDE_USER);
	int all = pmu_open(PEV_HW_INSTRUCTIONS, 0);
	int group[] = { user, kernel, all };
	uint64_t u, k, a;

	for (int i = 0; i < 3; i++)
		ASSERT_LE(0, group[i]) TH_LOG("%s", pev_reason());
	for (int i = 0; i < 3; i++)
		pev_on(group[i]);
	pmu_loop(10000);
	pev_call(1000);
	for (int i = 0; i < 3; i++)
		pev_off(group[i]);
	u = pev_read(user).value;
	k = pev_read(kernel).value;
	a = pev_read(all).value;
	EXPECT_LT(10000 * PMU_ROUND, u);
	EXPECT_GT(20000 * PMU_ROUND, u);
	EXPECT_LT(1000 * 50, k);
	/* they are not switched on at the same moment */
	EXPECT_GT(a / 20, (uint64_t)labs((long)(a - u - k)))
		TH_LOG("%lu + %lu, not %lu", u, k, a);
	for (int i = 0; i < 3; i++)
		close(group[i]);
}

/* A group is switched on and off as one: its members see the same work. */
TEST_F(count, a_group_sees_the_same)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS,
					USER_ONLY | PEV_F_READ_GROUP | pmu_leads(), -1, 0);
	struct pev_value v[2];
	int leader, member;

	leader = pev_open(&attr);
	ASSERT_LE(0, leader) TH_LOG("%s", pev_reason());
	attr.flags = USER_ONLY | PEV_F_DISABLED;
	attr.group_fd = leader;
	member = pev_open(&attr);
	ASSERT_LE(0, member) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, ioctl(leader, PEV_IOC_ENABLE, PEV_IOF_GROUP));
	pmu_loop(12345);
	ASSERT_EQ(0, ioctl(leader, PEV_IOC_DISABLE, PEV_IOF_GROUP));
	ASSERT_EQ((ssize_t)sizeof(v), read(leader, v, sizeof(v)));
	EXPECT_LT(12345 * PMU_ROUND, v[0].value);
	EXPECT_EQ(v[0].value, v[1].value);
	EXPECT_EQ(v[0].time_running, v[1].time_running);
	close(member);
	close(leader);
}

/* Without waiting for a counter, the two times are the same to the nanosecond. */
TEST_F(count, times)
{
	int fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
	struct pev_value v;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	pmu_loop(100000);
	for (int i = 0; i < 10; i++)
		sched_yield();
	v = pev_read(fd);
	EXPECT_LT(0, v.time_enabled);
	EXPECT_EQ(v.time_enabled, v.time_running);
	pev_off(fd);
	v = pev_read(fd);
	EXPECT_EQ(v.time_enabled, v.time_running);
	close(fd);
}

/* A switch to another task and back changes nothing, wherever they run. */
TEST_F(count, other_tasks_are_not_counted)
{
	int fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
	int pipes[2][2], status;
	uint64_t alone, switched;
	pid_t pid;
	char c;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pipe(pipes[0]));
	ASSERT_EQ(0, pipe(pipes[1]));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(pipes[0][1]);
		while (read(pipes[0][0], &c, 1) == 1) {
			pmu_loop(50000);
			if (write(pipes[1][1], &c, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	alone = pmu_count(fd, 100 * 1000);
	ioctl(fd, PEV_IOC_RESET, 0);
	pev_on(fd);
	for (int i = 0; i < 100; i++) {
		pmu_loop(1000);
		if (write(pipes[0][1], "x", 1) != 1 || read(pipes[1][0], &c, 1) != 1)
			break;
	}
	pev_off(fd);
	switched = pev_read(fd).value;
	close(pipes[0][1]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	/* the calls themselves, some 50 instructions of user mode each */
	EXPECT_LE(alone, switched);
	EXPECT_GT(alone + 100 * 200, switched) TH_LOG("%lu alone, %lu", alone, switched);
	close(fd);
}

/* All descendants, whenever they were born and on whatever CPU they run. */
TEST_F(count, a_subtree)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
	const unsigned int children = 20, rounds = 50000;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t value, want;
	int fd;

	attr.target = PEV_TARGET_SUBTREE;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	for (unsigned int i = 0; i < children; i++) {
		pid_t pid = fork();

		ASSERT_LE(0, pid);
		if (!pid) {
			pev_pin(i % cpus);
			pmu_loop(rounds);
			_exit(0);
		}
	}
	for (unsigned int i = 0; i < children; i++)
		wait(NULL);
	pev_off(fd);
	value = pev_read(fd).value;
	want = (uint64_t)children * rounds * PMU_ROUND;
	EXPECT_LE(want, value);
	/* fork and exit in user mode are a few thousand instructions each */
	EXPECT_GT(want + children * 10000, value) TH_LOG("%lu, not about %lu", value, want);
	close(fd);
}

/* An event of a CPU counts every task that runs there. */
TEST_F(count, a_cpu)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
	uint64_t mask = 1, before;
	int fd, status;
	pid_t pid;

	attr.target = PEV_TARGET_CPUS;
	attr.cpus = (uintptr_t)&mask;
	attr.cpus_size = sizeof(mask);
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	before = pev_read(fd).value;
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		pmu_loop(100000);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_LE(100000 * PMU_ROUND, pev_read(fd).value - before);
	close(fd);
}

/* Which counters there are is not the program's business: all at once. */
TEST_F(count, all_counters_at_once)
{
	int fds[16], nr = 0;

	while (nr < (int)self->info.pmu_counters && nr < 16) {
		fds[nr] = pmu_open(nr % 2 ? PEV_HW_CYCLES : PEV_HW_INSTRUCTIONS, USER_ONLY);
		ASSERT_LE(0, fds[nr]) TH_LOG("%s", pev_reason());
		nr++;
	}
	for (int i = 0; i < nr; i++)
		pev_on(fds[i]);
	pmu_loop(1000000);
	for (int i = nr - 1; i >= 0; i--)
		pev_off(fds[i]);
	for (int i = 0; i < nr; i++) {
		struct pev_value v = pev_read(fds[i]);

		EXPECT_LT(0, v.time_running);
		if (v.time_running == v.time_enabled && i % 2 == 0) {
			EXPECT_LE(1000000 * PMU_ROUND, v.value);
			EXPECT_GT(1010000 * PMU_ROUND, v.value);
		}
		close(fds[i]);
	}
}

TEST_F(count, reset)
{
	int fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	pmu_loop(100000);
	EXPECT_LT(100000 * PMU_ROUND, pev_read(fd).value);
	EXPECT_EQ(0, ioctl(fd, PEV_IOC_RESET, 0));
	EXPECT_GT(10000, pev_read(fd).value);
	pmu_loop(1000);
	EXPECT_LT(1000 * PMU_ROUND, pev_read(fd).value);
	EXPECT_GT(1000 * PMU_ROUND + 10000, pev_read(fd).value);
	close(fd);
}

TEST_HARNESS_MAIN
