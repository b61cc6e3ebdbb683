// SPDX-License-Identifier: GPL-2.0
/*
 * Tables: rows by key, what is told of them, and the law: what came is in a row, in the
 * other row, lost or filtered, for the count and for the sum, whatever interrupts what.
 */
#include <linux/sched.h>
#include <pthread.h>
#include <sys/syscall.h>
#include "kselftest_harness.h"
#include "pev_child.h"

#define ENTER		"syscalls:sys_enter_getsid"
#define EXIT		"syscalls:sys_exit_getsid"
#define WORDS		8
#define MAX_ROWS	256
#define FRAMES		PEV_MIN_TABLE_FRAMES

#ifdef __powerpc__
#define POWER		true
#else
#define POWER		false
#endif

struct row {
	struct pev_table_row	row;
	uint64_t		key[WORDS];
};

/* What a table told, of all CPUs; rows of the same key are one. */
struct told {
	struct row		rows[MAX_ROWS];
	unsigned int		nr;
	unsigned int		full;	/* rows of the CPU that had most */
	uint64_t		counts;
	struct pev_table_sum	generated;
	struct pev_table_sum	other;
	struct pev_table_sum	lost;
	struct pev_table_sum	filtered;
	bool			balanced;
	int			error;
	uint64_t		words[FRAMES];	/* of the last CPU that had rows */
	unsigned int		nr_words;
};

static int open_table(const struct pev_table *table)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TABLE, .config = (uintptr_t)table,
		.channel_fd = -1, .group_fd = -1,
	};

	return pev_open(&attr);
}

static struct pev_table table_by(uint32_t rows, uint32_t from, const char *name)
{
	struct pev_table table = {
		.size = sizeof(table), .rows = rows, .nr_keys = 1,
		.keys[0].from = from,
	};

	if (name)
		strcpy(table.keys[0].name, name);
	return table;
}

static void sum_field(struct pev_table *table, const char *name)
{
	table->value = PEV_TABLE_OF_FIELD;
	strcpy(table->field, name);
}

static int open_calls(const char *name, const char *filter, int table)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT, .target = PEV_TARGET_TASK,
		.flags = PEV_F_DISABLED, .name = (uintptr_t)name, .filter = (uintptr_t)filter,
		.channel_fd = table, .group_fd = -1, .period = 1,
	};

	return pev_open(&attr);
}

static void add_row(struct told *t, const struct pev_table_row *row, unsigned int words)
{
	struct row *to = NULL;

	t->counts += row->count;
	for (unsigned int i = 0; i < t->nr && !to; i++)
		if (!memcmp(t->rows[i].key, row->key, words * 8))
			to = &t->rows[i];
	if (!to && t->nr == MAX_ROWS)
		return;
	if (!to) {
		to = &t->rows[t->nr++];
		to->row = *row;
		memcpy(to->key, row->key, words * 8);
		return;
	}
	to->row.count += row->count;
	to->row.sum += row->sum;
	if (row->min < to->row.min)
		to->row.min = row->min;
	if (row->max > to->row.max)
		to->row.max = row->max;
}

static void add_sum(struct pev_table_sum *to, const struct pev_table_sum *sum)
{
	to->count += sum->count;
	to->sum += sum->sum;
}

/* One CPU's, with its own law. */
static void read_cpu(int fd, unsigned int cpu, uint32_t room, struct told *t)
{
	char *rows = malloc((size_t)room * sizeof(struct row));
	uint64_t words[FRAMES];
	struct pev_table_swap swap = {
		.size = sizeof(swap), .cpu = cpu, .rows = (uintptr_t)rows, .nr_rows = room,
		.stacks = (uintptr_t)words, .nr_words = FRAMES,
	};
	struct pev_table_sum all = { };

	if (!rows || ioctl(fd, PEV_IOC_TABLE_SWAP, &swap)) {
		t->error = rows ? errno : ENOMEM;
		free(rows);
		return;
	}
	for (unsigned int i = 0; i < swap.nr_rows; i++) {
		const struct pev_table_row *row = (void *)(rows + i * swap.row_size);

		add_row(t, row, (swap.row_size - sizeof(*row)) / 8);
		all.count += row->count;
		all.sum += row->sum;
	}
	add_sum(&all, &swap.other);
	add_sum(&all, &swap.lost);
	add_sum(&all, &swap.filtered);
	t->balanced &= all.count == swap.generated.count && all.sum == swap.generated.sum;
	add_sum(&t->generated, &swap.generated);
	add_sum(&t->other, &swap.other);
	add_sum(&t->lost, &swap.lost);
	add_sum(&t->filtered, &swap.filtered);
	if (swap.nr_rows > t->full)
		t->full = swap.nr_rows;
	if (swap.nr_rows) {
		memcpy(t->words, words, swap.nr_words * sizeof(words[0]));
		t->nr_words = swap.nr_words;
	}
	free(rows);
}

