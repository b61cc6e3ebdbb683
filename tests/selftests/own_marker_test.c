// SPDX-License-Identifier: GPL-2.0
/*
 * The markers of pev's own: losses, refusals, wake-ups. Those of throttling are in timer_test and
 * pmu_sample_test, those of multiplexing in pmu_group_test.
 */
#include <poll.h>
#include "kselftest_harness.h"
#include "pev_util.h"

#define MK PEV_TYPE_MARKER
#define CALL "raw_syscalls:sys_enter"
#define PACKET 4096
#define RING (4 * PACKET)

FIXTURE(own)
{
	int channel;
};

FIXTURE_SETUP(own)
{
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	self->channel = pev_open_channel(RING, PACKET, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
}

FIXTURE_TEARDOWN(own)
{
	close(self->channel);
}

/* Nobody reads: makes system calls until some were lost. Returns what the event counted. */
static struct pev_value overflow(int fd)
{
	struct pev_value value;

	pev_on(fd);
	for (int i = 0; i < 5000; i++)
		getppid();
	pev_off(fd);
	value = pev_read(fd);
	return value;
}

TEST_F(own, loss)
{
	int mark = pev_open_event(MK, "pev:loss", "event == \"" CALL "\" && lost > 0", -1);
	int fd = pev_open_event(PEV_TYPE_TRACEPOINT, CALL, NULL, self->channel);
	struct pev_value value;

	ASSERT_LE(0, mark) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(mark);
	value = overflow(fd);
	EXPECT_LT(1000, value.lost);
	EXPECT_EQ(value.lost, pev_read(mark).value);
	close(fd);
	close(mark);
}

/* The marker's own records find no room either: each is counted, and none is told of. */
TEST_F(own, loss_of_a_loss)
{
	int mark = pev_open_event(MK, "pev:loss", NULL, self->channel);
	int fd = pev_open_event(PEV_TYPE_TRACEPOINT, CALL, NULL, self->channel);
	struct pev_value value, told;

	ASSERT_LE(0, mark) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(mark);
	value = overflow(fd);
	told = pev_read(mark);
	EXPECT_LT(1000, value.lost);
	EXPECT_EQ(value.lost, told.value);
	EXPECT_EQ(told.value, told.samples + told.lost);
	EXPECT_LT(1000, told.lost);
	close(fd);
	close(mark);
}

TEST_F(own, refusal)
{
	int mark = pev_open_event(MK, "pev:refusal", "error == 22 && text ~ \"*target*\"", -1);

	ASSERT_LE(0, mark) TH_LOG("%s", pev_reason());
	pev_on(mark);
	for (int i = 0; i < 10; i++) {
		struct pev_attr attr = {
			.type = PEV_TYPE_TRACEPOINT,
			.target = 1000,
			.name = (uintptr_t)CALL,
			.channel_fd = -1,
			.group_fd = -1,
		};

		EXPECT_EQ(-EINVAL, pev_open(&attr));
	}
	EXPECT_EQ(10, pev_read(mark).value) TH_LOG("%s", pev_reason());
	close(mark);
}

/* From an interrupt, in which any task may be. */
TEST_F(own, wakeup)
{
	int mark = pev_open_machine(MK, "pev:wakeup", "channel > 0", -1);
	int fd = pev_open_event(PEV_TYPE_TRACEPOINT, CALL, NULL, self->channel);
	struct pollfd p = { .fd = self->channel, .events = POLLIN };

	ASSERT_LE(0, mark) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(mark);
	overflow(fd);
	EXPECT_EQ(1, poll(&p, 1, 5000));
	EXPECT_LT(0, pev_read(mark).value);
	close(fd);
	close(mark);
}

TEST_HARNESS_MAIN
