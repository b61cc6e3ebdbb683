// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers: events whose records start, stop and freeze their channel. At once on their CPU,
 * and for good after PEV_IOC_SNAPSHOT; each record that is not written for it is counted.
 */
#include <poll.h>
#include <pthread.h>
#include "kselftest_harness.h"
#include "trigger_util.h"

#define RING (1 << 16)
#define PACKET 4096
#define START_BY 11
#define STOP_BY 12
#define FREEZE_BY 13

FIXTURE(trigger)
{
	int channel;
	int calls; /* id 0 */
	int start; /* id 1 */
	int stop; /* id 2 */
	int freeze; /* id 3 */
};

FIXTURE_VARIANT(trigger)
{
	uint64_t flags;
};

FIXTURE_VARIANT_ADD(trigger, discard){
	.flags = 0,
};

FIXTURE_VARIANT_ADD(trigger, overwrite){
	.flags = PEV_CHF_OVERWRITE,
};

FIXTURE_SETUP(trigger)
{
	PEV_NEEDS_ROOT(return );
	self->channel = pev_open_channel(RING, PACKET, variant->flags);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	self->calls = open_calls(self->channel);
	ASSERT_LE(0, self->calls) TH_LOG("%s", pev_reason());
	self->start = open_trigger(self->channel, PEV_F_START, START_BY);
	ASSERT_LE(0, self->start) TH_LOG("%s", pev_reason());
	self->stop = open_trigger(self->channel, PEV_F_STOP, STOP_BY);
	self->freeze = open_trigger(self->channel, PEV_F_FREEZE, FREEZE_BY);
	ASSERT_LE(0, self->stop) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, self->freeze) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_on(self->calls));
}

FIXTURE_TEARDOWN(trigger)
{
	close(self->calls);
	close(self->start);
	close(self->stop);
	close(self->freeze);
	close(self->channel);
}

static int poll_of(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLPRI };

	return poll(&p, 1, 0) < 0 ? -errno : p.revents;
}

TEST_F(trigger, starts)
{
	struct pev_counts calls, start;
	uint64_t records[4];

	EXPECT_EQ(0, state_of(self->channel).state);
	ASSERT_EQ(0, act(self->channel, PEV_ACT_STOP));
	EXPECT_EQ(PEV_STATE_STOPPED, state_of(self->channel).state);
	/* the owner's own word is no news */
	EXPECT_EQ(0, poll_of(self->channel) & POLLPRI);
	pev_call(10);
	calls = counts_of(self->calls);
	EXPECT_EQ(10, calls.unarmed);
	EXPECT_EQ(10, calls.value);
	EXPECT_EQ(0, calls.samples);
	fire(START_BY + 100);
	EXPECT_EQ(0, counts_of(self->start).fired);
	fire(START_BY);
	EXPECT_EQ(POLLPRI, poll_of(self->channel) & POLLPRI);
	EXPECT_EQ(1, state_of(self->channel).starts);
	EXPECT_EQ(0, poll_of(self->channel) & POLLPRI);
	EXPECT_EQ(0, state_of(self->channel).state);
	pev_call(5);
	calls = counts_of(self->calls);
	EXPECT_EQ(10, calls.unarmed);
	EXPECT_EQ(5, calls.samples);
	EXPECT_EQ(15, calls.value);
	/* it changes nothing any more, but is recorded */
	fire(START_BY);
	start = counts_of(self->start);
	EXPECT_EQ(2, start.fired);
	EXPECT_EQ(1, start.acted);
	EXPECT_EQ(2, start.samples);
	EXPECT_EQ(0, start.unarmed);
	EXPECT_EQ(3, start.value + start.filtered);
	EXPECT_EQ(1, state_of(self->channel).starts);
	if (variant->flags)
		return;
	ASSERT_EQ(0, count_records(self->channel, records, 4));
	EXPECT_EQ(5, records[0]);
	EXPECT_EQ(2, records[1]);
}

