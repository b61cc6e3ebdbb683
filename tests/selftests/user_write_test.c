// SPDX-License-Identifier: GPL-2.0
/*
 * What programs write by pev/mark.h: that no record is torn, none is counted twice and none
 * forgotten, whatever interrupts, moves or ends the thread; and that its time is in order
 * with the kernel's.
 */
#define PEV_MARK_RING (1 << 20)
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "pev_user.h"
#include <pev/mark.h>

#define NEEDS_MARKS()                                                               \
	do {                                                                        \
		if (!pev_present())                                                 \
			SKIP(return, "no pev in this kernel");                      \
		if (!pev_mark_possible())                                           \
			SKIP(return, "no restartable sequences in this C library"); \
	} while (0)

static bool is_on(const char *name)
{
	const volatile uint8_t *slot = &pev_mark_gate.gate.slots[pev_mark_slot(name)];

	for (int i = 0; i < 5000 && !*slot; i++)
		usleep(1000);
	return *slot;
}

/* Listens to all marks of this program, which are on then. */
static int listen_to_self(void)
{
	int fd = user_listen("test:*", PEV_TARGET_SUBTREE, 0, 0);

	return fd < 0 || is_on("test:count") ? fd : -ETIMEDOUT;
}

static void count(unsigned long n, unsigned long thread)
{
	PEV_USER_MARK(test, count, "%lu %lu", n, thread);
}

TEST(a_record)
{
	struct user_seen seen;
	struct user_sums sums;
	unsigned long order = 4711;
	const char *city = "Rome";
	int fd;

	NEEDS_MARKS();
	PEV_USER_MARK(test, fields, "%lu %s delta %d %f %c", order, city, -3, 1.5, 'x');
	fd = listen_to_self();
	ASSERT_LE(0, fd);
	PEV_USER_MARK(test, fields, "%lu %s delta %d %f %c", order, city, -3, 1.5, 'x');
	ASSERT_LE(0, user_find(fd, getpid(), &seen));
	sums = user_walk_all(fd, &seen, NULL, NULL);
	/* the first one is another place of the same mark, and nobody listened then */
	EXPECT_EQ(1, sums.records);
	EXPECT_EQ(0, sums.damaged + sums.lost);
	EXPECT_EQ(4711, sums.sum);
	close(fd);
}

static void check_fields(const struct pev_user_record *record, const uint64_t *f, void *arg)
{
	uint64_t half;

	memcpy(&half, &(double){ 1.5 }, 8);
	*(bool *)arg = record->tid == (uint32_t)syscall(SYS_gettid) && record->units == 2 + 6 &&
		       f[0] == 4711 && f[1] == 4 && !memcmp(&f[2], "Rome\0\0\0", 8) &&
		       (int64_t)f[3] == -3 && f[4] == half && f[5] == 'x';
}

TEST(fields)
{
	struct user_seen seen;
	unsigned long order = 4711;
	char city[] = "Rome";
	bool ok = false;
	int fd;

	NEEDS_MARKS();
	fd = listen_to_self();
	ASSERT_LE(0, fd);
	PEV_USER_MARK(test, typed, "%lu %s delta %d %f %c", order, city, -3, 1.5, 'x');
	ASSERT_LE(0, user_find(fd, getpid(), &seen));
	user_walk_all(fd, &seen, check_fields, &ok);
	EXPECT_TRUE(ok);
	close(fd);
}

/* ---- storms ---- */

#define THREADS 6

struct storm {
	pthread_t thread;
	uint64_t nr;
	uint64_t marks;
	volatile bool *stop;
};

static volatile uint64_t from_handler;

static void handler(int signal)
{
	uint64_t n = 1;

	(void)signal;
	count(n, 77);
	from_handler++;
}

/* From CPU to CPU while it writes; what a mark loses it says by its own count. */
static void *write_and_move(void *arg)
{
	struct storm *s = arg;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	for (uint64_t i = 0; i < s->marks; i++) {
		count(1, (unsigned long)s->nr);
		if (i % 64)
			continue;
		CPU_ZERO(&set);
		CPU_SET((i / 64 + s->nr) % (uint64_t)cpus, &set);
		sched_setaffinity(0, sizeof(set), &set);
	}
	return NULL;
}