static void read_table(int fd, uint32_t room, struct told *t)
{
	for (unsigned int cpu = 0; cpu < pev_nr_cpus(); cpu++)
		read_cpu(fd, cpu, room, t);
}

static const struct row *find_row(const struct told *t, uint64_t key)
{
	for (unsigned int i = 0; i < t->nr; i++)
		if (t->rows[i].key[0] == key)
			return &t->rows[i];
	return NULL;
}

static uint64_t count_of(const struct told *t, uint64_t key)
{
	const struct row *row = find_row(t, key);

	return row ? row->row.count : 0;
}

/* ids that no process has */
static void calls(unsigned int id, unsigned int times)
{
	/* from one place, which unrolling would make several */
#pragma GCC unroll 1
	while (times--)
		syscall(SYS_getsid, 1U << 29 | id);
}

FIXTURE(table) {
	struct told t;
};

FIXTURE_SETUP(table)
{
	PEV_NEEDS_ROOT(return);
	memset(&self->t, 0, sizeof(self->t));
	self->t.balanced = true;
}

FIXTURE_TEARDOWN(table)
{
}

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
	cpu_set_t set;
	int fd, event;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(set), &set));
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

/* ---- call chains ---- */

/* Each has a frame, and none jumps to the next. */
#define FUNCTION	__attribute__((noinline, noclone, aligned(512)))
#define FRAME()		__asm__ volatile("" : : "r" (__builtin_frame_address(0)) : "memory")

/* The C library's function has no frame, so that its caller is not seen. */
static FUNCTION void unseen(unsigned int times)
{
	FRAME();
	calls(1, times);
	FRAME();
}

static FUNCTION void by_one(unsigned int times)
{
	FRAME();
	unseen(times);
	FRAME();
}

static FUNCTION void by_other(unsigned int times)
{
	FRAME();
	unseen(times);
	FRAME();
}

static FUNCTION void deep(unsigned int depth)
{
	FRAME();
	if (depth)
		deep(depth - 1);
	else
		unseen(1);
	FRAME();
}

static struct pev_table table_of_stacks(void)
{
	return (struct pev_table){
		.size = sizeof(struct pev_table), .rows = 64, .nr_keys = 2, .frames = FRAMES,
		.keys = { { .from = PEV_TABLE_KSTACK }, { .from = PEV_TABLE_USTACK } },
	};
}

static const uint64_t *chain_at(const struct told *t, uint64_t word)
{
	static const uint64_t none;

	if (word >= t->nr_words || t->words[word] >= t->nr_words - word)
		return &none;
	return t->words + word;
}

static bool passes(const uint64_t *chain, void (*function)(unsigned int))
{
	for (uint64_t i = 1; i <= chain[0]; i++)
		if (chain[i] - (uintptr_t)function < 512)
			return true;
	return false;
}

/* Behind its header and its tid. */
static const uint64_t *first_body(const uint8_t *ring)
{
	const uint8_t *record = ring + sizeof(struct pev_packet);
	uint32_t word;

	memcpy(&word, record, sizeof(word));
	return (const void *)(record + ((word & PEV_ID_EXTENDED) == PEV_ID_EXTENDED ? 16 : 8));
}

