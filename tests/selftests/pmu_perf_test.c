// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware events that count by perf's driver: exact beside perf's own events and the hard
 * lockup detector, of threads and of trees of processes; several that share a counter; what
 * is told of the time without one; what is refused.
 */
#include <linux/perf_event.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "pev_refused.h"
#include "pmu_util.h"

#define WATCHDOG "/proc/sys/kernel/nmi_watchdog"
#define PERF_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define PERF_SHARE	"/proc/sys/kernel/perf_cpu_time_max_percent"

FIXTURE(perf)
{
	struct pev_info info;
};

FIXTURE_SETUP(perf)
{
	int perf;

	PMU_SKIP_WITHOUT(SKIP);
	pev_pin(0);
	if (pmu_choose("perf"))
		SKIP(return, "no right to choose the driver");
	self->info = pmu_info();
	perf = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
	if (perf == -EOPNOTSUPP)
		SKIP(return, "perf has no driver for this PMU: %s", pev_reason());
	/* events of pev's driver that were closed a moment ago */
	for (int i = 0; i < 1000 && perf == -EBUSY; i++) {
		usleep(10000);
		perf = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
	}
	ASSERT_LE(0, perf) TH_LOG("%s", pev_reason());
	close(perf);
}

FIXTURE_TEARDOWN(perf)
{
	pmu_choose("auto");
}

/* Off by what a machine with interrupts and caches may be off by. */
static bool about(uint64_t got, uint64_t want)
{
	uint64_t slack = pmu_is_exact() ? 0 : want / 1000 + 100;

	return got >= want - slack && got <= want + slack;
}

static struct perf_event_attr perf_attr(bool pinned)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.pinned = pinned,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

