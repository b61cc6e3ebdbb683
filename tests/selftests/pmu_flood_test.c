// SPDX-License-Identifier: GPL-2.0
/*
 * Records of one ring from all contexts, with NMIs in the midst of each: counters
 * that overflow every few thousand cycles while tracepoints, markers, software
 * events and timers write to the same channel. Whatever a source counted was
 * delivered or is lost, for each of them exactly.
 */
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include "kselftest_harness.h"
#include "pmu_util.h"

#define PACKET		4096
#define RING		(8 * PACKET)
#define FLOOD_MS	300

/* size: bytes of payload */
static const struct source {
	uint32_t	type;
	uint64_t	config;
	uint64_t	period;
	const char	*name;
	int		size;
} sources[] = {
	{ PEV_TYPE_HARDWARE, PEV_HW_CYCLES, 5000, "cycles", 0 },
	{ PEV_TYPE_HARDWARE, PEV_HW_INSTRUCTIONS, 7001, "instructions", 0 },
	{ PEV_TYPE_TRACEPOINT, 0, 1, "raw_syscalls:sys_enter", 56 },
	{ PEV_TYPE_TRACEPOINT, 0, 1, "raw_syscalls:sys_exit", 16 },
	{ PEV_TYPE_TRACEPOINT, 0, 1, "sched:sched_switch", 56 },
	{ PEV_TYPE_TRACEPOINT, 0, 1, "irq:softirq_entry", 4 },
	{ PEV_TYPE_TRACEPOINT, 0, 1, "timer:hrtimer_expire_entry", 24 },
	{ PEV_TYPE_SOFTWARE, PEV_SW_PAGE_FAULTS, 1, "page-faults", 0 },
	{ PEV_TYPE_SOFTWARE, PEV_SW_CONTEXT_SWITCHES, 1, "context-switches", 0 },
	{ PEV_TYPE_TIMER, PEV_TIMER_CPU_CLOCK, 100000, "cpu-clock", 0 },
};

#define NR_SOURCES	(sizeof(sources) / sizeof(sources[0]))

FIXTURE(flood) {
	struct pev_map	map;
	int		channel;
	int		fds[NR_SOURCES];
	int		leader;
	uint64_t	found[NR_SOURCES];
	unsigned int	damaged;
	int		sizes[NR_SOURCES];
};

static int open_source(const struct source *s, int channel)
{
	struct pev_attr attr = {
		.type = s->type, .config = s->config, .target = PEV_TARGET_CPUS,
		.name = s->type == PEV_TYPE_TRACEPOINT ? (uintptr_t)s->name : 0,
		.flags = PEV_F_DISABLED, .channel_fd = channel, .group_fd = -1,
		.period = s->period, .sample = PEV_SAMPLE_TID,
	};

	return pev_open(&attr);
}

FIXTURE_SETUP(flood)
{
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	PMU_SKIP_WITHOUT(SKIP);
	self->channel = pev_open_channel(RING, PACKET, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
	for (unsigned int i = 0; i < NR_SOURCES; i++) {
		self->sizes[i] = sources[i].size;
		self->fds[i] = open_source(&sources[i], self->channel);
		ASSERT_LE(0, self->fds[i]) TH_LOG("%s: %s", sources[i].name, pev_reason());
		ASSERT_EQ(i, pev_event_id(self->fds[i]));
	}
}

FIXTURE_TEARDOWN(flood)
{
	for (unsigned int i = 0; i < NR_SOURCES; i++)
		close(self->fds[i]);
	pev_unmap_channel(&self->map);
	close(self->channel);
}

/* ---- what makes records ---- */

static volatile bool flooding;

static void *flood(void *unused)
{
	struct timespec ts = { .tv_nsec = 50000 };

	while (flooding) {
		pev_fault_pages();
		for (int i = 0; i < 50; i++)
			syscall(SYS_getppid);
		pmu_loop(1000);
		nanosleep(&ts, NULL);
	}
	return unused;
}

static void drain(struct _test_data_flood *self)
{
	struct pev_record record;

	for (unsigned int cpu = 0; cpu < self->map.nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(&self->map, cpu, self->sizes, NR_SOURCES);
		int ret;

		if (!self->map.rings[cpu].kernel)
			continue;
		while ((ret = pev_walk_next(&walk, &record)) > 0)
			self->found[record.id]++;
		self->damaged += ret < 0;
		pev_walk_release(&walk);
	}
}

static uint64_t rings_lost(const struct pev_map *map)
{
	uint64_t lost = 0;

	for (unsigned int cpu = 0; cpu < map->nr; cpu++)
		if (map->rings[cpu].kernel)
			lost += *(volatile const __u64 *)&map->rings[cpu].kernel->lost;
	return lost;
}

/* Does not begin before something is lost, on however slow a machine. */
static void *drainer(void *arg)
{
	struct _test_data_flood *self = arg;

	while (flooding) {
		if (rings_lost(&self->map))
			drain(self);
		usleep(5000);
	}
	return NULL;
}

TEST_F(flood, law)
{
	struct timespec ts = { .tv_nsec = FLOOD_MS * 1000000L };
	pthread_t threads[4];
	uint64_t lost = 0;

	flooding = true;
	ASSERT_EQ(0, ioctl(self->channel, PEV_IOC_ENABLE, 0));
	pthread_create(&threads[0], NULL, drainer, self);
	for (int i = 1; i < 4; i++)
		pthread_create(&threads[i], NULL, flood, NULL);
	for (int i = 0; i < 20 && !rings_lost(&self->map); i++)
		nanosleep(&ts, NULL);
	nanosleep(&ts, NULL);
	flooding = false;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ASSERT_EQ(0, ioctl(self->channel, PEV_IOC_DISABLE, 0));
	ASSERT_EQ(0, ioctl(self->channel, PEV_IOC_FLUSH, 0));
	drain(self);
	EXPECT_EQ(0, self->damaged);
	for (unsigned int i = 0; i < NR_SOURCES; i++) {
		const struct source *s = &sources[i];
		struct pev_value v = pev_read(self->fds[i]);

		TH_LOG("%-27s %9llu counted, %6llu delivered, %6llu lost", s->name,
		       (unsigned long long)v.value, (unsigned long long)self->found[i],
		       (unsigned long long)v.lost);
		lost += v.lost;
		EXPECT_EQ(v.samples, self->found[i]) TH_LOG("%s", s->name);
		EXPECT_LT(0, v.samples + v.lost) TH_LOG("%s", s->name);
		if (s->period == 1)
			EXPECT_EQ(v.value, v.samples + v.lost) TH_LOG("%s", s->name);
		/* never more than there was reason for, on any CPU */
		if (s->type == PEV_TYPE_HARDWARE)
			EXPECT_GE(v.value / s->period + 1, v.samples + v.lost);
	}
	EXPECT_EQ(rings_lost(&self->map), lost);
	EXPECT_LT(0, lost);
}

TEST_HARNESS_MAIN
