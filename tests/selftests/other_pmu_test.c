// SPDX-License-Identifier: GPL-2.0
/*
 * PMUs that perf drives, other than that of the cores: counted for tasks where they can, for the
 * machine exactly once for what CPUs share; which users may; what is refused. Those of shared
 * things need tests/module/pmu.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "pev_refused.h"
#include "pmu_util.h"

#define DEVICES "/sys/bus/event_source/devices/"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define NOBODY 65534

/* A program that executes itself so often, and does no more. */
static void __attribute__((constructor)) again_main(void)
{
	char *argv[] = { "again", NULL }, again[32], *envp[] = { again, NULL };
	const char *left = getenv("PEV_AGAIN");

	if (!left)
		return;
	if (!atoi(left))
		_exit(0);
	snprintf(again, sizeof(again), "PEV_AGAIN=%d", atoi(left) - 1);
	execve("/proc/self/exe", argv, envp);
	_exit(99);
}

static int pmu_number(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), DEVICES "%s/type", name);
	return pev_get_number(path, -1);
}

static struct pev_attr other_attr(int pmu, uint64_t config, uint32_t target)
{
	return (struct pev_attr){
		.type = PEV_TYPE_RAW,
		.pmu = pmu,
		.config = config,
		.target = target,
		.flags = PEV_F_DISABLED,
		.channel_fd = -1,
		.group_fd = -1,
	};
}

/* ---- numbers that are no PMU to count by ---- */

FIXTURE(number){};

FIXTURE_SETUP(number)
{
	if (!pev_present())
		SKIP(return, "no pev");
}

FIXTURE_TEARDOWN(number)
{
}

/* What pev has sources of its own for is not had behind their back. */
TEST_F(number, refusals)
{
	static const char *const probes[] = { "kprobe", "uprobe" };
	struct pev_attr attr = other_attr(1, 0, PEV_TARGET_TASK);

	for (attr.pmu = 1; attr.pmu < 6; attr.pmu++) {
		for (attr.config = 0; attr.config < 12; attr.config++)
			PEV_REFUSED(attr, EINVAL, pmu, "no PMU that pev counts by");
		attr.config = 0;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(probes); i++) {
		int number = pmu_number(probes[i]);

		if (number < 0)
			continue;
		attr = other_attr(number, i ? 0 : 1, PEV_TARGET_CPUS);
		PEV_REFUSED(attr, EINVAL, pmu, probes[i]);
		attr.config1 = (uintptr_t) "do_nothing";
		PEV_REFUSED(attr, EINVAL, pmu, "PEV_TYPE_PROBE");
	}
	attr = other_attr(0x7fffffff, 0, PEV_TARGET_TASK);
	PEV_REFUSED(attr, ENODEV, pmu, "there is no PMU 2147483647");
	attr.pmu = 0xffffffff;
	PEV_REFUSED(attr, ENODEV, pmu, "there is no PMU 4294967295");
	attr.type = PEV_TYPE_HARDWARE;
	PEV_REFUSED(attr, ENODEV, pmu, "PEV_TYPE_RAW");
}

/* ---- one that counts tasks: msr ---- */

#if defined(__x86_64__)
FIXTURE(msr)
{
	int pmu;
	int paranoid;
};

FIXTURE_SETUP(msr)
{
	self->paranoid = pev_get_number(PARANOID, 2);
	self->pmu = pmu_number("msr");
	if (!pev_present() || self->pmu < 0)
		SKIP(return, "no pev, or no PMU msr");
	pev_pin(0);
}

FIXTURE_TEARDOWN(msr)
{
	pev_put_number(PARANOID, self->paranoid);
	pmu_choose("auto");
}

