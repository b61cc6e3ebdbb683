// SPDX-License-Identifier: GPL-2.0
/*
 * Every refusal that hardware events know, with the member it blames, the range it
 * offers and words that say what is wrong: by the system call, by the PMU core, by
 * each processor's backend, by rights, and by who else has the counters.
 */
#include <linux/perf_event.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "pev_refused.h"
#include "pmu_util.h"

#define MAX_RATE	"/proc/sys/kernel/pev_max_sample_rate"
#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"

FIXTURE(refusal) {
	struct pev_info	info;
	int		channel;
};

FIXTURE_SETUP(refusal)
{
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	PMU_SKIP_WITHOUT(SKIP);
	/* what perf's driver refuses is pmu_perf_test's */
	ASSERT_EQ(0, pmu_choose("own"));
	pev_pin(0);
	self->info = pmu_info();
	self->channel = pev_open_channel(1 << 16, 4096, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
}

FIXTURE_TEARDOWN(refusal)
{
	pmu_choose("auto");
	close(self->channel);
}

#define REFUSED PEV_REFUSED_RANGE

#define ACCEPTED(attr) do {							\
	struct pev_attr attr_ = (attr);						\
	int fd_ = pev_open(&attr_);						\
	EXPECT_LE(0, fd_) TH_LOG("line %d: %s", __LINE__, pev_reason());	\
	if (fd_ >= 0)								\
		close(fd_);							\
} while (0)

static UNUSED struct pev_attr raw_attr(uint64_t code)
{
	struct pev_attr attr = pmu_attr(code, USER_ONLY, -1, 0);

	attr.type = PEV_TYPE_RAW;
	return attr;
}

/* ---- the system call ---- */

TEST_F(refusal, flags_of_other_events)
{
	static const uint64_t flags[] = {
		PEV_F_EXCLUDE_HV, PEV_F_EXCLUDE_HOST, PEV_F_EXCLUDE_GUEST, PEV_F_PINNED,
		PEV_F_EXCLUSIVE, PEV_F_MARKED, PEV_F_USER_PAGE,
	};
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);

	for (unsigned int i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		attr.flags = flags[i];
		REFUSED(attr, EOPNOTSUPP, flags, "hardware counters", NO_RANGE);
	}
	attr.flags = PEV_F_FREQ;
	REFUSED(attr, EOPNOTSUPP, flags, "give a period", NO_RANGE);
}

TEST_F(refusal, members)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);

	attr.filter = (uintptr_t)"ip > 0";
	REFUSED(attr, EINVAL, filter, "no meaning", NO_RANGE);
	attr = pmu_attr(PEV_HW_INSTRUCTIONS, PEV_F_EXCLUDE_USER | PEV_F_EXCLUDE_KERNEL, -1, 0);
	REFUSED(attr, EINVAL, flags, "leaves nothing", NO_RANGE);
	attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 1000);
	REFUSED(attr, EINVAL, period, "only counts", NO_RANGE);
	attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, self->channel, 0);
	REFUSED(attr, EINVAL, period, "needs a period", 1, INT64_MAX);
	attr.period = 1ULL << 63;
	REFUSED(attr, EINVAL, period, "too large", 1, INT64_MAX);
	attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY | 1ULL << 61, -1, 0);
	REFUSED(attr, EINVAL, flags, "0x2000000000000000", NO_RANGE);
	attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY | PEV_F_PRECISE(2), -1, 0);
	REFUSED(attr, EINVAL, flags, "only counts has none", NO_RANGE);
	attr = (struct pev_attr) { .type = PEV_TYPE_PMU, .config = 1 };
	REFUSED(attr, EINVAL, config, "no meaning", NO_RANGE);
}

/* ---- the core ---- */

