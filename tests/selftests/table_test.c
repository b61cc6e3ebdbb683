// SPDX-License-Identifier: GPL-2.0
/* Tables: rows by key, what is told of them, and what a failed call leaves. */
#include "table_util.h"

/* Counts, sums, least and greatest by a field; a second reading begins again. */
TEST_F(table, by_field)
{
	struct pev_table table = table_by(64, PEV_TABLE_FIELD, "pid");
	struct told *t = &self->t;
	int fd, event;

	sum_field(&table, "pid");
	fd = open_table(&table);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	event = open_calls(ENTER, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	calls(1, 5);
	pev_on(event);
	for (unsigned int i = 1; i <= 10; i++)
		calls(i, i);
	pev_off(event);
	calls(1, 5);
	read_table(fd, table.rows, t);
	EXPECT_EQ(0, t->error);
	EXPECT_TRUE(t->balanced);
	EXPECT_EQ(10, t->nr);
	EXPECT_EQ(55, t->generated.count);
	EXPECT_EQ(0, t->other.count);
	for (uint64_t i = 1; i <= 10; i++) {
		const struct row *row = find_row(t, 1U << 29 | i);

		ASSERT_NE(NULL, row);
		EXPECT_EQ(i, row->row.count);
		EXPECT_EQ(i * (1U << 29 | i), row->row.sum);
		EXPECT_EQ(1U << 29 | i, row->row.min);
		EXPECT_EQ(1U << 29 | i, row->row.max);
	}
	EXPECT_EQ(55, pev_read(event).value);
	EXPECT_EQ(55, pev_read(event).samples);
	memset(t, 0, sizeof(*t));
	read_table(fd, table.rows, t);
	EXPECT_EQ(0, t->nr);
	EXPECT_EQ(0, t->generated.count);
	close(event);
	close(fd);
}

/* More keys than rows: what has a row keeps it, all else is other. */
TEST_F(table, of_sixteen_rows)
{
	struct pev_table table = table_by(16, PEV_TABLE_FIELD, "pid");
	struct told *t = &self->t;
	int fd, event;

	ASSERT_EQ(0, pev_pin(0));
	sum_field(&table, "pid");
	fd = open_table(&table);
	event = open_calls(ENTER, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	for (unsigned int i = 0; i < 16; i++)
		calls(i, 3);
	pev_off(event);
	read_table(fd, table.rows, t);
	EXPECT_EQ(0, t->error);
	EXPECT_EQ(16, t->nr);
	EXPECT_EQ(0, t->other.count);
	memset(t, 0, sizeof(*t));
	t->balanced = true;
	pev_on(event);
	for (unsigned int round = 0; round < 3; round++)
		for (unsigned int i = 0; i < 100; i++)
			calls(i, 1);
	pev_off(event);
	read_table(fd, table.rows, t);
	EXPECT_TRUE(t->balanced);
	EXPECT_EQ(300, t->generated.count);
	EXPECT_EQ(16, t->full);
	EXPECT_EQ(48, t->counts);
	EXPECT_EQ(252, t->other.count);
	EXPECT_LT(t->other.count << 29, t->other.sum);
	close(event);
	close(fd);
}

TEST_F(table, by_bucket)
{
	struct pev_table table = table_by(64, PEV_TABLE_FIELD, "pid");
	struct told *t = &self->t;
	int fd, event;

	table.keys[0].bucket = PEV_TABLE_LOG2;
	fd = open_table(&table);
	event = open_calls(ENTER, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	syscall(SYS_getsid, 0);
	calls(7, 2);
	pev_off(event);
	read_table(fd, table.rows, t);
	EXPECT_EQ(1, count_of(t, 0));
	EXPECT_EQ(2, count_of(t, 30));
	close(event);
	close(fd);

	/* -ESRCH, and a sign */
	memset(t, 0, sizeof(*t));
	table = table_by(64, PEV_TABLE_FIELD, "ret");
	table.keys[0].bucket = PEV_TABLE_LOG2;
	table.keys[1] = table.keys[0];
	table.keys[1].bucket = PEV_TABLE_LINEAR;
	table.keys[1].step = 2;
	table.nr_keys = 2;
	sum_field(&table, "ret");
	fd = open_table(&table);
	event = open_calls(EXIT, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	calls(7, 3);
	pev_off(event);
	read_table(fd, table.rows, t);
	ASSERT_EQ(1, t->nr);
	EXPECT_EQ((uint64_t)-2, t->rows[0].key[0]);
	EXPECT_EQ((uint64_t)-2, t->rows[0].key[1]);
	EXPECT_EQ((uint64_t)-3 * ESRCH, t->rows[0].row.sum);
	EXPECT_EQ((uint64_t)-ESRCH, t->rows[0].row.max);
	close(event);
	close(fd);
}

TEST_F(table, by_what_is_around)
{
	struct pev_table table = {
		.size = sizeof(table), .rows = 64, .nr_keys = 4, .value = PEV_TABLE_PERIOD,
		.keys = {
			{ .from = PEV_TABLE_COMM }, { .from = PEV_TABLE_PID },
			{ .from = PEV_TABLE_TID }, { .from = PEV_TABLE_SYSCALL },
		},
	};
	struct told *t = &self->t;
	int fd, event, second;

	prctl(PR_SET_NAME, "by-name");
	fd = open_table(&table);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	event = open_calls(ENTER, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	calls(1, 4);
	pev_off(event);
	read_table(fd, table.rows, t);
	ASSERT_EQ(1, t->nr);
	EXPECT_STREQ("by-name", (char *)t->rows[0].key);
	EXPECT_EQ(getpid(), t->rows[0].key[2]);
	EXPECT_EQ(syscall(SYS_gettid), t->rows[0].key[3]);
	EXPECT_EQ(SYS_getsid, t->rows[0].key[4]);
	EXPECT_EQ(4, t->rows[0].row.sum);
	close(event);
	close(fd);

	memset(t, 0, sizeof(*t));
	table.nr_keys = 3;
	memset(table.keys, 0, sizeof(table.keys));
	table.keys[0].from = PEV_TABLE_EVENT;
	table.keys[1].from = PEV_TABLE_CPU;
	table.keys[2].from = PEV_TABLE_CGROUP;
	fd = open_table(&table);
	event = open_calls(ENTER, NULL, fd);
	second = open_calls(EXIT, NULL, fd);
	ASSERT_LE(0, second) TH_LOG("%s", pev_reason());
	EXPECT_EQ(0, pev_event_id(event));
	EXPECT_EQ(1, pev_event_id(second));
	pev_on(event);
	calls(1, 2);
	pev_on(second);
	calls(1, 2);
	pev_off(second);
	pev_off(event);
	read_table(fd, table.rows, t);
	EXPECT_EQ(6, t->counts);
	for (unsigned int i = 0; i < t->nr; i++) {
		EXPECT_GT(2, t->rows[i].key[0]);
		EXPECT_GT(pev_nr_cpus(), t->rows[i].key[1]);
		EXPECT_LT(0, t->rows[i].key[2]);
	}
	close(second);
	close(event);
	close(fd);
}

/* What a filter refuses is in the law, with its values, whatever the filter looks at. */
TEST_F(table, with_a_filter)
{
	static const char * const filters[] = {
		"pid == 0x20000007", "COMM == \"none has this name\"",
	};
	struct pev_table table = table_by(64, PEV_TABLE_PID, NULL);
	int fd, event;

	sum_field(&table, "pid");
	for (unsigned int i = 0; i < 2; i++) {
		struct told *t = &self->t;

		memset(t, 0, sizeof(*t));
		t->balanced = true;
		fd = open_table(&table);
		event = open_calls(ENTER, filters[i], fd);
		ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
		pev_on(event);
		calls(7, 4);
		calls(1, 3);
		pev_off(event);
		read_table(fd, table.rows, t);
		EXPECT_TRUE(t->balanced);
		EXPECT_EQ(7, t->generated.count);
		EXPECT_EQ(7 * (1ULL << 29) + 4 * 7 + 3, t->generated.sum);
		EXPECT_EQ(i ? 7 : 3, t->filtered.count);
		EXPECT_EQ(i ? t->generated.sum : 3 * (1ULL << 29 | 1), t->filtered.sum);
		EXPECT_EQ(i ? 0 : 4, t->counts);
		EXPECT_EQ(pev_read(event).filtered, t->filtered.count);
		close(event);
		close(fd);
	}
}

/* Every third one: what it stands for is the value. */
TEST_F(table, with_a_period)
{
	struct pev_table table = table_by(64, PEV_TABLE_PID, NULL);
	struct told *t = &self->t;
	uint64_t period = 3;
	int fd, event;

	table.value = PEV_TABLE_PERIOD;
	fd = open_table(&table);
	event = open_calls(ENTER, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, ioctl(event, PEV_IOC_PERIOD, &period));
	pev_on(event);
	calls(7, 300);
	pev_off(event);
	read_table(fd, table.rows, t);
	EXPECT_TRUE(t->balanced);
	/* a CPU that the task leaves keeps what it has begun */
	EXPECT_GE(100, t->counts);
	EXPECT_LE(100 - pev_nr_cpus(), t->counts);
	EXPECT_EQ(3 * t->counts, t->generated.sum);
	close(event);
	close(fd);
}

/* Nothing is taken away by a call that fails. */
TEST_F(table, bad_buffers)
{
	struct pev_table table = table_by(64, PEV_TABLE_FIELD, "pid");
	static const struct pev_table_swap too_small = { .size = sizeof(too_small) };
	struct pev_table_swap swap = { .size = sizeof(swap), .nr_rows = 63 };
	struct told *t = &self->t;
	int fd, event;

	fd = open_table(&table);
	event = open_calls(ENTER, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	calls(7, 4);
	pev_off(event);
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_TABLE_SWAP, &swap));
	EXPECT_EQ(ENOSPC, errno);
	EXPECT_EQ(64, swap.nr_rows);
	EXPECT_EQ(0, swap.nr_words);
	EXPECT_EQ(sizeof(struct pev_table_row) + 8, swap.row_size);
	for (unsigned int cpu = 0; cpu < pev_nr_cpus(); cpu++) {
		swap.cpu = cpu;
		swap.rows = 8;
		swap.nr_rows = 64;
		if (ioctl(fd, PEV_IOC_TABLE_SWAP, &swap))
			EXPECT_EQ(EFAULT, errno);
	}
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_TABLE_SWAP, NULL));
	EXPECT_EQ(EFAULT, errno);
	/* what is asked for can be read, and what is needed not be written */
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_TABLE_SWAP, &too_small));
	EXPECT_EQ(EFAULT, errno);
	swap.cpu = pev_nr_cpus();
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_TABLE_SWAP, &swap));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_FLUSH, 0));
	EXPECT_EQ(ENOTTY, errno);
	/* what came meanwhile is in the next one */
	pev_on(event);
	calls(7, 3);
	pev_off(event);
	read_table(fd, table.rows, t);
	read_table(fd, table.rows, t);
	EXPECT_EQ(7, count_of(t, 1U << 29 | 7));
	EXPECT_EQ(1, t->nr);
	close(event);
	close(fd);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* When a row came first and last, beside the sum of its values. */
TEST_F(table, with_times)
{
	struct pev_table table = table_by(64, PEV_TABLE_FIELD, "pid");
	uint64_t before, between, after;
	struct told *t = &self->t;
	int fd, event;

	sum_field(&table, "pid");
	table.flags = PEV_TABLE_F_TIMES;
	table.clock = PEV_CLOCK_MONOTONIC;
	fd = open_table(&table);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	event = open_calls(ENTER, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	before = now();
	calls(7, 1);
	between = now();
	calls(7, 3);
	after = now();
	pev_off(event);
	read_table(fd, table.rows, t);
	ASSERT_EQ(1, t->nr);
	EXPECT_EQ(4 * (1ULL << 29 | 7), t->rows[0].row.sum);
	EXPECT_LE(before, t->rows[0].row.min);
	EXPECT_GE(between, t->rows[0].row.min);
	EXPECT_LE(between, t->rows[0].row.max);
	EXPECT_GE(after, t->rows[0].row.max);
	close(event);
	close(fd);
}

TEST_HARNESS_MAIN
