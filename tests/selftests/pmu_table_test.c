// SPDX-License-Identifier: GPL-2.0
/*
 * Tables whose values are hardware counters: the rows add up to the machine's counter, to the
 * instruction; each cgroup has what a counter of its own says; and a switch between tasks
 * costs the same with two rows and with hundreds.
 */
#include <linux/sched.h>
#include <sys/stat.h>
#define MAX_ROWS 1024
#include "table_util.h"
#include "pmu_util.h"

#define CGROUPS "/sys/fs/cgroup"
#define MANY 500

/* An event that counts in a table. */
struct counter {
	struct pev_table table;
	int fd;
	int event;
};

static int open_machine(int table, int leader, uint64_t flags)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, flags, -1, 0);

	attr.target = PEV_TARGET_CPUS;
	attr.target_id = -1;
	attr.channel_fd = table;
	attr.group_fd = leader;
	return pev_open(&attr);
}

static void open_counter(struct __test_metadata *_metadata, struct counter *c, uint32_t from,
			 int leader, uint64_t flags)
{
	c->table = table_by(MAX_ROWS, from, NULL);
	c->table.value = PEV_TABLE_COUNTED;
	c->fd = open_table(&c->table);
	ASSERT_LE(0, c->fd) TH_LOG("%s", pev_reason());
	c->event = open_machine(c->fd, leader, flags);
	ASSERT_LE(0, c->event) TH_LOG("%s", pev_reason());
}

static void close_counter(struct counter *c)
{
	close(c->event);
	close(c->fd);
}

static void run_loop(struct __test_metadata *_metadata, unsigned long rounds)
{
	struct pev_child c;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pmu_loop(rounds);
		_exit(0);
	}
	EXPECT_EQ(0, pev_child_end(&c));
}

/* A counter beside it, which starts and stops at the same instruction. */
TEST_F(table, of_counters_adds_up)
{
	struct told *t = &self->t;
	struct counter c;
	int leader;

	PMU_SKIP_WITHOUT(SKIP);
	leader = open_machine(-1, -1, 0);
	ASSERT_LE(0, leader) TH_LOG("%s", pev_reason());
	open_counter(_metadata, &c, PEV_TABLE_PID, leader, 0);
	ASSERT_EQ(0, ioctl(leader, PEV_IOC_ENABLE, PEV_IOF_GROUP));
	for (unsigned int i = 0; i < 20; i++) {
		run_loop(_metadata, 1000 * (i + 1));
		if (i % 5 == 4)
			read_table(c.fd, MAX_ROWS, t);
	}
	ASSERT_EQ(0, ioctl(leader, PEV_IOC_DISABLE, PEV_IOF_GROUP));
	read_table(c.fd, MAX_ROWS, t);
	EXPECT_EQ(0, t->error);
	EXPECT_TRUE(t->balanced);
	EXPECT_LT(20, t->nr);
	EXPECT_EQ(0, t->other.count);
	EXPECT_EQ(pev_read(c.event).value, t->generated.sum);
	/* without a switch for all counters one starts an instruction before the other */
	if (pmu_is_exact())
		EXPECT_GE(1, llabs((long long)(pev_read(leader).value - t->generated.sum)));
	TH_LOG("%llu instructions of %u tasks", (unsigned long long)t->generated.sum, t->nr);
	close_counter(&c);
	close(leader);
}

/* ---- hundreds of cgroups ---- */

static void cgroup_path(char path[64], int nr)
{
	snprintf(path, 64, CGROUPS "/pev-count.%d.%d", getpid(), nr);
}

/**
 * struct member - a cgroup
 * @id:    of it
 * @event: a counter of its own
 */
struct member {
	uint64_t id;
	int event;
};

static void make_cgroup(struct __test_metadata *_metadata, int nr)
{
	char path[64];

	cgroup_path(path, nr);
	ASSERT_EQ(0, mkdir(path, 0755));
}

static void remove_cgroup(int nr)
{
	char path[64];

	cgroup_path(path, nr);
	rmdir(path);
}

static void make_member(struct __test_metadata *_metadata, struct member *m, int nr)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, -1, 0);
	char path[64];
	struct stat st;

	make_cgroup(_metadata, nr);
	cgroup_path(path, nr);
	attr.target = PEV_TARGET_CGROUP;
	attr.target_id = open(path, O_RDONLY | O_DIRECTORY);
	ASSERT_EQ(0, fstat(attr.target_id, &st));
	m->id = st.st_ino;
	m->event = pev_open(&attr);
	ASSERT_LE(0, m->event) TH_LOG("%s", pev_reason());
	close(attr.target_id);
}