/* Which PMU, and the words of a code that no processor here has a use for */
TEST_F(refusal, pmu_and_words)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
	struct pev_attr list = { .type = PEV_TYPE_PMU };
	char line[sizeof(self->info.pmu) + 16], *text;
	int fd;

	ACCEPTED(attr);
	for (attr.pmu = 1; attr.pmu; attr.pmu <<= 1) {
		REFUSED(attr, ENODEV, pmu, "there is no PMU", NO_RANGE);
		/* it says which there is */
		EXPECT_NE(NULL, strstr(pev_reason(), "PMU 0")) TH_LOG("%s", pev_reason());
	}
	attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
	attr.config1 = 1;
	REFUSED(attr, EINVAL, config1, "no meaning for type", NO_RANGE);
	attr.type = PEV_TYPE_RAW;
	for (attr.config1 = 1; attr.config1; attr.config1 <<= 1)
		REFUSED(attr, EINVAL, config1, "config1 0x", NO_RANGE);
	for (attr.config2 = 1; attr.config2; attr.config2 <<= 1)
		REFUSED(attr, EINVAL, config2, "config2 0x", NO_RANGE);

	fd = pev_open(&list);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	text = pev_read_text(fd);
	snprintf(line, sizeof(line), "pmu 0 %s\n", self->info.pmu);
	EXPECT_EQ(0, strncmp(text, line, strlen(line))) TH_LOG("%.60s", text);
	free(text);
	close(fd);
}

TEST_F(refusal, numbers)
{
	struct pev_attr attr = pmu_attr(PEV_HW_MAX, USER_ONLY, -1, 0);

	REFUSED(attr, EINVAL, config, "no hardware event 18", 0, PEV_HW_MAX - 1);
	attr.config = ~0ULL;
	REFUSED(attr, EINVAL, config, "no hardware event", 0, PEV_HW_MAX - 1);
	/* what this processor lacks is refused differently from what no processor has */
	for (attr.config = 0; attr.config < PEV_HW_MAX; attr.config++) {
		if (self->info.hardware >> attr.config & 1)
			ACCEPTED(attr);
		else
			REFUSED(attr, EOPNOTSUPP, config, " event", NO_RANGE);
	}
}

TEST_F(refusal, names)
{
	static const char * const bad[] = {
		"", "two words", "a\"b", "a\\b", "a\tb", "caf\xc3\xa9", "a\x01", "a\x7f",
	};
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
	char name[PEV_MAX_NAME + 1];

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		attr.name = (uintptr_t)bad[i];
		REFUSED(attr, EINVAL, name, *bad[i] ? "printable ASCII" : "empty", NO_RANGE);
	}
	memset(name, 'x', sizeof(name));
	name[PEV_MAX_NAME] = '\0';
	attr.name = (uintptr_t)name;
	REFUSED(attr, EINVAL, name, "too long", 1, PEV_MAX_NAME);
	name[PEV_MAX_NAME - 1] = '\0';
	ACCEPTED(attr);
	attr.name = 16;
	REFUSED(attr, EFAULT, name, "can't be read", NO_RANGE);
}

TEST_F(refusal, periods)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, self->channel, 1);
	uint64_t period, min;
	int fd, rate;

	PEV_REFUSED(attr, EINVAL, period, "every 1 ");
	min = pev_why.head.min;
	EXPECT_LT(1, min);
	EXPECT_EQ(INT64_MAX, pev_why.head.max);
	attr.period = min;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	period = min - 1;
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_PERIOD, &period));
	EXPECT_EQ(ERANGE, errno);
	period = 0;
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_PERIOD, &period));
	EXPECT_EQ(ERANGE, errno);
	period = min;
	EXPECT_EQ(0, ioctl(fd, PEV_IOC_PERIOD, &period));
	close(fd);

	rate = pev_get_number(MAX_RATE, 0);
	ASSERT_LT(0, rate);
	attr.flags |= PEV_F_FREQ;
	attr.period = rate + 1;
	REFUSED(attr, EINVAL, period, "kernel.pev_max_sample_rate", 1, rate);
	attr.period = rate;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	period = rate + 1;
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_PERIOD, &period));
	EXPECT_EQ(ERANGE, errno);
	close(fd);
	/* a fixed period is the user's own affair: see throttling */
	ASSERT_EQ(0, pev_put_number(MAX_RATE, 100));
	attr.period = 101;
	REFUSED(attr, EINVAL, period, "101 samples a second", 1, 100);
	attr.flags &= ~PEV_F_FREQ;
	ACCEPTED(attr);
	EXPECT_EQ(0, pev_put_number(MAX_RATE, rate));
	EXPECT_NE(0, pev_put_number(MAX_RATE, 0));
}

