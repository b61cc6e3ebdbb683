// SPDX-License-Identifier: GPL-2.0
/*
 * Tables with pairs: how long it took from one event to another, by thread or by field, on
 * any CPU; what is open, replaced, given up or unmatched is told, and all of it adds up.
 */
#include <linux/sched.h>
#include <pthread.h>
#include "table_util.h"

#define BEGIN "syscalls:sys_enter_getsid"
#define END "syscalls:sys_enter_getpgid"

/* Latencies by @from, of pairs by a field that both events have. */
static struct pev_table pairs_by(uint32_t open, uint32_t from, uint32_t bucket)
{
	struct pev_table table = table_by(MAX_ROWS, from, NULL);

	table.keys[0].bucket = bucket;
	table.value = PEV_TABLE_OF_LATENCY;
	table.open = open;
	table.nr_pair = 1;
	table.begin[0].from = PEV_TABLE_FIELD;
	strcpy(table.begin[0].name, "pid");
	table.end[0] = table.begin[0];
	return table;
}

/* A table with both events, on. */
struct pair {
	int fd;
	int begin;
	int end;
};

static void open_pair(struct __test_metadata *_metadata, struct pair *p,
		      const struct pev_table *table)
{
	p->fd = open_table(table);
	ASSERT_LE(0, p->fd) TH_LOG("%s", pev_reason());
	p->begin = open_point(BEGIN, p->fd, PEV_TARGET_TASK, PEV_F_BEGIN, 0);
	ASSERT_LE(0, p->begin) TH_LOG("%s", pev_reason());
	p->end = open_point(END, p->fd, PEV_TARGET_TASK, 0, 0);
	ASSERT_LE(0, p->end) TH_LOG("%s", pev_reason());
	pev_on(p->begin);
	pev_on(p->end);
}

static void close_pair(struct pair *p, struct told *t)
{
	pev_off(p->begin);
	pev_off(p->end);
	read_table(p->fd, MAX_ROWS, t);
	close(p->begin);
	close(p->end);
	close(p->fd);
}

static void begin(unsigned int id)
{
	syscall(SYS_getsid, id);
}

static void end(unsigned int id)
{
	syscall(SYS_getpgid, id);
}

static bool pairs_add_up(const struct told *t)
{
	return t->balanced &&
	       t->begun == t->counts + t->other.count + t->replaced + t->dropped + t->open &&
	       t->generated.count == t->counts + t->other.count + t->lost.count +
					     t->filtered.count + t->unmatched.count;
}

/* Of ten that begin, in another order, and one that had not begun. */
TEST_F(table, of_pairs_by_field)
{
	struct pev_table table = pairs_by(64, PEV_TABLE_PID, PEV_TABLE_EXACT);
	struct told *t = &self->t;
	struct pair p;

	open_pair(_metadata, &p, &table);
	for (unsigned int id = 1; id <= 10; id++)
		begin(id);
	for (unsigned int id = 9; id >= 3; id--)
		end(id);
	end(77);
	end(5);
	close_pair(&p, t);
	EXPECT_EQ(0, t->error);
	EXPECT_TRUE(pairs_add_up(t));
	EXPECT_EQ(10, t->begun);
	EXPECT_EQ(7, t->counts);
	EXPECT_EQ(2, t->unmatched.count);
	EXPECT_EQ(3, t->open);
	EXPECT_EQ(0, t->replaced);
	EXPECT_EQ(0, t->dropped);
	EXPECT_EQ(1, t->nr);
}

/* A time that is known from outside: not shorter than what was waited, nor longer. */
TEST_F(table, of_pairs_is_right)
{
	struct pev_table table = pairs_by(64, PEV_TABLE_LATENCY, PEV_TABLE_EIGHTHS);
	struct told *t = &self->t;
	uint64_t before, between, after, value, shift;
	struct pair p;
	int cpus[2], nr = pev_cpus(cpus, 2);

	open_pair(_metadata, &p, &table);
	pev_pin(cpus[0]);
	before = pev_clock_ns(CLOCK_MONOTONIC);
	begin(7);
	between = pev_clock_ns(CLOCK_MONOTONIC);
	/* it may end on another CPU */
	if (nr > 1)
		pev_pin(cpus[1]);
	pev_spin(3000000);
	value = pev_clock_ns(CLOCK_MONOTONIC) - between;
	end(7);
	after = pev_clock_ns(CLOCK_MONOTONIC);
	close_pair(&p, t);
	EXPECT_TRUE(pairs_add_up(t));
	ASSERT_EQ(1, t->nr);
	EXPECT_EQ(1, t->rows[0].row.count);
	EXPECT_LE(value, t->rows[0].row.sum);
	EXPECT_GE(after - before, t->rows[0].row.sum);
	EXPECT_EQ(t->rows[0].row.sum, t->rows[0].row.min);
	EXPECT_EQ(t->rows[0].row.sum, t->rows[0].row.max);
	/* the bucket that it is in */
	value = t->rows[0].row.sum;
	shift = 60 - __builtin_clzll(value);
	EXPECT_EQ(8 * shift + (value >> shift), t->rows[0].key[0]);
}

