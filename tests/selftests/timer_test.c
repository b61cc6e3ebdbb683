// SPDX-License-Identifier: GPL-2.0
/*
 * How much of a CPU timers may take, whatever their number; what is told of those
 * that had to wait; and when a new period holds.
 */
#include <signal.h>
#include <time.h>
#include "kselftest_harness.h"
#include "pev_child.h"

#define TIMERS 40 /* as many as a task may have, but for some */
#define MAX_RATE "/proc/sys/kernel/pev_max_sample_rate"

FIXTURE(timer) {
	int channel;
	int fds[TIMERS];
	struct pev_map map;
	unsigned int cpu;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void work(unsigned int rounds)
{
	static volatile unsigned int sum;

	while (rounds--)
		sum += rounds;
}

static void work_for(uint64_t ns)
{
	uint64_t end = now_ns(CLOCK_MONOTONIC) + ns;

	while (now_ns(CLOCK_MONOTONIC) < end)
		work(1000);
}

FIXTURE_SETUP(timer)
{
	for (unsigned int i = 0; i < TIMERS; i++)
		self->fds[i] = -1;
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	self->cpu = sched_getcpu();
	ASSERT_EQ(0, pev_pin((int)self->cpu));
	self->channel = pev_open_channel(1 << 20, 1 << 16, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
}

FIXTURE_TEARDOWN(timer)
{
	for (unsigned int i = 0; i < TIMERS; i++)
		if (self->fds[i] >= 0)
			close(self->fds[i]);
	pev_unmap_channel(&self->map);
	close(self->channel);
}

static struct pev_attr attr_of(int channel)
{
	return (struct pev_attr) {
		.type = PEV_TYPE_TIMER, .config = PEV_TIMER_TASK_CLOCK,
		.target = PEV_TARGET_TASK, .channel_fd = channel, .group_fd = -1,
		.flags = PEV_F_DISABLED, .period = PEV_MIN_TIMER_NS,
	};
}

static struct pev_multiplexed multiplexed(int fd)
{
	struct pev_multiplexed m = { .size = sizeof(m) };

	if (ioctl(fd, PEV_IOC_READ_MULTIPLEXED, &m))
		m.size = 0;
	return m;
}

/* Sums the periods of all new records of a channel with only one event. */
static uint64_t recorded(int channel, struct pev_map *map, unsigned int cpu)
{
	static const int sizes[] = { 8 };
	struct pev_record record;
	struct pev_walk walk;
	uint64_t sum = 0;

	if (ioctl(channel, PEV_IOC_FLUSH, 0))
		return 0;
	walk = pev_walk_begin(map, cpu, sizes, 1);
	while (pev_walk_next(&walk, &record) > 0)
		sum += *(const uint64_t *)record.payload;
	pev_walk_release(&walk);
	return sum;
}

/* A channel that never refuses a record, and timers whose ticks cost what one can cost. */
static int open_greedy(int *fds, unsigned int nr)
{
	int channel = pev_open_channel(1 << 20, 1 << 16, PEV_CHF_OVERWRITE);
	struct pev_attr attr = attr_of(channel);

	attr.sample = PEV_SAMPLE_USTACK_DUMP;
	attr.stack_user = PEV_MAX_STACK_DUMP;
	for (unsigned int i = 0; channel >= 0 && i < nr; i++) {
		fds[i] = pev_open(&attr);
		if (fds[i] < 0)
			return fds[i];
	}
	return channel;
}

/* Each alone would take all of the time. */
TEST_F(timer, many_leave_time_to_their_task)
{
	int channel = open_greedy(self->fds, TIMERS);
	int mark = pev_open_machine(PEV_TYPE_MARKER, "pev:throttle", "event == \"task-clock\"", -1);
	uint64_t quiet, busy, throttled = 0, ticks = 0;

	ASSERT_LE(0, mark) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_on(mark));
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	quiet = now_ns(CLOCK_MONOTONIC);
	work(15000000);
	quiet = now_ns(CLOCK_MONOTONIC) - quiet;
	ASSERT_EQ(0, pev_on(channel));
	busy = now_ns(CLOCK_MONOTONIC);
	work(15000000);
	busy = now_ns(CLOCK_MONOTONIC) - busy;
	ASSERT_EQ(0, pev_off(channel));
	close(channel);
	for (unsigned int i = 0; i < TIMERS; i++) {
		struct pev_multiplexed m = multiplexed(self->fds[i]);
		struct pev_value v = pev_read(self->fds[i]);

		ASSERT_EQ(sizeof(m), m.size);
		EXPECT_EQ(v.value, v.samples + v.lost);
		EXPECT_EQ(v.value, m.value);
		EXPECT_EQ(v.time_enabled, m.time_enabled);
		EXPECT_EQ(v.time_running, m.time_running);
		EXPECT_EQ(v.time_enabled - v.time_running, m.throttled_ns);
		throttled += m.throttled;
		ticks += v.value;
	}
	EXPECT_LT(0, throttled);
	EXPECT_EQ(throttled, pev_read(mark).value);
	close(mark);
	EXPECT_LT(0, ticks);
	/* a quarter is theirs; the rest of the allowance is a busy machine's */
	EXPECT_GT(8 * quiet + 100000000, busy);
	TH_LOG("alone %llu us, beside %u timers %llu us", quiet / 1000ULL, TIMERS, busy / 1000ULL);
}

static uint64_t throttles(const int *fds, unsigned int nr)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < nr; i++)
		sum += multiplexed(fds[i]).throttled;
	return sum;
}