TEST_F(refusal, marks)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY | PEV_F_MARKED, -1, 0);
	struct pev_child c;
	int fd;

	if (!(self->info.pmu_features & PEV_PMU_MARKS)) {
		REFUSED(attr, EOPNOTSUPP, flags, "mark", NO_RANGE);
		return;
	}
	ACCEPTED(attr);
	attr.target = PEV_TARGET_CPUS;
	REFUSED(attr, EINVAL, flags, "tasks, processes and subtrees", NO_RANGE);
	attr.target = PEV_TARGET_TASK;
	attr.flags |= PEV_F_USER_PAGE;
	REFUSED(attr, EINVAL, flags, "not marked", NO_RANGE);
	attr.flags = PEV_F_MARKED;
	REFUSED(attr, EINVAL, flags, "exclude it", NO_RANGE);

	/* one mark, and so one target */
	attr.flags = USER_ONLY | PEV_F_MARKED;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ACCEPTED(attr);
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		close(fd);
		pev_child_wait(&c);
		_exit(0);
	}
	attr.target_id = c.pid;
	REFUSED(attr, EBUSY, flags, "one mark", NO_RANGE);
	close(fd);
	ACCEPTED(attr);
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
}

TEST_F(refusal, user_pages)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY | PEV_F_USER_PAGE, -1, 0);
	long size = sysconf(_SC_PAGESIZE);
	int fd;

	if (!(self->info.pmu_features & PEV_PMU_USER_READS)) {
		REFUSED(attr, EOPNOTSUPP, flags, "do without PEV_F_USER_PAGE", NO_RANGE);
		return;
	}
	attr.target = PEV_TARGET_PROCESS;
	REFUSED(attr, EINVAL, flags, "a single task", NO_RANGE);
	attr.target = PEV_TARGET_SUBTREE;
	REFUSED(attr, EINVAL, flags, "a single task", NO_RANGE);
	attr.target = PEV_TARGET_CPUS;
	REFUSED(attr, EINVAL, flags, "a single task", NO_RANGE);

	attr.target = PEV_TARGET_TASK;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	EXPECT_EQ(MAP_FAILED, mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, size, PROT_READ, MAP_SHARED, fd, size));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 2 * size, PROT_READ, MAP_SHARED, fd, 0));
	EXPECT_EQ(EINVAL, errno);
	close(fd);
	fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0));
	EXPECT_EQ(ENODEV, errno);
	close(fd);
}

TEST_F(refusal, multiplexed)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);
	struct pev_multiplexed m = { .size = sizeof(m) };
	struct {
		struct pev_multiplexed	m;
		uint64_t		later[4];
	} big;
	int software = pev_open(&attr), fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);

	ASSERT_LE(0, fd);
	ASSERT_LE(0, software);
	EXPECT_EQ(-1, ioctl(software, PEV_IOC_READ_MULTIPLEXED, &m));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_EQ(-1, ioctl(self->channel, PEV_IOC_READ_MULTIPLEXED, &m));
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_READ_MULTIPLEXED, NULL));
	EXPECT_EQ(EFAULT, errno);
	m.size = 8;
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_READ_MULTIPLEXED, &m));
	EXPECT_EQ(EINVAL, errno);
	m.size = ~0U;
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_READ_MULTIPLEXED, &m));
	EXPECT_EQ(E2BIG, errno);
	m.size = sysconf(_SC_PAGESIZE) + 8;
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_READ_MULTIPLEXED, &m));
	EXPECT_EQ(E2BIG, errno);
	/* older and newer programs */
	m.size = offsetof(struct pev_multiplexed, pairs);
	m.pairs = 77;
	EXPECT_EQ(0, ioctl(fd, PEV_IOC_READ_MULTIPLEXED, &m));
	EXPECT_EQ(sizeof(m), m.size);
	EXPECT_EQ(77, m.pairs);
	memset(&big, 0xff, sizeof(big));
	big.m.size = sizeof(big);
	EXPECT_EQ(0, ioctl(fd, PEV_IOC_READ_MULTIPLEXED, &big));
	EXPECT_EQ(sizeof(m), big.m.size);
	EXPECT_EQ(0, big.later[0] | big.later[3]);
	close(software);
	close(fd);
}