TEST_F(table, of_pairs_by_thread)
{
	struct pev_table table = pairs_by(64, PEV_TABLE_TID, PEV_TABLE_EXACT);
	struct told *t = &self->t;
	int fd, events[2];

	table.begin[0] = (struct pev_table_key){ .from = PEV_TABLE_TID };
	table.end[0] = table.begin[0];
	fd = open_table(&table);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	events[0] = open_point(ENTER, fd, PEV_TARGET_TASK, PEV_F_BEGIN, 0);
	events[1] = open_point(EXIT, fd, PEV_TARGET_TASK, 0, 0);
	ASSERT_LE(0, events[1]) TH_LOG("%s", pev_reason());
	pev_on(events[1]);
	pev_on(events[0]);
	calls(1, 25);
	pev_off(events[0]);
	calls(1, 5);
	pev_off(events[1]);
	read_table(fd, MAX_ROWS, t);
	EXPECT_TRUE(pairs_add_up(t));
	EXPECT_EQ(25, count_of(t, syscall(SYS_gettid)));
	EXPECT_EQ(25, t->begun);
	EXPECT_EQ(5, t->unmatched.count);
	EXPECT_LT(0, t->rows[0].row.min);
	EXPECT_EQ(25, pev_read(events[0]).samples);
	EXPECT_EQ(30, pev_read(events[1]).samples);
	close(events[0]);
	close(events[1]);
	close(fd);
}

/* The same key again, and more than there is room for: the newest are open. */
TEST_F(table, of_few_open_pairs)
{
	struct pev_table table = pairs_by(PEV_MIN_TABLE_OPEN, PEV_TABLE_PID, PEV_TABLE_EXACT);
	struct told *t = &self->t;
	struct pair p;

	open_pair(_metadata, &p, &table);
	for (unsigned int i = 0; i < 4; i++)
		begin(1);
	end(1);
	end(1);
	for (unsigned int id = 1; id <= 40; id++)
		begin(id);
	read_table(p.fd, MAX_ROWS, t);
	EXPECT_EQ(44, t->begun);
	EXPECT_EQ(3, t->replaced);
	EXPECT_EQ(24, t->dropped);
	EXPECT_EQ(16, t->open);
	EXPECT_EQ(1, t->counts);
	EXPECT_EQ(1, t->unmatched.count);
	for (unsigned int id = 1; id <= 40; id++)
		end(id);
	close_pair(&p, t);
	EXPECT_TRUE(pairs_add_up(t));
	EXPECT_EQ(17, t->counts);
	EXPECT_EQ(25, t->unmatched.count);
	EXPECT_EQ(0, t->open);
}

/* ---- the law ---- */

static volatile bool flooding;

static void *flood(void *arg)
{
	pev_pin((long)arg);
	while (flooding) {
		/* what begins and ends on different CPUs, too */
		for (unsigned int i = 0; i < 64; i++) {
			begin(i);
			end((i * 7 + (unsigned long)arg) % 80);
		}
	}
	return NULL;
}