/* However long a tick had to wait, no time is missing in the records. */
TEST_F(timer, records_stand_for_the_whole_time)
{
	int greedy = open_greedy(self->fds + 1, TIMERS - 1), fd;
	struct pev_attr attr = attr_of(self->channel);
	struct pev_value v = {};
	uint64_t sum = 0;

	ASSERT_LE(0, greedy) TH_LOG("%s", pev_reason());
	attr.sample = PEV_SAMPLE_PERIOD;
	attr.period = 100000;
	fd = pev_open(&attr);
	self->fds[0] = fd;
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < TIMERS; i++)
		ASSERT_EQ(0, pev_on(self->fds[i]));
	/* switched out and in with ticks overdue */
	for (unsigned int i = 0; i < 5; i++) {
		usleep(1000);
		work_for(10000000);
	}
	/*
	 * What has passed since the last tick is of no record yet, which may be long where
	 * the machine stood still: time that is lost stays missing, this does not.
	 */
	for (unsigned int i = 0; i < 100; i++) {
		work_for(10000000);
		v = pev_read(fd);
		sum += recorded(self->channel, &self->map, self->cpu);
		if (multiplexed(fd).throttled && sum >= v.time_enabled / 10 * 9)
			break;
	}
	EXPECT_LE(v.time_enabled / 10 * 9, sum);
	ASSERT_EQ(0, pev_off(fd));
	v = pev_read(fd);
	EXPECT_EQ(0, v.lost);
	EXPECT_LT(0, throttles(self->fds, TIMERS));
	EXPECT_EQ(multiplexed(fd).throttled > 0, v.time_enabled > v.time_running);
	sum += recorded(self->channel, &self->map, self->cpu);
	EXPECT_GE(v.time_enabled, sum);
	TH_LOG("%llu of %llu us in records, %llu waits, of all timers %llu", sum / 1000ULL,
	       v.time_enabled / 1000ULL, multiplexed(fd).throttled + 0ULL,
	       throttles(self->fds, TIMERS) + 0ULL);
	close(greedy);
}