TEST_F(trigger, stops)
{
	struct pev_counts calls, stop;

	pev_call(5);
	fire(STOP_BY);
	pev_call(10);
	fire(STOP_BY);
	calls = counts_of(self->calls);
	stop = counts_of(self->stop);
	EXPECT_EQ(5, calls.samples);
	EXPECT_EQ(10, calls.unarmed);
	/* the record that stopped it was written, and the next one was not */
	EXPECT_EQ(1, stop.samples);
	EXPECT_EQ(1, stop.unarmed);
	EXPECT_EQ(2, stop.fired);
	EXPECT_EQ(1, stop.acted);
	EXPECT_TRUE(books_balance(&stop));
	EXPECT_EQ(POLLPRI, poll_of(self->channel) & POLLPRI);
	EXPECT_EQ(PEV_STATE_STOPPED, state_of(self->channel).state);
	EXPECT_EQ(1, state_of(self->channel).stops);
	/* there is nothing to keep that the stop does not keep */
	fire(FREEZE_BY);
	EXPECT_EQ(0, counts_of(self->freeze).acted);
	EXPECT_EQ(PEV_STATE_STOPPED, state_of(self->channel).state);
	ASSERT_EQ(0, act(self->channel, PEV_ACT_THAW));
	pev_call(1);
	EXPECT_EQ(11, counts_of(self->calls).unarmed);
	ASSERT_EQ(0, act(self->channel, PEV_ACT_START));
	pev_call(1);
	EXPECT_EQ(6, counts_of(self->calls).samples);
}

TEST_F(trigger, freezes)
{
	fire(FREEZE_BY);
	pev_call(3);
	EXPECT_EQ(PEV_STATE_FROZEN, state_of(self->channel).state);
	EXPECT_EQ(1, state_of(self->channel).freezes);
	/* only its reader thaws it */
	fire(START_BY);
	pev_call(3);
	EXPECT_EQ(6, counts_of(self->calls).unarmed);
	EXPECT_EQ(0, counts_of(self->start).acted);
	fire(STOP_BY);
	EXPECT_EQ(1, counts_of(self->stop).acted);
	EXPECT_EQ(PEV_STATE_FROZEN | PEV_STATE_STOPPED, state_of(self->channel).state);
	ASSERT_EQ(0, act(self->channel, PEV_ACT_THAW));
	EXPECT_EQ(PEV_STATE_STOPPED, state_of(self->channel).state);
	fire(START_BY);
	EXPECT_EQ(0, state_of(self->channel).state);
	pev_call(3);
	EXPECT_EQ(3, counts_of(self->calls).samples);
	/* a reset forgets what happened, not the state */
	fire(FREEZE_BY);
	ASSERT_EQ(0, ioctl(self->channel, PEV_IOC_RESET, 0));
	EXPECT_EQ(0, counts_of(self->freeze).fired);
	EXPECT_EQ(0, counts_of(self->freeze).acted);
	EXPECT_EQ(0, counts_of(self->calls).unarmed);
	EXPECT_EQ(2, state_of(self->channel).freezes);
	EXPECT_EQ(PEV_STATE_FROZEN, state_of(self->channel).state);
}

/* With call chains: nothing is collected that would not be written. */
TEST_F(trigger, large_records)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_TASK, 0);
	struct pev_counts counts;
	int fd;

	attr.channel_fd = self->channel;
	attr.period = 1;
	attr.sample = pev_any_sample() & ~PEV_SAMPLE_UREGS & ~PEV_SAMPLE_USTACK_DUMP &
		      ~PEV_SAMPLE_GUEST;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_call(2);
	fire(STOP_BY);
	pev_call(7);
	counts = counts_of(fd);
	EXPECT_EQ(2, counts.samples);
	EXPECT_EQ(7, counts.unarmed);
	EXPECT_TRUE(books_balance(&counts));
	close(fd);
}