static uint64_t tsc(void)
{
	uint32_t low, high;

	asm volatile("mfence; lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/*
 * The event counts between what is read before and behind both of its switches; less, if another
 * task ran meanwhile, which is not counted.
 */
TEST_F(msr, task)
{
	struct pev_attr attr = other_attr(self->pmu, 0, PEV_TARGET_TASK);
	struct pev_multiplexed m;
	uint64_t outer, inner, value;
	unsigned int alone = 0;
	long before;
	int fd = pev_open(&attr);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < 1000 && alone < 20; i++) {
		ioctl(fd, PEV_IOC_RESET, 0);
		before = switches();
		outer = tsc();
		pev_on(fd);
		inner = tsc();
		pmu_loop(10000);
		inner = tsc() - inner;
		value = pev_read(fd).value;
		EXPECT_GE(tsc() - outer, value);
		pev_off(fd);
		outer = tsc() - outer;
		EXPECT_LE(value, pev_read(fd).value);
		EXPECT_GE(outer, pev_read(fd).value);
		if (switches() != before)
			continue;
		EXPECT_LE(inner, value);
		alone++;
	}
	EXPECT_LT(0, alone);
	m = pmu_multiplexed(fd);
	EXPECT_EQ(m.time_enabled, m.time_running);
	EXPECT_EQ(0, m.windows);
	close(fd);
}

/* Time of a task that sleeps is not its own; that of its children is. */
TEST_F(msr, subtree)
{
	struct pev_attr attr = other_attr(self->pmu, 0, PEV_TARGET_SUBTREE);
	uint64_t before, child, value;
	int fd = pev_open(&attr), said[2];

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pipe(said));
	before = tsc();
	pev_on(fd);
	if (!fork()) {
		child = tsc();
		pmu_loop(2000000);
		child = tsc() - child;
		_exit(write(said[1], &child, sizeof(child)) != sizeof(child));
	}
	ASSERT_EQ(sizeof(child), read(said[0], &child, sizeof(child)));
	wait(NULL);
	pev_off(fd);
	before = tsc() - before;
	value = pev_read(fd).value;
	/* both on one CPU: they ran one after the other, and another task may have meanwhile */
	EXPECT_LT(0, value);
	EXPECT_GE(before, value);
	EXPECT_LE(child / 10, value);
	close(said[0]);
	close(said[1]);
	close(fd);
}

/*
 * The program executes another one while the event, which is on its task already, waits for its
 * counter: nothing begins to count without one.
 */
TEST_F(msr, exec_before_there_is_a_counter)
{
	struct pev_attr attr = other_attr(self->pmu, 0, PEV_TARGET_PROCESS);
	struct pev_child c;
	int fd, n = 0;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		char *argv[] = { "again", NULL };
		char *envp[] = { pev_kernel_is_slow() ? "PEV_AGAIN=30" : "PEV_AGAIN=500", NULL };

		pev_child_wait(&c);
		execve("/proc/self/exe", argv, envp);
		_exit(99);
	}
	attr.target_id = c.pid;
	attr.flags |= PEV_F_ENABLE_ON_EXEC;
	pev_child_go(&c);
	/* it goes on wherever the call has to wait */
	ASSERT_NE(-1, nice(19));
	while ((fd = pev_open(&attr)) >= 0) {
		close(fd);
		n++;
	}
	EXPECT_EQ(-ESRCH, fd) TH_LOG("%s", pev_reason());
	EXPECT_EQ(0, pev_child_end(&c));
	EXPECT_LT(0, n);
}

/* Each CPU has its own, so that the machine's is their sum. */
TEST_F(msr, machine)
{
	struct pev_attr attr = other_attr(self->pmu, 0, PEV_TARGET_CPUS);
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t outer, inner, value;
	int fd = pev_open(&attr);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	outer = tsc();
	pev_on(fd);
	inner = tsc();
	pev_spin(50000000);
	inner = tsc() - inner;
	pev_off(fd);
	outer = tsc() - outer;
	value = pev_read(fd).value;
	EXPECT_LE(inner * cpus, value);
	EXPECT_GE(outer * cpus, value);
	close(fd);
}

