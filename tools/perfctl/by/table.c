// SPDX-License-Identifier: GPL-2.0
/*
 * Counts by key from the kernel's tables, one for each event: what the event counted while a
 * task ran is added to the row of that task, whatever the number of rows. See source.h.
 */
#include "source.h"
#include "event/kernel.h"

#include <stdlib.h>

static int open_tables(struct by_source *s, struct msg *m)
{
	struct pev_table table = { .rows = (uint32_t)s->room, .value = PEV_TABLE_COUNTED };

	by_keys_table(s->keys, &table);
	s->tables = xcalloc(s->plan->n, sizeof(*s->tables));
	for (size_t i = 0; i < s->plan->n; i++) {
		struct pev_error why;
		int err = pev_table_open(&table, 0, &s->tables[i], &why);

		if (err)
			return kernel_refused(m, err, &why, "the table");
		s->plan->events[i].attr.channel_fd = pev_table_fd(s->tables[i]);
	}
	return 0;
}

static int tables_open(struct by_source *s, uint64_t flags, struct msg *m)
{
	int err = open_tables(s, m);

	return err ? err : event_set_open(&s->set, s->plan, s->target, flags, m);
}

static void add_row(struct by_source *s, struct by_rows *to, size_t event,
		    const struct pev_table_row *row)
{
	const __u64 *word = row->key;
	char comm[BY_COMM_SIZE + 1] = "";
	uint64_t key[BY_MAX] = { 0 };

	for (unsigned int i = 0; i < s->keys->n; i++) {
		enum by_kind kind = s->keys->kind[i];

		key[i] = *word;
		if (kind == BY_COMM) {
			memcpy(comm, word++, BY_COMM_SIZE);
			key[i] = strtab_id(&to->names, comm);
		} else if (kind == BY_CGROUP || kind == BY_SERVICE) {
			key[i] = by_cgroup_name(s, to, kind, *word);
		}
		word++;
	}
	if (by_keys_named(s->keys))
		memcpy(comm, word, BY_COMM_SIZE);
	by_rows_add(to, key, by_keys_named(s->keys) ? comm : NULL, event, row->sum);
}

static int tables_fetch(struct by_source *s, struct by_counts *to, struct msg *m)
{
	for (size_t i = 0; i < s->plan->n; i++) {
		struct pev_table_reader *table = s->tables[i];
		const struct pev_table_row *row;
		struct pev_table_sums sums;
		int err = pev_table_fetch(table);

		if (err)
			return msg_set(m, err, "reading the table of %s: %s",
				       s->plan->events[i].label, strerror(-err));
		for (size_t k = 0; (row = pev_table_row(table, k)); k++)
			add_row(s, &to->rows, i, row);
		pev_table_sums(table, &sums);
		to->other[i] = sums.other.sum;
		pev_table_clear(table);
	}
	return 0;
}

static void tables_close(struct by_source *s)
{
	event_set_close(&s->set);
	for (size_t i = 0; s->tables && i < s->plan->n; i++)
		pev_table_close(s->tables[i]);
	free(s->tables);
	s->tables = NULL;
}

const struct by_source_ops by_tables = {
	.open = tables_open,
	.fetch = tables_fetch,
	.close = tables_close,
};