/* Each third occurrence is due. */
TEST_F(trigger, period)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_TASK, 0);
	struct pev_counts counts;
	int fd;

	ASSERT_EQ(0, pev_pin(sched_getcpu()));
	attr.channel_fd = self->channel;
	attr.period = 3;
	attr.flags = PEV_F_STOP;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_call(2);
	EXPECT_EQ(0, state_of(self->channel).state);
	pev_call(1);
	EXPECT_EQ(PEV_STATE_STOPPED, state_of(self->channel).state);
	pev_call(6);
	counts = counts_of(fd);
	EXPECT_EQ(9, counts.value);
	EXPECT_EQ(3, counts.fired);
	EXPECT_EQ(1, counts.acted);
	EXPECT_EQ(1, counts.samples);
	EXPECT_EQ(2, counts.unarmed);
	close(fd);
}

/* What a process had done when a signal killed it. */
TEST_F(trigger, end_of_a_process)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_SIDEBAND,
		.config = PEV_SB_EXIT,
		.target = PEV_TARGET_PROCESS,
		.flags = PEV_F_FREEZE,
		.channel_fd = self->channel,
		.group_fd = -1,
		.sample = PEV_SAMPLE_TID,
	};
	struct pev_child child;
	int fd;

	/* rings of other CPUs are closed by an interrupt, which may be late */
	ASSERT_EQ(0, pev_pin(sched_getcpu()));
	ASSERT_LE(0, pev_child_start(&child));
	if (!child.pid) {
		pev_child_wait(&child);
		raise(SIGKILL);
	}
	attr.target_id = child.pid;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_call(1);
	EXPECT_EQ(0, state_of(self->channel).state);
	pev_child_go(&child);
	EXPECT_EQ(1000 + SIGKILL, pev_child_end(&child));
	EXPECT_EQ(PEV_STATE_FROZEN, state_of(self->channel).state);
	EXPECT_EQ(1, counts_of(fd).acted);
	pev_call(4);
	EXPECT_EQ(4, counts_of(self->calls).unarmed);
	close(fd);
}

/* ---- several CPUs ---- */

struct caller {
	pthread_t thread;
	int channel;
	int fd;
	bool *end;
	uint64_t calls;
	uint64_t id;
	uint64_t samples;
};

/* Calls, all of which are recorded, until it is told to end. */
static void *call_on(void *arg)
{
	struct caller *c = arg;

	c->fd = open_calls(c->channel);
	if (c->fd < 0)
		return NULL;
	pev_on(c->fd);
	while (!__atomic_load_n(c->end, __ATOMIC_ACQUIRE)) {
		pev_call(1);
		__atomic_add_fetch(&c->calls, 1, __ATOMIC_RELEASE);
	}
	pev_off(c->fd);
	return c;
}

#define CALLERS 4

/* Of the fixture's events, the callers', and two of another process */
#define NR_IDS (4 + CALLERS + 2)

static bool callers_start(struct caller *callers, int channel, bool *end)
{
	for (unsigned int i = 0; i < CALLERS; i++) {
		callers[i] = (struct caller){ .channel = channel, .end = end };
		if (pthread_create(&callers[i].thread, NULL, call_on, &callers[i]))
			return false;
	}
	return true;
}

/* Until each has made @more calls. */
static void callers_go_on(struct caller *callers, uint64_t more)
{
	for (unsigned int i = 0; i < CALLERS; i++) {
		uint64_t until = __atomic_load_n(&callers[i].calls, __ATOMIC_ACQUIRE) + more;

		while (__atomic_load_n(&callers[i].calls, __ATOMIC_ACQUIRE) < until)
			pev_yield();
	}
}

static void callers_end(struct __test_metadata *_metadata, struct caller *callers, bool *end,
			struct pev_counts *sum)
{
	memset(sum, 0, sizeof(*sum));
	__atomic_store_n(end, true, __ATOMIC_RELEASE);
	for (unsigned int i = 0; i < CALLERS; i++) {
		struct pev_counts c;
		void *worked;

		pthread_join(callers[i].thread, &worked);
		EXPECT_NE(NULL, worked);
		c = counts_of(callers[i].fd);
		EXPECT_EQ(callers[i].calls, c.value);
		EXPECT_TRUE(books_balance(&c))
		TH_LOG("value %lu samples %lu lost %lu unarmed %lu", (long)c.value, (long)c.samples,
		       (long)c.lost, (long)c.unarmed);
		callers[i].id = pev_event_id(callers[i].fd);
		callers[i].samples = c.samples;
		sum->samples += c.samples;
		sum->lost += c.lost;
		sum->unarmed += c.unarmed;
		close(callers[i].fd);
	}
}