/* It never waits for a counter, and so is together with anything. */
TEST_F(msr, group)
{
	struct pev_attr attr = other_attr(self->pmu, 0, PEV_TARGET_TASK);
	struct pev_value both[2] = {};
	int leader, member;

	attr.flags |= PEV_F_READ_GROUP;
	leader = pev_open(&attr);
	ASSERT_LE(0, leader) TH_LOG("%s", pev_reason());
	attr = other_attr(self->pmu, 0, PEV_TARGET_TASK);
	attr.group_fd = leader;
	member = pev_open(&attr);
	ASSERT_LE(0, member) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, ioctl(leader, PEV_IOC_ENABLE, PEV_IOF_GROUP));
	pmu_loop(100000);
	ASSERT_EQ(0, ioctl(leader, PEV_IOC_DISABLE, PEV_IOF_GROUP));
	ASSERT_EQ(sizeof(both), read(leader, both, sizeof(both)));
	EXPECT_LT(0, both[0].value);
	EXPECT_LT(0, both[1].value);
	EXPECT_EQ(both[0].time_enabled, both[0].time_running);
	EXPECT_EQ(both[1].time_enabled, both[1].time_running);
	close(member);
	close(leader);
}

TEST_F(msr, refusals)
{
	const struct pev_attr good = other_attr(self->pmu, 0, PEV_TARGET_TASK);
	struct pev_attr attr = good;
	int channel = pev_open_channel(1 << 16, 4096, 0);

	attr.config = 1 << 20;
	PEV_REFUSED(attr, EOPNOTSUPP, config, "its driver refuses the code");
	attr = good;
	attr.flags |= PEV_F_EXCLUDE_KERNEL;
	PEV_REFUSED(attr, EOPNOTSUPP, flags, "counts in all modes");
	attr = good;
	attr.flags |= PEV_F_USER_PAGE;
	PEV_REFUSED(attr, EOPNOTSUPP, flags, "no page");
	attr = good;
	attr.flags |= PEV_F_PRECISE(1);
	PEV_REFUSED(attr, EINVAL, flags, "only counts");
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	attr = good;
	attr.channel_fd = channel;
	attr.period = 100000;
	PEV_REFUSED(attr, EOPNOTSUPP, channel_fd, "can count, but not sample");
	close(channel);
	if (pmu_choose("own"))
		return;
	PEV_REFUSED(good, ENODEV, pmu, "there is no PMU");
}

