// SPDX-License-Identifier: GPL-2.0
/*
 * Processors with two kinds of cores, each with a PMU of its own: events of one kind count there
 * alone and say so by their times, events of all kinds count by the PMU of each CPU, and a task that
 * goes back and forth is counted to the last instruction.
 */
#include "kselftest_harness.h"
#include "pev_child.h"
#include "pev_refused.h"
#include "pmu_util.h"

#define DEVICES "/sys/bus/event_source/devices/"
#define BRANCHES 0xc4	/* Intel's code of branches retired */
#define REF_CYCLES 0x300 /* perf's pseudo code of what one counter counts */
#define MOVES	10
#define ROUNDS	50000
#define PERIOD	100003

/**
 * struct kind - a kind of core
 * @pmu: its number
 * @cpu: the first of its CPUs
 */
struct kind {
	int pmu;
	int cpu;
};

FIXTURE(hybrid)
{
	/* big cores, small ones */
	struct kind kinds[2];
};

static int pmu_file(const char *pmu, const char *file)
{
	char path[128];

	snprintf(path, sizeof(path), DEVICES "%s/%s", pmu, file);
	return pev_get_number(path, -1);
}

FIXTURE_SETUP(hybrid)
{
	static const char *const names[] = { "cpu_core", "cpu_atom" };

	PMU_SKIP_WITHOUT(SKIP);
	for (int i = 0; i < 2; i++) {
		self->kinds[i].pmu = pmu_file(names[i], "type");
		self->kinds[i].cpu = pmu_file(names[i], "cpus");
		if (self->kinds[i].pmu < 0 || self->kinds[i].cpu < 0)
			SKIP(return, "all cores are of one kind");
	}
}

FIXTURE_TEARDOWN(hybrid)
{
}

/* A counter of this thread in user mode, off; @pmu: PEV_PMU_CORE for all kinds */
static int open_on(int pmu, uint64_t config)
{
	struct pev_attr attr = pmu_attr(config, USER_ONLY, -1, 0);

	attr.pmu = pmu;
	return pev_open(&attr);
}

static struct pev_attr code_attr(int pmu, uint64_t code)
{
	struct pev_attr attr = pmu_attr(code, USER_ONLY, -1, 0);

	attr.type = PEV_TYPE_RAW;
	attr.pmu = pmu;
	return attr;
}

/* From one kind to the other and back, with @rounds on each; one copy of it. */
static __attribute__((noipa)) void wander(const struct kind *kinds, unsigned long rounds)
{
	for (int i = 0; i < MOVES; i++)
		for (int k = 0; k < 2; k++) {
			pev_pin(kinds[k].cpu);
			pmu_loop(rounds);
		}
}

static struct pev_value wandered(int fd, const struct kind *kinds, unsigned long rounds)
{
	struct pev_value v;

	ioctl(fd, PEV_IOC_RESET, 0);
	pev_on(fd);
	wander(kinds, rounds);
	pev_off(fd);
	v = pev_read(fd);
	return v;
}

/* What an event counts in the rounds of a task that wanders, without all else. */
static struct pev_value rounds_of(struct __test_metadata *_metadata, int fd,
				  const struct kind *kinds)
{
	struct pev_value few, many;

	wandered(fd, kinds, 1);
	few = wandered(fd, kinds, 1);
	many = wandered(fd, kinds, ROUNDS + 1);
	/* nobody else had the counter */
	EXPECT_EQ(many.time_enabled, many.time_running);
	many.value -= few.value;
	return many;
}

TEST_F(hybrid, names)
{
	struct pev_attr attr = { .type = PEV_TYPE_PMU };
	int fd = pev_open(&attr);
	char line[64], *text;

	ASSERT_LE(0, fd);
	text = pev_read_text(fd);
	for (int i = 0; i < 2; i++) {
		snprintf(line, sizeof(line), "\npmu %d cpu_%s\n", self->kinds[i].pmu,
			 i ? "atom" : "core");
		EXPECT_NE(NULL, strstr(text, line)) TH_LOG("%s", text);
	}
	EXPECT_TRUE(pmu_by_perf());
	free(text);
	close(fd);
}

TEST_F(hybrid, events_that_not_all_have)
{
	uint64_t hardware = pmu_info().hardware;
	struct pev_attr attr = pmu_attr(PEV_HW_L1D_MISSES, USER_ONLY, -1, 0);
	int fd;

	EXPECT_TRUE(hardware >> PEV_HW_INSTRUCTIONS & 1);
	EXPECT_TRUE(hardware >> PEV_HW_CYCLES & 1);
	EXPECT_FALSE(hardware >> PEV_HW_L1D_MISSES & 1);
	PEV_REFUSED(attr, EOPNOTSUPP, pmu, "several kinds of cores");
	attr.pmu = self->kinds[1].pmu;
	PEV_REFUSED(attr, ENODEV, pmu, "there is no PMU");
	attr.pmu = self->kinds[0].pmu;
	fd = pev_open(&attr);
	EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
	close(fd);
}

