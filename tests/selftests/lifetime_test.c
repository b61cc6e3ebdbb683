// SPDX-License-Identifier: GPL-2.0
/*
 * Ends of all kinds: files closed in any order and by others, rings mapped
 * after their channel was closed, recorders that are killed, tasks that exit
 * or exec while events are opened on them. What goes wrong shows as a warning
 * of the kernel, most of all one with KASAN.
 */
#include <pthread.h>
#include <signal.h>
#include "kselftest_harness.h"
#include "pev_child.h"

static void __attribute__((constructor)) again_main(void)
{
	if (getenv("PEV_AGAIN"))
		_exit(0);
}

FIXTURE(lifetime) {
	int unused;
};

FIXTURE_SETUP(lifetime)
{
	PEV_NEEDS_ROOT(return );
}

FIXTURE_TEARDOWN(lifetime)
{
}

static int open_calls(uint32_t target, int id, int channel, int leader)
{
	struct pev_attr attr = pev_attr_calls(target, id);

	attr.channel_fd = channel;
	attr.group_fd = leader;
	attr.period = channel >= 0;
	attr.sample = channel >= 0 ? PEV_SAMPLE_TID | PEV_SAMPLE_READ : 0;
	return pev_open(&attr);
}

/* A channel, a leader and two members: every order of closing them. */
TEST_F(lifetime, any_order)
{
	for (unsigned int order = 0; order < 24; order++) {
		unsigned int rest = order, left = 4;
		int fds[4];

		fds[0] = pev_open_channel(1 << 16, 4096, 0);
		ASSERT_LE(0, fds[0]) TH_LOG("%s", pev_reason());
		for (unsigned int i = 1; i < 4; i++) {
			fds[i] = open_calls(PEV_TARGET_SUBTREE, 0, fds[0],
					    i > 1 ? fds[1] : -1);
			ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
		}
		pev_call(2);
		while (left) {
			unsigned int i = rest % left;

			rest /= left;
			EXPECT_EQ(0, close(fds[i]));
			fds[i] = fds[--left];
			pev_call(2);
		}
	}
}

TEST_F(lifetime, mapped_and_written_after_close)
{
	struct pev_map map;
	int channel, fd;
	uint64_t head = 0, later = 0;

	channel = pev_open_channel(1 << 16, 4096, 0);
	ASSERT_LE(0, channel);
	fd = open_calls(PEV_TARGET_TASK, 0, channel, -1);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(channel, &map));
	close(channel);
	pev_call(10);
	EXPECT_EQ(10, pev_read(fd).samples);
	for (unsigned int cpu = 0; cpu < map.nr; cpu++)
		if (map.rings[cpu].kernel)
			head += map.rings[cpu].kernel->head;
	EXPECT_LT(0, head);
	close(fd);
	/* the pages stay as long as they are mapped */
	pev_call(10);
	for (unsigned int cpu = 0; cpu < map.nr; cpu++)
		if (map.rings[cpu].kernel)
			later += map.rings[cpu].kernel->head + map.rings[cpu].data[100] * 0;
	EXPECT_EQ(head, later);
	pev_unmap_channel(&map);
}

/* Without a consumer the ring fills up, and the event goes on counting. */
TEST_F(lifetime, events_outlive_their_channel)
{
	int channel, fd;
	struct pev_value v;

	channel = pev_open_channel(8192, 4096, 0);
	ASSERT_LE(0, channel);
	fd = open_calls(PEV_TARGET_TASK, 0, channel, -1);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	close(channel);
	pev_call(3000);
	ASSERT_EQ(0, pev_off(fd));
	v = pev_read(fd);
	EXPECT_EQ(3000, v.value);
	EXPECT_EQ(3000, v.samples + v.lost);
	EXPECT_LT(0, v.lost);
	close(fd);
}

TEST_F(lifetime, closed_by_another_process)
{
	int channel, fd;
	struct pev_child c;

	channel = pev_open_channel(1 << 16, 4096, 0);
	fd = open_calls(PEV_TARGET_TASK, 0, channel, -1);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		/* as last holder, while the target runs */
		pev_child_wait(&c);
		close(channel);
		close(fd);
		_exit(0);
	}
	close(fd);
	close(channel);
	pev_child_go(&c);
	while (!waitpid(c.pid, NULL, WNOHANG))
		pev_call(10);
}

/* ---- many at once ---- */

struct opener {
	pthread_t	thread;
	unsigned int	rounds;
	unsigned int	failed;
	int		channel;
	int		leader;
};