/* Instructions of this thread, for perf itself. */
static int perf_open(bool pinned)
{
	struct perf_event_attr attr = perf_attr(pinned);

	return syscall(__NR_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t perf_read(int fd)
{
	uint64_t value[3] = {};

	return read(fd, value, sizeof(value)) == sizeof(value) ? value[0] : 0;
}

TEST_F(perf, says_so)
{
	EXPECT_TRUE(pmu_by_perf());
	EXPECT_TRUE(self->info.hardware >> PEV_HW_CYCLES & 1);
	EXPECT_EQ(-EINVAL, pmu_choose("both"));
	EXPECT_TRUE(pmu_by_perf());
}

/* One copy of it: constants take different numbers of instructions. */
static __attribute__((noipa)) uint64_t count_by_both(int perf, int fd, unsigned long rounds,
						     uint64_t *by_perf)
{
	uint64_t before = perf_read(perf), value = pmu_count(fd, rounds);

	*by_perf = perf_read(perf) - before;
	return value;
}

/* Counts of both, at the same time, of the same loops. */
TEST_F(perf, beside_perf)
{
	uint64_t few, many, perf_few, perf_many;
	int perf, fd;

	perf = perf_open(false);
	ASSERT_LE(0, perf);
	fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	count_by_both(perf, fd, 1000, &perf_few);
	few = count_by_both(perf, fd, 1000, &perf_few);
	many = count_by_both(perf, fd, 101000, &perf_many);
	EXPECT_TRUE(about(many - few, 100000 * PMU_ROUND)) TH_LOG("%lu", many - few);
	EXPECT_TRUE(about(perf_many - perf_few, 100000 * PMU_ROUND))
		TH_LOG("%lu, then %lu", perf_few, perf_many);
	close(fd);
	close(perf);
}

/* Far more events than the processor has counters, and each counts all the time. */
TEST_F(perf, many_share_one)
{
	struct pev_multiplexed m;
	int fds[60];
	uint64_t value[2];

	for (unsigned int i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
		ASSERT_LE(0, fds[i]) TH_LOG("%u: %s", i, pev_reason());
		pev_on(fds[i]);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(fds); i++) {
		/* it was on: what is between reset and on is counted this time */
		pmu_count(fds[i], 1000);
		value[0] = pmu_count(fds[i], 1000);
		value[1] = pmu_count(fds[i], 2000);
		EXPECT_TRUE(about(value[1] - value[0], 1000 * PMU_ROUND))
		TH_LOG("%u: %lu", i, value[1] - value[0]);
		m = pmu_multiplexed(fds[i]);
		EXPECT_EQ(m.time_enabled, m.time_running);
		EXPECT_EQ(0, m.windows);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(fds); i++)
		close(fds[i]);
}

/* What @children that do @rounds each count, and their parent. */
static uint64_t storm(struct __test_metadata *_metadata, int fd, unsigned int children,
		      unsigned long rounds)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	ioctl(fd, PEV_IOC_RESET, 0);
	pev_on(fd);
	for (unsigned int i = 0; i < children; i++) {
		pid_t pid = fork();

		ASSERT_LE(0, pid);
		if (pid)
			continue;
		pev_pin(i % cpus);
		/* and a generation further */
		pid = fork();
		pmu_loop(rounds);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		_exit(0);
	}
	for (unsigned int i = 0; i < children; i++)
		wait(NULL);
	pev_off(fd);
	return pev_read(fd).value;
}

/* A tree that grows and ends while it is counted: nothing is missed, nothing counted twice. */
TEST_F(perf, a_fork_storm)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
	const unsigned int children = 40;
	const uint64_t each = 5000 * PMU_ROUND, want = 2 * children * each;
	uint64_t few, many;
	int fd, alone;

	attr.target = PEV_TARGET_SUBTREE;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	/* of the parent alone, by the same counter */
	alone = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
	ASSERT_LE(0, alone) TH_LOG("%s", pev_reason());
	pev_on(alone);
	storm(_metadata, fd, children, 100);
	few = storm(_metadata, fd, children, 1000);
	many = storm(_metadata, fd, children, 6000);
	/* libc's part of a fork differs by some instructions, but by less than a child's work */
	EXPECT_LT(want - each, many - few) TH_LOG("%lu", many - few);
	EXPECT_GT(want + each, many - few) TH_LOG("%lu", many - few);
	pev_off(alone);
	EXPECT_GT(want / 2, pev_read(alone).value);
	close(alone);
	close(fd);
}

/* Each has its own period, of one counter; what is left of it stays while others run. */
TEST_F(perf, two_periods)
{
	/* together they stay below perf's limit of samples a second, which is for the counter */
	static const unsigned long periods[] = { 100003, 140009 };
	struct pev_value v;
	struct pev_map map;
	int channel, fds[2];

	channel = pev_open_channel(1 << 20, 1 << 14, 0);
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(channel, &map));
	for (unsigned int i = 0; i < 2; i++) {
		struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, channel,
						periods[i]);

		fds[i] = pev_open(&attr);
		ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
	}
	for (unsigned int i = 0; i < 2; i++)
		pev_on(fds[i]);
	for (unsigned int i = 0; i < 50; i++) {
		pmu_loop(400000 / PMU_ROUND);
		/* another task, which is not counted */
		sched_yield();
	}
	for (unsigned int i = 0; i < 2; i++) {
		pev_off(fds[i]);
		v = pev_read(fds[i]);
		EXPECT_LT(20000000, v.value);
		EXPECT_EQ(0, v.lost);
		EXPECT_LE(v.value / periods[i] - 2, v.samples)
		TH_LOG("%lu of %lu", (unsigned long)v.samples, (unsigned long)v.value);
		EXPECT_GE(v.value / periods[i], v.samples)
		TH_LOG("%lu of %lu", (unsigned long)v.samples, (unsigned long)v.value);
		close(fds[i]);
	}
	pev_unmap_channel(&map);
	close(channel);
}

