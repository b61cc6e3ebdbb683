// SPDX-License-Identifier: GPL-2.0
/* Counts samples in tables of the kernel. See source.h. */
#include "source.h"
#include "event/kernel.h"

#include <errno.h>

/* Of each CPU; less if the limit of locked memory is low */
#define ROWS 8192
#define ROWS_LEAST 256

/* Keys of the tables, and the words of a row's key */
enum fold_key {
	KEY_PID,
	KEY_TID,
	KEY_KSTACK,
	KEY_USTACK,
	N_KEYS,
};

static int tables_count(struct fold *f, struct planned_event *p, struct fold_event *e,
			const struct fold_limits *limits, struct msg *m)
{
	struct pev_table table = {
		.nr_keys = N_KEYS,
		.value = PEV_TABLE_PERIOD,
		.flags = PEV_TABLE_F_TIMES,
		.clock = limits->clock,
		.max_stack = limits->max_stack,
		.keys = {
			[KEY_PID] = { .from = PEV_TABLE_PID },
			[KEY_TID] = { .from = PEV_TABLE_TID },
			[KEY_KSTACK] = { .from = PEV_TABLE_KSTACK },
			[KEY_USTACK] = { .from = PEV_TABLE_USTACK },
		},
	};
	struct pev_error why;
	int err = -ENOMEM;

	(void)f;
	for (uint32_t rows = ROWS; err && rows >= ROWS_LEAST; rows /= 2) {
		table.rows = rows;
		table.frames = rows * FRAMES_A_ROW;
		err = pev_table_open(&table, 0, &e->table, &why);
		if (err != -EPERM && err != -ENOMEM)
			break;
	}
	if (err)
		return kernel_refused(m, err, &why, "the table");
	p->attr.channel_fd = pev_table_fd(e->table);
	p->attr.sample = 0;
	p->attr.max_stack = 0;
	return 0;
}

static int tables_fetch(struct fold *f, bool all)
{
	int err = 0;

	(void)all;
	for (size_t i = 0; i < f->n && !err; i++)
		err = pev_table_fetch(f->events[i].table);
	return err;
}

static size_t tables_rows(const struct fold *f)
{
	size_t rows = 0;

	for (size_t i = 0; i < f->n; i++)
		rows += pev_table_count(f->events[i].table);
	return rows;
}

static struct fold_chain chain_of(const struct fold_event *e, const struct pev_table_row *row,
				  enum fold_key key)
{
	struct fold_chain c;

	c.n = pev_table_stack(e->table, row->key[key], &c.ips);
	return c;
}

static void tables_take(struct fold *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct fold_event *e = &f->events[i];
		const struct pev_table_row *row;

		for (size_t k = 0; (row = pev_table_row(e->table, k)); k++)
			fold_take(f, &(struct fold_row){
					     .event = e,
					     .pid = (uint32_t)row->key[KEY_PID],
					     .tid = (uint32_t)row->key[KEY_TID],
					     .count = row->count,
					     .sum = row->sum,
					     .last = row->max,
					     .kernel = chain_of(e, row, KEY_KSTACK),
					     .user = chain_of(e, row, KEY_USTACK),
				     });
	}
}

static void tables_other(const struct fold_event *e, struct pev_table_sum *sum)
{
	struct pev_table_sums sums;

	pev_table_sums(e->table, &sums);
	*sum = sums.other;
}

static void tables_clear(struct fold *f)
{
	for (size_t i = 0; i < f->n; i++)
		pev_table_clear(f->events[i].table);
}

static void tables_close(struct fold *f)
{
	for (size_t i = 0; i < f->n; i++)
		pev_table_close(f->events[i].table);
}

/* Tables are read so often that they stay far from full. */
const struct fold_source fold_tables = {
	.each = 1.0,
	.count = tables_count,
	.fetch = tables_fetch,
	.rows = tables_rows,
	.take = tables_take,
	.other = tables_other,
	.clear = tables_clear,
	.close = tables_close,
};
