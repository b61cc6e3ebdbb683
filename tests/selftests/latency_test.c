// SPDX-License-Identifier: GPL-2.0
/*
 * One user's calls do not hold up another's: what takes grace periods, memory
 * or all of many events is not waited for by who does something else.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>
#include "kselftest_harness.h"
#include "pev_child.h"

#define ATTACKER	1000
#define ANOTHER		1001

#define CLOSE		"syscalls:sys_enter_close"
#define ROUNDS		8
#define QUEUE 64
#define SLOW_QUEUE 16 /* where a catalog takes a second */
#define MS		1000000LL

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

/* ---- what one user does, again and again ---- */

static int channel, leader;

static int open_calls(int group, uint64_t flags)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT, .name = (uintptr_t)CLOSE,
		.target = PEV_TARGET_TASK, .channel_fd = channel, .group_fd = group,
		.period = 1, .sample = PEV_SAMPLE_TID, .flags = PEV_F_DISABLED | flags,
	};

	return pev_open(&attr);
}

/* Events of this thread in one channel, @group: and in a group. */
static int make_events(unsigned int nr, bool group)
{
	if (pev_kernel_is_slow())
		nr /= 4;
	channel = pev_open_channel(8192, 4096, 0);
	leader = open_calls(-1, PEV_F_READ_GROUP);
	for (unsigned int i = 1; i < nr; i++)
		if (open_calls(group ? leader : -1, 0) < 0)
			return -1;
	return channel < 0 || leader < 0 ? -1 : 0;
}

static void filter_channel(void)
{
	static unsigned int i;
	struct pev_filter_arg arg = { .filter = (uintptr_t)(i++ % 2 ? "fd == 1" : "fd == 2") };

	if (ioctl(channel, PEV_IOC_FILTER, &arg))
		_exit(1);
}

static void switch_channel(void)
{
	if (ioctl(channel, PEV_IOC_ENABLE, 0) || ioctl(channel, PEV_IOC_DISABLE, 0))
		_exit(1);
}

static void read_group(void)
{
	static struct pev_value values[256];

	if (read(leader, values, sizeof(values)) < 0)
		_exit(1);
}

/* The first and the last of its kind. */
static void open_alone(void)
{
	int fd = pev_open_event(PEV_TYPE_SOFTWARE, NULL, NULL, -1);

	if (fd < 0)
		_exit(1);
	close(fd);
}

static void open_channel(void)
{
	int fd = pev_open_channel(1 << 20, 0, 0);

	if (fd < 0)
		_exit(1);
	close(fd);
}

static unsigned int queue(void)
{
	return pev_kernel_is_slow() ? SLOW_QUEUE : QUEUE;
}

static void *read_catalogs(void *UNUSED arg)
{
	struct pev_attr attr = { .type = PEV_TYPE_CATALOG };

	for (;;)
		close(pev_enter(&attr, sizeof(attr), 0));
	return NULL;
}

/* All of them wait in the queue that the other comes into. */
static void queue_for_catalogs(void)
{
	struct pev_attr attr = { .type = PEV_TYPE_CATALOG };
	static bool begun;
	pthread_t thread;
	int fd;

	for (unsigned int i = 0; !begun && i < queue(); i++)
		if (pthread_create(&thread, NULL, read_catalogs, NULL))
			_exit(1);
	begun = true;
	fd = pev_open(&attr);
	if (fd < 0)
		_exit(1);
	close(fd);
}

struct load {
	const char	*what;
	unsigned int	events;
	bool		group;
	void		(*fn)(void);
	bool queues; /* half of the catalogs in the queue may be made meanwhile */
};

static const struct load loads[] = {
	{ "filters of a channel of 100 events", 100, false, filter_channel },
	{ "switching a channel of 100 events", 100, false, switch_channel },
	{ "reading a group of 100 events", 100, true, read_group },
	{ "opening and closing an event", 0, false, open_alone },
	{ "opening and closing a channel", 0, false, open_channel },
	{ "the catalog, by many threads", 0, false, queue_for_catalogs, true },
};

#define LOADS	(sizeof(loads) / sizeof(*loads))

static void attacker(struct pev_child *c, const struct load *load, int uid, int cpu)
{
	if (pev_become(uid, -1) || pev_pin(cpu) ||
	    (load->events && make_events(load->events, load->group)))
		_exit(2);
	load->fn();
	pev_child_say(c, 1);
	for (;;)
		load->fn();
}

/* ---- what the other feels ---- */

/* ns of the longest of some opens and closes. */
static int64_t longest(void)
{
	int64_t max = 0;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		int64_t begin = now();
		int fd = pev_open_event(PEV_TYPE_TRACEPOINT, CLOSE, NULL, -1);

		if (fd < 0)
			return -1;
		close(fd);
		if (now() - begin > max)
			max = now() - begin;
	}
	return max;
}

static void another(struct pev_child *c, int cpu)
{
	if (pev_become(ANOTHER, -1) || pev_pin(cpu))
		_exit(2);
	for (;;) {
		pev_child_wait(c);
		pev_child_say(c, longest());
	}
}

