// SPDX-License-Identifier: GPL-2.0
/*
 * Who counts when there are more events than counters: groups together or not at
 * all, pinned ones first, exclusive ones alone, everybody else in turns that are
 * fair; what counted only a part of the time says so, and how much.
 */
#include <sys/wait.h>
#include <time.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "pmu_util.h"

#define MANY		10
#define ROTATE_US	"/proc/sys/kernel/pev_rotate_us"

FIXTURE(group) {
	struct pev_info	info;
	int		fds[64];
	int		nr;
};

FIXTURE_SETUP(group)
{
	PMU_SKIP_WITHOUT(SKIP);
	self->info = pmu_info();
	pev_pin(0);
}

FIXTURE_TEARDOWN(group)
{
	while (self->nr)
		close(self->fds[--self->nr]);
}

/*
 * Instructions by a code for those counters that count anything: there are as many
 * as @general() says, and fixed ones besides that take the same code.
 */
static uint64_t code(void)
{
#if defined(__x86_64__)
	return 0xc0;
#else
	return 0x2;	/* PM_INST_CMPL on any of PMC1 to PMC4 */
#endif
}

/* Counters that can count code(). */
static unsigned int counters(const struct pev_info *info)
{
#if defined(__x86_64__)
	struct pev_attr attr = { .type = PEV_TYPE_PMU, .channel_fd = -1, .group_fd = -1 };
	int fd = pev_open(&attr);
	char *text = fd < 0 ? NULL : pev_read_text(fd), *at;
	unsigned int nr = 0;

	for (at = text; at && (at = strstr(at, "counter ")); at++)
		nr++;
	for (at = text; at && (at = strstr(at, " fixed")); at++)
		nr -= strncmp(at, " fixed0 ", 8) != 0 && strstr(at, " bits") < strchr(at, '\n');
	free(text);
	if (fd >= 0)
		close(fd);
	return nr;
#else
	(void)info;
	return 4;
#endif
}

static struct pev_attr code_attr(uint64_t flags)
{
	struct pev_attr attr = pmu_attr(code(), USER_ONLY | flags, -1, 0);

	attr.type = PEV_TYPE_RAW;
	return attr;
}

static int open_code(struct __test_metadata *_metadata, struct _test_data_group *self,
		     uint64_t flags, int leader)
{
	struct pev_attr attr = code_attr(flags);
	int fd;

	attr.group_fd = leader;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_GT(64, self->nr);
	self->fds[self->nr++] = fd;
	return fd;
}