static void *open_and_close(void *arg)
{
	struct opener *o = arg;
	int fds[4];

	for (unsigned int i = 0; i < o->rounds; i++) {
		for (unsigned int j = 0; j < 4; j++) {
			fds[j] = open_calls(PEV_TARGET_TASK + (i + j) % 4, 0,
					    j % 2 ? o->channel : -1, -1);
			o->failed += fds[j] < 0;
		}
		pev_call(3);
		for (unsigned int j = 0; j < 4; j++)
			close(fds[j]);
	}
	return NULL;
}

TEST_F(lifetime, thousands_in_parallel)
{
	struct opener o[2];

	for (unsigned int i = 0; i < 2; i++) {
		o[i] = (struct opener){ .rounds = pev_kernel_is_slow() ? 40 : 150 };
		o[i].channel = pev_open_channel(1 << 16, 4096, PEV_CHF_OVERWRITE);
		ASSERT_LE(0, o[i].channel);
		ASSERT_EQ(0, pthread_create(&o[i].thread, NULL, open_and_close, &o[i]));
	}
	for (unsigned int i = 0; i < 2; i++) {
		pthread_join(o[i].thread, NULL);
		EXPECT_EQ(0, o[i].failed);
		close(o[i].channel);
	}
}

static void *channels(void *arg)
{
	struct opener *o = arg;

	for (unsigned int i = 0; i < o->rounds; i++) {
		int channel = pev_open_channel(8192, 4096, 0);
		int fd = open_calls(PEV_TARGET_CPUS, 0, channel, -1);

		o->failed += channel < 0 || fd < 0;
		/* each is last once */
		close(i % 2 ? channel : fd);
		close(i % 2 ? fd : channel);
	}
	return NULL;
}

TEST_F(lifetime, channels_in_parallel)
{
	struct opener o[2];

	for (unsigned int i = 0; i < 2; i++) {
		o[i] = (struct opener) { .rounds = 50 };
		ASSERT_EQ(0, pthread_create(&o[i].thread, NULL, channels, &o[i]));
	}
	for (unsigned int i = 0; i < 2; i++) {
		pthread_join(o[i].thread, NULL);
		EXPECT_EQ(0, o[i].failed);
	}
}

/* Members join, are sampled and leave while their leader does the same. */
static void *members(void *arg)
{
	struct opener *o = arg;

	for (unsigned int i = 0; i < o->rounds; i++) {
		int fd = open_calls(PEV_TARGET_CPUS, 0, o->channel, o->leader);

		o->failed += fd < 0;
		pev_call(5);
		close(fd);
	}
	return NULL;
}

TEST_F(lifetime, groups_change_while_sampled)
{
	struct opener o[2];
	int channel, leader;

	channel = pev_open_channel(1 << 16, 4096, PEV_CHF_OVERWRITE);
	ASSERT_LE(0, channel);
	leader = open_calls(PEV_TARGET_CPUS, 0, channel, -1);
	ASSERT_LE(0, leader) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < 2; i++) {
		o[i] = (struct opener) { .rounds = 80, .channel = channel, .leader = leader };
		ASSERT_EQ(0, pthread_create(&o[i].thread, NULL, members, &o[i]));
	}
	for (unsigned int i = 0; i < 2; i++) {
		pthread_join(o[i].thread, NULL);
		EXPECT_EQ(0, o[i].failed);
	}
	close(leader);
	close(channel);
}

/* ---- sets of events that no task has any more ---- */

#define CROWD 250
#define SWITCHERS 4

struct switcher {
	pthread_t thread;
	volatile bool *end;
	int failed;
};

/* Asks for each CPU whether what its task has is concerned. */
static void *switch_own(void *arg)
{
	struct switcher *s = arg;
	int fd = open_calls(PEV_TARGET_TASK, 0, -1, -1);

	s->failed = fd < 0;
	while (!*s->end)
		s->failed += pev_off(fd) || pev_on(fd);
	close(fd);
	return NULL;
}

/*
 * A thread that never leaves its CPU gets a new set with each event that is opened on it. The CPU
 * runs on the old one until the event is connected, which waits for others, and others look at what
 * the CPU runs on.
 */
TEST_F_TIMEOUT(lifetime, sets_change_under_a_busy_task, 120)
{
	struct rlimit limit = { CROWD + 100, CROWD + 100 };
	struct switcher s[SWITCHERS];
	volatile bool end = false;
	struct pev_child c;
	uint64_t until;
	int cpus[2];

	if (pev_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pev_child_say(&c, pev_pin(cpus[1]));
		for (;;)
			pev_relax();
	}
	ASSERT_EQ(0, pev_child_hear(&c));
	for (unsigned int i = 0; i < CROWD; i++)
		ASSERT_LE(0, open_calls(PEV_TARGET_TASK, c.pid, -1, -1)) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < SWITCHERS; i++) {
		s[i].end = &end;
		ASSERT_EQ(0, pthread_create(&s[i].thread, NULL, switch_own, &s[i]));
	}
	until = pev_clock_ns(CLOCK_MONOTONIC) + pev_hunt_ns();
	while (pev_clock_ns(CLOCK_MONOTONIC) < until) {
		int fd = open_calls(PEV_TARGET_TASK, c.pid, -1, -1);

		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		close(fd);
	}
	end = true;
	for (unsigned int i = 0; i < SWITCHERS; i++) {
		pthread_join(s[i].thread, NULL);
		EXPECT_EQ(0, s[i].failed);
	}
	kill(c.pid, SIGKILL);
	EXPECT_EQ(1000 + SIGKILL, pev_child_end(&c));
}