/* A process that is moved into the cgroup while it sleeps, and then counts. */
static void run_member(struct __test_metadata *_metadata, int nr, unsigned long rounds)
{
	struct pev_child c;
	char path[80];

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pev_child_wait(&c);
		pmu_loop(rounds);
		_exit(0);
	}
	pev_settled(c.pid);
	cgroup_path(path, nr);
	strcat(path, "/cgroup.procs");
	ASSERT_EQ(0, pev_put_number(path, c.pid));
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
}

static struct member members[MANY];

TEST_F_TIMEOUT(table, of_counters_by_cgroup, 300)
{
	int many = pmu_is_exact() && !pmu_kernel_is_instrumented() ? MANY : 20;
	struct told *t = &self->t;
	uint64_t known = 0;
	struct counter c;

	PMU_SKIP_WITHOUT(SKIP);
	if (access(CGROUPS "/cgroup.procs", W_OK))
		SKIP(return, "needs cgroup v2 at " CGROUPS);
	ASSERT_EQ(0, pev_pin(0));
	open_counter(_metadata, &c, PEV_TABLE_CGROUP, -1, USER_ONLY);
	for (int i = 0; i < many; i++)
		make_member(_metadata, &members[i], i);
	for (int i = 0; i < many; i++)
		pev_on(members[i].event);
	pev_on(c.event);
	for (int i = 0; i < many; i++)
		run_member(_metadata, i, 100 + i);
	pev_off(c.event);
	read_table(c.fd, MAX_ROWS, t);
	EXPECT_TRUE(t->balanced);
	EXPECT_EQ(0, t->other.count);
	EXPECT_EQ(pev_read(c.event).value, t->generated.sum);
	for (int i = 0; i < many; i++) {
		const struct row *row = find_row(t, members[i].id);

		ASSERT_NE(NULL, row);
		EXPECT_LE((100 + i) * PMU_ROUND, row->row.sum);
		if (pmu_is_exact())
			EXPECT_EQ(pev_read(members[i].event).value, row->row.sum);
		known += row->row.sum;
		close(members[i].event);
		remove_cgroup(i);
	}
	TH_LOG("%d cgroups with %llu instructions, %u rows", many, (unsigned long long)known,
	       t->nr);
	close_counter(&c);
}

/* ---- what a switch costs ---- */

#define ROUNDS 20
#define BATCHES 10
/* of two tasks that alternate one is the test, the other one of these */
#define PARTNERS 5
/*
 * Instructions of a switch. The row of the cgroup is where it was. Those of later partners may be
 * some steps from their places, on average of five; a walk over all rows takes thousands. On POWER
 * what the event adds differs by up to a hundred from one measurement to the next, with few rows as
 * with many: Linux restores registers of floating point and of vectors at the 256 returns to user mode
 * that follow a use of them, 218 instructions a switch, in some of the partners and in others not.
 */
#ifdef __powerpc__
#define ABOUT 300
#define SOME_STEPS 300
#else
#define ABOUT 20
#define SOME_STEPS 80
#endif

/*
 * Neither task is preempted when the other one wakes, nor do they wait for what the kernel does
 * beside them: each round takes the same way. It is for a moment only: such tasks may take 95 % of
 * a CPU.
 */
static void run_alone(struct __test_metadata *_metadata, bool alone)
{
	struct sched_param param = { .sched_priority = alone };

	ASSERT_EQ(0, sched_setscheduler(0, alone ? SCHED_FIFO : SCHED_OTHER, &param));
}

/*
 * Return: the least instructions of a round with another process on this CPU, which has two
 * switches. All but what comes now and then take as many.
 */
static uint64_t least_round(struct pev_child *c, int counter)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		uint64_t before = pev_read(counter).value, now;

		pev_child_go(c);
		pev_child_hear(c);
		now = pev_read(counter).value - before;
		least = now < least ? now : least;
	}
	return least;
}

/*
 * What an event with a table adds to a round, with one partner. What else a switch costs changes
 * with what the kernel has behind it, hundreds of cgroups and what is left of dead processes: rounds
 * with the event and without it alternate.
 */