/* All that was written is a whole record, or counts as lost, for each ring. */
TEST(migration_and_signals)
{
	struct storm storms[THREADS] = {};
	uint64_t marks = pev_kernel_is_slow() ? 20000 : 100000;
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = {};
	struct sigaction act = { .sa_handler = handler };
	struct user_seen seen;
	struct user_sums sums;
	int fd;

	NEEDS_MARKS();
	fd = listen_to_self();
	ASSERT_LE(0, fd);
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (unsigned int i = 0; i < THREADS; i++) {
		storms[i].nr = i;
		storms[i].marks = marks;
		ASSERT_EQ(0, pthread_create(&storms[i].thread, NULL, write_and_move, &storms[i]));
	}
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(storms[i].thread, NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	ASSERT_LE(0, user_find(fd, getpid(), &seen));
	sums = user_walk_all(fd, &seen, NULL, NULL);
	TH_LOG("%llu records, %llu displaced, %llu of the handler, %llu rings",
	       (unsigned long long)sums.records, (unsigned long long)sums.lost,
	       (unsigned long long)from_handler, (unsigned long long)sums.rings);
	EXPECT_EQ(0, sums.damaged);
	EXPECT_EQ(0, sums.unordered);
	/* generated = delivered + displaced */
	EXPECT_EQ(THREADS * marks + from_handler, sums.records + sums.lost);
	EXPECT_EQ(sums.records, sums.sum);
	EXPECT_LT(0, from_handler);
	close(fd);
}

/* A record that is under way when the process is killed is not there, and no other is hurt. */
TEST(killed_while_it_writes)
{
	struct user_seen seen;
	struct user_sums sums;
	int fd;

	NEEDS_MARKS();
	fd = user_listen("test:*", PEV_TARGET_SUBTREE, 0, 0);
	ASSERT_LE(0, fd);
	for (int round = 0; round < 20; round++) {
		int ready[2];
		char c;
		pid_t pid;

		ASSERT_EQ(0, pipe(ready));
		pid = fork();
		if (!pid) {
			for (uint64_t i = 0;; i++) {
				count(1, 0);
				if (i == 1000 && write(ready[1], "", 1) != 1)
					_exit(1);
			}
		}
		ASSERT_EQ(1, read(ready[0], &c, 1));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		ASSERT_LE(0, user_find(fd, pid, &seen));
		sums = user_walk_all(fd, &seen, NULL, NULL);
		EXPECT_EQ(0, sums.damaged);
		EXPECT_LE(1000, sums.records + sums.lost);
		EXPECT_EQ(sums.records, sums.sum);
		close(ready[0]);
		close(ready[1]);
	}
	close(fd);
}

static void check_tid(const struct pev_user_record *record, const uint64_t *f, void *arg)
{
	(void)f;
	*(bool *)arg |= record->tid == *(uint32_t *)((char *)arg + 4);
}

/* Not even a child that no fork handler runs in writes into its parent's ring, or as it. */
TEST(raw_clone)
{
	struct {
		bool found;
		char pad[3];
		uint32_t tid;
	} child = {};
	struct user_seen seen;
	struct user_sums sums;
	int fd;

	NEEDS_MARKS();
	fd = listen_to_self();
	ASSERT_LE(0, fd);
	count(5, 0);
	child.tid = (uint32_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!child.tid) {
		count(7, 0);
		syscall(SYS_exit_group, 0);
	}
	waitpid((pid_t)child.tid, NULL, 0);
	ASSERT_LE(0, user_find(fd, (int)child.tid, &seen));
	sums = user_walk_all(fd, &seen, check_tid, &child);
	EXPECT_EQ(1, sums.records);
	EXPECT_EQ(7, sums.sum);
	EXPECT_TRUE(child.found);
	ASSERT_LE(0, user_find(fd, getpid(), &seen));
	sums = user_walk_all(fd, &seen, NULL, NULL);
	EXPECT_EQ(1, sums.records);
	EXPECT_EQ(5, sums.sum);
	close(fd);
}

/* A process that scribbles over all that it can write to harms its own records alone. */
TEST(scribbler)
{
	struct user_seen seen;
	struct user_sums sums;
	int fd, ready[2];
	pid_t pid;
	char c;

	NEEDS_MARKS();
	fd = listen_to_self();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (!pid) {
		count(1, 0);
		srand(1);
		for (unsigned int i = 0; i < 4096 / 8; i++)
			((uint64_t *)pev_mark_set.rings)[i] = (uint64_t)rand() << 33 ^
							      (uint64_t)rand();
		for (unsigned int i = 0; i < PEV_MARK_RING; i++)
			pev_mark_set.rings[4096 + i] = (char)rand();
		/* what it writes itself stays within its rings */
		for (unsigned int i = 0; i < 1000; i++) {
			*(uint64_t *)pev_mark_set.rings = (uint64_t)rand() << 32 ^ (uint64_t)rand();
			count(1, 0);
		}
		_exit(write(ready[1], "", 1) != 1);
	}
	EXPECT_EQ(1, read(ready[0], &c, 1));
	waitpid(pid, NULL, 0);
	count(3, 0);
	ASSERT_LE(0, user_find(fd, getpid(), &seen));
	sums = user_walk_all(fd, &seen, NULL, NULL);
	EXPECT_EQ(1, sums.records);
	EXPECT_EQ(3, sums.sum);
	EXPECT_EQ(0, sums.damaged);
	close(fd);
}

/* ---- order with the kernel's events ---- */

#define BRACKETS 10000

/* When a bracket was opened and closed by marks, and the call between them. */
struct bracket {
	uint64_t open, call, close;
};

static void note_mark(const struct pev_user_record *record, const uint64_t *f, void *arg)
{
	struct bracket *brackets = arg;

	if (record->units != 4 || f[0] >= BRACKETS)
		return;
	if (f[1] == 98)
		brackets[f[0]].open = record->time;
	else if (f[1] == 99)
		brackets[f[0]].close = record->time;
}

/* The call's argument says which bracket it is in. */
static void note_calls(int channel, struct bracket *brackets)
{
	static const int sizes[] = { 16 };
	struct pev_map map;

	if (pev_map_channel(channel, &map))
		return;
	for (unsigned int cpu = 0; cpu < map.nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(&map, cpu, sizes, 1);
		struct pev_record record;
		uint64_t nr;

		while (map.rings[cpu].kernel && pev_walk_next(&walk, &record) == 1) {
			memcpy(&nr, record.payload + 8, sizeof(nr));
			if (nr < BRACKETS)
				brackets[nr].call = record.time;
		}
	}
	pev_unmap_channel(&map);
}

static void make_brackets(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	for (uint64_t i = 0; i < BRACKETS; i++) {
		count(i, 98);
		if (!(i % 16)) {
			CPU_ZERO(&set);
			CPU_SET(i / 16 % (uint64_t)cpus, &set);
			sched_setaffinity(0, sizeof(set), &set);
		}
		syscall(SYS_sched_get_priority_max, i);
		count(i, 99);
	}
}

/* Returns how many were in order, or -1 if one was not. */
static int check_brackets(int fd, struct bracket *brackets)
{
	struct user_seen seen;
	int channel, event, whole = 0;

	channel = pev_open_channel(1 << 20, 0, 0);
	event = pev_open_event(PEV_TYPE_TRACEPOINT, "syscalls:sys_enter_sched_get_priority_max",
			       NULL, channel);
	if (channel < 0 || event < 0 || pev_on(event))
		return -1;
	memset(brackets, 0, BRACKETS * sizeof(*brackets));
	make_brackets();
	pev_off(event);
	note_calls(channel, brackets);
	if (user_find(fd, getpid(), &seen) < 0)
		return -1;
	user_walk_all(fd, &seen, note_mark, brackets);
	for (unsigned int i = 0; i < BRACKETS; i++) {
		const struct bracket *b = &brackets[i];

		if (!b->open || !b->call || !b->close)
			continue;
		whole++;
		if (b->open > b->call || b->call > b->close) {
			printf("# bracket %u: %llu %llu %llu\n", i, (unsigned long long)b->open,
			       (unsigned long long)b->call, (unsigned long long)b->close);
			whole = -1;
			break;
		}
	}
	close(event);
	close(channel);
	return whole;
}

FIXTURE(order)
{
	struct bracket *brackets;
};

FIXTURE_SETUP(order)
{
	self->brackets = calloc(BRACKETS, sizeof(*self->brackets));
}

FIXTURE_TEARDOWN(order)
{
	free(self->brackets);
}

/*
 * A mark, a call that the kernel records, a mark, from CPU to CPU: the call's time is between
 * those of the marks, in each of a million brackets.
 */
TEST_F_TIMEOUT(order, with_the_kernel, 300)
{
	unsigned int rounds = pev_kernel_is_slow() ? 2 : 100;
	int fd, whole;

	PEV_NEEDS_ROOT(return );
	NEEDS_MARKS();
	fd = listen_to_self();
	ASSERT_LE(0, fd);
	for (unsigned int i = 0; i < rounds; i++) {
		whole = check_brackets(fd, self->brackets);
		/* some lay where the ring was written over */
		ASSERT_LT(BRACKETS / 2, whole);
	}
	close(fd);
}

TEST_HARNESS_MAIN