TEST_F(hybrid, refusals)
{
	struct pev_attr attr = code_attr(PEV_PMU_CORE, BRANCHES);
	uint64_t cpus = 1ULL << self->kinds[1].cpu;
	int msr = pmu_file("msr", "type");

	/* codes are those of one kind */
	PEV_REFUSED(attr, EOPNOTSUPP, pmu, "several kinds of cores");
	attr = pmu_attr(PEV_HW_CYCLES, 0, -1, 0);
	attr.pmu = msr < 0 ? 0x7fffffff : msr;
	PEV_REFUSED(attr, ENODEV, pmu, "of each kind of core");
	attr.pmu = self->kinds[0].pmu;
	attr.target = PEV_TARGET_CPUS;
	attr.cpus = (uintptr_t)&cpus;
	attr.cpus_size = sizeof(cpus);
	PEV_REFUSED(attr, EINVAL, cpus, "none of which was asked for");
}

TEST_F(hybrid, where_it_counts)
{
	struct kind *kinds = self->kinds;

	for (int i = 0; i < 2; i++) {
		int fd = open_on(kinds[i].pmu, PEV_HW_INSTRUCTIONS);
		struct pev_value v;
		uint64_t few;

		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		pev_pin(kinds[i].cpu);
		pmu_count(fd, 1);
		few = pmu_count(fd, 1);
		EXPECT_EQ(ROUNDS * PMU_ROUND, pmu_count(fd, ROUNDS + 1) - few);
		v = pev_read(fd);
		EXPECT_LT(0, v.time_running);
		EXPECT_EQ(v.time_enabled, v.time_running);
		/* elsewhere it does not wait: it isn't there */
		pev_pin(kinds[!i].cpu);
		EXPECT_EQ(0, pmu_count(fd, ROUNDS));
		v = pev_read(fd);
		EXPECT_EQ(0, v.time_running);
		EXPECT_EQ(0, v.time_enabled);
		close(fd);
	}
}

TEST_F(hybrid, codes)
{
	for (int i = 0; i < 2; i++) {
		struct pev_attr attr = code_attr(self->kinds[i].pmu, BRANCHES);
		int fd = pev_open(&attr);
		uint64_t few;

		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		pev_pin(self->kinds[i].cpu);
		pmu_count(fd, 1);
		few = pmu_count(fd, 1);
		EXPECT_EQ(ROUNDS, pmu_count(fd, ROUNDS + 1) - few);
		close(fd);
	}
}

/* What each core has one counter for is not lent to users by either kind's number. */
TEST_F(hybrid, ref_cycles_of_users)
{
	const struct pev_levels before = pev_get_levels();

	ASSERT_EQ(0, pev_set_paranoid(2));
	for (int i = 0; i < 2; i++) {
		struct pev_attr attr = code_attr(self->kinds[i].pmu, REF_CYCLES);
		int status, fd = pev_open(&attr);
		pid_t child;

		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		close(fd);
		child = fork();
		ASSERT_LE(0, child);
		if (!child) {
			if (setgid(PEV_NOBODY) || setuid(PEV_NOBODY))
				_exit(255);
			fd = pev_open(&attr);
			_exit(fd != -EACCES || !strstr(pev_reason(), "one counter"));
		}
		ASSERT_EQ(child, waitpid(child, &status, 0));
		EXPECT_EQ(0, status);
	}
	EXPECT_EQ(0, pev_set_levels(before));
}

/* Each kind has its half, and an event of all kinds the whole. */
TEST_F(hybrid, migration)
{
	const uint64_t half = (uint64_t)MOVES * ROUNDS * PMU_ROUND;
	int fd;

	for (int i = 0; i < 2; i++) {
		fd = open_on(self->kinds[i].pmu, PEV_HW_INSTRUCTIONS);
		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		EXPECT_EQ(half, rounds_of(_metadata, fd, self->kinds).value);
		close(fd);
	}
	fd = open_on(PEV_PMU_CORE, PEV_HW_INSTRUCTIONS);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	EXPECT_EQ(2 * half, rounds_of(_metadata, fd, self->kinds).value);
	close(fd);
	if (!pmu_is_exact())
		return;
	/* the emulator's small cores take twice the two cycles of a big one */
	fd = open_on(PEV_PMU_CORE, PEV_HW_CYCLES);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	EXPECT_EQ((2 + 4) * half, rounds_of(_metadata, fd, self->kinds).value);
	close(fd);
}