static bool answers(const struct pev_child *c, int64_t ns)
{
	struct pollfd p = { .fd = c->said[0], .events = POLLIN };

	return poll(&p, 1, ns / MS) == 1;
}

FIXTURE(latency) {
	struct pev_levels	before;
};

FIXTURE_SETUP(latency)
{
	PEV_NEEDS_ROOT(return );
	PEV_DEFAULT_LEVELS(&self->before);
}

FIXTURE_TEARDOWN(latency)
{
	pev_set_levels(self->before);
}

TEST_F(latency, of_another_user)
{
	struct pev_attr attr = { .type = PEV_TYPE_CATALOG };
	int cpus[2], nr = pev_cpus(cpus, 2);
	struct pev_child other;
	int64_t quiet, catalog;

	ASSERT_LE(0, pev_child_start(&other));
	if (!other.pid)
		another(&other, cpus[nr - 1]);
	pev_child_go(&other);
	quiet = pev_child_hear(&other);
	ASSERT_LT(0, quiet);
	catalog = now();
	ASSERT_LE(0, pev_open(&attr));
	catalog = now() - catalog;
	for (unsigned int i = 0; i < LOADS; i++) {
		int64_t bound = 3 * quiet + 300 * MS + loads[i].queues * queue() / 2 * catalog;
		struct pev_child c;
		bool in_time;
		int64_t ns;

		ASSERT_LE(0, pev_child_start(&c));
		if (!c.pid)
			attacker(&c, &loads[i], ATTACKER, cpus[0]);
		ASSERT_EQ(1, pev_child_hear(&c)) TH_LOG("%s", loads[i].what);
		pev_child_go(&other);
		in_time = answers(&other, ROUNDS * bound);
		kill(c.pid, SIGKILL);
		ns = pev_child_hear(&other);
		ASSERT_LT(0, ns);
		EXPECT_TRUE(in_time && ns <= bound)
			TH_LOG("beside %s: %lld ms, undisturbed %lld ms", loads[i].what,
			       (long long)(ns / MS), (long long)(quiet / MS));
		pev_child_end(&c);
	}
	kill(other.pid, SIGKILL);
	pev_child_end(&other);
}

/* Linux's hash of 32 bits, 6 of it: what sorts users by that takes some for one. */
static unsigned int hash(unsigned int uid)
{
	return uid * 0x61c88647U >> 26;
}

static int uid_like(unsigned int another)
{
	unsigned int uid = another + 1;

	while (hash(uid) != hash(another))
		uid++;
	return uid;
}

/* Return: ns of the shortest of some catalogs. */
static int64_t list_all(void)
{
	struct pev_attr attr = { .type = PEV_TYPE_CATALOG };
	int64_t least = INT64_MAX;

	for (unsigned int i = 0; i < (pev_kernel_is_slow() ? 1 : 3); i++) {
		int64_t begin = now();
		int fd = pev_open(&attr);

		if (fd < 0)
			return -1;
		close(fd);
		if (now() - begin < least)
			least = now() - begin;
	}
	return least;
}

/* One user's threads make one catalog at a time, whatever the numbers of users are. */
TEST_F(latency, of_a_catalog)
{
	const struct load *load = &loads[LOADS - 1];
	struct pev_child c, other;
	int cpus[2], nr = pev_cpus(cpus, 2);
	int64_t quiet, ns;

	ASSERT_LE(0, pev_child_start(&other));
	if (!other.pid) {
		if (pev_become(ANOTHER, -1) || pev_pin(cpus[nr - 1]))
			_exit(2);
		for (;;) {
			pev_child_say(&other, list_all());
			pev_child_wait(&other);
		}
	}
	quiet = pev_child_hear(&other);
	ASSERT_LT(0, quiet);
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid)
		attacker(&c, load, uid_like(ANOTHER), cpus[0]);
	ASSERT_EQ(1, pev_child_hear(&c));
	pev_child_go(&other);
	ns = pev_child_hear(&other);
	EXPECT_LT(ns, queue() / 4 * quiet)
	TH_LOG("a catalog takes %lld ms, undisturbed %lld ms", (long long)(ns / MS),
	       (long long)(quiet / MS));
	kill(c.pid, SIGKILL);
	kill(other.pid, SIGKILL);
	pev_child_end(&c);
	pev_child_end(&other);
}

/* ---- system calls ---- */

/* Each call of everybody comes by the places of these. */
static const char *const of_calls[] = {
	PEV_CALL_EVENT,
	"syscalls:sys_exit_sched_get_priority_max",
	"raw_syscalls:sys_enter",
	"raw_syscalls:sys_exit",
};

#define KINDS (sizeof(of_calls) / sizeof(*of_calls))
#define CROWD 600 /* events: fewer than a task may have */

/* Return: ns of the shortest of some rounds of calls. */
static int64_t shortest_calls(void)
{
	int64_t least = INT64_MAX;

	for (unsigned int i = 0; i < 50; i++) {
		int64_t begin = now();

		pev_call(100);
		if (now() - begin < least)
			least = now() - begin;
	}
	return least;
}