/* The chains of a row are those that a record of the same occurrence has. */
TEST_F(table, by_stack)
{
	struct pev_table table = table_of_stacks();
	struct told *t = &self->t;
	const uint64_t *chain[2], *body;
	struct pev_map map;
	const uint32_t *nr;
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT, .target = PEV_TARGET_TASK,
		.flags = PEV_F_DISABLED, .name = (uintptr_t)ENTER, .group_fd = -1, .period = 1,
		.sample = PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK,
	};
	static void (* volatile order[])(unsigned int) = { by_one, by_other, by_one };
	struct row rows[64];
	struct pev_table_swap swap = {
		.size = sizeof(swap), .rows = (uintptr_t)rows, .nr_rows = 64,
	};
	int cpu, fd, event, record;
	uint64_t own;

	ASSERT_EQ(1, pev_cpus(&cpu, 1));
	ASSERT_EQ(0, pev_pin(cpu));
	attr.channel_fd = pev_open_channel(1 << 20, 1 << 18, 0);
	ASSERT_EQ(0, pev_map_channel(attr.channel_fd, &map));
	record = pev_open(&attr);
	ASSERT_LE(0, record) TH_LOG("%s", pev_reason());
	fd = open_table(&table);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	event = open_calls(ENTER, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	/* from one place */
	for (volatile unsigned int i = 0; i < 3; i++) {
		if (i == 2)
			pev_on(record);
		order[i](3 + i);
	}
	pev_off(record);
	pev_off(event);
	/* nothing is taken away by a call that fails */
	swap.cpu = cpu;
	swap.nr_words = FRAMES - 1;
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_TABLE_SWAP, &swap));
	EXPECT_EQ(ENOSPC, errno);
	EXPECT_EQ(FRAMES, swap.nr_words);
	swap.stacks = 8;
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_TABLE_SWAP, &swap));
	EXPECT_EQ(EFAULT, errno);
	read_table(fd, table.rows, t);
	EXPECT_EQ(0, t->error);
	EXPECT_TRUE(t->balanced);
	ASSERT_EQ(2, t->nr);
	EXPECT_EQ(0, t->other.count);
	EXPECT_EQ(t->rows[0].key[0], t->rows[1].key[0]);
	for (unsigned int i = 0; i < 2; i++) {
		bool one = t->rows[i].row.count == 8;

		EXPECT_EQ(one ? 8 : 4, t->rows[i].row.count);
		chain[0] = chain_at(t, t->rows[i].key[0]);
		chain[1] = chain_at(t, t->rows[i].key[1]);
		EXPECT_LT(0, chain[0][0]);
		EXPECT_TRUE(passes(chain[1], one ? by_one : by_other));
		EXPECT_FALSE(passes(chain[1], one ? by_other : by_one));
		if (!one)
			continue;
		body = first_body(map.rings[cpu].data);
		nr = (const uint32_t *)body;
		/* the compiler for POWER leaves a frame of pev's own above the table's */
		own = chain[0][0] - nr[0];
		ASSERT_LE(own, POWER ? 1 : 0);
		ASSERT_EQ(nr[1], chain[1][0]);
		EXPECT_EQ(0, memcmp(chain[0] + 1 + own, body + 1, nr[0] * 8));
		EXPECT_EQ(0, memcmp(chain[1] + 1, body + 1 + nr[0], nr[1] * 8));
	}
	close(event);
	close(record);
	close(fd);
	pev_unmap_channel(&map);
	close(attr.channel_fd);
}

