// SPDX-License-Identifier: GPL-2.0
/* Rows in the order in which they are shown. See rows.h. */
#include "rows.h"
#include "keys.h"

#include <stdlib.h>

void hist_rows_add(struct hist_rows *r, const struct pev_table_row *row)
{
	struct hist_row *to = ARRAY_PUSH(r->v, r->n, r->cap);
	const __u64 *word = row->key;

	to->count = row->count;
	to->sum = row->sum;
	to->min = row->min;
	to->max = row->max;
	for (unsigned int i = 0; i < r->table->nr_keys; i++) {
		to->key[i][0] = *word++;
		if (hist_key_is_wide(&r->table->keys[i]))
			to->key[i][1] = *word++;
		else if (r->table->keys[i].from == PEV_TABLE_EVENT && to->key[i][0] < r->n_events)
			to->key[i][0] = r->events[to->key[i][0]];
	}
}

static int compare_key(const struct hist_rows *r, int k, const uint64_t *a, const uint64_t *b)
{
	/* memcmp() sorts a name by its letters, on any machine */
	if (hist_key_is_wide(&r->table->keys[k]))
		return memcmp(a, b, 2 * sizeof(*a));
	if (!(r->sign >> k & 1))
		return (*a > *b) - (*a < *b);
	return ((int64_t)*a > (int64_t)*b) - ((int64_t)*a < (int64_t)*b);
}

/* Compares all keys but the one with the bars. */
static int compare_groups(const struct hist_rows *r, const struct hist_row *a,
			  const struct hist_row *b)
{
	int axis = hist_axis(r->table), differ = 0;

	for (int i = 0; i < (int)r->table->nr_keys && !differ; i++)
		differ = i == axis ? 0 : compare_key(r, i, a->key[i], b->key[i]);
	return differ;
}

static int compare_axis(const struct hist_rows *r, const struct hist_row *a,
			const struct hist_row *b)
{
	int axis = hist_axis(r->table);

	return axis < 0 ? 0 : compare_key(r, axis, a->key[axis], b->key[axis]);
}

static int by_key(const void *a, const void *b, void *rows)
{
	int differ = compare_groups(rows, a, b);

	return differ ? differ : compare_axis(rows, a, b);
}

static int by_count(const void *pa, const void *pb, void *rows)
{
	const struct hist_row *a = pa, *b = pb;

	if (a->group != b->group)
		return a->group < b->group ? 1 : -1;
	return by_key(a, b, rows);
}

static bool less(const struct hist_rows *r, uint64_t a, uint64_t b)
{
	return hist_values_signed(r) ? (int64_t)a < (int64_t)b : a < b;
}

static void merge(const struct hist_rows *r, struct hist_row *to, const struct hist_row *row)
{
	to->count += row->count;
	to->sum += row->sum;
	to->min = less(r, row->min, to->min) ? row->min : to->min;
	to->max = less(r, to->max, row->max) ? row->max : to->max;
}

static void merge_equal(struct hist_rows *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (n && !by_key(&r->v[n - 1], &r->v[i], r))
			merge(r, &r->v[n - 1], &r->v[i]);
		else
			r->v[n++] = r->v[i];
	}
	r->n = n;
}

static void sum_groups(struct hist_rows *r)
{
	for (size_t i = 0, end; i < r->n; i = end) {
		uint64_t sum = 0;

		for (end = i; end < r->n && !compare_groups(r, &r->v[i], &r->v[end]); end++)
			sum += r->v[end].count;
		for (size_t k = i; k < end; k++)
			r->v[k].group = sum;
	}
}

void hist_rows_sort(struct hist_rows *r)
{
	if (!r->n)
		return;
	qsort_r(r->v, r->n, sizeof(*r->v), by_key, r);
	merge_equal(r);
	sum_groups(r);
	qsort_r(r->v, r->n, sizeof(*r->v), by_count, r);
}

bool hist_rows_begins(const struct hist_rows *r, size_t nr)
{
	return !nr || compare_groups(r, &r->v[nr - 1], &r->v[nr]);
}

void hist_rows_free(struct hist_rows *r)
{
	free(r->v);
	r->v = NULL;
	r->n = r->cap = 0;
}
