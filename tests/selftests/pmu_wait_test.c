// SPDX-License-Identifier: GPL-2.0
/*
 * What a switch between threads costs that nobody watches, while another user has waits on many of
 * his own: as much as without, whatever these are.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "pmu_util.h"

#define ANYBODY 1000

/* So many that lists of a hash by thread would be long. */
#define THREADS 2048
#define WAITS 32

#define YIELDERS 8

/* Instructions that a switch may take more. */
#define TOLERATED 20

FIXTURE(waits)
{
	struct pev_levels before;
	struct pev_child yielders[YIELDERS];
	struct pev_child stranger;
};

FIXTURE_SETUP(waits)
{
	PEV_NEEDS_ROOT(return );
	if (!pmu_is_exact())
		SKIP(return, "needs a machine that counts exactly");
	if (pmu_kernel_is_instrumented())
		SKIP(return, "a debugging kernel's switches differ");
	PEV_DEFAULT_LEVELS(&self->before);
	pev_pin(0);
	for (int i = 0; i < YIELDERS; i++) {
		ASSERT_LE(0, pev_child_start(&self->yielders[i]));
		while (!self->yielders[i].pid)
			sched_yield();
	}
}

FIXTURE_TEARDOWN(waits)
{
	for (int i = 0; i < YIELDERS; i++) {
		kill(self->yielders[i].pid, SIGKILL);
		pev_child_end(&self->yielders[i]);
	}
	if (self->stranger.pid > 0) {
		kill(self->stranger.pid, SIGKILL);
		pev_child_end(&self->stranger);
	}
	pev_set_levels(self->before);
}

static void *sleeps(void *unused)
{
	for (;;)
		pause();
	return NULL;
}

static int open_wait(void)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_WAIT,
		.target = PEV_TARGET_PROCESS,
		.channel_fd = -1,
		.group_fd = -1,
	};

	return pev_open(&attr);
}

/* One wait first, so that the hooks are there, and all others when the parent says so. */
static void be_stranger(struct pev_child *c)
{
	pthread_attr_t small;
	pthread_t thread;
	int failed = pev_become(ANYBODY, -1) || open_wait() < 0;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 1 << 15);
	for (int i = 0; i < THREADS; i++)
		failed |= pthread_create(&thread, &small, sleeps, NULL);
	pev_child_say(c, failed);
	pev_child_wait(c);
	for (int i = 1; i < WAITS; i++)
		failed |= open_wait() < 0;
	pev_child_say(c, failed);
	sleeps(NULL);
}

static uint64_t sum(const int *fds)
{
	uint64_t all = 0;

	for (int i = 0; i < YIELDERS; i++)
		all += pev_read(fds[i]).value;
	return all;
}

/* Instructions that the kernel takes for a switch from one yielder to the next, in the mean. */
static uint64_t cost_of_switch(const int *instructions, const int *switches)
{
	uint64_t took = sum(instructions), nr = sum(switches);

	usleep(100000);
	return (sum(instructions) - took) / (sum(switches) - nr + 1);
}

TEST_F(waits, of_others_cost_nothing)
{
	int instructions[YIELDERS], switches[YIELDERS];
	uint64_t before, after;

	ASSERT_LE(0, pev_child_start(&self->stranger));
	if (!self->stranger.pid)
		be_stranger(&self->stranger);
	ASSERT_EQ(0, pev_child_hear(&self->stranger));
	for (int i = 0; i < YIELDERS; i++) {
		struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, PEV_F_EXCLUDE_USER, -1, 0);

		attr.target_id = self->yielders[i].pid;
		attr.flags &= ~PEV_F_DISABLED;
		instructions[i] = pev_open(&attr);
		ASSERT_LE(0, instructions[i]) TH_LOG("%s", pev_reason());
		attr = pev_attr_software(PEV_SW_CONTEXT_SWITCHES, PEV_TARGET_TASK, attr.target_id);
		switches[i] = pev_open(&attr);
		ASSERT_LE(0, switches[i]) TH_LOG("%s", pev_reason());
	}
	before = cost_of_switch(instructions, switches);
	pev_child_go(&self->stranger);
	ASSERT_EQ(0, pev_child_hear(&self->stranger));
	after = cost_of_switch(instructions, switches);
	TH_LOG("%llu instructions a switch, %llu with %d waits on each of %d threads of another",
	       (long long)before, (long long)after, WAITS, THREADS);
	EXPECT_LT(0, before);
	EXPECT_GE(before + TOLERATED, after);
}

TEST_HARNESS_MAIN