/* More chains than there is memory for: what is there stays whole. */
TEST_F(table, of_few_frames)
{
	struct pev_table table = table_of_stacks();
	struct told *t = &self->t;
	int cpu, fd, event;

	ASSERT_EQ(1, pev_cpus(&cpu, 1));
	ASSERT_EQ(0, pev_pin(cpu));
	table.rows = 200;
	fd = open_table(&table);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	event = open_calls(ENTER, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	/* from one place, whatever the compiler makes of the loop */
	for (volatile unsigned int i = 0; i < 240; i++)
		deep(i % 120);
	pev_off(event);
	read_table(fd, table.rows, t);
	EXPECT_EQ(0, t->error);
	EXPECT_TRUE(t->balanced);
	EXPECT_EQ(240, t->generated.count);
	EXPECT_LT(0, t->other.count);
	EXPECT_LT(40, t->nr);
	for (unsigned int i = 0; i < t->nr; i++) {
		EXPECT_EQ(2, t->rows[i].row.count);
		EXPECT_TRUE(passes(chain_at(t, t->rows[i].key[1]), deep));
	}
	close(event);
	close(fd);

	/* the limit of frames */
	memset(t, 0, sizeof(*t));
	table.max_stack = 2;
	fd = open_table(&table);
	event = open_calls(ENTER, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	deep(50);
	deep(60);
	pev_off(event);
	read_table(fd, table.rows, t);
	ASSERT_EQ(1, t->nr);
	EXPECT_EQ(2, t->rows[0].row.count);
	EXPECT_EQ(2, chain_at(t, t->rows[0].key[1])[0]);
	close(event);
	close(fd);
}

/* No kernel's chain without the right to it; the program's own is no secret. */
TEST_F(table, rights_to_stacks)
{
	struct pev_levels before = pev_get_levels();
	struct pev_child c;

	ASSERT_EQ(0, pev_set_paranoid(2));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);
		struct pev_table table = table_of_stacks();
		struct told *t = calloc(1, sizeof(*t));
		volatile char *page;
		int fd, event;

		EXPECT_EQ(0, pev_become(1000, -1));
		fd = open_table(&table);
		EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
		attr.channel_fd = fd;
		attr.period = 1;
		event = pev_open(&attr);
		EXPECT_EQ(-EACCES, event);
		EXPECT_NE(NULL, strstr(pev_reason(), "PEV_F_EXCLUDE_KERNEL"));
		attr.flags |= PEV_F_EXCLUDE_KERNEL;
		event = pev_open(&attr);
		EXPECT_LE(0, event) TH_LOG("%s", pev_reason());
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
		*page = 1;
		close(event);
		read_table(fd, table.rows, t);
		EXPECT_LT(0, t->counts);
		for (unsigned int i = 0; i < t->nr; i++)
			EXPECT_EQ(0, t->rows[i].key[0]);
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
	ASSERT_EQ(0, pev_set_levels(before));
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

/* ---- the flood ---- */

static volatile bool flooding;

static void *flood(void *arg)
{
	struct timespec ts = { .tv_nsec = 50000 };
	long page = sysconf(_SC_PAGESIZE);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((long)arg, &set);
	sched_setaffinity(0, sizeof(set), &set);
	while (flooding) {
		volatile char *p = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (int i = 0; i < 4; i++)
			p[i * page] = 1;
		munmap((void *)p, 4 * page);
		/* of numbers that no call has: more keys than rows */
		for (long i = 0; i < 64; i++)
			syscall(1000 + i);
		nanosleep(&ts, NULL);
	}
	return NULL;
}

static const char * const points[] = {
	"raw_syscalls:sys_enter", "raw_syscalls:sys_exit", "sched:sched_switch",
	"irq:softirq_entry", "timer:hrtimer_expire_entry",
};

#define POINTS	(sizeof(points) / sizeof(points[0]))

/*
 * Tasks, softirqs, interrupts and timers on all CPUs update tables that are too small,
 * while they are read all the time or, the second time, never.
 */
static void law(struct __test_metadata *_metadata, struct told *t, bool reading, bool stacks)
{
	struct pev_table table = {
		.size = sizeof(table), .rows = 16, .nr_keys = 3, .value = PEV_TABLE_PERIOD,
		.keys = {
			{ .from = PEV_TABLE_EVENT }, { .from = PEV_TABLE_TID },
			{ .from = PEV_TABLE_SYSCALL },
		},
	};
	struct pev_value sum = { };
	unsigned int cpus = sysconf(_SC_NPROCESSORS_ONLN), readings = 0;
	int fd, events[POINTS + 2];
	pthread_t threads[8];

	if (stacks) {
		table.keys[1].from = PEV_TABLE_KSTACK;
		table.keys[2].from = PEV_TABLE_USTACK;
		table.frames = FRAMES;
	}
	fd = open_table(&table);
	if (cpus > 8)
		cpus = 8;
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < POINTS + 2; i++) {
		struct pev_attr attr = {
			.type = PEV_TYPE_TRACEPOINT, .target = PEV_TARGET_CPUS,
			.flags = PEV_F_DISABLED, .channel_fd = fd, .group_fd = -1, .period = 1,
		};

		if (i < POINTS) {
			attr.name = (uintptr_t)points[i];
		} else if (i == POINTS) {
			attr.type = PEV_TYPE_SOFTWARE;
			attr.config = PEV_SW_PAGE_FAULTS;
		} else {
			attr.type = PEV_TYPE_TIMER;
			attr.period = 200000;
		}
		if (i == 1)
			attr.filter = (uintptr_t)"ret < 0";
		events[i] = pev_open(&attr);
		ASSERT_LE(0, events[i]) TH_LOG("%s", pev_reason());
	}
	flooding = true;
	for (unsigned long i = 0; i < cpus; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, flood, (void *)i));
	for (unsigned int i = 0; i < POINTS + 2; i++)
		pev_on(events[i]);
	while (!reading && readings++ < 5000 &&
	       (pev_read(events[0]).samples < 5000 || !pev_read(events[1]).filtered))
		usleep(10000);
	/* until all that can happen to an update has happened */
	for (; reading && readings < 20000; readings++) {
		read_table(fd, table.rows, t);
		if (readings >= 200 && t->counts && t->other.count && t->filtered.count)
			break;
	}
	for (unsigned int i = 0; i < POINTS + 2; i++)
		pev_off(events[i]);
	flooding = false;
	for (unsigned long i = 0; i < cpus; i++)
		pthread_join(threads[i], NULL);
	read_table(fd, table.rows, t);
	for (unsigned int i = 0; i < POINTS + 2; i++) {
		struct pev_value v = pev_read(events[i]);

		sum.samples += v.samples;
		sum.lost += v.lost;
		sum.filtered += v.filtered;
		close(events[i]);
	}
	TH_LOG("%llu generated = %llu in rows + %llu other + %llu lost + %llu filtered",
	       (unsigned long long)t->generated.count, (unsigned long long)t->counts,
	       (unsigned long long)t->other.count, (unsigned long long)t->lost.count,
	       (unsigned long long)t->filtered.count);
	EXPECT_EQ(0, t->error);
	EXPECT_TRUE(t->balanced);
	EXPECT_LT(0, t->counts);
	EXPECT_LT(0, t->other.count);
	EXPECT_LT(0, t->filtered.count);
	/* by those who count for the events, too */
	EXPECT_EQ(sum.samples, t->counts + t->other.count);
	EXPECT_EQ(sum.lost, t->lost.count);
	EXPECT_EQ(sum.filtered, t->filtered.count);
	close(fd);
}

