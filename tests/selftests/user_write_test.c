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
#include <time.h>
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
	/* the first one is another place of the same mark, which was off then */
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

/* On an emulator whose host is busy the handler has most of the time: fewer marks beside it. */
#define WRITE_SECONDS 30
#define LEAST_MARKS 2000

/* From CPU to CPU while it writes; what a mark loses it says by its own count. */
static void *write_and_move(void *arg)
{
	struct storm *s = arg;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	time_t end = time(NULL) + WRITE_SECONDS;

	for (uint64_t i = 0; i < s->marks; i++) {
		count(1, (unsigned long)s->nr);
		if (i % 64)
			continue;
		if (i >= LEAST_MARKS && time(NULL) > end)
			s->marks = i + 1;
		pev_pin((int)((i / 64 + s->nr) % (uint64_t)cpus));
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
	marks = 0;
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(storms[i].thread, NULL);
		marks += storms[i].marks;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	ASSERT_LE(0, user_find(fd, getpid(), &seen));
	sums = user_walk_all(fd, &seen, NULL, NULL);
	TH_LOG("%llu records, %llu displaced, %llu of the handler, %llu rings",
	       (unsigned long long)sums.records, (unsigned long long)sums.lost,
	       (unsigned long long)from_handler, (unsigned long long)sums.rings);
	EXPECT_EQ(0, sums.damaged);
	EXPECT_EQ(0, sums.unordered);
	/* generated = delivered + displaced */
	EXPECT_EQ(marks + from_handler, sums.records + sums.lost);
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
		for (unsigned int i = 0; i < pev_mark_set.page / 8; i++)
			((uint64_t *)pev_mark_set.rings)[i] = (uint64_t)rand() << 33 ^
							      (uint64_t)rand();
		for (unsigned int i = 0; i < PEV_MARK_RING; i++)
			pev_mark_set.rings[pev_mark_set.page + i] = (char)rand();
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

#define WRITERS 2
#define BRACKETS 5000 /* of a writer, in one round: as many as a ring holds */
#define ROUND (WRITERS * BRACKETS)

/*
 * When a bracket was opened and closed by marks, and the call between them; of one round, as
 * rings have marks of earlier ones, too
 */
struct round {
	uint64_t first;
	struct bracket {
		uint64_t open, call, close;
	} brackets[ROUND];
};

static void note_mark(const struct pev_user_record *record, const uint64_t *f, void *arg)
{
	struct round *r = arg;
	uint64_t nr = f[0] - r->first;

	if (record->units != 4 || nr >= ROUND)
		return;
	if (f[1] == 98)
		r->brackets[nr].open = record->time;
	else if (f[1] == 99)
		r->brackets[nr].close = record->time;
}

/* The call's argument says which bracket it is in. */
static void note_calls(int channel, struct round *r)
{
	static const int sizes[] = { 16 };
	struct pev_map map;

	if (ioctl(channel, PEV_IOC_FLUSH, 0) || pev_map_channel(channel, &map))
		return;
	for (unsigned int cpu = 0; cpu < map.nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(&map, cpu, sizes, 1);
		struct pev_record record;
		uint64_t nr;

		while (map.rings[cpu].kernel && pev_walk_next(&walk, &record) == 1) {
			memcpy(&nr, record.payload + 8, sizeof(nr));
			if (nr - r->first < ROUND)
				r->brackets[nr - r->first].call = record.time;
		}
		if (map.rings[cpu].kernel)
			pev_walk_release(&walk);
	}
	pev_unmap_channel(&map);
}

/* A thread that writes brackets; others see its tid before it begins. */
struct writer {
	pthread_t thread;
	uint64_t first;
	volatile pid_t tid;
};

static void move_to(pid_t tid, uint64_t n)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	pev_pin_task(tid, (int)(n % (uint64_t)cpus));
}

static void *write_brackets(void *arg)
{
	struct writer *w = arg;

	w->tid = (pid_t)syscall(SYS_gettid);
	for (uint64_t i = w->first; i < w->first + BRACKETS; i++) {
		count(i, 98);
		if (!(i % 16))
			move_to(0, i / 16);
		syscall(SYS_sched_get_priority_max, i);
		count(i, 99);
	}
	w->tid = 0;
	return NULL;
}

static void make_brackets(struct __test_metadata *_metadata, uint64_t first)
{
	struct writer writers[WRITERS] = {};
	uint64_t moves = 0, left;

	for (unsigned int i = 0; i < WRITERS; i++) {
		writers[i].first = first + i * BRACKETS;
		writers[i].tid = -1;
		ASSERT_EQ(0, pthread_create(&writers[i].thread, NULL, write_brackets, &writers[i]));
	}
	/* from CPU to CPU in the middle of whatever they do */
	do {
		left = 0;
		for (unsigned int i = 0; i < WRITERS; i++) {
			pid_t tid = writers[i].tid;

			left += tid != 0;
			if (tid > 0)
				move_to(tid, moves + i);
		}
		moves++;
		pev_yield();
	} while (left);
	for (unsigned int i = 0; i < WRITERS; i++)
		pthread_join(writers[i].thread, NULL);
}

FIXTURE(order)
{
	struct round *round;
	struct user_seen seen;
	int marks, channel, calls;
};

FIXTURE_SETUP(order)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.target = PEV_TARGET_PROCESS,
		.flags = PEV_F_DISABLED,
		.name = (uintptr_t) "syscalls:sys_enter_sched_get_priority_max",
		.group_fd = -1,
		.period = 1,
		.sample = PEV_SAMPLE_TID,
	};

	PEV_NEEDS_ROOT(return );
	NEEDS_MARKS();
	self->round = malloc(sizeof(*self->round));
	ASSERT_NE(NULL, self->round);
	self->marks = listen_to_self();
	ASSERT_LE(0, self->marks);
	self->channel = pev_open_channel(1 << 20, 0, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	attr.channel_fd = self->channel;
	self->calls = pev_open(&attr);
	ASSERT_LE(0, self->calls) TH_LOG("%s", pev_reason());
}