/* ---- the processor ---- */

#if defined(__x86_64__)
TEST_F(refusal, codes)
{
	static const struct {
		uint64_t	bits;
		const char	*words;
	} bad[] = {
		{ 1 << 16, "PEV_F_EXCLUDE_USER" }, { 1 << 17, "PEV_F_EXCLUDE_KERNEL" },
		{ 1 << 19, "pin" }, { 1 << 20, "interrupt" }, { 1 << 21, "other thread" },
		{ 1 << 22, "starts the counter" }, { 1ULL << 36, "no such bits" },
		{ 1ULL << 40, "no such bits" }, { 1ULL << 63, "no such bits" },
	};
	bool intel = strstr(self->info.pmu, "Intel");
	char text[32];

	ACCEPTED(raw_attr(0xc0));
	ACCEPTED(raw_attr(0x1ff0c0 & ~0x1f0000));
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		REFUSED(raw_attr(0xc0 | bad[i].bits), EINVAL, config, bad[i].words, NO_RANGE);
		snprintf(text, sizeof(text), "bits %#llx ", (unsigned long long)bad[i].bits);
		EXPECT_NE(NULL, strstr(pev_reason(), text)) TH_LOG("%s", pev_reason());
	}
	/* bits 8 to 11 of the event: AMD's alone */
	if (intel)
		REFUSED(raw_attr(1ULL << 32 | 0xc0), EINVAL, config, "no such bits", NO_RANGE);
	else
		ACCEPTED(raw_attr(1ULL << 32 | 0xc0));
	/* Intel's event 0 stands for a fixed counter, and no processor has this one */
	if (intel && self->info.pmu_counters > 4)
		REFUSED(raw_attr(0xff00), EOPNOTSUPP, config, "no counter", NO_RANGE);
}

TEST_F(refusal, domains)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
	bool intel = strstr(self->info.pmu, "Intel");

	attr.flags |= PEV_F_EXCLUDE_HV;
	ACCEPTED(attr);
	attr.flags = USER_ONLY | PEV_F_EXCLUDE_GUEST;
	ACCEPTED(attr);
	attr.flags = USER_ONLY | PEV_F_EXCLUDE_GUEST | PEV_F_EXCLUDE_HOST;
	REFUSED(attr, EINVAL, flags, "excludes all", NO_RANGE);
	attr.flags = USER_ONLY | PEV_F_EXCLUDE_HOST;
	/* QEMU's Intel has no VMX, its AMD has SVM */
	if (intel)
		REFUSED(attr, EOPNOTSUPP, flags, "PEV_F_EXCLUDE_HOST", NO_RANGE);
	else
		ACCEPTED(attr);
}
#elif defined(__powerpc64__)
TEST_F(refusal, codes)
{
	bool power8 = strstr(self->info.pmu, "POWER8");
	bool power10 = strstr(self->info.pmu, "POWER10");

	ACCEPTED(raw_attr(0x500fa));
	ACCEPTED(raw_attr(0x600f4));
	ACCEPTED(raw_attr(0x1001e));
	for (unsigned int bit = 60; bit < 64; bit++)
		REFUSED(raw_attr(1ULL << bit | 0x1001e), EOPNOTSUPP, config, "bits 60 to 63",
			NO_RANGE);
	if (!power10) {
		REFUSED(raw_attr(1ULL << 59 | 0x1001e), EINVAL, config, "are reserved on",
			NO_RANGE);
		REFUSED(raw_attr(1ULL << 9 | 0x1001e), EINVAL, config, "bits 0x200 ", NO_RANGE);
		REFUSED(raw_attr(1ULL << 40 | 0x1001e), EOPNOTSUPP, config, "threshold",
			NO_RANGE);
	}
	REFUSED(raw_attr(1ULL << 29 | 0x1001e), EOPNOTSUPP, config, "threshold", NO_RANGE);
	REFUSED(raw_attr(1ULL << 24 | 0x1001e), EINVAL, config, "how to sample", NO_RANGE);
	REFUSED(raw_attr(3ULL << 24 | 0x1011e), EINVAL, config, "sampling 0x3 ", NO_RANGE);
	REFUSED(raw_attr(0x7001e), EINVAL, config, "PMC7", NO_RANGE);
	REFUSED(raw_attr(0xf001e), EINVAL, config, "PMC15", NO_RANGE);
	REFUSED(raw_attr(0x5001e), EINVAL, config, "PMC5 counts nothing but instructions",
		NO_RANGE);
	REFUSED(raw_attr(0x6001e), EINVAL, config, "PMC6 counts nothing but cycles", NO_RANGE);
	REFUSED(raw_attr(0x10000), EINVAL, config, "select no event", NO_RANGE);
	REFUSED(raw_attr(0), EINVAL, config, "select no event", NO_RANGE);
	if (power8)
		REFUSED(raw_attr(0x116080), EOPNOTSUPP, config, "MMCRC", NO_RANGE);
	else if (!power10)
		REFUSED(raw_attr(0x16080), EOPNOTSUPP, config, "PMC4", NO_RANGE);
}