static void switch_all(struct _test_data_group *self, bool on)
{
	for (int i = 0; i < self->nr; i++)
		ioctl(self->fds[i], on ? PEV_IOC_ENABLE : PEV_IOC_DISABLE, PEV_IOF_GROUP);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void work_ms(unsigned int ms)
{
	uint64_t end = now_ns() + ms * 1000000ULL;

	do
		pmu_loop(500);
	while (now_ns() < end);
}

/* ---- what can never be ---- */

TEST_F(group, that_never_fits)
{
	unsigned int nr = counters(&self->info);
	struct pev_attr attr = code_attr(0);
	const char *name;
	char names[16];
	int leader, fd;

	ASSERT_LT(1, nr);
	attr.name = (uintptr_t)"first";
	leader = pev_open(&attr);
	ASSERT_LE(0, leader) TH_LOG("%s", pev_reason());
	self->fds[self->nr++] = leader;
	attr.group_fd = leader;
	for (unsigned int i = 1; i < nr; i++) {
		snprintf(names, sizeof(names), "event%u", i);
		attr.name = (uintptr_t)names;
		fd = pev_open(&attr);
		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		self->fds[self->nr++] = fd;
	}
	attr.name = (uintptr_t)"last";
	fd = pev_open(&attr);
	ASSERT_EQ(-EINVAL, fd);
	EXPECT_EQ(PEV_OFFSET(group_fd), pev_why.head.field);
	TH_LOG("%s", pev_reason());
	/* who, how many, and what there is */
	EXPECT_NE(NULL, strstr(pev_reason(), "can never count"));
	EXPECT_NE(NULL, strstr(pev_reason(), "first, event1"));
	EXPECT_NE(NULL, strstr(pev_reason(), " and last need"));
	snprintf(names, sizeof(names), " %u counters", nr + 1);
	EXPECT_NE(NULL, strstr(pev_reason(), names));
#if defined(__x86_64__)
	name = strstr(self->info.pmu, "Intel") ? " gp0" : " ctr0";
	(void)name;
#else
	name = " PMC1 PMC2 PMC3 PMC4 can";
	EXPECT_NE(NULL, strstr(pev_reason(), name));
#endif
	/* as it was before: the group counts */
	ASSERT_EQ(0, ioctl(leader, PEV_IOC_ENABLE, PEV_IOF_GROUP));
	pmu_loop(10000);
	ASSERT_EQ(0, ioctl(leader, PEV_IOC_DISABLE, PEV_IOF_GROUP));
	for (int i = 0; i < self->nr; i++) {
		struct pev_value v = pev_read(self->fds[i]);

		EXPECT_LE(10000 * PMU_ROUND, v.value);
		EXPECT_EQ(v.time_enabled, v.time_running);
	}
}

TEST_F(group, of_more_than_there_are_counters)
{
	struct pev_attr attr = pmu_attr(PEV_HW_CYCLES, USER_ONLY, -1, 0);
	int fd = -1;

	for (unsigned int i = 0; i <= self->info.pmu_counters; i++) {
		fd = pev_open(&attr);
		if (fd < 0)
			break;
		self->fds[self->nr++] = fd;
		attr.group_fd = self->fds[0];
	}
	EXPECT_EQ(-EINVAL, fd);
	EXPECT_EQ(PEV_OFFSET(group_fd), pev_why.head.field);
	EXPECT_NE(NULL, strstr(pev_reason(), "can never count")) TH_LOG("%s", pev_reason());
}

/* ---- all or none ---- */

/*
 * Groups of two and three among single events. What a group's members count is the
 * same to the instruction, and so is the time that they count it.
 */
TEST_F(group, all_or_none)
{
	struct pev_value v[3], single;
	int pairs[3][2], trios[2][3], alone;

	if (counters(&self->info) < 3)
		SKIP(return, "groups of three don't fit");
	for (int i = 0; i < 3; i++) {
		pairs[i][0] = open_code(_metadata, self, 0, -1);
		pairs[i][1] = open_code(_metadata, self, 0, pairs[i][0]);
	}
	alone = open_code(_metadata, self, 0, -1);
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 3; j++)
			trios[i][j] = open_code(_metadata, self, 0, j ? trios[i][0] : -1);
	for (int i = 0; i < 3; i++)
		ioctl(pairs[i][0], PEV_IOC_ENABLE, PEV_IOF_GROUP);
	for (int i = 0; i < 2; i++)
		ioctl(trios[i][0], PEV_IOC_ENABLE, PEV_IOF_GROUP);
	pev_on(alone);
	work_ms(100);
	for (int i = 0; i < 50; i++) {
		/* switched out and in, too */
		usleep(100);
		pmu_loop(3000);
	}
	for (int i = 0; i < 3; i++)
		ioctl(pairs[i][0], PEV_IOC_DISABLE, PEV_IOF_GROUP);
	for (int i = 0; i < 2; i++)
		ioctl(trios[i][0], PEV_IOC_DISABLE, PEV_IOF_GROUP);
	pev_off(alone);

	single = pev_read(alone);
	EXPECT_LT(0, single.value);
	EXPECT_GT(single.time_enabled, single.time_running);
	for (int i = 0; i < 5; i++) {
		int n = i < 3 ? 2 : 3, *fds = i < 3 ? pairs[i] : trios[i - 3];

		for (int j = 0; j < n; j++)
			v[j] = pev_read(fds[j]);
		EXPECT_LT(0, v[0].value);
		EXPECT_GT(v[0].time_enabled, v[0].time_running);
		for (int j = 1; j < n; j++) {
			EXPECT_EQ(v[0].value, v[j].value) TH_LOG("group %d, member %d", i, j);
			EXPECT_EQ(v[0].time_running, v[j].time_running);
			EXPECT_EQ(v[0].time_enabled, v[j].time_enabled);
		}
	}
}

