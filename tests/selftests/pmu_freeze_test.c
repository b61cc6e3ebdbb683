// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that stop at the overflow itself: a sample's own event is where its
 * period ends, to the instruction, and so are the others of its group, wherever the
 * overflow happened. Without, what runs until the handler stops them counts.
 */
#include "kselftest_harness.h"
#include "pev_child.h"
#include "pmu_util.h"

#define RING		(1 << 20)
#define PACKET		(1 << 14)
#define PERIOD		20011UL
#define SAMPLES		400
#define PARAMETER	"/sys/module/pev_x86/parameters/freeze"
/* An interrupt's way to the handler, and there to the counters; the longest. */
#define HANDLER		600
#define HANDLER_SLOW	8000
#define LATE_SLOW	1000
/* A branch in Linux's part of that way, which is taken or not. */
#define BRANCH		8
/*
 * The machines of tests/qemu for POWER notice an overflow where the block of code
 * ends that they translated as one: nothing else runs late there.
 */
#if defined(__powerpc64__)
#define BLOCK		512
#define BLOCK_USER	8
#else
#define BLOCK		0
#define BLOCK_USER	0
#endif

FIXTURE(freeze) {
	struct pev_map	map;
	int		channel;
	int		leader;
	int		member;
	long		skid;
};

FIXTURE_SETUP(freeze)
{
	struct pev_attr attr;

	PMU_SKIP_WITHOUT(SKIP);
	pev_pin(0);
	self->skid = getenv("PEV_SKID") ? atol(getenv("PEV_SKID")) : 0;
	self->channel = pev_open_channel(RING, PACKET, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
	attr = pmu_attr(PEV_HW_INSTRUCTIONS, 0, self->channel, PERIOD);
	attr.sample = PEV_SAMPLE_TID | PEV_SAMPLE_IP | PEV_SAMPLE_READ;
	self->leader = pev_open(&attr);
	ASSERT_LE(0, self->leader) TH_LOG("%s", pev_reason());
	attr = pmu_attr(PEV_HW_INSTRUCTIONS, 0, -1, 0);
	attr.group_fd = self->leader;
	self->member = pev_open(&attr);
	ASSERT_LE(0, self->member) TH_LOG("%s", pev_reason());
}

FIXTURE_TEARDOWN(freeze)
{
	close(self->member);
	close(self->leader);
	pev_unmap_channel(&self->map);
	close(self->channel);
}

/**
 * struct seen - what the samples say
 * @nr:     how many
 * @kernel: of them in the kernel
 * @least:  the least that the leader had counted beyond the sample's period ...
 * @most:   ... and the most ...
 * @least_user: the least in user mode ...
 * @most_user: ... and the most
 * @apart:  samples at which the other counter was not where the leader was
 */
struct seen {
	unsigned int	nr, kernel, apart;
	long		least, most, least_user, most_user;
};

/* Work in user mode and in the kernel, sampled. */
static struct seen look(struct __test_metadata *_metadata, struct _test_data_freeze *self)
{
	/* ip, number of values, the leader's, the member's */
	static const int sizes[1] = { 4 * sizeof(uint64_t) };
	struct seen seen = { .least = 1L << 62, .most = -(1L << 62),
			     .least_user = 1L << 62, .most_user = -(1L << 62) };
	struct pev_record record;
	struct pev_walk walk;
	uint64_t words[4];
	long beyond;
	int ret;

	ioctl(self->leader, PEV_IOC_ENABLE, PEV_IOF_GROUP);
	for (unsigned int i = 0; i < SAMPLES; i++) {
		pmu_loop(PERIOD / PMU_ROUND / 2);
		for (unsigned int j = 0; j < 30; j++)
			syscall(SYS_getppid);
	}
	ioctl(self->leader, PEV_IOC_DISABLE, PEV_IOF_GROUP);
	walk = pev_walk_begin(&self->map, 0, sizes, 1);
	while ((ret = pev_walk_next(&walk, &record)) > 0) {
		memcpy(words, record.payload, sizeof(words));
		if (words[1] != 2)
			break;
		seen.nr++;
		seen.kernel += words[0] >> 63;
		seen.apart += words[2] != words[3];
		beyond = words[2] - seen.nr * PERIOD;
		seen.least = beyond < seen.least ? beyond : seen.least;
		seen.most = beyond > seen.most ? beyond : seen.most;
		if (words[0] >> 63)
			continue;
		seen.least_user = beyond < seen.least_user ? beyond : seen.least_user;
		seen.most_user = beyond > seen.most_user ? beyond : seen.most_user;
	}
	pev_walk_release(&walk);
	EXPECT_EQ(0, ret);
	EXPECT_LT(SAMPLES / 2, seen.nr);
	EXPECT_LT(0, seen.kernel);
	EXPECT_GT(seen.nr, seen.kernel);
	EXPECT_EQ(0, pev_read(self->leader).lost);
	EXPECT_EQ(seen.nr, pev_read(self->leader).samples);
	TH_LOG("%u samples, %u in the kernel, %ld to %ld (%ld to %ld) beyond, %u apart", seen.nr,
	       seen.kernel, seen.least, seen.most, seen.least_user, seen.most_user,
	       seen.apart);
	return seen;
}

static bool freezes(void)
{
	return pmu_info().pmu_features & PEV_PMU_FREEZES;
}

TEST_F(freeze, where_the_period_ends)
{
	struct seen seen;

	if (!freezes())
		SKIP(return, "the processor's counters run on");
	seen = look(_metadata, self);
	if (!pmu_is_exact())
		return;
	EXPECT_EQ(0, seen.apart);
	EXPECT_EQ(self->skid, seen.least);
	/* an instrumented kernel now and then delays an interrupt; the plain one must not */
	EXPECT_GE(self->skid + (pmu_kernel_is_instrumented() ? LATE_SLOW : BLOCK), seen.most);
	EXPECT_GE(self->skid + BLOCK_USER, seen.most_user);
}

TEST_F(freeze, not_at_all)
{
	bool slow = pmu_kernel_is_instrumented();
	bool asked = freezes();
	struct seen seen;

	if (asked && access(PARAMETER, W_OK))
		SKIP(return, "it can't be switched off");
	if (asked)
		ASSERT_EQ(0, pev_put_number(PARAMETER, 0));
	seen = look(_metadata, self);
	if (asked)
		ASSERT_EQ(0, pev_put_number(PARAMETER, 1));
	if (!pmu_is_exact())
		return;
	EXPECT_LT(self->skid, seen.least);
	EXPECT_GT(self->skid + (slow ? HANDLER_SLOW : HANDLER), seen.most);
	/* without a register that stops them all they stop one after the other */
	if (asked) {
		EXPECT_EQ(0, seen.apart);
		/* the way from user mode is always the same, but for that */
		if (!slow)
			EXPECT_GE(seen.least_user + BRANCH, seen.most_user);
	}
}

TEST_HARNESS_MAIN
