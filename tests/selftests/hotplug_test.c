// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that go and come while events count and record: nothing else is lost,
 * and what was counted there stays.
 */
#include <pthread.h>
#include "kselftest_harness.h"
#include "pev_child.h"

static int victim = -1;		/* a CPU that can go */

static bool calls_only(int *fd, int channel)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_CPUS, 0);

	attr.channel_fd = channel;
	attr.period = channel >= 0;
	attr.sample = channel >= 0 ? PEV_SAMPLE_TID : 0;
	*fd = pev_open(&attr);
	return *fd >= 0;
}

FIXTURE(hotplug) {
	int home;
};

FIXTURE_SETUP(hotplug)
{
	int cpus[2];

	PEV_NEEDS_ROOT(return );
	if (pev_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	self->home = cpus[0];
	victim = cpus[1];
	if (pev_set_online(victim, 0) || pev_set_online(victim, 1))
		SKIP(return, "CPUs can't be taken offline here");
}

FIXTURE_TEARDOWN(hotplug)
{
	pev_set_online(victim, 1);
}

static unsigned int walk_all(struct pev_map *map, unsigned int *by_cpu)
{
	static const int sizes[] = { 16, 16 };
	struct pev_record record;
	unsigned int nr = 0;

	for (unsigned int cpu = 0; cpu < map->nr; cpu++) {
		struct pev_walk walk;
		int ret;

		if (by_cpu)
			by_cpu[cpu] = 0;
		if (!map->rings[cpu].kernel)
			continue;
		walk = pev_walk_begin(map, cpu, sizes, 2);
		while ((ret = pev_walk_next(&walk, &record)) > 0) {
			nr++;
			if (by_cpu)
				by_cpu[cpu]++;
		}
		if (ret < 0)
			return ~0U;
	}
	return nr;
}

/* One thread stays where it is, another has to move and moves back. */
struct worker {
	pthread_t	thread;
	int		cpu;
	int		stop;
	unsigned int	calls;
};

static void *work(void *arg)
{
	struct worker *w = arg;

	if (w->cpu >= 0)
		pev_pin(w->cpu);
	while (!__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE)) {
		pev_call(1);
		w->calls++;
		if (w->calls % 16 == 0)
			usleep(1000);
	}
	return NULL;
}

TEST_F(hotplug, while_recording)
{
	struct worker w[2] = { { .cpu = self->home }, { .cpu = -1 } };
	int channel, all, counter, task;
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_PROCESS, 0);
	struct pev_value v;
	struct pev_map map;
	unsigned int calls;

	channel = pev_open_channel(4 << 20, 1 << 16, 0);
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(calls_only(&all, channel)) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(calls_only(&counter, -1));
	attr.channel_fd = channel;
	attr.period = 1;
	attr.sample = PEV_SAMPLE_TID;
	task = pev_open(&attr);
	ASSERT_LE(0, task) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&w[i].thread, NULL, work, &w[i]));
	for (unsigned int i = 0; i < 3; i++) {
		ASSERT_EQ(0, pev_set_online(victim, 0));
		EXPECT_EQ(0, ioctl(channel, PEV_IOC_FLUSH, 0));
		pev_read(all);
		ASSERT_EQ(0, pev_set_online(victim, 1));
	}
	for (unsigned int i = 0; i < 2; i++) {
		__atomic_store_n(&w[i].stop, 1, __ATOMIC_RELEASE);
		pthread_join(w[i].thread, NULL);
	}
	ASSERT_EQ(0, ioctl(channel, PEV_IOC_DISABLE, 0));
	ASSERT_EQ(0, pev_off(counter));
	calls = w[0].calls + w[1].calls;
	EXPECT_LT(0, calls);
	v = pev_read(task);
	EXPECT_EQ(calls, v.value);
	EXPECT_EQ(v.value, v.samples + v.lost);
	EXPECT_EQ(calls, pev_read(counter).value);
	v = pev_read(all);
	EXPECT_EQ(calls, v.value);
	EXPECT_EQ(v.value, v.samples + v.lost);
	EXPECT_EQ(0, v.lost);
	ASSERT_EQ(0, pev_map_channel(channel, &map));
	EXPECT_EQ(2 * calls, walk_all(&map, NULL));
	pev_unmap_channel(&map);
	close(all);
	close(task);
	close(counter);
	close(channel);
}