/* ---- before others, and without them ---- */

TEST_F(group, pinned_first)
{
	unsigned int nr = counters(&self->info);
	struct pev_value first, none;
	int pinned, group[2];

	for (int i = 0; i < MANY; i++)
		open_code(_metadata, self, 0, -1);
	switch_all(self, true);
	work_ms(5);
	/* comes last, and never waits */
	pinned = open_code(_metadata, self, PEV_F_PINNED, -1);
	/* a group is what its leader is */
	group[0] = open_code(_metadata, self, PEV_F_PINNED, -1);
	group[1] = open_code(_metadata, self, 0, group[0]);
	if (nr < 4) {
		close(group[1]);
		close(group[0]);
		self->nr -= 2;
	}
	switch_all(self, true);
	work_ms(60);
	usleep(1000);
	work_ms(1);
	switch_all(self, false);
	first = pev_read(pinned);
	EXPECT_LT(0, first.value);
	EXPECT_EQ(first.time_enabled, first.time_running);
	for (int i = 0; nr >= 4 && i < 2; i++) {
		first = pev_read(group[i]);
		EXPECT_LT(0, first.value);
		EXPECT_EQ(first.time_enabled, first.time_running);
	}
	/* the others share what is left, if anything is */
	for (int i = 0; i < MANY && nr > 3; i++) {
		none = pev_read(self->fds[i]);
		EXPECT_LT(0, none.value);
		EXPECT_GT(none.time_enabled, none.time_running);
	}
}

/* There are too many of these: the first ones have counters, and who has none says so. */
TEST_F(group, too_many_pinned)
{
	unsigned int nr = counters(&self->info), always = 0, never = 0;
	struct pev_value v;

	for (unsigned int i = 0; i < nr + 2; i++)
		open_code(_metadata, self, PEV_F_PINNED, -1);
	for (int i = 0; i < self->nr; i++)
		pev_on(self->fds[i]);
	work_ms(20);
	for (int i = self->nr - 1; i >= 0; i--) {
		v = pev_read(self->fds[i]);
		always += v.value && v.time_running == v.time_enabled;
		never += !v.value && !v.time_running && v.time_enabled;
	}
	EXPECT_EQ(nr, always);
	EXPECT_EQ(2, never);
	/* one that leaves makes room */
	pev_off(self->fds[0]);
	work_ms(2);
	v = pev_read(self->fds[nr]);
	EXPECT_LT(0, v.value);
	EXPECT_LT(0, v.time_running);
	EXPECT_GT(v.time_enabled, v.time_running);
}

TEST_F(group, exclusive_alone)
{
	int leader, member, other[3];
	struct pev_value before, after[3], v;
	uint64_t took;

	leader = open_code(_metadata, self, PEV_F_EXCLUSIVE, -1);
	member = open_code(_metadata, self, 0, leader);
	for (int i = 0; i < 3; i++)
		other[i] = open_code(_metadata, self, 0, -1);
	took = now_ns();
	switch_all(self, true);
	work_ms(60);
	switch_all(self, false);
	took = now_ns() - took;
	/* whenever it counts no other does: the shares of it and any other add up */
	before = pev_read(leader);
	v = pev_read(member);
	EXPECT_LT(0, before.value);
	EXPECT_EQ(before.value, v.value);
	EXPECT_GT(before.time_enabled, before.time_running);
	for (int i = 0; i < 3; i++) {
		after[i] = pev_read(other[i]);
		EXPECT_LT(0, after[i].value);
		/* to no more than there was: they are not switched on at the same instant */
		EXPECT_GE(took, after[i].time_running + before.time_running);
		EXPECT_LT(after[i].time_enabled / 5, after[i].time_running);
	}
	EXPECT_LT(before.time_enabled / 5, before.time_running);
}

/* ---- turns ---- */

