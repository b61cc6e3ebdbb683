// SPDX-License-Identifier: GPL-2.0
/*
 * The part of a CPU that timers may take, by instructions: on machines that count them out, no
 * other load of the host is in it.
 */
#include "kselftest_harness.h"
#include "pmu_util.h"

#define TIMERS 40

/* Timers of this task, off, that do nothing but count. Returns 0, or why one was refused. */
static int open_timers(int *fds)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TIMER,
		.config = PEV_TIMER_TASK_CLOCK,
		.target = PEV_TARGET_TASK,
		.flags = PEV_F_DISABLED,
		.period = PEV_MIN_TIMER_NS,
		.channel_fd = -1,
		.group_fd = -1,
	};

	for (unsigned int i = 0; i < TIMERS; i++) {
		fds[i] = pev_open(&attr);
		if (fds[i] < 0)
			return fds[i];
	}
	return 0;
}

/*
 * A quarter, and what the kernel does besides. What an interrupt costs was measured at boot; with
 * KASAN and lockdep it depends more on what it finds.
 */
static uint64_t allowed_percent(void)
{
	return pmu_kernel_is_instrumented() ? 70 : 30;
}

/*
 * Their ticks are cheap, and far too many: most of what they take is that of interrupts, and half
 * of these find only that it is not yet time.
 */
TEST(timers_take_a_quarter)
{
	const uint64_t percent = allowed_percent();
	uint64_t user, kernel, throttled = 0;
	int fds[TIMERS], of_user, of_kernel;

	PMU_SKIP_WITHOUT(SKIP);
	ASSERT_EQ(0, pev_pin(0));
	of_user = pmu_open(PEV_HW_INSTRUCTIONS, PEV_F_EXCLUDE_KERNEL);
	ASSERT_LE(0, of_user) TH_LOG("%s", pev_reason());
	of_kernel = pmu_open(PEV_HW_INSTRUCTIONS, PEV_F_EXCLUDE_USER);
	ASSERT_LE(0, of_kernel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, open_timers(fds)) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < TIMERS; i++)
		ASSERT_EQ(0, pev_on(fds[i]));
	pev_on(of_user);
	pev_on(of_kernel);
	pmu_loop(50000000 / PMU_ROUND);
	pev_off(of_kernel);
	pev_off(of_user);
	for (unsigned int i = 0; i < TIMERS; i++) {
		pev_off(fds[i]);
		throttled += pmu_multiplexed(fds[i]).throttled;
		close(fds[i]);
	}
	user = pev_read(of_user).value;
	kernel = pev_read(of_kernel).value;
	TH_LOG("%llu instructions, and %llu of the kernel", user + 0ULL, kernel + 0ULL);
	EXPECT_LT(0, throttled);
	/* they have what they are allowed, and no more */
	EXPECT_LT((user + kernel) / 10, kernel);
	EXPECT_GT((user + kernel) / 100 * percent, kernel);
	close(of_kernel);
	close(of_user);
}

TEST_HARNESS_MAIN