/* All at once: what the two count is what the third does, to the last instruction. */
TEST_F(hybrid, kinds_add_up)
{
	const uint64_t want = 2ULL * MOVES * ROUNDS * PMU_ROUND;
	uint64_t before[3], sum = 0;
	struct pev_value v[3];
	int fds[3];

	for (int i = 0; i < 3; i++) {
		fds[i] = open_on(i < 2 ? self->kinds[i].pmu : PEV_PMU_CORE, PEV_HW_INSTRUCTIONS);
		ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
	}
	for (int turn = 0; turn < 3; turn++) {
		for (int i = 0; i < 3; i++) {
			ioctl(fds[i], PEV_IOC_RESET, 0);
			pev_on(fds[i]);
		}
		wander(self->kinds, turn < 2 ? 1 : ROUNDS + 1);
		for (int i = 0; i < 3; i++)
			pev_off(fds[i]);
		for (int i = 0; i < 3; i++) {
			before[i] = turn < 2 ? pev_read(fds[i]).value : before[i];
			v[i] = pev_read(fds[i]);
		}
	}
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(v[i].time_enabled, v[i].time_running);
		EXPECT_LT(0, v[i].time_running);
		sum += i < 2 ? v[i].value - before[i] : 0;
		close(fds[i]);
	}
	EXPECT_EQ(want, sum);
	EXPECT_EQ(want, v[2].value - before[2]);
	/* each had a part of the time, and not all of it */
	EXPECT_GT(v[2].time_enabled, v[0].time_enabled);
	EXPECT_GT(v[2].time_enabled, v[1].time_enabled);
}

/* The machine: CPUs of its kind, whatever runs there */
TEST_F(hybrid, of_cpus)
{
	for (int i = 0; i < 2; i++) {
		struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
		struct pev_value v;
		int fd;

		attr.target = PEV_TARGET_CPUS;
		attr.pmu = self->kinds[i].pmu;
		fd = pev_open(&attr);
		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		pev_on(fd);
		wander(self->kinds, ROUNDS);
		pev_off(fd);
		v = pev_read(fd);
		EXPECT_LE((uint64_t)MOVES * ROUNDS * PMU_ROUND, v.value);
		EXPECT_GT(2ULL * MOVES * ROUNDS * PMU_ROUND, v.value);
		EXPECT_EQ(v.time_enabled, v.time_running);
		close(fd);
	}
}

/* A record for each period, wherever it ends. */
TEST_F(hybrid, samples)
{
	struct pev_value v[3];
	int channel, fds[3];

	channel = pev_open_channel(1 << 18, 0, 0);
	ASSERT_LE(0, channel);
	for (int i = 0; i < 3; i++) {
		struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, channel, PERIOD);

		attr.pmu = i < 2 ? self->kinds[i].pmu : PEV_PMU_CORE;
		fds[i] = pev_open(&attr);
		ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
		pev_on(fds[i]);
	}
	wander(self->kinds, ROUNDS);
	for (int i = 0; i < 3; i++)
		pev_off(fds[i]);
	for (int i = 0; i < 3; i++) {
		v[i] = pev_read(fds[i]);
		EXPECT_LT(10, v[i].samples);
		/* each CPU has a period of its own under way */
		EXPECT_GE(v[i].value / PERIOD, v[i].samples);
		EXPECT_LE(v[i].value / PERIOD - (i == 2), v[i].samples);
		close(fds[i]);
	}
	close(channel);
}

/* Children that wander are counted with their parent, on both kinds. */
TEST_F(hybrid, subtree)
{
	const uint64_t half = (uint64_t)MOVES * ROUNDS * PMU_ROUND;

	for (int i = 0; i < 2; i++) {
		struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
		uint64_t few = 0, v = 0;
		int fd;

		attr.target = PEV_TARGET_SUBTREE;
		attr.pmu = self->kinds[i].pmu;
		fd = pev_open(&attr);
		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		for (int turn = 0; turn < 3; turn++) {
			unsigned long rounds = turn < 2 ? 1 : ROUNDS + 1;
			pid_t child;

			ioctl(fd, PEV_IOC_RESET, 0);
			pev_on(fd);
			child = fork();
			if (!child) {
				wander(self->kinds, rounds);
				_exit(0);
			}
			ASSERT_LE(0, child);
			waitpid(child, NULL, 0);
			pev_off(fd);
			few = turn < 2 ? pev_read(fd).value : few;
			v = pev_read(fd).value;
		}
		/* faults of pages and waits of the parent take some, too */
		EXPECT_LE(half, v - few + 1000) TH_LOG("%lu", v - few);
		EXPECT_GE(half, v - few - 1000) TH_LOG("%lu", v - few);
		close(fd);
	}
}

TEST_HARNESS_MAIN