/* Each of ten has its share, none more than twice another's. */
static void expect_fair(struct __test_metadata *_metadata, struct _test_data_group *self,
			unsigned int nr)
{
	uint64_t share, fair = 0, least = ~0ULL, most = 0;

	for (int i = 0; i < MANY; i++) {
		struct pev_value v = pev_read(self->fds[i]);

		ASSERT_LT(0, v.time_enabled);
		share = v.time_running * 1000 / v.time_enabled;
		least = share < least ? share : least;
		most = share > most ? share : most;
		fair += share;
	}
	TH_LOG("shares from %lu to %lu of 1000", least, most);
	EXPECT_LT(0, least);
	EXPECT_GE(2 * least, most);
	/* and no counter stands idle while an event waits */
	EXPECT_LT(nr * 940, fair);
	/* but for what passes while one is read after the other, which a debugging kernel feels */
	EXPECT_GE(nr * 1000 + 10 * (nr + 1), fair);
}

TEST_F(group, fair_turns)
{
	unsigned int nr = counters(&self->info);

	if (nr >= MANY)
		SKIP(return, "there are counters for all");
	for (int i = 0; i < MANY; i++)
		open_code(_metadata, self, 0, -1);
	switch_all(self, true);
	work_ms(200);
	switch_all(self, false);
	expect_fair(_metadata, self, nr);
}

/* Stretches of 100 us add up to turns: the first in the list are not always first. */
TEST_F(group, fair_in_short_stretches)
{
	unsigned int nr = counters(&self->info);
	uint64_t end;

	if (nr >= MANY)
		SKIP(return, "there are counters for all");
	for (int i = 0; i < MANY; i++)
		open_code(_metadata, self, 0, -1);
	switch_all(self, true);
	end = now_ns() + 400000000;
	do {
		uint64_t nap = now_ns() + 100000;

		do
			pmu_loop(50);
		while (now_ns() < nap);
		usleep(20);
	} while (now_ns() < end);
	switch_all(self, false);
	expect_fair(_metadata, self, nr);
}

/* With two tasks that both want more than there is, each event has its share. */
TEST_F(group, fair_among_tasks)
{
	unsigned int nr = counters(&self->info);
	struct pev_attr attr = code_attr(0);
	struct pev_child c;

	if (nr >= MANY)
		SKIP(return, "there are counters for all");
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pev_child_wait(&c);
		work_ms(300);
		pev_child_say(&c, 1);
		pev_child_wait(&c);
		_exit(0);
	}
	attr.target_id = c.pid;
	for (int i = 0; i < MANY; i++) {
		self->fds[i] = pev_open(&attr);
		ASSERT_LE(0, self->fds[i]) TH_LOG("%s", pev_reason());
		self->nr++;
	}
	for (int i = 0; i < MANY; i++)
		open_code(_metadata, self, 0, -1);
	switch_all(self, true);
	pev_child_go(&c);
	work_ms(300);
	ASSERT_EQ(1, pev_child_hear(&c));
	switch_all(self, false);
	expect_fair(_metadata, self, nr);
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
}

/*
 * Nothing is counted that happened while others had the counters: on work of a
 * steady rate the value is as large a part of all as the time is.
 */
TEST_F(group, scaled_values)
{
	unsigned int nr = counters(&self->info);
	struct pev_value v;
	double truth, scaled;

	if (nr >= MANY)
		SKIP(return, "there are counters for all");
	if (!pmu_is_exact())
		SKIP(return, "the rate of this machine's work is not steady");
	/* the truth, by one that never waits */
	open_code(_metadata, self, PEV_F_PINNED, -1);
	for (int i = 0; i < MANY; i++)
		open_code(_metadata, self, 0, -1);
	switch_all(self, true);
	for (int i = 0; i < 300; i++)
		pmu_loop(1000000 / PMU_ROUND);
	switch_all(self, false);
	v = pev_read(self->fds[0]);
	ASSERT_EQ(v.time_enabled, v.time_running);
	truth = (double)v.value / v.time_enabled;
	EXPECT_LT(0, v.value);
	for (int i = 1; i <= MANY; i++) {
		v = pev_read(self->fds[i]);
		ASSERT_LT(0, v.time_running);
		EXPECT_GT(v.time_enabled, v.time_running);
		scaled = (double)v.value / v.time_running;
		EXPECT_LT(truth * 0.97, scaled) TH_LOG("event %d: %f of %f", i, scaled, truth);
		EXPECT_GT(truth * 1.03, scaled) TH_LOG("event %d: %f of %f", i, scaled, truth);
	}
}