TEST_F(table, law_of_pairs)
{
	struct pev_table table = pairs_by(32, PEV_TABLE_LATENCY, PEV_TABLE_LOG2);
	struct told *t = &self->t;
	int cpus[8], nr = pev_cpus(cpus, 8);
	struct pair p;
	pthread_t threads[8];
	unsigned int readings, enough = pev_kernel_is_slow() ? 40 : 200;

	/* so few rows that there is an other one */
	table.rows = 2;
	p.fd = open_table(&table);
	ASSERT_LE(0, p.fd) TH_LOG("%s", pev_reason());
	p.begin = open_point(BEGIN, p.fd, PEV_TARGET_CPUS, PEV_F_BEGIN, 0);
	p.end = open_point(END, p.fd, PEV_TARGET_CPUS, 0, 0);
	ASSERT_LE(0, p.end) TH_LOG("%s", pev_reason());
	flooding = true;
	for (int i = 0; i < nr; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, flood, (void *)(long)cpus[i]));
	pev_on(p.begin);
	pev_on(p.end);
	for (readings = 0; readings < 20000; readings++) {
		read_table(p.fd, MAX_ROWS, t);
		if (readings >= enough && t->counts && t->other.count && t->unmatched.count &&
		    t->dropped && t->replaced)
			break;
	}
	pev_off(p.begin);
	pev_off(p.end);
	flooding = false;
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	read_table(p.fd, MAX_ROWS, t);
	TH_LOG("%llu begun = %llu in rows + %llu other + %llu replaced + %llu dropped + %llu open",
	       (unsigned long long)t->begun, (unsigned long long)t->counts,
	       (unsigned long long)t->other.count, (unsigned long long)t->replaced,
	       (unsigned long long)t->dropped, (unsigned long long)t->open);
	EXPECT_EQ(0, t->error);
	EXPECT_TRUE(pairs_add_up(t));
	EXPECT_LT(0, t->counts);
	EXPECT_LT(0, t->dropped);
	EXPECT_LT(0, t->replaced);
	EXPECT_LT(0, t->unmatched.count);
	EXPECT_EQ(t->begun, pev_read(p.begin).samples);
	EXPECT_EQ(t->generated.count, pev_read(p.end).samples);
	close(p.begin);
	close(p.end);
	close(p.fd);
}

/* ---- what is refused, and older programs ---- */

TEST_F(table, refusals_of_pairs)
{
	const struct pev_table good = pairs_by(64, PEV_TABLE_PID, PEV_TABLE_EXACT);
	struct pev_table bad;
	int fd;

	BAD("can't have 15 open", bad.open = 15);
	BAD("can't have 1048577 open", bad.open = PEV_MAX_TABLE_OPEN + 1);
	BAD("can't have 0 open", bad.open = 0);
	BAD("pairs can't have 0 keys", bad.nr_pair = 0);
	BAD("pairs can't have 5 keys", bad.nr_pair = 5);
	BAD("without buckets", bad.begin[0].bucket = PEV_TABLE_LOG2);
	BAD("a task, CPU, cgroup or field",
	    bad.end[0] = (struct pev_table_key){ .from = PEV_TABLE_COMM });
	BAD("need pairs", bad.open = bad.nr_pair = 0);
	BAD("what events count has no pairs", bad.value = PEV_TABLE_COUNTED);
	bad = table_by(64, PEV_TABLE_LATENCY, NULL);
	REFUSED(EINVAL, open_table(&bad), "latencies need pairs");
	bad = table_by(64, PEV_TABLE_PID, NULL);
	fd = open_table(&bad);
	EXPECT_EQ(-EINVAL, open_point(BEGIN, fd, PEV_TARGET_TASK, PEV_F_BEGIN, 0));
	EXPECT_NE(NULL, strstr(pev_reason(), "needs a table with pairs"))
	TH_LOG("%s", pev_reason());
	close(fd);
	fd = open_table(&good);
	EXPECT_EQ(-EINVAL, open_point("sched:sched_switch", fd, PEV_TARGET_TASK, 0, 0));
	EXPECT_NE(NULL, strstr(pev_reason(), "which sched:sched_switch does not have"))
	TH_LOG("%s", pev_reason());
	close(fd);
}

/* Sizes of before there were pairs. */
TEST_F(table, smaller_structures)
{
	struct pev_table table = table_by(64, PEV_TABLE_FIELD, "ret");
	struct {
		struct pev_table_swap swap;
		uint64_t behind;
	} out = { .swap.nr_rows = 64 };
	char rows[64 * 64];
	int fd, event;

	table.size = PEV_TABLE_SIZE_VER0;
	sum_field(&table, "ret");
	fd = open_table(&table);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	event = open_calls(EXIT, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	memset(&out, 0x55, sizeof(out));
	out.swap = (struct pev_table_swap){
		.size = PEV_TABLE_SWAP_SIZE_VER0,
		.rows = (uintptr_t)rows,
		.nr_rows = 64,
		.begun = 17,
	};
	ASSERT_EQ(0, ioctl(fd, PEV_IOC_TABLE_SWAP, &out));
	EXPECT_EQ(17, out.swap.begun);
	/* the key and the value have a sign */
	EXPECT_EQ(1U << PEV_MAX_TABLE_KEYS | 1, out.swap.sign);
	out.swap = (struct pev_table_swap){
		.size = PEV_TABLE_SWAP_SIZE_VER0 - 1,
		.rows = (uintptr_t)rows,
		.nr_rows = 64,
	};
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_TABLE_SWAP, &out));
	EXPECT_EQ(EINVAL, errno);
	close(event);
	close(fd);
}

TEST_HARNESS_MAIN
