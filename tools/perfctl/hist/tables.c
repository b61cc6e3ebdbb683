// SPDX-License-Identifier: GPL-2.0
/* Rows of a table that the kernel keeps. See source.h. */
#include "source.h"
#include "event/kernel.h"

#include <errno.h>
#include <stdlib.h>

static int keep_ids(struct hist_source *s, struct msg *m)
{
	size_t n = s->plan->n * s->set.n_ids;

	for (size_t i = 0; i < n; i++) {
		struct pev_id id;
		int err = pev_fd_id(s->set.fds[i], &id, NULL, 0);

		if (err)
			return msg_set(m, err, "the number of an event: %s", strerror(-err));
		if (id.id >= s->n_ids) {
			s->event_of = map_grow(s->event_of, s->n_ids, id.id + 1);
			s->n_ids = id.id + 1;
		}
		s->event_of[id.id] = (uint32_t)(i / s->set.n_ids);
	}
	return 0;
}

static int tables_open(struct hist_source *s, struct msg *m)
{
	struct pev_error why;
	int err = pev_table_open(s->table, 0, &s->reader, &why);

	if (err)
		return kernel_refused(m, err, &why, "the table");
	for (size_t i = 0; i < s->plan->n; i++) {
		s->plan->events[i].attr.channel_fd = pev_table_fd(s->reader);
		s->plan->events[i].attr.sample = 0;
		if (s->table->open && !i)
			s->plan->events[i].attr.flags |= PEV_F_BEGIN;
	}
	err = event_set_open(&s->set, s->plan, s->target,
			     PEV_F_DISABLED | (s->later ? 0 : PEV_F_ENABLE_ON_EXEC), m);
	return err ? err : keep_ids(s, m);
}

static int tables_on(struct hist_source *s, bool on, struct msg *m)
{
	return event_set_enable(&s->set, on, m);
}

static int tables_fetch(struct hist_source *s, struct hist_rows *rows, struct pev_table_sums *sums,
			struct msg *m)
{
	const struct pev_table_row *row;
	int err = pev_table_fetch(s->reader);

	if (err)
		return msg_set(m, err, "reading the table: %s", strerror(-err));
	rows->sign = pev_table_sign(s->reader);
	rows->events = s->event_of;
	rows->n_events = s->n_ids;
	for (size_t i = 0; (row = pev_table_row(s->reader, i)); i++)
		hist_rows_add(rows, row);
	pev_table_sums(s->reader, sums);
	pev_table_clear(s->reader);
	return 0;
}

static void tables_close(struct hist_source *s)
{
	event_set_close(&s->set);
	pev_table_close(s->reader);
	s->reader = NULL;
	free(s->event_of);
	s->event_of = NULL;
}

const struct hist_source_ops hist_tables = {
	.open = tables_open,
	.on = tables_on,
	.fetch = tables_fetch,
	.close = tables_close,
};
