// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers in the interrupts of counters, which are NMIs where the machine has some: two start and
 * stop the channel in turns, at any instruction of what writes to it. Each record is in the
 * ring, or counted.
 */
#include "kselftest_harness.h"
#include "trigger_util.h"
#include "pmu_util.h"

/* Primes, so that they hit all places of a loop in turn */
#define START_PERIOD 7919
#define STOP_PERIOD 7907
#define RING (1 << 22)
#define NR_IDS 3

FIXTURE(pmu_trigger)
{
	int channel;
	int calls;
	int start;
	int stop;
};

static int open_counter(int channel, uint64_t flag, uint64_t period)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, flag, channel, period);

	return pev_open(&attr);
}

FIXTURE_SETUP(pmu_trigger)
{
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	if (pmu_info().pmu_counters < 2)
		SKIP(return, "no two counters here");
	ASSERT_EQ(0, pev_pin(sched_getcpu()));
	self->channel = pev_open_channel(RING, 4096, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	self->calls = open_calls(self->channel);
	ASSERT_LE(0, self->calls) TH_LOG("%s", pev_reason());
	self->start = open_counter(self->channel, PEV_F_START, START_PERIOD);
	ASSERT_LE(0, self->start) TH_LOG("%s", pev_reason());
	self->stop = open_counter(self->channel, PEV_F_STOP, STOP_PERIOD);
	ASSERT_LE(0, self->stop) TH_LOG("%s", pev_reason());
}

FIXTURE_TEARDOWN(pmu_trigger)
{
	close(self->calls);
	close(self->start);
	close(self->stop);
	close(self->channel);
}

TEST_F(pmu_trigger, in_the_middle_of_writers)
{
	unsigned int calls = pmu_kernel_is_instrumented() ? 2000 : 10000;
	uint64_t fds[NR_IDS] = { self->calls, self->start, self->stop }, records[NR_IDS];
	struct pev_counts c[NR_IDS];
	int sizes[NR_IDS] = { CALL_SIZE, 0, 0 };
	struct pev_channel_state state;
	struct pev_map map;
	int got = 0;

	memset(records, 0, sizeof(records));
	pev_on(self->calls);
	pev_on(self->start);
	pev_on(self->stop);
	pev_call(calls);
	pev_off(self->stop);
	pev_off(self->start);
	pev_off(self->calls);
	for (unsigned int i = 0; i < NR_IDS; i++)
		c[i] = counts_of(fds[i]);
	EXPECT_EQ(calls, c[0].value);
	EXPECT_TRUE(books_balance(&c[0]));
	/* both kinds came */
	EXPECT_LT(10, c[0].samples);
	EXPECT_LT(10, c[0].unarmed);
	for (unsigned int i = 1; i < NR_IDS; i++) {
		EXPECT_LT(10, c[i].acted);
		EXPECT_LE(c[i].acted, c[i].fired);
		EXPECT_EQ(c[i].fired, c[i].samples + c[i].lost + c[i].unarmed);
	}
	state = state_of(self->channel);
	EXPECT_EQ(c[1].acted, state.starts);
	EXPECT_EQ(c[2].acted, state.stops);
	/* they took turns, beginning with a stop */
	EXPECT_EQ(state.stops - state.starts, state.state == PEV_STATE_STOPPED);
	ASSERT_EQ(0, act(self->channel, PEV_ACT_STOP));
	ASSERT_EQ(0, ioctl(self->channel, PEV_IOC_FLUSH, 0));
	ASSERT_EQ(0, pev_map_channel(self->channel, &map));
	for (unsigned int cpu = 0; cpu < map.nr && !got; cpu++) {
		struct pev_walk walk = pev_walk_begin(&map, cpu, sizes, NR_IDS);
		struct pev_record record;

		while (map.rings[cpu].kernel && (got = pev_walk_next(&walk, &record)) > 0)
			records[record.id]++;
	}
	EXPECT_EQ(0, got);
	for (unsigned int i = 0; i < NR_IDS; i++)
		EXPECT_EQ(c[i].samples, records[i]);
	pev_unmap_channel(&map);
}

TEST_HARNESS_MAIN
