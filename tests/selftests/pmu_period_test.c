// SPDX-License-Identifier: GPL-2.0
/* A new period of a hardware counter holds from the call on. */
#include "kselftest_harness.h"
#include "pmu_util.h"

#define LONG	(1ULL << 40)
#define PERIOD	10000UL
#define ROUNDS	(2000000UL / PMU_ROUND)
#define DUE	(ROUNDS * PMU_ROUND / PERIOD)

FIXTURE(period) {
	int channel;
	int fd;
};

FIXTURE_SETUP(period)
{
	struct pev_attr attr;

	PMU_SKIP_WITHOUT(SKIP);
	self->channel = pev_open_channel(1 << 18, 4096, 0);
	ASSERT_LE(0, self->channel);
	attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, self->channel, LONG);
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
}

FIXTURE_TEARDOWN(period)
{
	close(self->fd);
	close(self->channel);
}

static int set_period(int fd, uint64_t period)
{
	return ioctl(fd, PEV_IOC_PERIOD, &period) ? -errno : 0;
}

static uint64_t samples(int fd)
{
	struct pev_value v = pev_read(fd);

	return v.samples + v.lost;
}

/* As many as are due, and those of what goes on besides the loop. */
#define EXPECT_DUE(nr) do { \
	uint64_t _nr = (nr); \
	EXPECT_LE(DUE, _nr); \
	EXPECT_GE(DUE + 5, _nr); \
} while (0)

TEST_F(period, before_the_first_start)
{
	ASSERT_EQ(0, set_period(self->fd, PERIOD));
	ASSERT_EQ(0, pev_on(self->fd));
	pmu_loop(ROUNDS);
	ASSERT_EQ(0, pev_off(self->fd));
	EXPECT_DUE(samples(self->fd));
}

TEST_F(period, while_off)
{
	ASSERT_EQ(0, pev_on(self->fd));
	pmu_loop(1000);
	ASSERT_EQ(0, pev_off(self->fd));
	EXPECT_EQ(0, samples(self->fd));
	ASSERT_EQ(0, set_period(self->fd, PERIOD));
	ASSERT_EQ(0, pev_on(self->fd));
	pmu_loop(ROUNDS);
	ASSERT_EQ(0, pev_off(self->fd));
	EXPECT_DUE(samples(self->fd));
}

TEST_F(period, while_on)
{
	uint64_t nr;

	ASSERT_EQ(0, pev_on(self->fd));
	pmu_loop(1000);
	ASSERT_EQ(0, set_period(self->fd, PERIOD));
	pmu_loop(ROUNDS);
	EXPECT_DUE(samples(self->fd));
	/* and back: one that was due may come */
	ASSERT_EQ(0, set_period(self->fd, LONG));
	nr = samples(self->fd);
	pmu_loop(ROUNDS);
	EXPECT_GE(nr + 1, samples(self->fd));
	ASSERT_EQ(0, pev_off(self->fd));
}

/* By the channel or the group, as on its own; nothing counted is lost. */
TEST_F(period, of_many)
{
	uint64_t period = PERIOD;
	struct pev_value v;

	ASSERT_EQ(0, pev_on(self->channel));
	ASSERT_EQ(0, set_period(self->channel, PERIOD));
	pmu_loop(ROUNDS);
	ASSERT_EQ(0, pev_off(self->channel));
	EXPECT_DUE(samples(self->fd));
	v = pev_read(self->fd);
	EXPECT_LE(ROUNDS * PMU_ROUND, v.value);
	EXPECT_GE(ROUNDS * PMU_ROUND + 50000, v.value);
	ASSERT_EQ(0, set_period(self->fd, LONG));
	ASSERT_EQ(0, ioctl(self->fd, PEV_IOC_RESET, 0));
	ASSERT_EQ(0, pev_on(self->fd));
	ASSERT_EQ(0, ioctl(self->fd, PEV_IOC_GROUP_PERIOD, &period));
	pmu_loop(ROUNDS);
	ASSERT_EQ(0, pev_off(self->fd));
	EXPECT_DUE(samples(self->fd));
}

TEST_HARNESS_MAIN