/* The counts of a CPU that is offline remain; its time stands still. */
TEST_F(hotplug, values_stay)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_CPU_CLOCK, PEV_TARGET_CPUS, 0);
	uint64_t mask = 1ULL << victim;
	struct pev_value before, after;
	int calls, clock;

	attr.cpus = (uintptr_t)&mask;
	attr.cpus_size = sizeof(mask);
	clock = pev_open(&attr);
	ASSERT_LE(0, clock) TH_LOG("%s", pev_reason());
	attr.type = PEV_TYPE_TRACEPOINT;
	attr.config = 0;
	attr.name = (uintptr_t)PEV_CALL_EVENT;
	calls = pev_open(&attr);
	ASSERT_LE(0, calls) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_pin(victim));
	pev_call(11);
	ASSERT_EQ(0, pev_pin(self->home));
	ASSERT_EQ(0, pev_set_online(victim, 0));
	before = pev_read(clock);
	EXPECT_LT(0, before.value);
	pev_call(100);
	usleep(20000);
	after = pev_read(clock);
	EXPECT_EQ(before.value, after.value);
	EXPECT_EQ(11, pev_read(calls).value);
	/* such an event can be reset, switched and opened no more */
	attr.group_fd = -1;
	EXPECT_EQ(-ENODEV, pev_open(&attr));
	EXPECT_EQ(PEV_OFFSET(cpus), pev_why.head.field);
	EXPECT_NE(0, pev_reason()[0]);
	EXPECT_EQ(0, ioctl(calls, PEV_IOC_RESET, 0));
	EXPECT_EQ(0, pev_read(calls).value);
	EXPECT_EQ(0, pev_off(calls));
	EXPECT_EQ(0, pev_on(calls));
	ASSERT_EQ(0, pev_set_online(victim, 1));
	ASSERT_EQ(0, pev_pin(victim));
	pev_call(5);
	EXPECT_EQ(5, pev_read(calls).value);
	EXPECT_LT(before.value, pev_read(clock).value);
	close(calls);
	close(clock);
}

TEST_F(hotplug, channel_before_the_cpu)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_TASK, 0);
	unsigned int by_cpu[PEV_UTIL_RINGS];
	struct pev_map_ring ring = { };
	struct pev_map map;
	int channel, all, task;

	ASSERT_EQ(0, pev_pin(self->home));
	ASSERT_EQ(0, pev_set_online(victim, 0));
	channel = pev_open_channel(1 << 16, 4096, 0);
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(calls_only(&all, channel)) TH_LOG("%s", pev_reason());
	attr.channel_fd = channel;
	attr.period = 1;
	attr.sample = PEV_SAMPLE_TID;
	task = pev_open(&attr);
	ASSERT_LE(0, task) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(channel, &map));
	EXPECT_EQ(NULL, map.rings[victim].kernel);
	EXPECT_EQ(-ENXIO, pev_map_one(channel, &map.info, victim, &ring));
	pev_unmap_channel(&map);

	ASSERT_EQ(0, pev_set_online(victim, 1));
	pev_call(3);
	/* back to all CPUs: an offline one left the mask of this thread */
	ASSERT_EQ(0, pev_pin(victim));
	pev_call(7);
	ASSERT_EQ(0, ioctl(channel, PEV_IOC_DISABLE, 0));
	EXPECT_EQ(10, pev_read(all).value);
	EXPECT_EQ(10, pev_read(task).value);
	ASSERT_EQ(0, pev_map_channel(channel, &map));
	EXPECT_NE(NULL, map.rings[victim].kernel);
	EXPECT_EQ(20, walk_all(&map, by_cpu));
	EXPECT_EQ(14, by_cpu[victim]);
	EXPECT_EQ(victim, map.rings[victim].kernel->cpu);
	pev_unmap_channel(&map);
	close(all);
	close(task);
	close(channel);
}

/* The open packet of a CPU that is gone can be closed and read. */
TEST_F(hotplug, flush_of_an_offline_cpu)
{
	struct pev_channel_info info = { .size = sizeof(info) };
	struct pev_span spans[PEV_UTIL_RINGS];
	struct pev_snapshot_arg arg = { .spans = (uintptr_t)spans, .nr = PEV_UTIL_RINGS };
	struct pev_map map;
	int channel, all;

	channel = pev_open_channel(1 << 16, 4096, 0);
	ASSERT_LE(0, channel);
	ASSERT_TRUE(calls_only(&all, channel)) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_pin(victim));
	pev_call(5);
	ASSERT_EQ(0, pev_pin(self->home));
	ASSERT_EQ(0, pev_set_online(victim, 0));
	ASSERT_EQ(0, ioctl(channel, PEV_IOC_SNAPSHOT, &arg));
	EXPECT_EQ(4096, spans[victim].end);
	ASSERT_EQ(0, pev_map_channel(channel, &map));
	EXPECT_EQ(5, walk_all(&map, NULL));
	pev_unmap_channel(&map);
	/* closed while it is away */
	close(all);
	close(channel);
	ASSERT_EQ(0, pev_set_online(victim, 1));
}

