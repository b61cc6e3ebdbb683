// SPDX-License-Identifier: GPL-2.0
/* Durations of the cells of a profile. See spreads.h. */
#include "spreads.h"

#include <stdlib.h>

static struct durations *of_cell(struct spreads *s, uint32_t cell)
{
	while (s->n <= cell)
		*ARRAY_PUSH(s->v, s->n, s->cap) = (struct durations){ 0 };
	return &s->v[cell];
}

void spreads_add(struct spreads *s, uint32_t cell, uint64_t ns)
{
	durations_add(of_cell(s, cell), ns);
}

void spreads_move(struct spreads *from, size_t cell, struct spreads *to, uint32_t to_cell)
{
	struct durations *d = of_cell(to, to_cell);

	if (d->n) {
		durations_merge(d, &from->v[cell]);
		durations_free(&from->v[cell]);
	} else {
		*d = from->v[cell];
		from->v[cell] = (struct durations){ 0 };
	}
}

void spreads_of_row(const struct spreads *s, const struct rows *rows, const struct row *row,
		    struct durations *waits)
{
	for (uint32_t l = row->first_cell; l != ROW_END; l = rows->links[l].next)
		durations_merge(waits, &s->v[rows->links[l].cell]);
}

void spreads_free(struct spreads *s)
{
	for (size_t i = 0; i < s->n; i++)
		durations_free(&s->v[i]);
	free(s->v);
	*s = (struct spreads){ 0 };
}