static int snapshot(int channel, struct pev_span *spans)
{
	struct pev_snapshot_arg arg = {
		.spans = (uintptr_t)spans,
		.nr = PEV_UTIL_RINGS,
	};

	memset(spans, 0, PEV_UTIL_RINGS * sizeof(*spans));
	return ioctl(channel, PEV_IOC_SNAPSHOT, &arg) ? -errno : 0;
}

/*
 * A frozen channel stays as it is told, byte by byte, while all CPUs go on; thawed, it has
 * the next records, and so on.
 */
TEST_F(trigger, stays_frozen)
{
	struct pev_span first[PEV_UTIL_RINGS], second[PEV_UTIL_RINGS];
	unsigned int rounds = pev_kernel_is_slow() ? 5 : 15, moved = 0;
	struct caller callers[CALLERS];
	struct pev_counts sum;
	struct pev_map map;
	bool end = false;
	uint8_t *copy;

	ASSERT_EQ(0, pev_map_channel(self->channel, &map));
	copy = malloc(map.nr * RING);
	ASSERT_TRUE(callers_start(callers, self->channel, &end));
	for (unsigned int round = 0; round < rounds; round++) {
		uint64_t before = round ? first[0].end : 0;

		callers_go_on(callers, 500);
		fire(FREEZE_BY);
		ASSERT_EQ(0, snapshot(self->channel, first));
		for (unsigned int i = 0; i < map.nr; i++)
			if (map.rings[i].kernel)
				memcpy(copy + i * RING, map.rings[i].data, RING);
		callers_go_on(callers, 500);
		ASSERT_EQ(0, snapshot(self->channel, second));
		EXPECT_EQ(0, memcmp(first, second, sizeof(first)));
		for (unsigned int i = 0; i < map.nr; i++)
			if (map.rings[i].kernel)
				EXPECT_EQ(0, memcmp(copy + i * RING, map.rings[i].data, RING));
		moved += first[0].end != before;
		ASSERT_EQ(0, act(self->channel, PEV_ACT_THAW));
	}
	callers_end(_metadata, callers, &end, &sum);
	EXPECT_EQ(rounds, counts_of(self->freeze).acted);
	EXPECT_EQ(rounds, state_of(self->channel).freezes);
	EXPECT_LE(rounds * CALLERS * 500, sum.unarmed);
	EXPECT_LT(0, sum.samples);
	/* the newest go on, unless nobody makes room */
	if (variant->flags)
		EXPECT_LT(1, moved);
	free(copy);
	pev_unmap_channel(&map);
}

/*
 * On the CPU of the trigger it is exact, call by call, whatever interrupts it, and whatever
 * other CPUs write, flush and change.
 */
TEST_F(trigger, at_once)
{
	unsigned int rounds = pev_kernel_is_slow() ? 100 : 500;
	uint64_t samples = 0, unarmed = 0;
	struct caller callers[CALLERS];
	struct pev_counts sum, own;
	bool end = false;
	int timer;
	struct pev_attr attr = {
		.type = PEV_TYPE_TIMER,
		.target = PEV_TARGET_CPUS,
		.period = 100000,
		.channel_fd = self->channel,
		.group_fd = -1,
		.sample = PEV_SAMPLE_TID,
	};

	timer = pev_open(&attr);
	ASSERT_LE(0, timer) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(callers_start(callers, self->channel, &end));
	for (unsigned int round = 0; round < rounds; round++) {
		fire(STOP_BY);
		pev_call(3);
		unarmed += 3;
		fire(round % 8 ? STOP_BY : FREEZE_BY);
		fire(START_BY);
		pev_call(2);
		samples += 2;
		if (round % 64 == 0)
			ioctl(self->channel, PEV_IOC_FLUSH, 0);
	}
	own = counts_of(self->calls);
	EXPECT_EQ(unarmed, own.unarmed);
	EXPECT_EQ(samples, own.samples + own.lost);
	own = counts_of(self->stop);
	EXPECT_EQ(rounds, own.acted);
	EXPECT_TRUE(books_balance(&own));
	own = counts_of(self->start);
	EXPECT_EQ(rounds, own.acted);
	EXPECT_EQ(rounds, own.samples + own.lost);
	EXPECT_EQ(rounds, state_of(self->channel).stops);
	callers_end(_metadata, callers, &end, &sum);
	close(timer);
}