/* perf stops the counter at its own limit; pev lets it run on, and the times say for how long. */
TEST_F(perf, perfs_limit)
{
	int rate = pev_get_number(PERF_RATE, -1), share = pev_get_number(PERF_SHARE, -1);
	struct pev_attr attr;
	struct pev_multiplexed m;
	struct pev_value v;
	struct pev_map map;
	int channel, fd;

	channel = pev_open_channel(1 << 20, 1 << 14, 0);
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(channel, &map));
	/* the rate can't be set while the share is none */
	ASSERT_EQ(0, pev_put_number(PERF_SHARE, 25));
	ASSERT_EQ(0, pev_put_number(PERF_RATE, 1000));
	attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, channel, 10000);
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	do {
		pmu_loop(1000000 / PMU_ROUND);
		m = pmu_multiplexed(fd);
	} while (m.throttled < 5 && m.time_enabled < 5000000000ULL);
	pev_off(fd);
	EXPECT_LE(5, m.throttled);
	EXPECT_LT(0, m.throttled_ns);
	EXPECT_LT(m.time_running, m.time_enabled);
	v = pev_read(fd);
	EXPECT_LT(0, v.samples);
	EXPECT_GE(v.value / 10000, v.samples);
	/* without the limit it is as it was, after a tick: a sample for each period */
	ASSERT_EQ(0, pev_put_number(PERF_RATE, 1000000));
	ASSERT_EQ(0, pev_put_number(PERF_SHARE, 0));
	for (unsigned int i = 0; i < 1000; i++) {
		ioctl(fd, PEV_IOC_RESET, 0);
		pev_on(fd);
		pmu_loop(1000000 / PMU_ROUND);
		pev_off(fd);
		m = pmu_multiplexed(fd);
		if (m.time_running == m.time_enabled)
			break;
	}
	EXPECT_EQ(m.time_running, m.time_enabled);
	v = pev_read(fd);
	EXPECT_LE(1000000, v.value);
	EXPECT_LE(v.value / 10000 - 1, v.samples);
	EXPECT_GE(v.value / 10000, v.samples);
	close(fd);
	pev_unmap_channel(&map);
	close(channel);
	pev_put_number(PERF_SHARE, 25);
	pev_put_number(PERF_RATE, rate);
	pev_put_number(PERF_SHARE, share);
}

/* perf's own have all counters that can count it: the event waits, and its times say so. */
TEST_F(perf, waits_for_perf)
{
	struct pev_multiplexed m;
	int fd, perf[16];
	unsigned int nr = 0;
	uint64_t value;

	fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	for (; nr < ARRAY_SIZE(perf); nr++) {
		perf[nr] = perf_open(true);
		if (perf[nr] < 0)
			break;
	}
	ASSERT_LT(4, nr);
	value = pmu_count(fd, 100000);
	m = pmu_multiplexed(fd);
	EXPECT_GT(100000 * PMU_ROUND, value);
	EXPECT_LT(m.time_running, m.time_enabled);
	while (nr--)
		close(perf[nr]);
	/* and goes on when they are gone and perf has looked who waits, at one of its ticks */
	for (unsigned int i = 0; i < 1000; i++) {
		value = pmu_count(fd, 100000);
		m = pmu_multiplexed(fd);
		if (m.time_running == m.time_enabled)
			break;
	}
	EXPECT_LE(100000 * PMU_ROUND, value);
	EXPECT_EQ(m.time_running, m.time_enabled);
	close(fd);
}