/* The administrator's word holds for timers, too; also for those that run. */
TEST_F(timer, max_sample_rate)
{
	struct pev_attr attr = attr_of(-1);
	uint64_t period = 1000;
	struct pev_value v;
	FILE *file;

	file = fopen(MAX_RATE, "r+");
	if (!file)
		SKIP(return, "only root may change " MAX_RATE);
	self->fds[0] = pev_open(&attr);
	ASSERT_LE(0, self->fds[0]) TH_LOG("%s", pev_reason());
	ASSERT_LT(0, fprintf(file, "1000\n"));
	ASSERT_EQ(0, fflush(file));
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	EXPECT_NE(NULL, strstr(pev_reason(), "kernel.pev_max_sample_rate"))
		TH_LOG("%s", pev_reason());
	attr.flags |= PEV_F_FREQ;
	attr.period = 1001;
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	attr.period = 1000;
	self->fds[1] = pev_open(&attr);
	EXPECT_LE(0, self->fds[1]) TH_LOG("%s", pev_reason());
	period = 999999;
	EXPECT_EQ(-1, ioctl(self->fds[0], PEV_IOC_PERIOD, &period));
	EXPECT_EQ(ERANGE, errno);
	EXPECT_EQ(0, pev_on(self->fds[0]));
	work_for(50000000);
	EXPECT_EQ(0, pev_off(self->fds[0]));
	v = pev_read(self->fds[0]);
	EXPECT_GE(v.time_enabled / 1000000 + 1, v.value);
	EXPECT_LT(0, v.value);
	/* no whole number of nanoseconds */
	rewind(file);
	ASSERT_LT(0, fprintf(file, "70\n"));
	ASSERT_EQ(0, fflush(file));
	attr.period = 70;
	self->fds[2] = pev_open(&attr);
	EXPECT_LE(0, self->fds[2]) TH_LOG("%s", pev_reason());
	attr.period = 71;
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	rewind(file);
	EXPECT_LT(0, fprintf(file, "100000\n"));
	fclose(file);
}

/* A new period counts from the call, and what has passed of the old one is not lost. */
TEST_F(timer, new_period)
{
	struct pev_attr attr = attr_of(self->channel);
	uint64_t hour = 3600000000000ULL, ms = 1000000;
	struct pev_value v;
	uint64_t sum;
	int fd;

	attr.period = hour;
	attr.sample = PEV_SAMPLE_PERIOD;
	fd = pev_open(&attr);
	self->fds[0] = fd;
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_on(fd));
	work_for(20 * ms);
	ASSERT_EQ(0, ioctl(fd, PEV_IOC_PERIOD, &ms));
	work_for(50 * ms);
	v = pev_read(fd);
	EXPECT_LT(0, v.value);
	/* one that is off takes it over when it is switched on */
	ASSERT_EQ(0, ioctl(fd, PEV_IOC_PERIOD, &hour));
	ASSERT_EQ(0, pev_off(fd));
	ASSERT_EQ(0, ioctl(fd, PEV_IOC_PERIOD, &ms));
	ASSERT_EQ(0, pev_on(fd));
	work_for(50 * ms);
	ASSERT_EQ(0, pev_off(fd));
	EXPECT_LT(v.value, pev_read(fd).value);
	v = pev_read(fd);
	sum = recorded(self->channel, &self->map, self->cpu);
	EXPECT_GE(v.time_enabled, sum);
	EXPECT_LE(v.time_enabled / 2, sum);
}

static void work_in_kernel(uint64_t ns)
{
	static char zeros[1 << 20];
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	uint64_t end = now_ns(CLOCK_MONOTONIC) + ns;

	while (now_ns(CLOCK_MONOTONIC) < end && read(fd, zeros, sizeof(zeros)) > 0)
		;
	close(fd);
}

/*
 * What has passed of the old period goes with the first tick of the new one, which is not counted
 * where it is excluded: records stand for whole periods then. Some tick hits the program, though.
 */