/* Events of its own, which makes none of the calls meanwhile. */
static void crowd(struct pev_child *c, unsigned int nr)
{
	struct rlimit limit = { nr + 100, nr + 100 };

	if (setrlimit(RLIMIT_NOFILE, &limit) || pev_become(ATTACKER, -1))
		_exit(1);
	for (unsigned int i = 0; i < nr; i++) {
		int fd = pev_open_event(PEV_TYPE_TRACEPOINT, of_calls[i % KINDS], NULL, -1);

		if (fd < 0 || pev_on(fd))
			_exit(2);
	}
	pev_child_say(c, 1);
	pev_child_wait(c);
	_exit(0);
}

/* What one user counts of his own calls is no part of another's. */
TEST_F(latency, of_calls_of_another_user)
{
	int64_t quiet, ns;
	struct pev_child c;

	/* the places are hooked in either case */
	for (unsigned int i = 0; i < KINDS; i++) {
		ASSERT_LE(0, pev_open_event(PEV_TYPE_TRACEPOINT, of_calls[i], NULL, -1))
		TH_LOG("%s: %s", of_calls[i], pev_reason());
	}
	quiet = shortest_calls();
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid)
		crowd(&c, pev_kernel_is_slow() ? CROWD / 4 : CROWD);
	ASSERT_EQ(1, pev_child_hear(&c));
	ns = shortest_calls();
	EXPECT_LT(ns, 2 * quiet)
	TH_LOG("100 calls take %lld us, undisturbed %lld us", (long long)(ns / 1000),
	       (long long)(quiet / 1000));
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
}

/* ---- hooks that go ---- */

#define HOOKS_STAY_US 1010000
#define STARVED_US 100000
#define TIMES 5

/* Two tasks on one CPU, of which one is ready to run, and hardly ever does; in a process group. */
static void starve(struct pev_child *c, int cpu)
{
	struct sched_param param = {};
	pid_t pid;

	if (setpgid(0, 0) || pev_become(ATTACKER, -1) || pev_pin(cpu))
		_exit(2);
	pid = fork();
	if (!pid && (prctl(PR_SET_PDEATHSIG, SIGKILL) || sched_setscheduler(0, SCHED_IDLE, &param)))
		_exit(2);
	if (pid)
		pev_child_say(c, pid > 0);
	for (;;)
		pev_relax();
}

/* Return: ns that it takes; the event's hooks go after a while, since nobody else has one. */
static int64_t open_and_close(uint32_t type, uint64_t config)
{
	struct pev_attr attr = {
		.type = type,
		.config = config,
		.target = PEV_TARGET_TASK,
		.channel_fd = type == PEV_TYPE_SIDEBAND ? channel : -1,
		.group_fd = -1,
	};
	int64_t begin = now();
	int fd = pev_open(&attr);

	return fd < 0 || close(fd) ? -1 : now() - begin;
}

/*
 * While those that nobody needs any more are removed, others are placed. All of them change text on
 * all CPUs, and wait for that, but not until some user's tasks have had their turn.
 */
TEST_F(latency, of_hooks_that_go)
{
	int cpus[2], nr = pev_cpus(cpus, 2);
	int64_t most = 0, placed = 0;
	struct pev_child c;

	if (nr < 2)
		SKIP(return, "needs two CPUs");
	channel = pev_open_channel(8192, 4096, 0);
	ASSERT_LE(0, channel);
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid)
		starve(&c, cpus[0]);
	ASSERT_EQ(1, pev_child_hear(&c));
	ASSERT_EQ(0, pev_pin(cpus[1]));
	for (unsigned int i = 0; i < TIMES; i++) {
		int64_t ns = open_and_close(PEV_TYPE_SIDEBAND, PEV_SB_MMAP);

		ASSERT_LT(0, ns) TH_LOG("%s", pev_reason());
		if (ns > placed)
			placed = ns;
		/* while nothing is removed yet, they need not have their CPU */
		ASSERT_EQ(0, kill(-c.pid, SIGSTOP));
		usleep(HOOKS_STAY_US - STARVED_US + i * 5000);
		ASSERT_EQ(0, kill(-c.pid, SIGCONT));
		usleep(STARVED_US);
		ns = open_and_close(PEV_TYPE_SOFTWARE, PEV_SW_PAGE_FAULTS);
		ASSERT_LT(0, ns) TH_LOG("%s", pev_reason());
		if (ns > most)
			most = ns;
		/* these go, too */
		ASSERT_EQ(0, kill(-c.pid, SIGSTOP));
		usleep(2 * HOOKS_STAY_US);
		ASSERT_EQ(0, kill(-c.pid, SIGCONT));
	}
	TH_LOG("%lld ms while hooks go, %lld ms else", (long long)(most / MS),
	       (long long)(placed / MS));
	EXPECT_GT(300 * MS + 3 * placed, most);
	kill(c.pid, SIGKILL);
	pev_child_end(&c);
	close(channel);
}

TEST_HARNESS_MAIN