TEST_F(perf, refusals)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0), one = attr;
	int channel;

	attr.flags |= PEV_F_USER_PAGE;
	PEV_REFUSED(attr, EOPNOTSUPP, flags, "no page");
	attr = one;
	attr.flags |= PEV_F_EXCLUSIVE;
	PEV_REFUSED(attr, EOPNOTSUPP, flags, "PEV_F_EXCLUSIVE");
	attr = one;
	attr.flags |= PEV_F_MARKED;
	PEV_REFUSED(attr, EOPNOTSUPP, flags, "PEV_F_MARKED");
	attr = one;
	attr.pmu = 7;
	PEV_REFUSED(attr, ENODEV, pmu, "no PMU 7");
	channel = pev_open_channel(1 << 16, 4096, 0);
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, channel, 31);
	PEV_REFUSED(attr, EINVAL, period, "every 31");
	EXPECT_EQ(32, pev_why.head.min);
	close(channel);
	for (unsigned int i = 0; i < PEV_HW_MAX; i++) {
		if (self->info.hardware >> i & 1)
			continue;
		attr = pmu_attr(i, USER_ONLY, -1, 0);
		PEV_REFUSED(attr, EOPNOTSUPP, config, "does not count");
		break;
	}
}

/* Which of host and guests counts, perf tells the processor: what counts guests alone is 0 here. */
TEST_F(perf, host_or_guests)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY | PEV_F_EXCLUDE_GUEST, -1,
					0);
	int host = pev_open(&attr), guests;
	struct pev_value v;
	uint64_t few;

	ASSERT_LE(0, host) TH_LOG("%s", pev_reason());
	pmu_count(host, 1000);
	few = pmu_count(host, 1000);
	EXPECT_TRUE(about(pmu_count(host, 101000) - few, 100000 * PMU_ROUND));
	close(host);
	attr.flags |= PEV_F_EXCLUDE_HOST;
	PEV_REFUSED(attr, EINVAL, flags, "excludes all");
	attr.flags &= ~PEV_F_EXCLUDE_GUEST;
	guests = pev_open(&attr);
	if (guests < 0) {
		PEV_REFUSED(attr, EOPNOTSUPP, flags, "guests alone");
		return;
	}
	EXPECT_EQ(0, pmu_count(guests, 100000));
	v = pev_read(guests);
	EXPECT_LT(0, v.time_running);
	EXPECT_EQ(v.time_enabled, v.time_running);
	close(guests);
}

#if defined(__x86_64__)
#include <cpuid.h>

/* By perf's driver for AMD a hypervisor, if there is one, has the last word on what is left out. */
static bool is_certain(void)
{
	unsigned int leaf[4], one[4];

	__cpuid(0, leaf[0], leaf[1], leaf[2], leaf[3]);
	__cpuid(1, one[0], one[1], one[2], one[3]);
	return leaf[1] == signature_INTEL_ebx || !(one[2] >> 31);
}

static int as_user(struct __test_metadata *_metadata, struct pev_attr attr)
{
	EXPECT_EQ(0, pev_become(65534, -1));
	if (is_certain()) {
		EXPECT_LE(0, pev_open(&attr)) TH_LOG("%s", pev_reason());
	} else {
		PEV_REFUSED(attr, EACCES, flags, "PEV_F_EXCLUDE_KERNEL");
	}
	attr.flags |= PEV_F_EXCLUDE_KERNEL;
	EXPECT_LE(0, pev_open(&attr)) TH_LOG("%s", pev_reason());
	return _metadata->exit_code != KSFT_PASS;
}

/* What a guest's kernel does is its user's to know: unless it may be the host's that is counted. */
TEST_F(perf, rights_of_guests)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, PEV_F_EXCLUDE_HOST, -1, 0);
	struct pev_child c;
	int fd;

	PEV_NEEDS_ROOT(return );
	if (pev_get_number("/proc/sys/kernel/pev_paranoid", 0) != 2)
		SKIP(return, "users may see the kernel, or nothing");
	fd = pev_open(&attr);
	if (fd == -EOPNOTSUPP)
		SKIP(return, "%s", pev_reason());
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	close(fd);
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid)
		_exit(as_user(_metadata, attr));
	EXPECT_EQ(0, pev_child_end(&c));
}

/* Counts the core's other thread, too: perf lets users of CPUs alone, and so does pev by it. */
#define OTHER_THREAD (1 << 21 | 0xc0)