TEST_F(timer, new_period_of_what_is_excluded)
{
	struct pev_attr attr = attr_of(self->channel);
	uint64_t hour = 3600000000000ULL, ms = 1000000, sum;
	bool whole = false;
	int fd;

	attr.flags |= PEV_F_EXCLUDE_KERNEL;
	attr.sample = PEV_SAMPLE_PERIOD;
	attr.period = hour;
	fd = pev_open(&attr);
	self->fds[0] = fd;
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < 100 && !whole; i++) {
		ASSERT_EQ(0, ioctl(fd, PEV_IOC_RESET, 0));
		ASSERT_EQ(0, ioctl(fd, PEV_IOC_PERIOD, &hour));
		ASSERT_EQ(0, pev_on(fd));
		work(1000);
		ASSERT_EQ(0, ioctl(fd, PEV_IOC_PERIOD, &ms));
		work_in_kernel(3 * ms);
		work_for(3 * ms);
		ASSERT_EQ(0, pev_off(fd));
		sum = recorded(self->channel, &self->map, self->cpu);
		whole = sum && !(sum % ms);
	}
	EXPECT_TRUE(whole);
}

/* A reset begins a period. */
TEST_F(timer, reset)
{
	struct pev_attr attr = attr_of(-1);
	uint64_t begin;
	int fd;

	attr.period = 200000000;
	fd = pev_open(&attr);
	self->fds[0] = fd;
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	begin = now_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(0, pev_on(fd));
	for (unsigned int i = 0; i < 30; i++) {
		struct pev_value v;

		work_for(10000000);
		v = pev_read(fd);
		/* else the machine was held up, if only in the middle of a call */
		if (now_ns(CLOCK_MONOTONIC) - begin < attr.period)
			EXPECT_EQ(0, v.value);
		begin = now_ns(CLOCK_MONOTONIC);
		ASSERT_EQ(0, ioctl(fd, PEV_IOC_RESET, 0));
	}
	ASSERT_EQ(0, pev_off(fd));
	close(fd);
	self->fds[0] = -1;
}

/* Return: how many new records of a CPU's ring are of another one, or -1: the ring is damaged. */
static int drain(int channel, struct pev_map *map, unsigned int cpu)
{
	struct pev_record record;
	struct pev_walk walk;
	int sizes[TIMERS + 2], got, wrong = 0;

	for (unsigned int i = 0; i < TIMERS + 2; i++)
		sizes[i] = 8;
	if (ioctl(channel, PEV_IOC_FLUSH, 0))
		return -1;
	walk = pev_walk_begin(map, cpu, sizes, TIMERS + 2);
	while ((got = pev_walk_next(&walk, &record)) > 0)
		wrong += *(const uint64_t *)record.payload != cpu;
	pev_walk_release(&walk);
	return got < 0 ? got : wrong;
}

/*
 * A task comes to its CPU and leaves it, while another CPU resets its timers: those that begin to
 * run in the midst of that are not the other CPU's to stop and start.
 */
TEST(reset_beside_a_switch)
{
	int cpus[2], fds[TIMERS], channel;
	struct pev_attr attr;
	struct pev_child c;
	struct pev_map map;
	uint64_t until;

	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	if (pev_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pev_pin(cpus[0]));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pev_child_say(&c, pev_pin(cpus[1]));
		for (;;) {
			work(1000);
			usleep(1);
		}
	}
	ASSERT_EQ(0, pev_child_hear(&c));
	channel = pev_open_channel(1 << 20, 1 << 16, 0);
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(channel, &map));
	attr = attr_of(channel);
	attr.target_id = c.pid;
	attr.sample = PEV_SAMPLE_CPU;
	attr.period = 1000000;
	for (unsigned int i = 0; i < TIMERS; i++) {
		fds[i] = pev_open(&attr);
		ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
	}
	ASSERT_EQ(0, ioctl(channel, PEV_IOC_ENABLE, 0));
	until = now_ns(CLOCK_MONOTONIC) + pev_hunt_ns();
	while (now_ns(CLOCK_MONOTONIC) < until) {
		for (unsigned int i = 0; i < 20; i++)
			ASSERT_EQ(0, ioctl(channel, PEV_IOC_RESET, 0));
		ASSERT_EQ(0, drain(channel, &map, cpus[1]));
	}
	for (unsigned int i = 0; i < TIMERS; i++)
		close(fds[i]);
	pev_unmap_channel(&map);
	close(channel);
	kill(c.pid, SIGKILL);
	EXPECT_EQ(1000 + SIGKILL, pev_child_end(&c));
}

TEST_HARNESS_MAIN