TEST_F(refusal, domains)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);

	attr.flags = USER_ONLY | PEV_F_EXCLUDE_GUEST | PEV_F_EXCLUDE_HV;
	ACCEPTED(attr);
	attr.flags = USER_ONLY | PEV_F_EXCLUDE_GUEST | PEV_F_EXCLUDE_HOST;
	REFUSED(attr, EINVAL, flags, "leaves nothing to count", NO_RANGE);
	attr.flags = USER_ONLY | PEV_F_EXCLUDE_HOST;
	if (strstr(self->info.pmu, "POWER8"))
		REFUSED(attr, EOPNOTSUPP, flags, "KVM-HV on POWER9 or later", NO_RANGE);
	else
		ACCEPTED(attr);
}
#endif

/* ---- rights ---- */

#define DENIED(attr, member, words) \
	REFUSED(attr, EACCES, member, words, NO_RANGE)

TEST_F(refusal, rights)
{
	struct pev_attr user = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
	struct pev_attr kernel = pmu_attr(PEV_HW_INSTRUCTIONS, 0, -1, 0);
	struct pev_attr cpus = user, any = user;
	struct pev_levels before = pev_get_levels();
	struct pev_child c;

	if (geteuid())
		SKIP(return, "needs root");
	cpus.target = PEV_TARGET_CPUS;
	for (int l = -1; l <= 4; l++) {
		ASSERT_EQ(0, pev_set_paranoid(l));
		ASSERT_LE(0, pev_child_start(&c));
		if (c.pid) {
			EXPECT_EQ(0, pev_child_end(&c)) TH_LOG("level %d", l);
			continue;
		}
		if (pev_become(PEV_NOBODY, -1))
			_exit(90);
		if (l <= 0) {
			ACCEPTED(cpus);
			ACCEPTED(kernel);
			ACCEPTED(user);
		} else if (l <= 2) {
			DENIED(cpus, target, "CPUs, the machine and cgroups");
			if (l == 2)
				DENIED(kernel, flags, "set PEV_F_EXCLUDE_KERNEL");
			else
				ACCEPTED(kernel);
			ACCEPTED(user);
		} else {
			/* no member is to blame */
			EXPECT_EQ(-EACCES, pev_open(&any));
			EXPECT_EQ(~0U, pev_why.head.field);
			EXPECT_NE(NULL, strstr(pev_reason(), "kernel.pev_paranoid"));
		}
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	/* with the right, all but what is switched off */
	ASSERT_EQ(0, pev_set_paranoid(3));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		if (pev_become(PEV_NOBODY, PEV_CAP_PERFMON))
			_exit(90);
		ACCEPTED(kernel);
		ACCEPTED(cpus);
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
	EXPECT_EQ(0, pev_set_levels(before));
}

/* ---- who else has the counters ---- */

/* Instructions of this thread; the fd or -errno. */
static int perf_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS, .exclude_kernel = 1, .disabled = 1,
	};
	int fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* A closed event gives the PMU back when its last reference has gone. */