#define TURNS 1000

/* Several change it at once; each record is in the rings, or counted. */
TEST_F(trigger, several)
{
	struct pev_counts sum, own;
	struct caller callers[CALLERS];
	uint64_t records[NR_IDS];
	bool end = false;
	pid_t pid;
	int status;

	ASSERT_TRUE(callers_start(callers, self->channel, &end));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		int stop = open_trigger(self->channel, PEV_F_STOP, STOP_BY);
		int start = open_trigger(self->channel, PEV_F_START, START_BY);

		for (unsigned int i = 0; i < TURNS; i++) {
			fire(STOP_BY);
			fire(START_BY);
		}
		_exit(stop < 0 || start < 0);
	}
	for (unsigned int i = 0; i < TURNS; i++) {
		fire(STOP_BY);
		fire(START_BY);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	callers_end(_metadata, callers, &end, &sum);
	EXPECT_EQ(0, state_of(self->channel).state);
	EXPECT_EQ(state_of(self->channel).stops, state_of(self->channel).starts);
	EXPECT_LE(TURNS, state_of(self->channel).stops);
	own = counts_of(self->stop);
	EXPECT_EQ(TURNS, own.fired);
	EXPECT_TRUE(books_balance(&own));
	own = counts_of(self->start);
	EXPECT_EQ(TURNS, own.fired);
	EXPECT_TRUE(books_balance(&own));
	/* the others have been overwritten */
	if (variant->flags)
		return;
	ASSERT_EQ(0, count_records(self->channel, records, NR_IDS));
	EXPECT_EQ(counts_of(self->stop).samples, records[2]);
	EXPECT_EQ(own.samples, records[1]);
	for (unsigned int i = 0; i < CALLERS; i++)
		EXPECT_EQ(callers[i].samples, records[callers[i].id]);
}

/* ---- what is refused ---- */

static int control(int fd, unsigned long cmd, void *arg)
{
	return ioctl(fd, cmd, arg) ? -errno : 0;
}

TEST_F(trigger, refused_flags)
{
	static const uint64_t sets[] = {
		PEV_F_START | PEV_F_STOP,
		PEV_F_START | PEV_F_FREEZE,
		PEV_F_STOP | PEV_F_FREEZE,
		PEV_F_START | PEV_F_STOP | PEV_F_FREEZE,
	};
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_TASK, 0);
	struct pev_table table = { .size = sizeof(table), .rows = 16, .nr_keys = 1 };
	struct pev_attr table_attr = {
		.type = PEV_TYPE_TABLE,
		.config = (uintptr_t)&table,
		.channel_fd = -1,
		.group_fd = -1,
	};

	attr.channel_fd = self->channel;
	attr.period = 1;
	for (unsigned int i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		attr.flags = sets[i];
		EXPECT_EQ(-EINVAL, pev_open(&attr));
		EXPECT_EQ(PEV_OFFSET(flags), pev_why.head.field);
		EXPECT_LT(10, strlen(pev_reason()));
	}
	attr.flags = PEV_F_STOP;
	attr.channel_fd = -1;
	attr.period = 0;
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	EXPECT_EQ(PEV_OFFSET(channel_fd), pev_why.head.field);
	table.keys[0].from = PEV_TABLE_CPU;
	attr.channel_fd = pev_open(&table_attr);
	ASSERT_LE(0, attr.channel_fd) TH_LOG("%s", pev_reason());
	attr.period = 1;
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	EXPECT_EQ(PEV_OFFSET(channel_fd), pev_why.head.field);
	EXPECT_NE(NULL, strstr(pev_reason(), "table")) TH_LOG("%s", pev_reason());
	close(attr.channel_fd);
}