static int64_t added(struct __test_metadata *_metadata, int counter, int event)
{
	uint64_t with = UINT64_MAX, without = UINT64_MAX, now;
	struct pev_child c;

	run_alone(_metadata, true);
	ASSERT_LE(0, pev_child_start(&c))
	{
		return 0;
	}
	if (!c.pid) {
		char byte;

		while (read(c.go[0], &byte, 1) == 1)
			pev_child_say(&c, 1);
		_exit(0);
	}
	for (unsigned int i = 0; i < BATCHES; i++) {
		now = least_round(&c, counter);
		with = now < with ? now : with;
		pev_off(event);
		now = least_round(&c, counter);
		without = now < without ? now : without;
		pev_on(event);
	}
	EXPECT_EQ(0, pev_child_end(&c));
	run_alone(_metadata, false);
	return with - without;
}

/* Return: what the event adds to a switch, on average of several partners, in instructions. */
static int64_t turns(struct __test_metadata *_metadata, int counter, int event)
{
	int64_t sum = 0;

	for (unsigned int i = 0; i < PARTNERS; i++)
		sum += added(_metadata, counter, event);
	return sum / (PARTNERS * 2);
}

static void compare(struct __test_metadata *_metadata, const char *when, int64_t few, int64_t many,
		    unsigned int rows, int64_t about)
{
	TH_LOG("a switch: %lld instructions %s, %lld with %u rows", (long long)few, when,
	       (long long)many, rows);
	EXPECT_LT(0, few);
	EXPECT_GE(about, llabs(many - few));
}

TEST_F_TIMEOUT(table, of_counters_costs_the_same, 300)
{
	struct told *t = &self->t;
	int64_t few, many;
	struct counter c;
	int counter;

	PMU_SKIP_WITHOUT(SKIP);
	if (!pmu_is_exact() || pmu_kernel_is_instrumented())
		SKIP(return, "instructions are compared where they are counted exactly");
	ASSERT_EQ(0, pev_pin(0));
	open_counter(_metadata, &c, PEV_TABLE_PID, -1, 0);
	counter = open_machine(-1, -1, 0);
	ASSERT_LE(0, counter);
	pev_on(counter);
	pev_on(c.event);
	few = turns(_metadata, counter, c.event);
	for (unsigned int i = 0; i < MANY; i++)
		run_loop(_metadata, 1);
	many = turns(_metadata, counter, c.event);
	pev_off(c.event);
	pev_off(counter);
	read_table(c.fd, MAX_ROWS, t);
	EXPECT_LT(MANY, t->nr);
	EXPECT_EQ(0, t->other.count);
	compare(_metadata, "with few rows", few, many, t->nr, SOME_STEPS);
	close_counter(&c);
	close(counter);
}

/* The same by cgroup: what a switch costs before there are any, and with a row for each of 500. */
TEST_F_TIMEOUT(table, of_cgroups_costs_the_same, 300)
{
	struct told *t = &self->t;
	int64_t few, many;
	struct counter c;
	int counter;

	PMU_SKIP_WITHOUT(SKIP);
	if (!pmu_is_exact() || pmu_kernel_is_instrumented())
		SKIP(return, "instructions are compared where they are counted exactly");
	if (access(CGROUPS "/cgroup.procs", W_OK))
		SKIP(return, "needs cgroup v2 at " CGROUPS);
	ASSERT_EQ(0, pev_pin(0));
	open_counter(_metadata, &c, PEV_TABLE_CGROUP, -1, 0);
	counter = open_machine(-1, -1, 0);
	ASSERT_LE(0, counter);
	pev_on(counter);
	pev_on(c.event);
	few = turns(_metadata, counter, c.event);
	for (int i = 0; i < MANY; i++) {
		make_cgroup(_metadata, i);
		run_member(_metadata, i, 1);
	}
	many = turns(_metadata, counter, c.event);
	pev_off(c.event);
	pev_off(counter);
	read_table(c.fd, MAX_ROWS, t);
	for (int i = 0; i < MANY; i++)
		remove_cgroup(i);
	EXPECT_LE(MANY, t->nr);
	EXPECT_EQ(0, t->other.count);
	EXPECT_EQ(pev_read(c.event).value, t->generated.sum);
	compare(_metadata, "without cgroups", few, many, t->nr, ABOUT);
	close_counter(&c);
	close(counter);
}

TEST_HARNESS_MAIN
