// SPDX-License-Identifier: GPL-2.0
/*
 * A new period holds from the call on, whatever is left of the old one. That of
 * hardware counters has a test of its own.
 */
#include "kselftest_harness.h"
#include "pev_child.h"

#define MS		1000000ULL
#define LONG		(1000000 * MS)	/* no test lasts so long */
#define SHORT		MS
#define SPIN		(20 * MS)
#define ENOUGH 5 /* ticks that a period that did not hold would not give */
#define PATIENCE 100 /* times SPIN: a host that is busy leaves out most ticks */
#define ROUNDS 10

static int set_period(int fd, uint64_t period)
{
	return ioctl(fd, PEV_IOC_PERIOD, &period) ? -errno : 0;
}

/* ---- what counts occurrences ---- */

FIXTURE(count) {
	int channel;
	int fd;
};

FIXTURE_VARIANT(count) {
	uint32_t	type;
	uint64_t	config;
	const char	*name;
};

FIXTURE_VARIANT_ADD(count, tracepoint) {
	.type = PEV_TYPE_TRACEPOINT, .name = PEV_CALL_EVENT,
};

FIXTURE_VARIANT_ADD(count, software) {
	.type = PEV_TYPE_SOFTWARE, .config = PEV_SW_PAGE_FAULTS,
};

FIXTURE_SETUP(count)
{
	struct pev_attr attr = {
		.type = variant->type, .config = variant->config,
		.name = (uintptr_t)variant->name, .target = PEV_TARGET_TASK,
		.flags = PEV_F_DISABLED, .sample = PEV_SAMPLE_TID, .period = LONG, .group_fd = -1,
	};

	PEV_NEEDS_ROOT(return );
	self->channel = pev_open_channel(1 << 16, 4096, 0);
	ASSERT_LE(0, self->channel);
	attr.channel_fd = self->channel;
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
}

FIXTURE_TEARDOWN(count)
{
	close(self->fd);
	close(self->channel);
}

/* @nr occurrences of the event, and no others but those of mmap() and the calls. */
static void occur(uint32_t type, unsigned int nr)
{
	size_t page = sysconf(_SC_PAGESIZE);
	volatile char *p;

	if (type == PEV_TYPE_TRACEPOINT) {
		pev_call(nr);
		return;
	}
	p = mmap(NULL, nr * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned int i = 0; i < nr; i++)
		p[i * page] = 1;
	munmap((void *)p, nr * page);
}

TEST_F(count, while_off)
{
	ASSERT_EQ(0, pev_on(self->fd));
	occur(variant->type, 50);
	ASSERT_EQ(0, pev_off(self->fd));
	EXPECT_EQ(0, pev_read(self->fd).samples);
	ASSERT_EQ(0, set_period(self->fd, 10));
	ASSERT_EQ(0, pev_on(self->fd));
	occur(variant->type, 100);
	ASSERT_EQ(0, pev_off(self->fd));
	EXPECT_LE(10, pev_read(self->fd).samples);
	EXPECT_GE(16, pev_read(self->fd).samples);
}

TEST_F(count, while_on)
{
	ASSERT_EQ(0, pev_on(self->fd));
	occur(variant->type, 50);
	ASSERT_EQ(0, set_period(self->fd, 10));
	occur(variant->type, 100);
	EXPECT_LE(10, pev_read(self->fd).samples);
	EXPECT_GE(16, pev_read(self->fd).samples);
	/* and back */
	ASSERT_EQ(0, set_period(self->fd, LONG));
	occur(variant->type, 100);
	EXPECT_GE(17, pev_read(self->fd).samples);
	ASSERT_EQ(0, pev_off(self->fd));
}

/* ---- timers ---- */

static int open_timer(uint32_t target, pid_t pid, uint64_t period, uint64_t flags, int channel)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TIMER, .config = PEV_TIMER_CPU_CLOCK, .target = target,
		.target_id = pid, .flags = flags, .period = period, .channel_fd = channel,
		.group_fd = -1,
	};

	return pev_open(&attr);
}

FIXTURE(timer) {
	int fd;
};

FIXTURE_SETUP(timer)
{
	PEV_NEEDS_ROOT(return );
	self->fd = -1;
}

FIXTURE_TEARDOWN(timer)
{
	close(self->fd);
}

/* Ticks while this thread computes, for a small part of LONG. */
static bool ticks(int fd)
{
	uint64_t enough = pev_read(fd).value + ENOUGH;
	unsigned int tries = PATIENCE;

	do
		pev_spin(SPIN);
	while (pev_read(fd).value < enough && --tries);
	return tries;
}