/**
 * struct flusher - one of several threads with a channel
 * @thread:  itself
 * @cpu:     where it is to run
 * @channel: what it flushes
 * @stop:    it is to end
 * @calls:   that it made
 */
struct flusher {
	pthread_t	thread;
	int		cpu;
	int		channel;
	int		stop;
	unsigned int	calls;
};

/* A flush that never ends can't be killed: the test shows it by its time. */
static void *flush_on(void *arg)
{
	struct flusher *f = arg;

	pev_pin(f->cpu);
	while (!__atomic_load_n(&f->stop, __ATOMIC_ACQUIRE)) {
		if (ioctl(f->channel, PEV_IOC_FLUSH, 0))
			break;
		f->calls++;
	}
	return NULL;
}

/* Records in the open packet of the CPU, up to when it goes. */
static void *call_on(void *arg)
{
	struct flusher *f = arg;

	while (!__atomic_load_n(&f->stop, __ATOMIC_ACQUIRE)) {
		if (pev_pin(f->cpu)) {
			usleep(1000);
			continue;
		}
		pev_call(20);
		f->calls += 20;
	}
	return NULL;
}

/*
 * Two that wait for the CPU to be gone flush its ring at the same time. When it
 * is back, its records are published as before.
 */
TEST_F(hotplug, two_flush_an_offline_cpu)
{
	struct flusher f[3] = { };
	int cpus[3], channel, all;
	struct pev_value v;
	struct pev_map map;

	if (pev_cpus(cpus, 3) < 3)
		SKIP(return, "needs three CPUs, to have two left");
	channel = pev_open_channel(32 << 20, 4096, 0);
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(calls_only(&all, channel)) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < 3; i++) {
		f[i].cpu = cpus[i];
		f[i].channel = channel;
		ASSERT_EQ(0, pthread_create(&f[i].thread, NULL,
					    cpus[i] == victim ? call_on : flush_on, &f[i]));
	}
	for (unsigned int i = 0; i < 30; i++) {
		ASSERT_EQ(0, pev_set_online(victim, 0));
		ASSERT_EQ(0, pev_set_online(victim, 1));
		usleep(1000);
	}
	for (unsigned int i = 0; i < 3; i++) {
		__atomic_store_n(&f[i].stop, 1, __ATOMIC_RELEASE);
		pthread_join(f[i].thread, NULL);
		EXPECT_LT(0, f[i].calls);
	}
	ASSERT_EQ(0, pev_off(all));
	ASSERT_EQ(0, ioctl(channel, PEV_IOC_FLUSH, 0));
	v = pev_read(all);
	EXPECT_EQ(f[1].calls, v.value);
	EXPECT_EQ(v.value, v.samples + v.lost);
	ASSERT_EQ(0, pev_map_channel(channel, &map));
	EXPECT_EQ(v.samples, walk_all(&map, NULL));
	pev_unmap_channel(&map);
	close(all);
	close(channel);
}

/* A sampled task on the CPU that goes, and timers there. */
TEST_F(hotplug, timers)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TIMER, .config = PEV_TIMER_CPU_CLOCK,
		.target = PEV_TARGET_CPUS, .channel_fd = -1, .group_fd = -1, .period = 1000000,
	};
	struct worker w = { .cpu = -1 };
	struct pev_value v;
	uint64_t last = 0;
	int machine, task;

	machine = pev_open(&attr);
	ASSERT_LE(0, machine) TH_LOG("%s", pev_reason());
	attr.target = PEV_TARGET_PROCESS;
	attr.config = PEV_TIMER_TASK_CLOCK;
	task = pev_open(&attr);
	ASSERT_LE(0, task) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pthread_create(&w.thread, NULL, work, &w));
	for (unsigned int i = 0; i < 2; i++) {
		ASSERT_EQ(0, pev_set_online(victim, 0));
		v = pev_read(machine);
		EXPECT_LT(last, v.value);
		last = v.value;
		ASSERT_EQ(0, pev_set_online(victim, 1));
	}
	__atomic_store_n(&w.stop, 1, __ATOMIC_RELEASE);
	pthread_join(w.thread, NULL);
	EXPECT_EQ(0, pev_off(machine));
	EXPECT_EQ(0, pev_off(task));
	close(machine);
	close(task);
}

TEST_HARNESS_MAIN