TEST_F(trigger, refused_calls)
{
	void *unmapped = mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t buf[256];
	uint32_t *size = (void *)buf;

	EXPECT_EQ(-EINVAL, act(self->channel, 0));
	EXPECT_EQ(-EINVAL, act(self->channel, PEV_ACT_MAX));
	EXPECT_EQ(-EINVAL, act(self->channel, 1UL << 32 | PEV_ACT_STOP));
	EXPECT_EQ(-ENOTTY, act(self->calls, PEV_ACT_STOP));
	EXPECT_EQ(-ENOTTY, control(self->calls, PEV_IOC_CHANNEL_STATE, buf));
	EXPECT_EQ(-ENOTTY, control(self->channel, PEV_IOC_READ_COUNTS, buf));
	EXPECT_EQ(-EFAULT, control(self->channel, PEV_IOC_CHANNEL_STATE, unmapped));
	EXPECT_EQ(-EFAULT, control(self->calls, PEV_IOC_READ_COUNTS, unmapped));
	*size = 7;
	EXPECT_EQ(-EINVAL, control(self->channel, PEV_IOC_CHANNEL_STATE, buf));
	EXPECT_EQ(-EINVAL, control(self->calls, PEV_IOC_READ_COUNTS, buf));
	*size = 65537;
	EXPECT_EQ(-E2BIG, control(self->channel, PEV_IOC_CHANNEL_STATE, buf));
	EXPECT_EQ(-E2BIG, control(self->calls, PEV_IOC_READ_COUNTS, buf));
	/* a longer structure ends with zeros, a shorter one early */
	memset(buf, 'X', sizeof(buf));
	*size = sizeof(buf) - 1;
	EXPECT_EQ(0, control(self->calls, PEV_IOC_READ_COUNTS, buf));
	EXPECT_EQ(sizeof(struct pev_counts), *size);
	EXPECT_EQ(0, buf[sizeof(buf) - 2]);
	EXPECT_EQ('X', buf[sizeof(buf) - 1]);
	memset(buf, 'X', sizeof(buf));
	*size = 8;
	EXPECT_EQ(0, control(self->channel, PEV_IOC_CHANNEL_STATE, buf));
	EXPECT_EQ(sizeof(struct pev_channel_state), *size);
	EXPECT_EQ('X', buf[8]);
	munmap(unmapped, 65536);
}

/* ---- rights: those of events and channels ---- */

static int as_user(uint64_t target_flags, uint32_t target, int channel)
{
	struct pev_attr attr = pev_attr_calls(target, 0);

	attr.channel_fd = channel;
	attr.period = 1;
	attr.flags = target_flags;
	return pev_open(&attr);
}

TEST(user)
{
	int channel, fd;

	PEV_NEEDS_ROOT(return );
	if (pev_become(PEV_NOBODY, -1))
		SKIP(return, "users can't be changed here");
	channel = pev_open_channel(8192, 4096, PEV_CHF_STOPPED | PEV_CHF_OVERWRITE);
	if (channel == -EACCES)
		SKIP(return, "%s", pev_reason());
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	fd = as_user(PEV_F_START, PEV_TARGET_TASK, channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	EXPECT_EQ(PEV_STATE_STOPPED, state_of(channel).state);
	pev_call(2);
	EXPECT_EQ(0, state_of(channel).state);
	EXPECT_EQ(2, counts_of(fd).samples);
	EXPECT_EQ(1, counts_of(fd).acted);
	close(fd);
	/* a trigger sees no more than any event */
	EXPECT_EQ(-EACCES, as_user(PEV_F_START, PEV_TARGET_CPUS, channel));
	close(channel);
}

TEST_HARNESS_MAIN
