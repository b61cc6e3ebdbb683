/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of tables share: opening tables and events that count in them, calls that
 * nothing else makes, and reading a table with the law of each CPU.
 */
#ifndef TABLE_UTIL_H
#define TABLE_UTIL_H

#include <sys/prctl.h>
#include <sys/syscall.h>
#include "kselftest_harness.h"
#include "pev_child.h"

#define ENTER "syscalls:sys_enter_getsid"
#define EXIT "syscalls:sys_exit_getsid"
#define WORDS 8
#ifndef MAX_ROWS
#define MAX_ROWS 256
#endif
#define FRAMES PEV_MIN_TABLE_FRAMES

struct row {
	struct pev_table_row row;
	uint64_t key[WORDS];
};

/* What a table told, of all CPUs; rows of the same key are one. */
struct told {
	struct row rows[MAX_ROWS];
	unsigned int nr;
	unsigned int full; /* rows of the CPU that had most */
	uint64_t counts;
	struct pev_table_sum generated;
	struct pev_table_sum other;
	struct pev_table_sum lost;
	struct pev_table_sum filtered;
	struct pev_table_sum unmatched;
	uint64_t begun;
	uint64_t replaced;
	uint64_t dropped;
	uint64_t open; /* when it was read last */
	uint64_t recorded;
	uint64_t unrecorded;
	bool balanced;
	int error;
	uint64_t words[FRAMES]; /* of the last CPU that had rows */
	unsigned int nr_words;
};

static UNUSED int open_table(const struct pev_table *table)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TABLE,
		.config = (uintptr_t)table,
		.channel_fd = -1,
		.group_fd = -1,
	};

	return pev_open(&attr);
}

static UNUSED struct pev_table table_by(uint32_t rows, uint32_t from, const char *name)
{
	struct pev_table table = {
		.size = sizeof(table),
		.rows = rows,
		.nr_keys = 1,
		.keys[0].from = from,
	};

	if (name)
		strcpy(table.keys[0].name, name);
	return table;
}

static UNUSED void sum_field(struct pev_table *table, const char *name)
{
	table->value = PEV_TABLE_OF_FIELD;
	strcpy(table->field, name);
}

static UNUSED struct pev_attr calls_attr(const char *name, const char *filter, int table)
{
	return (struct pev_attr){
		.type = PEV_TYPE_TRACEPOINT,
		.target = PEV_TARGET_TASK,
		.flags = PEV_F_DISABLED,
		.name = (uintptr_t)name,
		.filter = (uintptr_t)filter,
		.channel_fd = table,
		.group_fd = -1,
		.period = 1,
	};
}

static UNUSED int open_calls(const char *name, const char *filter, int table)
{
	struct pev_attr attr = calls_attr(name, filter, table);

	return pev_open(&attr);
}

static UNUSED int open_point(const char *name, int table, uint32_t target, uint64_t flags,
			     uint64_t sample)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.target = target,
		.flags = PEV_F_DISABLED | flags,
		.sample = sample,
		.name = (uintptr_t)name,
		.channel_fd = table,
		.group_fd = -1,
		.period = 1,
	};

	return pev_open(&attr);
}

static UNUSED void add_row(struct told *t, const struct pev_table_row *row, unsigned int words)
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

static UNUSED void add_sum(struct pev_table_sum *to, const struct pev_table_sum *sum)
{
	to->count += sum->count;
	to->sum += sum->sum;
}

/* One CPU's, with its own law. */
static UNUSED void read_cpu(int fd, unsigned int cpu, uint32_t room, struct told *t)
{
	char *rows = malloc((size_t)room * sizeof(struct row));
	uint64_t words[FRAMES];
	struct pev_table_swap swap = {
		.size = sizeof(swap),
		.cpu = cpu,
		.rows = (uintptr_t)rows,
		.nr_rows = room,
		.stacks = (uintptr_t)words,
		.nr_words = FRAMES,
	};
	struct pev_table_sum all = {};

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
	add_sum(&all, &swap.unmatched);
	t->balanced &= all.count == swap.generated.count && all.sum == swap.generated.sum;
	add_sum(&t->generated, &swap.generated);
	add_sum(&t->other, &swap.other);
	add_sum(&t->lost, &swap.lost);
	add_sum(&t->filtered, &swap.filtered);
	add_sum(&t->unmatched, &swap.unmatched);
	t->begun += swap.begun;
	t->replaced += swap.replaced;
	t->dropped += swap.dropped;
	t->open = swap.open;
	t->recorded += swap.recorded;
	t->unrecorded += swap.unrecorded;
	if (swap.nr_rows > t->full)
		t->full = swap.nr_rows;
	if (swap.nr_rows) {
		memcpy(t->words, words, swap.nr_words * sizeof(words[0]));
		t->nr_words = swap.nr_words;
	}
	free(rows);
}

static UNUSED void read_table(int fd, uint32_t room, struct told *t)
{
	for (unsigned int cpu = 0; cpu < pev_nr_cpus(); cpu++)
		read_cpu(fd, cpu, room, t);
}

static UNUSED const struct row *find_row(const struct told *t, uint64_t key)
{
	for (unsigned int i = 0; i < t->nr; i++)
		if (t->rows[i].key[0] == key)
			return &t->rows[i];
	return NULL;
}

static UNUSED uint64_t count_of(const struct told *t, uint64_t key)
{
	const struct row *row = find_row(t, key);

	return row ? row->row.count : 0;
}

/* ids that no process has */
static UNUSED void calls(unsigned int id, unsigned int times)
{
	/* from one place, which unrolling would make several */
#pragma GCC unroll 1
	while (times--)
		syscall(SYS_getsid, 1U << 29 | id);
}

static UNUSED struct pev_table table_of_stacks(void)
{
	return (struct pev_table){
		.size = sizeof(struct pev_table),
		.rows = 64,
		.nr_keys = 2,
		.frames = FRAMES,
		.keys = { { .from = PEV_TABLE_KSTACK }, { .from = PEV_TABLE_USTACK } },
	};
}

FIXTURE(table)
{
	struct told t;
};

FIXTURE_SETUP(table)
{
	PEV_NEEDS_ROOT(return );
	memset(&self->t, 0, sizeof(self->t));
	self->t.balanced = true;
}

FIXTURE_TEARDOWN(table)
{
}

#define REFUSED(err, fd, text)                                                          \
	do {                                                                            \
		int ret_ = (fd);                                                        \
		EXPECT_EQ(-(err), ret_);                                                \
		EXPECT_NE(NULL, strstr(pev_reason(), text)) TH_LOG("%s", pev_reason()); \
	} while (0)

/* A table as "good", but for a change to "bad" */
#define BAD(text, change)                                \
	do {                                             \
		bad = good;                              \
		change;                                  \
		REFUSED(EINVAL, open_table(&bad), text); \
	} while (0)

#endif