TEST_F(timer, while_on)
{
	uint64_t before;

	self->fd = open_timer(PEV_TARGET_TASK, 0, LONG, 0, -1);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, set_period(self->fd, SHORT));
		EXPECT_TRUE(ticks(self->fd));
		/* the tick that was due may come */
		ASSERT_EQ(0, set_period(self->fd, LONG));
		before = pev_read(self->fd).value;
		pev_spin(SPIN / 4);
		EXPECT_GE(before + 1, pev_read(self->fd).value);
	}
}

TEST_F(timer, while_off)
{
	self->fd = open_timer(PEV_TARGET_TASK, 0, LONG, PEV_F_DISABLED, -1);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < ROUNDS; i++) {
		/* it has begun its period */
		ASSERT_EQ(0, set_period(self->fd, LONG));
		ASSERT_EQ(0, pev_on(self->fd));
		pev_spin(SPIN / 4);
		ASSERT_EQ(0, pev_off(self->fd));
		ASSERT_EQ(0, set_period(self->fd, SHORT));
		ASSERT_EQ(0, pev_on(self->fd));
		EXPECT_TRUE(ticks(self->fd));
		ASSERT_EQ(0, pev_off(self->fd));
	}
}

TEST_F(timer, frequency)
{
	self->fd = open_timer(PEV_TARGET_TASK, 0, 1, PEV_F_FREQ, -1);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, set_period(self->fd, 1000));
		EXPECT_TRUE(ticks(self->fd));
		ASSERT_EQ(0, set_period(self->fd, 1));
		pev_spin(SPIN / 4);
	}
}

/* By the channel, and with records. */
TEST_F(timer, of_a_channel)
{
	int channel = pev_open_channel(1 << 16, 4096, 0);
	struct pev_value v;

	ASSERT_LE(0, channel);
	self->fd = open_timer(PEV_TARGET_PROCESS, 0, LONG, 0, channel);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, set_period(channel, SHORT));
		EXPECT_TRUE(ticks(self->fd));
		ASSERT_EQ(0, set_period(channel, LONG));
		pev_spin(SPIN / 4);
	}
	ASSERT_EQ(0, pev_off(self->fd));
	v = pev_read(self->fd);
	EXPECT_EQ(v.value, v.samples + v.lost);
	close(channel);
}

/* Changes the period of a task that does not run. */
TEST_F(timer, of_a_sleeper)
{
	struct pev_child c;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		for (;;) {
			pev_child_wait(&c);
			pev_spin(SPIN);
			pev_child_say(&c, 0);
		}
	}
	self->fd = open_timer(PEV_TARGET_TASK, c.pid, LONG, 0, -1);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct pev_value before, after;
		unsigned int tries;

		ASSERT_EQ(0, set_period(self->fd, LONG));
		pev_child_go(&c);
		ASSERT_EQ(0, pev_child_hear(&c));
		/* until it waits again */
		after = pev_read(self->fd);
		do {
			before = after;
			pev_yield();
			after = pev_read(self->fd);
		} while (after.time_running != before.time_running);
		ASSERT_EQ(0, set_period(self->fd, SHORT));
		tries = PATIENCE;
		do {
			pev_child_go(&c);
			ASSERT_EQ(0, pev_child_hear(&c));
		} while (pev_read(self->fd).value < after.value + ENOUGH && --tries);
		EXPECT_LT(0, tries);
	}
	kill(c.pid, SIGKILL);
	pev_child_end(&c);
}

/* Changes the period of a task that runs on another CPU meanwhile. */
TEST_F(timer, of_another_cpu)
{
	struct pev_child c;
	int cpus[2];

	if (pev_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pev_pin(cpus[0]));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pev_pin(cpus[1]);
		pev_child_say(&c, 0);
		for (;;)
			pev_relax();
	}
	ASSERT_EQ(0, pev_child_hear(&c));
	self->fd = open_timer(PEV_TARGET_TASK, c.pid, LONG, 0, -1);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct pev_value before, after;

		ASSERT_EQ(0, set_period(self->fd, SHORT));
		before = pev_read(self->fd);
		do {
			usleep(1000);
			after = pev_read(self->fd);
		} while (after.value < before.value + ENOUGH &&
			 after.time_running < before.time_running + PATIENCE * SPIN);
		EXPECT_LE(before.value + ENOUGH, after.value);
		ASSERT_EQ(0, set_period(self->fd, LONG));
	}
	kill(c.pid, SIGKILL);
	pev_child_end(&c);
}

TEST_HARNESS_MAIN