FIXTURE_TEARDOWN(order)
{
	close(self->calls);
	close(self->channel);
	close(self->marks);
	free(self->round);
}

/* How many brackets of a round have all three times, in order */
static unsigned int in_order(const struct round *r)
{
	unsigned int right = 0;

	for (unsigned int i = 0; i < ROUND; i++) {
		const struct bracket *b = &r->brackets[i];

		if (b->open && b->open <= b->call && b->call <= b->close)
			right++;
		else if (i - right < 10)
			printf("# bracket %u: %llu %llu %llu\n", i, (unsigned long long)b->open,
			       (unsigned long long)b->call, (unsigned long long)b->close);
	}
	return right;
}

/*
 * A mark, a call that the kernel records, a mark, by two threads that are moved from CPU to CPU
 * all the time: the call's time is between those of the marks. PEV_BRACKETS says how often; it is
 * a million in the suite "brackets".
 */
TEST_F_TIMEOUT(order, with_the_kernel, 3000)
{
	const char *asked = getenv("PEV_BRACKETS");
	unsigned long total = asked		   ? strtoul(asked, NULL, 10) :
			      pev_kernel_is_slow() ? 2UL * ROUND :
						     10UL * ROUND;
	/* a busy host's emulator does less, unless it was asked */
	time_t end = time(NULL) + 60;
	unsigned long done;

	for (done = 0; done < total; done += ROUND) {
		if (!asked && done >= 2UL * ROUND && time(NULL) > end)
			break;
		memset(self->round, 0, sizeof(*self->round));
		self->round->first = done;
		ASSERT_EQ(0, pev_on(self->calls));
		make_brackets(_metadata, done);
		ASSERT_EQ(0, pev_off(self->calls));
		note_calls(self->channel, self->round);
		ASSERT_LE(0, user_find(self->marks, getpid(), &self->seen));
		user_walk_all(self->marks, &self->seen, note_mark, self->round);
		ASSERT_EQ(ROUND, in_order(self->round));
	}
	TH_LOG("%lu brackets in order", done);
}

TEST_HARNESS_MAIN