static int soon(int (*open_one)(void))
{
	int fd = -EBUSY;

	for (int i = 0; i < 1000 && fd == -EBUSY; i++) {
		fd = open_one();
		if (fd == -EBUSY)
			usleep(10000);
	}
	return fd;
}

static int pev_open_one(void)
{
	return pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
}

static uint64_t perf_count(int fd, unsigned long rounds)
{
	uint64_t value = 0;

	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pmu_loop(rounds);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

/* Both in turn, three times, each as exact as if the other were not there. */
TEST_F(refusal, perf)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
	uint64_t few, many, slack;
	int perf, fd, ret;

	for (int i = 0; i < 3; i++) {
		perf = soon(perf_open);
		if (perf == -ENOENT || perf == -EOPNOTSUPP)
			SKIP(return, "perf has no driver for this PMU");
		ASSERT_LE(0, perf);
		ret = pev_open(&attr);
		EXPECT_EQ(-EBUSY, ret);
		EXPECT_NE(NULL, strstr(pev_reason(), "perf")) TH_LOG("%s", pev_reason());
		perf_count(perf, 1000);
		few = perf_count(perf, 1000);
		many = perf_count(perf, 101000);
		slack = pmu_is_exact() ? 0 : 10000;
		EXPECT_GE(slack, labs((long)(many - few - 100000 * PMU_ROUND)))
			TH_LOG("%lu", many - few);
		close(perf);

		fd = soon(pev_open_one);
		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		ret = perf_open();
		EXPECT_TRUE(ret == -EBUSY || ret == -EOPNOTSUPP) TH_LOG("%d", ret);
		if (ret >= 0)
			close(ret);
		pmu_count(fd, 1000);
		few = pmu_count(fd, 1000);
		many = pmu_count(fd, 101000);
		EXPECT_GE(slack, labs((long)(many - few - 100000 * PMU_ROUND)))
			TH_LOG("%lu", many - few);
		close(fd);
	}
}

#if defined(__x86_64__)
TEST_F(refusal, watchdog)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
	int old = pev_get_number(WATCHDOG, -1), fd;

	if (old < 0)
		SKIP(return, "no hard lockup detector in this kernel");
	/* it takes the counters when pev has given them back */
	for (int i = 0; i < 200; i++) {
		ASSERT_EQ(0, pev_put_number(WATCHDOG, 1));
		if (pev_get_number(WATCHDOG, 0) == 1 && pev_open(&attr) == -EBUSY)
			break;
		pev_put_number(WATCHDOG, 0);
		usleep(10000);
	}
	if (pev_get_number(WATCHDOG, 0) != 1)
		SKIP(return, "the hard lockup detector does not start here");
	REFUSED(attr, EBUSY, type, "hard lockup detector", NO_RANGE);
	EXPECT_NE(NULL, strstr(pev_reason(), "nmi_watchdog=0")) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_put_number(WATCHDOG, 0));
	fd = soon(pev_open_one);
	EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
	EXPECT_LT(1000 * PMU_ROUND, pmu_count(fd, 1000));
	close(fd);
	pev_put_number(WATCHDOG, old);
}
#endif

/* ---- no counters at all ---- */

TEST(a_machine_without)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
	char *text;
	int fd;

	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	if (pmu_info().pmu_counters)
		SKIP(return, "this machine has a PMU");
	EXPECT_EQ(0, pmu_info().hardware);
	REFUSED(attr, ENODEV, type, "no hardware counters", NO_RANGE);
	attr.type = PEV_TYPE_RAW;
	REFUSED(attr, ENODEV, type, "work everywhere", NO_RANGE);
	/* numbers that no processor has are wrong here as anywhere */
	attr.type = PEV_TYPE_HARDWARE;
	attr.config = PEV_HW_MAX;
	REFUSED(attr, EINVAL, config, "no hardware event", 0, PEV_HW_MAX - 1);
	attr = (struct pev_attr) { .type = PEV_TYPE_PMU };
	fd = pev_open(&attr);
	ASSERT_LE(0, fd);
	text = pev_read_text(fd);
	ASSERT_NE(NULL, text);
	EXPECT_EQ(NULL, strstr(text, "counter"));
	free(text);
	close(fd);
}

TEST_HARNESS_MAIN