/* The sums over turns are what value and times say, seen in parts. */
TEST_F(group, windows)
{
	unsigned int nr = counters(&self->info);
	int rotate = pev_get_number(ROTATE_US, 0), mark;
	struct pev_multiplexed m;

	if (nr >= MANY)
		SKIP(return, "there are counters for all");
	for (int i = 0; i < MANY; i++)
		open_code(_metadata, self, 0, -1);
	mark = pev_open_machine(PEV_TYPE_MARKER, "pev:multiplex", "counters > 0", -1);
	ASSERT_LE(0, mark) TH_LOG("%s", pev_reason());
	pev_on(mark);
	switch_all(self, true);
	work_ms(200);
	switch_all(self, false);
	/* each end of a slice is a marker, where pev's own driver has the counters */
	if (!pmu_by_perf())
		EXPECT_LT(5, pev_read(mark).value);
	close(mark);
	for (int i = 0; i < MANY; i++) {
		m = pmu_multiplexed(self->fds[i]);
		EXPECT_EQ(sizeof(m), m.size);
		EXPECT_LT(5, m.windows);
		EXPECT_EQ(pev_read(self->fds[i]).value, m.value);
		EXPECT_EQ(pev_read(self->fds[i]).time_enabled, m.time_enabled);
		EXPECT_EQ(pev_read(self->fds[i]).time_running, m.time_running);
		EXPECT_EQ(0, m.throttled);
		EXPECT_EQ(0, m.throttled_ns);
		/* what is not in windows is less than three turns, or was cut short */
		EXPECT_LE(m.windows_ns, m.time_running);
		EXPECT_LT(0.3 * rotate * 1e3, (double)m.windows_ns / m.windows);
		EXPECT_GT(4.0 * rotate * 1e3, (double)m.windows_ns / m.windows);
		EXPECT_LT(m.pairs, m.windows);
		EXPECT_LE(m.triples, m.pairs);
		EXPECT_LT(0, m.triples);
		EXPECT_EQ(0, m.sum_first[1] >> 32 | m.sum_second[1] >> 32 | m.sum_gaps[1] >> 48);
		/* steady work: gaps are at the rate of windows */
		if (pmu_is_exact()) {
			double rate = (double)m.value / m.time_running;
			double missed = m.time_enabled - m.time_running - m.blind_ns;
			double gaps = m.sum_gaps[1] * 0x1p64 + m.sum_gaps[0];

			EXPECT_LT(0.9 * rate * missed, gaps / 0x1p41);
			EXPECT_GT(1.1 * rate * missed, gaps / 0x1p41);
		}
		ASSERT_EQ(0, ioctl(self->fds[i], PEV_IOC_RESET, 0));
		m = pmu_multiplexed(self->fds[i]);
		EXPECT_EQ(0, m.windows | m.value | m.time_enabled | m.time_running);
		EXPECT_EQ(0, m.sum_gaps[0] | m.sum_first[0] | m.sum_second[0] | m.pairs | m.ends);
	}
}

/* What an event reads of itself at any moment is possible: never longer than it ran. */
TEST_F(group, times_at_any_moment)
{
	unsigned int nr = counters(&self->info);
	uint64_t end = now_ns() + 150000000, mask = 1;
	struct pev_attr attr = code_attr(0);
	unsigned int reads = 0, wrong = 0;

	attr.target = PEV_TARGET_CPUS;
	attr.cpus = (uintptr_t)&mask;
	attr.cpus_size = sizeof(mask);
	for (int i = 0; i < MANY; i++) {
		self->fds[i] = pev_open(&attr);
		ASSERT_LE(0, self->fds[i]) TH_LOG("%s", pev_reason());
		self->nr++;
	}
	switch_all(self, true);
	while (now_ns() < end)
		for (int i = 0; i < MANY; i++, reads++) {
			struct pev_value v = pev_read(self->fds[i]);

			wrong += v.time_running > v.time_enabled;
		}
	EXPECT_EQ(0, wrong) TH_LOG("%u of %u reads", wrong, reads);
	(void)nr;
}

TEST_HARNESS_MAIN