TEST_F(table, law_while_it_is_read)
{
	law(_metadata, &self->t, true, false);
}

TEST_F(table, law_without_a_reader)
{
	law(_metadata, &self->t, false, false);
}

TEST_F(table, law_of_stacks)
{
	law(_metadata, &self->t, true, true);
}

/* ---- refusals ---- */

#define REFUSED(err, fd, text)                                                      \
	do {                                                                        \
		int ret_ = (fd);                                                    \
		EXPECT_EQ(-(err), ret_);                                            \
		EXPECT_NE(NULL, strstr(pev_reason(), text)) TH_LOG("%s", pev_reason()); \
	} while (0)

TEST_F(table, refusals)
{
	struct pev_table good = table_by(64, PEV_TABLE_FIELD, "pid"), bad;
	int fd, event;

#define BAD(text, change)                         \
	do {                                      \
		bad = good;                       \
		change;                           \
		REFUSED(EINVAL, open_table(&bad), text); \
	} while (0)
	BAD("size 8 of the table", bad.size = 8);
	BAD("can't have 0 rows", bad.rows = 0);
	BAD("can't have 65537 rows", bad.rows = PEV_MAX_TABLE_ROWS + 1);
	BAD("can't have 0 keys", bad.nr_keys = 0);
	BAD("can't have 5 keys", bad.nr_keys = 5);
	BAD("no kind 10 of keys", bad.keys[0].from = PEV_TABLE_FROM_MAX);
	BAD("no kind 3 of buckets", bad.keys[0].bucket = PEV_TABLE_BUCKET_MAX);
	BAD("needs one", bad.keys[0].bucket = PEV_TABLE_LINEAR);
	BAD("others have 0", bad.keys[0].step = 1);
	BAD("has no end", memset(bad.keys[0].name, 'a', sizeof(bad.keys[0].name)));
	BAD("needs the name of a field", bad.keys[0].name[0] = 0);
	BAD("others have none", bad.keys[0].from = PEV_TABLE_PID);
	BAD("names have no buckets", bad.keys[0] = ((struct pev_table_key){
		.from = PEV_TABLE_COMM, .bucket = PEV_TABLE_LOG2 }));
	BAD("beyond nr_keys 1 are not 0", bad.keys[3].step = 1);
	BAD("no kind 3 of values", bad.value = PEV_TABLE_VALUE_MAX);
	BAD("needs the name of a field", bad.value = PEV_TABLE_OF_FIELD);
	BAD("others have none", bad.field[0] = 'a');
	BAD("call chains are no numbers", bad = table_of_stacks();
	    bad.keys[1].bucket = PEV_TABLE_LOG2);
	BAD("can't have 4095 frames", bad = table_of_stacks(); bad.frames = FRAMES - 1);
	BAD("can't have 4194305 frames", bad = table_of_stacks();
	    bad.frames = PEV_MAX_TABLE_FRAMES + 1);
	BAD("max_stack 128 of the table", bad = table_of_stacks(); bad.max_stack = 128);
	BAD("have no meaning without PEV_TABLE_KSTACK", bad.frames = FRAMES);
	BAD("have no meaning without PEV_TABLE_KSTACK", bad.max_stack = 1);
	BAD("flags that this kernel does not know: 0x2", bad.flags = 2);
	BAD("needs no clock", bad.clock = PEV_CLOCK_MONOTONIC);
	BAD("no clock 3", bad.flags = PEV_TABLE_F_TIMES; bad.clock = PEV_CLOCK_MAX);
	REFUSED(EFAULT, open_table((void *)8), "can't be read");

	fd = open_table(&good);
	ASSERT_LE(0, fd);
	REFUSED(EINVAL, open_calls("sched:sched_switch", NULL, fd), "which sched:sched_switch does not have");
	event = open_calls(ENTER, NULL, fd);
	EXPECT_LE(0, event) TH_LOG("%s", pev_reason());
	REFUSED(EINVAL, open_calls("task:task_newtask", NULL, fd), "has a sign, unlike");
	close(event);
	close(fd);
	strcpy(good.keys[0].name, "comm");
	fd = open_table(&good);
	REFUSED(EINVAL, open_calls("task:task_newtask", NULL, fd), "is not a number");
	close(fd);
	good = table_by(64, PEV_TABLE_PID, NULL);
	fd = open_table(&good);
	{
		struct pev_attr attr = {
			.type = PEV_TYPE_SOFTWARE, .config = PEV_SW_PAGE_FAULTS,
			.target = PEV_TARGET_TASK, .channel_fd = fd, .group_fd = -1,
			.period = 1, .sample = PEV_SAMPLE_TID,
		};

		REFUSED(EINVAL, pev_open(&attr), "no records to put samples in");
		attr.sample = 0;
		event = pev_open(&attr);
		EXPECT_LE(0, event);
		attr.channel_fd = event;
		REFUSED(EINVAL, pev_open(&attr), "neither a pev channel nor a table");
	}
	close(event);
	close(fd);
}