/* ---- sudden ends ---- */

TEST_F(lifetime, recorder_is_killed_in_a_flood)
{
	for (unsigned int round = 0; round < 4; round++) {
		struct pev_child c, flood;

		ASSERT_LE(0, pev_child_start(&flood));
		if (!flood.pid)
			for (;;)
				pev_call(1000);
		ASSERT_LE(0, pev_child_start(&c));
		if (!c.pid) {
			struct pev_map map;
			int channel = pev_open_channel(1 << 16, 4096,
						       round % 2 ? PEV_CHF_OVERWRITE : 0);

			if (channel < 0 || pev_map_channel(channel, &map))
				_exit(1);
			for (unsigned int i = 0; i < 8; i++)
				if (open_calls(PEV_TARGET_TASK + i % 4,
					       i % 4 == 3 ? 0 : flood.pid, channel, -1) < 0)
					_exit(2);
			pev_child_say(&c, 0);
			for (;;)
				for (unsigned int cpu = 0; cpu < map.nr; cpu++)
					if (map.rings[cpu].kernel)
						map.rings[cpu].user->tail =
							map.rings[cpu].kernel->head;
		}
		EXPECT_EQ(0, pev_child_hear(&c));
		kill(c.pid, SIGKILL);
		EXPECT_EQ(1000 + SIGKILL, pev_child_end(&c));
		kill(flood.pid, SIGKILL);
		EXPECT_EQ(1000 + SIGKILL, pev_child_end(&flood));
	}
}

/* ESRCH or an event, whichever comes first; never anything else. */
TEST_F_TIMEOUT(lifetime, target_exits_while_it_is_attached, 120)
{
	for (unsigned int round = 0; round < 40; round++) {
		struct pev_child c;
		int fd, n = 0;

		ASSERT_LE(0, pev_child_start(&c));
		if (!c.pid) {
			pev_child_wait(&c);
			for (unsigned int i = 0; i < round; i++)
				pev_call(10);
			_exit(0);
		}
		for (;;) {
			fd = open_calls(PEV_TARGET_TASK + n % 3, c.pid, -1, -1);
			if (fd < 0)
				break;
			if (!n++)
				pev_child_go(&c);
			if (n % 2)
				close(fd);
		}
		EXPECT_LT(0, n);
		EXPECT_EQ(-ESRCH, fd) TH_LOG("%s", pev_reason());
		EXPECT_EQ(0, pev_child_end(&c));
		/* those left open */
		for (fd = 3; fd < 400; fd++)
			close(fd);
	}
}

TEST_F(lifetime, exec_while_it_is_attached)
{
	for (unsigned int round = 0; round < 10; round++) {
		struct pev_child c;
		int fd;

		ASSERT_LE(0, pev_child_start(&c));
		if (!c.pid) {
			char *argv[] = { "again", NULL }, *envp[] = { "PEV_AGAIN=1", NULL };

			pev_child_wait(&c);
			execve("/proc/self/exe", argv, envp);
			_exit(99);
		}
		pev_child_go(&c);
		while ((fd = open_calls(PEV_TARGET_TASK + round % 3, c.pid, -1, -1)) >= 0)
			close(fd);
		EXPECT_EQ(-ESRCH, fd) TH_LOG("%s", pev_reason());
		EXPECT_EQ(0, pev_child_end(&c));
	}
}

/* Killed in the middle of pev_open(): nothing half-made stays behind. */
TEST_F(lifetime, opener_is_killed)
{
	for (unsigned int round = 0; round < 20; round++) {
		struct pev_child c;

		ASSERT_LE(0, pev_child_start(&c));
		if (!c.pid) {
			struct opener o = { .rounds = ~0U };

			o.channel = pev_open_channel(1 << 16, 4096, 0);
			pev_child_say(&c, 0);
			open_and_close(&o);
			_exit(1);
		}
		ASSERT_EQ(0, pev_child_hear(&c));
		usleep(round * 100);
		kill(c.pid, SIGKILL);
		EXPECT_EQ(1000 + SIGKILL, pev_child_end(&c));
	}
}

TEST_HARNESS_MAIN
