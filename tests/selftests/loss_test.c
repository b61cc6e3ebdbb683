// SPDX-License-Identifier: GPL-2.0
/*
 * The law of loss: whatever happened was delivered, lost or filtered, for each
 * event exactly, while records come from tasks, softirqs, interrupts and
 * timers on all CPUs and the reader is slow, stopped or killed.
 *
 * What happened is counted by a second event without a channel, in the same
 * group: both are switched on and off together.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include "kselftest_harness.h"
#include "pev_util.h"

#define MAX_CPUS	8
#define PACKET		4096
#define RING		(8 * PACKET)

/* What is recorded; size: bytes of payload. */
static const struct source {
	uint32_t	type;
	uint32_t	config;
	const char	*name;
	const char	*filter;
	int		size;
} sources[] = {
	{ PEV_TYPE_TRACEPOINT, 0, "raw_syscalls:sys_enter", NULL, 56 },
	{ PEV_TYPE_TRACEPOINT, 0, "raw_syscalls:sys_exit", "ret > 5000", 16 },
	{ PEV_TYPE_TRACEPOINT, 0, "sched:sched_switch", NULL, 56 },
	{ PEV_TYPE_TRACEPOINT, 0, "sched:sched_wakeup", "target_cpu == 0", 28 },
	{ PEV_TYPE_TRACEPOINT, 0, "irq:softirq_entry", NULL, 4 },
	{ PEV_TYPE_TRACEPOINT, 0, "irq:softirq_exit", "vec == 1", 4 },
	{ PEV_TYPE_TRACEPOINT, 0, "timer:hrtimer_expire_entry", NULL, 24 },
	{ PEV_TYPE_SOFTWARE, PEV_SW_PAGE_FAULTS, "page-faults", NULL, 0 },
	{ PEV_TYPE_SOFTWARE, PEV_SW_CONTEXT_SWITCHES, "context-switches", NULL, 0 },
	{ PEV_TYPE_TIMER, PEV_TIMER_CPU_CLOCK, "cpu-clock", NULL, 0 },
};

#define NR_SOURCES	(sizeof(sources) / sizeof(sources[0]))

static int sizes[NR_SOURCES];

#define NO_TAIL		(~0ULL)

/*
 * What a reader has read of a ring up to @tail. It fills in the one that is
 * not current before it moves the ring's tail, so that the next
 * reader, after this one was killed, knows which holds.
 */
struct tally {
	uint64_t	tail;
	uint64_t	count[NR_SOURCES];
};

struct shared {
	struct tally	tally[MAX_CPUS][2];
	unsigned int	bad;
};

enum reader { SLOW, STOPPED, KILLED };

FIXTURE(loss) {
	int channel;
	int count[NR_SOURCES];
	int record[NR_SOURCES];
	struct pev_map map;
	struct shared *shared;
};

FIXTURE_VARIANT(loss) {
	enum reader reader;
};

FIXTURE_VARIANT_ADD(loss, slow_reader) {
	.reader = SLOW,
};

FIXTURE_VARIANT_ADD(loss, stopped_reader) {
	.reader = STOPPED,
};

FIXTURE_VARIANT_ADD(loss, killed_reader) {
	.reader = KILLED,
};

static int open_source(const struct source *source, int channel, int leader)
{
	bool timer = source->type == PEV_TYPE_TIMER;
	struct pev_attr attr = {
		.type = source->type, .config = source->config, .target = PEV_TARGET_CPUS,
		.name = source->type == PEV_TYPE_TRACEPOINT ? (uintptr_t)source->name : 0,
		.filter = channel >= 0 ? (uintptr_t)source->filter : 0,
		.flags = PEV_F_DISABLED, .channel_fd = channel, .group_fd = leader,
		.period = timer ? 100000 : channel >= 0,
		.sample = channel >= 0 ? PEV_SAMPLE_TID : 0,
	};

	return pev_open(&attr);
}