TEST_F(perf, rights_of_codes)
{
	struct pev_attr attr = pmu_attr(OTHER_THREAD, USER_ONLY, -1, 0);
	unsigned int leaf[4];
	int fd, status;
	pid_t pid;

	/* what it does not know of other makers, and of Intel's first version, perf leaves out */
	__cpuid(0, leaf[0], leaf[1], leaf[2], leaf[3]);
	if (leaf[1] != signature_INTEL_ebx)
		SKIP(return, "this PMU has no such bit");
	__cpuid(10, leaf[0], leaf[1], leaf[2], leaf[3]);
	if ((leaf[0] & 0xff) < 3)
		SKIP(return, "this PMU has no such bit: it is of version %u", leaf[0] & 0xff);
	attr.type = PEV_TYPE_RAW;
	fd = pev_open(&attr);
	if (fd < 0)
		SKIP(return, "this PMU has no such bit: %s", pev_reason());
	close(fd);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(255);
		fd = pev_open(&attr);
		if (fd != -EACCES || pev_why.head.field != PEV_OFFSET(config))
			_exit(1);
		attr.config = 0xc0;
		_exit(pev_open(&attr) < 0 ? 2 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}
#endif

/* What is pinned is together; what is not can't be kept together. */
TEST_F(perf, groups)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
	struct pev_multiplexed m;
	int leader, member, pinned[16], nr = 0, ret;

	leader = pev_open(&attr);
	ASSERT_LE(0, leader) TH_LOG("%s", pev_reason());
	attr.group_fd = leader;
	attr.config = PEV_HW_CYCLES;
	PEV_REFUSED(attr, EINVAL, group_fd, "PEV_F_PINNED");
	close(leader);

	attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY | PEV_F_PINNED, -1, 0);
	leader = pev_open(&attr);
	ASSERT_LE(0, leader) TH_LOG("%s", pev_reason());
	attr.group_fd = leader;
	attr.flags &= ~PEV_F_PINNED;
	attr.config = PEV_HW_CYCLES;
	member = pev_open(&attr);
	ASSERT_LE(0, member) TH_LOG("%s", pev_reason());
	pev_on(member);
	EXPECT_LE(10000 * PMU_ROUND, pmu_count(leader, 10000));
	EXPECT_LE(10000, pev_read(member).value);
	m = pmu_multiplexed(member);
	EXPECT_EQ(m.time_enabled, m.time_running);
	close(member);

	/* the same for all CPUs is counted by the same counter: each is another code */
	attr = pmu_attr(0, PEV_F_PINNED, -1, 0);
	for (ret = 0; nr < (int)ARRAY_SIZE(pinned); nr++) {
		attr.config = nr & 1 ? PEV_HW_INSTRUCTIONS : PEV_HW_BRANCHES;
		attr.flags = PEV_F_DISABLED | PEV_F_PINNED;
		attr.flags |= nr >> 1 & 1 ? PEV_F_EXCLUDE_KERNEL : 0;
		attr.flags |= nr >> 2 & 1 ? PEV_F_EXCLUDE_USER : 0;
		if (nr >> 1 == 3)
			break;
		pinned[nr] = ret = pev_open(&attr);
		if (ret < 0)
			break;
	}
	if (ret < 0) {
		EXPECT_EQ(-EBUSY, ret) TH_LOG("%s", pev_reason());
		EXPECT_NE(NULL, strstr(pev_reason(), "has no counter")) TH_LOG("%s", pev_reason());
	}
	while (nr--)
		close(pinned[nr]);
	close(leader);
}

/* Without leave to use perf's, what it holds is refused by its name, or there is nothing. */
TEST_F(perf, own_or_not_at_all)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
	int by_perf, fd;

	by_perf = pev_open(&attr);
	ASSERT_LE(0, by_perf) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pmu_choose("own"));
	EXPECT_FALSE(pmu_by_perf());
	fd = pev_open(&attr);
	EXPECT_TRUE(fd == -EBUSY || fd == -ENODEV) TH_LOG("%d: %s", fd, pev_reason());
	/* what is open goes on */
	EXPECT_LE(1000 * PMU_ROUND, pmu_count(by_perf, 1000));
	ASSERT_EQ(0, pmu_choose("auto"));
	EXPECT_TRUE(pmu_by_perf());
	fd = pev_open(&attr);
	EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
	close(fd);
	close(by_perf);
}