/* Return: what opening gives to a user without rights, 0 or a negative errno. */
static int by_nobody(struct pev_attr attr)
{
	pid_t pid = fork();
	int status, fd;

	if (!pid) {
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(255);
		fd = pev_open(&attr);
		_exit(fd < 0 ? -fd : 0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

/* As perf: what the kernel does too from level 1, CPUs at level 0. */
TEST_F(msr, rights)
{
	struct pev_attr task = other_attr(self->pmu, 0, PEV_TARGET_TASK);
	struct pev_attr cpus = other_attr(self->pmu, 0, PEV_TARGET_CPUS);
	int own = pev_get_number("/proc/sys/kernel/pev_paranoid", 2);

	ASSERT_EQ(0, pev_put_number("/proc/sys/kernel/pev_paranoid", -1));
	ASSERT_EQ(0, pev_put_number(PARANOID, 2));
	EXPECT_EQ(-EACCES, by_nobody(task));
	EXPECT_EQ(-EACCES, by_nobody(cpus));
	ASSERT_EQ(0, pev_put_number(PARANOID, 1));
	EXPECT_EQ(0, by_nobody(task));
	EXPECT_EQ(-EACCES, by_nobody(cpus));
	ASSERT_EQ(0, pev_put_number(PARANOID, 0));
	EXPECT_EQ(0, by_nobody(cpus));
	/* a probe never */
	task.pmu = pmu_number("uprobe");
	EXPECT_EQ(-EINVAL, by_nobody(task));
	pev_put_number("/proc/sys/kernel/pev_paranoid", own);
}
#endif

/* ---- those of what all CPUs share ---- */

FIXTURE(shared)
{
	int pmu;
};

FIXTURE_VARIANT(shared)
{
	const char *name;
};

FIXTURE_VARIANT_ADD(shared, moved){ .name = "pevtest_socket" };
FIXTURE_VARIANT_ADD(shared, scope){ .name = "pevtest_scope" };

FIXTURE_SETUP(shared)
{
	self->pmu = pmu_number(variant->name);
	if (!pev_present() || self->pmu < 0)
		SKIP(return, "no pev, or no PMU %s", variant->name);
}

FIXTURE_TEARDOWN(shared)
{
}

/* Nanoseconds of one clock, not of one for each CPU. */
TEST_F(shared, once)
{
	struct pev_attr attr = other_attr(self->pmu, 0, PEV_TARGET_CPUS);
	struct pev_value cpus[64] = {};
	struct pev_cpu_values each = { .values = (uintptr_t)cpus, .nr = ARRAY_SIZE(cpus) };
	uint64_t outer, inner;
	struct pev_value v;
	int fd = pev_open(&attr);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	outer = pev_clock_ns(CLOCK_MONOTONIC);
	pev_on(fd);
	inner = pev_clock_ns(CLOCK_MONOTONIC);
	pev_spin(50000000);
	inner = pev_clock_ns(CLOCK_MONOTONIC) - inner;
	pev_off(fd);
	outer = pev_clock_ns(CLOCK_MONOTONIC) - outer;
	v = pev_read(fd);
	EXPECT_LE(inner, v.value);
	EXPECT_GE(outer, v.value);
	/* and so is its time, of which it missed nothing */
	EXPECT_GE(outer, v.time_enabled);
	EXPECT_EQ(v.time_enabled, v.time_running);
	ASSERT_EQ(0, ioctl(fd, PEV_IOC_READ_CPUS, &each));
	EXPECT_EQ(v.value, cpus[0].value);
	for (unsigned int cpu = 1; cpu < each.nr; cpu++) {
		EXPECT_EQ(0, cpus[cpu].value);
		EXPECT_EQ(0, cpus[cpu].time_enabled);
	}
	close(fd);
}

TEST_F(shared, refusals)
{
	const struct pev_attr good = other_attr(self->pmu, 0, PEV_TARGET_CPUS);
	struct pev_attr attr = good;
	uint64_t second = 1 << 1;
	int leader;

	attr.target = PEV_TARGET_TASK;
	PEV_REFUSED(attr, EINVAL, target, "take PEV_TARGET_CPUS");
	attr.target = PEV_TARGET_SUBTREE;
	PEV_REFUSED(attr, EINVAL, target, "whole socket");
	attr = good;
	attr.config = 2;
	PEV_REFUSED(attr, EOPNOTSUPP, config, "takes a period from it");
	attr.config = 3;
	PEV_REFUSED(attr, EOPNOTSUPP, config, "refuses the code");
	attr = good;
	attr.flags |= PEV_F_EXCLUDE_USER;
	PEV_REFUSED(attr, EOPNOTSUPP, flags, "all modes");
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1) {
		attr = good;
		attr.cpus = (uintptr_t)&second;
		attr.cpus_size = sizeof(second);
		PEV_REFUSED(attr, EINVAL, cpus, "on CPUs 0 alone");
	}
	/* what may wait for a counter can't be kept together, unless it is pinned */
	leader = pev_open((struct pev_attr *)&good);
	ASSERT_LE(0, leader) TH_LOG("%s", pev_reason());
	attr = good;
	attr.group_fd = leader;
	PEV_REFUSED(attr, EINVAL, group_fd, "PEV_F_PINNED");
	close(leader);
	attr = good;
	attr.flags |= PEV_F_PINNED;
	leader = pev_open(&attr);
	ASSERT_LE(0, leader) TH_LOG("%s", pev_reason());
	attr = good;
	attr.group_fd = leader;
	attr.config = 1;
	EXPECT_LE(0, pev_open(&attr)) TH_LOG("%s", pev_reason());
	close(leader);
}

TEST_HARNESS_MAIN
