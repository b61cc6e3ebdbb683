// SPDX-License-Identifier: GPL-2.0
/*
 * Counting by mark: the processor tells the target's tasks from others, and no
 * counter is touched at a switch. Only some processors have a mark.
 */
#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "pmu_util.h"

#define ANYBODY 1000
#define MARKED	(PEV_F_MARKED | USER_ONLY)

static bool has_marks(void)
{
	return pmu_info().pmu_features & PEV_PMU_MARKS;
}

TEST(refusals)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, MARKED, -1, 0);
	int fd, other;
	pid_t pid;

	PMU_SKIP_WITHOUT(SKIP);
	if (!has_marks()) {
		EXPECT_EQ(-EOPNOTSUPP, pev_open(&attr));
		EXPECT_NE(NULL, strstr(pev_reason(), "no mark"));
		return;
	}
	attr.flags = PEV_F_MARKED | PEV_F_DISABLED;
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	EXPECT_NE(NULL, strstr(pev_reason(), "exclude it"));
	attr.flags |= USER_ONLY;
	attr.target = PEV_TARGET_CPUS;
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	EXPECT_NE(NULL, strstr(pev_reason(), "tasks, processes and subtrees"));
	/* one mark, one target */
	attr.target = PEV_TARGET_TASK;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	other = pev_open(&attr);
	ASSERT_LE(0, other) TH_LOG("%s", pev_reason());
	close(other);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(fd);
		pause();
		_exit(0);
	}
	attr.target_id = pid;
	EXPECT_EQ(-EBUSY, pev_open(&attr));
	EXPECT_NE(NULL, strstr(pev_reason(), "one mark"));
	close(fd);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* it is free again for anybody */
	attr.target_id = getppid();
	fd = pev_open(&attr);
	EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
	close(fd);
}

/* Others can't have the mark meanwhile, nor a counter on any CPU. */
TEST(rights)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, MARKED | PEV_F_DISABLED, -1, 0);
	struct pev_levels before = pev_get_levels();

	PMU_SKIP_WITHOUT(SKIP);
	if (!has_marks())
		SKIP(return, "this processor has no mark");
	for (int level = 0; level <= 2; level++) {
		struct pev_child c;

		ASSERT_EQ(0, pev_set_paranoid(level));
		ASSERT_LE(0, pev_child_start(&c));
		if (!c.pid) {
			int fd = pev_become(ANYBODY, -1) ? -ECHILD : pev_open(&attr);

			_exit(fd >= 0 ? 0 : strstr(pev_reason(), "on all CPUs") ? -fd : 255);
		}
		EXPECT_EQ(level ? EACCES : 0, pev_child_end(&c)) TH_LOG("level %d", level);
	}
	EXPECT_EQ(0, pev_set_levels(before));
}

/* A task that runs somewhere all the time has no mark of a target that is none any more. */
TEST(mark_of_before)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, MARKED, -1, 0);
	struct pev_child busy, idle;
	struct pev_attr beside;
	int cpus[2], fd, other;
	clockid_t clock;
	uint64_t end;

	PMU_SKIP_WITHOUT(SKIP);
	if (!has_marks())
		SKIP(return, "this processor has no mark");
	if (pev_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	pev_pin(cpus[0]);
	ASSERT_LE(0, pev_child_start(&busy));
	if (!busy.pid) {
		pev_pin(cpus[1]);
		for (;;)
			pmu_loop(1000);
	}
	ASSERT_LE(0, pev_child_start(&idle));
	if (!idle.pid) {
		pev_child_wait(&idle);
		_exit(0);
	}
	/* its CPU is not told of an event that goes, but of the last one */
	beside = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, busy.pid);
	other = pev_open(&beside);
	ASSERT_LE(0, other) TH_LOG("%s", pev_reason());
	attr.target_id = busy.pid;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	while (!pev_read(fd).value)
		pev_yield();
	close(fd);
	pev_settled(idle.pid);
	attr.target_id = idle.pid;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	ASSERT_EQ(0, clock_getcpuclockid(busy.pid, &clock));
	end = pev_clock_ns(clock) + 50000000;
	while (pev_clock_ns(clock) < end)
		pev_yield();
	EXPECT_EQ(0, pev_read(fd).value);
	close(fd);
	close(other);
	kill(busy.pid, SIGKILL);
	pev_child_end(&busy);
	pev_child_go(&idle);
	EXPECT_EQ(0, pev_child_end(&idle));
}

/* To the instruction, while others compete for the CPU and for its counter. */
TEST(exactly)
{
	uint64_t few, many;
	pid_t rivals[2];
	int fd;

	PMU_SKIP_WITHOUT(SKIP);
	if (!has_marks())
		SKIP(return, "this processor has no mark");
	pev_pin(0);
	for (int i = 0; i < 2; i++) {
		rivals[i] = fork();
		ASSERT_LE(0, rivals[i]);
		while (!rivals[i])
			pmu_loop(1000);
	}
	fd = pmu_open(PEV_HW_INSTRUCTIONS, MARKED);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pmu_count(fd, 1000);
	few = pmu_count(fd, 1000);
	many = pmu_count(fd, 5001000);
	EXPECT_EQ(5000000 * PMU_ROUND, many - few);
	for (int i = 0; i < 2; i++) {
		kill(rivals[i], SIGKILL);
		waitpid(rivals[i], NULL, 0);
	}
	close(fd);
}

static void run_child(unsigned long rounds, int cpu)
{
	pid_t pid = fork();

	if (!pid) {
		pev_pin(cpu);
		pmu_loop(rounds);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* Children of a subtree have the mark, those of a task or process have not. */
TEST(children)
{
	static const uint32_t targets[] = {
		PEV_TARGET_TASK, PEV_TARGET_PROCESS, PEV_TARGET_SUBTREE,
	};
	const unsigned long rounds = 500000;

	PMU_SKIP_WITHOUT(SKIP);
	if (!has_marks())
		SKIP(return, "this processor has no mark");
	for (unsigned int i = 0; i < 3; i++) {
		struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, MARKED, -1, 0);
		uint64_t value;
		int fd;

		attr.target = targets[i];
		fd = pev_open(&attr);
		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		pev_on(fd);
		pmu_loop(rounds);
		for (int child = 0; child < 4; child++)
			run_child(rounds, child % sysconf(_SC_NPROCESSORS_ONLN));
		pev_off(fd);
		value = pev_read(fd).value;
		if (targets[i] == PEV_TARGET_SUBTREE) {
			EXPECT_LE(5 * rounds * PMU_ROUND, value);
			EXPECT_GT(5 * rounds * PMU_ROUND + 100000, value);
		} else {
			EXPECT_LE(rounds * PMU_ROUND, value);
			EXPECT_GT(rounds * PMU_ROUND + 100000, value);
		}
		close(fd);
	}
}

/* A new program starts with fresh registers: the mark is set again. */
TEST(exec)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, MARKED, -1, 0);
	uint64_t value;
	pid_t pid;
	int fd;

	PMU_SKIP_WITHOUT(SKIP);
	if (!has_marks())
		SKIP(return, "this processor has no mark");
	attr.target = PEV_TARGET_SUBTREE;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		execl("/proc/self/exe", "pmu_mark_test", "spin", NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	pev_off(fd);
	value = pev_read(fd).value;
	EXPECT_LE(3000000 * PMU_ROUND, value);
	EXPECT_GT(3300000 * PMU_ROUND, value);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "spin")) {
		pmu_loop(3000000);
		return 0;
	}
	return test_harness_run(argc, argv);
}