FIXTURE_SETUP(loss)
{
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	self->shared = mmap(NULL, sizeof(*self->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
	self->channel = pev_open_channel(RING, PACKET, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
	for (unsigned int i = 0; i < NR_SOURCES; i++) {
		const struct source *s = &sources[i];
		int leader = i ? self->count[0] : -1;

		sizes[i] = s->size;
		/* timers make their own occurrences: nothing else to compare with */
		self->count[i] = s->type == PEV_TYPE_TIMER ? -1 : open_source(s, -1, leader);
		if (s->type != PEV_TYPE_TIMER)
			ASSERT_LE(0, self->count[i]) TH_LOG("%s: %s", s->name, pev_reason());
		self->record[i] = open_source(s, self->channel, self->count[0]);
		ASSERT_LE(0, self->record[i]) TH_LOG("%s: %s", s->name, pev_reason());
		ASSERT_EQ(i, pev_event_id(self->record[i]));
	}
}

FIXTURE_TEARDOWN(loss)
{
	for (unsigned int i = 0; i < NR_SOURCES; i++) {
		if (self->count[i] >= 0)
			close(self->count[i]);
		close(self->record[i]);
	}
	pev_unmap_channel(&self->map);
	close(self->channel);
	munmap(self->shared, sizeof(*self->shared));
}

/* ---- the flood ---- */

static volatile bool flooding;

struct flood {
	pthread_t	thread;
	int		cpu;
	int		from;
	int		to;
};

/* System calls, page faults, short sleeps (timers, softirqs), wake-ups. */
static void *flood(void *arg)
{
	struct timespec ts = { .tv_nsec = 50000 };
	const struct flood *f = arg;
	char byte = 0;

	pev_pin(f->cpu);
	while (flooding) {
		pev_fault_pages();
		for (int i = 0; i < 50; i++)
			syscall(SYS_getppid);
		if (write(f->to, &byte, 1) == 1 && read(f->from, &byte, 1) == 1)
			nanosleep(&ts, NULL);
	}
	if (write(f->to, &byte, 1) != 1)
		return arg;
	return NULL;
}

static void run_flood(int cpus, int ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };
	struct flood f[MAX_CPUS];
	int pipes[MAX_CPUS][2];

	for (int i = 0; i < cpus; i++)
		if (pipe(pipes[i]))
			return;
	flooding = true;
	for (int i = 0; i < cpus; i++) {
		f[i].cpu = i;
		f[i].from = pipes[i][0];
		f[i].to = pipes[(i + 1) % cpus][1];
		pthread_create(&f[i].thread, NULL, flood, &f[i]);
	}
	nanosleep(&ts, NULL);
	flooding = false;
	for (int i = 0; i < cpus; i++)
		pthread_join(f[i].thread, NULL);
	for (int i = 0; i < cpus; i++) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
}

/* ---- the readers ---- */

static struct tally *tally_now(struct shared *shared, const struct pev_map *map,
			       unsigned int cpu)
{
	uint64_t tail = __atomic_load_n(&map->rings[cpu].user->tail, __ATOMIC_ACQUIRE);
	struct tally *t = shared->tally[cpu];

	return t[0].tail == tail ? &t[0] : &t[1];
}

/* Count up to @max records of a ring and give their space back. */
static void read_ring(struct shared *shared, const struct pev_map *map, unsigned int cpu,
		      unsigned int max)
{
	struct pev_walk walk = pev_walk_begin(map, cpu, sizes, NR_SOURCES);
	struct tally *now = tally_now(shared, map, cpu);
	struct tally *then = &shared->tally[cpu][now == &shared->tally[cpu][0]];
	struct pev_record record;
	int ret = 0;

	/* a reader killed in here leaves one tally that holds, and only one */
	__atomic_store_n(&then->tail, NO_TAIL, __ATOMIC_SEQ_CST);
	memcpy(then->count, now->count, sizeof(then->count));
	while (max-- && (ret = pev_walk_next(&walk, &record)) > 0)
		then->count[record.id]++;
	if (ret < 0)
		shared->bad++;
	__atomic_store_n(&then->tail, walk.pos, __ATOMIC_SEQ_CST);
	pev_walk_release(&walk);
}

static void read_all(struct shared *shared, const struct pev_map *map, unsigned int max)
{
	for (unsigned int cpu = 0; cpu < map->nr && cpu < MAX_CPUS; cpu++)
		if (map->rings[cpu].kernel)
			read_ring(shared, map, cpu, max);
}

static pid_t start_reader(struct shared *shared, const struct pev_map *map, int usleep_us)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (;;) {
		read_all(shared, map, 20);
		usleep(usleep_us);
	}
}

/* What happened was delivered, lost or filtered; Return: what was lost. */
static uint64_t check_source(struct __test_metadata *_metadata, FIXTURE_DATA(loss) * self,
			     unsigned int i, uint64_t delivered, int cpus)
{
	struct pev_value v = pev_read(self->record[i]);
	uint64_t happened;

	EXPECT_EQ(v.samples, delivered) TH_LOG("%s", sources[i].name);
	if (self->count[i] < 0)
		return v.lost;
	happened = pev_read(self->count[i]).value;
	TH_LOG("%-27s %8llu = %7llu delivered + %7llu lost + %7llu filtered", sources[i].name,
	       (unsigned long long)happened, (unsigned long long)delivered,
	       (unsigned long long)v.lost, (unsigned long long)v.filtered);
	EXPECT_LT(0, happened) TH_LOG("%s", sources[i].name);
	EXPECT_EQ(v.value, v.samples + v.lost) TH_LOG("%s", sources[i].name);
	/*
	 * What switches the events of another CPU on or off is an interrupt there: it
	 * may come between the counter and the recorder of one occurrence.
	 */
	EXPECT_LE(llabs((long long)(happened - delivered - v.lost - v.filtered)), 2 * (cpus - 1))
	TH_LOG("%s", sources[i].name);
	if (sources[i].filter)
		EXPECT_LT(0, v.filtered) TH_LOG("%s", sources[i].name);
	return v.lost;
}

TEST_F(loss, law)
{
	uint64_t delivered[NR_SOURCES] = {}, lost = 0, ring_lost = 0;
	pid_t reader = 0;
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (cpus < 2)
		SKIP(return, "this needs two CPUs");
	if (cpus > MAX_CPUS)
		cpus = MAX_CPUS;
	if (variant->reader != STOPPED)
		reader = start_reader(self->shared, &self->map, 5000);
	ASSERT_EQ(0, ioctl(self->count[0], PEV_IOC_ENABLE, PEV_IOF_GROUP));
	run_flood(cpus, 700);
	if (variant->reader == KILLED) {
		kill(reader, SIGKILL);
		run_flood(cpus, 300);
	}
	/* an occurrence of its own must not be under way when the events are switched off */
	if (reader) {
		kill(reader, SIGKILL);
		waitpid(reader, NULL, 0);
	}
	ASSERT_EQ(0, ioctl(self->count[0], PEV_IOC_DISABLE, PEV_IOF_GROUP));
	ASSERT_EQ(0, ioctl(self->channel, PEV_IOC_FLUSH, 0));
	read_all(self->shared, &self->map, ~0U);
	EXPECT_EQ(0, self->shared->bad);

	for (unsigned int cpu = 0; cpu < self->map.nr; cpu++) {
		if (!self->map.rings[cpu].kernel)
			continue;
		ASSERT_GT(MAX_CPUS, cpu);
		ring_lost += self->map.rings[cpu].kernel->lost;
		for (unsigned int i = 0; i < NR_SOURCES; i++)
			delivered[i] += tally_now(self->shared, &self->map, cpu)->count[i];
	}
	for (unsigned int i = 0; i < NR_SOURCES; i++)
		lost += check_source(_metadata, self, i, delivered[i], cpus);
	EXPECT_EQ(ring_lost, lost);
	EXPECT_LT(0, lost);
}

TEST_HARNESS_MAIN
