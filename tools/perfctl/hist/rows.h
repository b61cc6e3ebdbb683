/* SPDX-License-Identifier: GPL-2.0 */
/* The rows of a table in the order in which they are shown. */
#ifndef PERFCTL_HIST_ROWS_H
#define PERFCTL_HIST_ROWS_H

#include "base/util.h"

#include <pev/pev.h>

/**
 * struct hist_row - a row
 * @key:   two words for each key: the second one of comm and request alone
 * @group: how often all came that are equal but for the key with the bars
 */
struct hist_row {
	uint64_t count;
	uint64_t sum;
	uint64_t min;
	uint64_t max;
	uint64_t key[PEV_MAX_TABLE_KEYS][2];
	uint64_t group;
};

/**
 * struct hist_rows - all rows
 * @sign:   as pev_table_sign() tells it
 * @events: the number of the event for each id that is less than @n_events: several
 *          descriptors may be of one event
 */
struct hist_rows {
	const struct pev_table *table;
	uint32_t sign;
	struct hist_row *v;
	size_t n;
	size_t cap;
	const uint32_t *events;
	size_t n_events;
};

void hist_rows_add(struct hist_rows *r, const struct pev_table_row *row);
/*
 * Makes one of those with the same key, and sorts: groups by their count, and what is in them
 * by the key with the bars.
 */
void hist_rows_sort(struct hist_rows *r);
/* Is row @nr the first one of its group? */
bool hist_rows_begins(const struct hist_rows *r, size_t nr);
void hist_rows_free(struct hist_rows *r);

/* Do the values have a sign? */
static inline bool hist_values_signed(const struct hist_rows *r)
{
	return r->sign >> PEV_MAX_TABLE_KEYS & 1;
}

#endif