/* Counts different things until that is refused, and returns how many; @err: the last error. */
static int count_different(int *err)
{
	int nr = 0;

	*err = -EOPNOTSUPP;
	for (uint64_t config = 0; config < PEV_HW_MAX && *err == -EOPNOTSUPP; config++) {
		int fd = pmu_open(config, USER_ONLY);

		if (fd < 0)
			*err = fd;
		else
			nr++;
	}
	return nr;
}

/* As root, who has each of them. */
static int count_all(void)
{
	int nr = 0;

	for (uint64_t config = 0; config < PEV_HW_MAX; config++)
		nr += pmu_open(config, USER_ONLY) >= 0;
	return nr;
}

static void expect_few(struct __test_metadata *_metadata)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY | PEV_F_PINNED, -1, 0);
	int nr, err;

	ASSERT_EQ(0, pev_become(1000, -1));
	EXPECT_EQ(-EACCES, pev_open(&attr));
	EXPECT_NE(NULL, strstr(pev_reason(), "CAP_PERFMON")) TH_LOG("%s", pev_reason());
	nr = count_different(&err);
	EXPECT_LT(0, nr) TH_LOG("%d: %s", err, pev_reason());
	EXPECT_GE(3, nr);
	if (nr < 3)
		return;
	EXPECT_EQ(-EBUSY, err);
	EXPECT_NE(NULL, strstr(pev_reason(), "3 different things")) TH_LOG("%s", pev_reason());
	/* what is counted already takes nothing from others */
	EXPECT_LE(0, pmu_open(PEV_HW_CYCLES, USER_ONLY)) TH_LOG("%s", pev_reason());
}

/* What users take from all other processes is limited, for all of them together. */
TEST_F(perf, users_leave_some)
{
	struct pev_child c;

	if (pev_get_number("/proc/sys/kernel/pev_paranoid", 0) < 1)
		SKIP(return, "users may count on CPUs");
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		expect_few(_metadata);
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
}

/* What others count already is no way around that: they may leave, and it would stay. */
TEST_F(perf, users_do_not_keep_what_others_leave)
{
	struct pev_child c;

	PEV_NEEDS_ROOT(return );
	if (pev_get_number("/proc/sys/kernel/pev_paranoid", 0) < 1)
		SKIP(return, "users may count on CPUs");
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		EXPECT_LE(1, count_all());
		expect_few(_metadata);
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
}

#if defined(__x86_64__)
/* The detector has its counter, and goes and comes, while pev counts. */
TEST_F(perf, beside_the_watchdog)
{
	int old = pev_get_number(WATCHDOG, -1), fd;
	uint64_t few, many;

	if (old < 0 || pev_put_number(WATCHDOG, 1) || pev_get_number(WATCHDOG, 0) != 1)
		SKIP(return, "no hard lockup detector in this kernel");
	ASSERT_EQ(0, pmu_choose("auto"));
	EXPECT_TRUE(pmu_by_perf());
	fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pmu_count(fd, 1000);
	for (unsigned int i = 0; i < 20; i++) {
		few = pmu_count(fd, 1000);
		ASSERT_EQ(0, pev_put_number(WATCHDOG, i & 1));
		many = pmu_count(fd, 101000);
		EXPECT_TRUE(about(many - few, 100000 * PMU_ROUND)) TH_LOG("%lu", many - few);
		EXPECT_EQ(i & 1, pev_get_number(WATCHDOG, -1));
	}
	close(fd);
	pev_put_number(WATCHDOG, old);
}
#endif

TEST_HARNESS_MAIN