/* The rules of channels, and no address of the kernel as a key. */
TEST_F(table, rights)
{
	struct pev_levels before = pev_get_levels();
	struct pev_child c;

	ASSERT_EQ(0, pev_set_paranoid(-1));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct pev_table table = table_by(64, PEV_TABLE_FIELD, "skbaddr");
		struct rlimit none = { };
		int fd;

		EXPECT_EQ(0, pev_become(1000, -1));
		fd = open_table(&table);
		EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
		REFUSED(EACCES, open_calls("skb:kfree_skb", NULL, fd), "address of the kernel");
		strcpy(table.keys[0].name, "protocol");
		sum_field(&table, "skbaddr");
		close(fd);
		fd = open_table(&table);
		REFUSED(EACCES, open_calls("skb:kfree_skb", NULL, fd), "address of the kernel");
		table.value = 0;
		memset(table.field, 0, sizeof(table.field));
		close(fd);
		fd = open_table(&table);
		EXPECT_LE(0, open_calls("skb:kfree_skb", NULL, fd)) TH_LOG("%s", pev_reason());
		EXPECT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &none));
		REFUSED(EPERM, open_table(&table), "RLIMIT_MEMLOCK");
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
	ASSERT_EQ(0, pev_set_paranoid(2));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct pev_table table = table_by(64, PEV_TABLE_PID, NULL);
		int fd;

		EXPECT_EQ(0, pev_become(1000, -1));
		fd = open_table(&table);
		EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
		EXPECT_EQ(-EACCES, open_calls("sched:sched_switch", NULL, fd));
		EXPECT_EQ(-EACCES, pev_open_machine(PEV_TYPE_SOFTWARE, NULL, NULL, fd));
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
	ASSERT_EQ(0, pev_set_levels(before));
}

TEST_HARNESS_MAIN
