// SPDX-License-Identifier: GPL-2.0
/* Counts of several events by key. See rows.h. */
#include "rows.h"

#include <stdlib.h>

static uint32_t hash_key(const struct by_rows *r, const uint64_t *key)
{
	uint64_t hash = 0;

	for (unsigned int i = 0; i < r->n_keys; i++)
		hash = hash_2u64(hash, key[i]);
	return (uint32_t)hash;
}

void by_rows_add(struct by_rows *r, const uint64_t key[BY_MAX], const char *comm, size_t event,
		 uint64_t value)
{
	struct by_row *row;

	if (HTAB_GET(row, &r->by_key, hash_key(r, key),
		     !memcmp(row->key, key, r->n_keys * sizeof(*key)), r->v, r->n, r->cap)) {
		memcpy(row->key, key, r->n_keys * sizeof(*key));
		row->values = xcalloc(r->events, sizeof(*row->values));
	}
	row->values[event] += value;
	if (!comm || (*row->comm && (event || value <= row->most)))
		return;
	row->most = event ? 0 : value;
	snprintf(row->comm, sizeof(row->comm), "%s", comm);
}

bool by_rows_room(const struct by_rows *r, const uint64_t key[BY_MAX], uint64_t most)
{
	uint32_t hash = hash_key(r, key), pos;

	if (r->n < most)
		return true;
	for (uint32_t ref = htab_first(&r->by_key, hash, &pos); ref;
	     ref = htab_next(&r->by_key, hash, &pos))
		if (!memcmp(r->v[ref - 1].key, key, r->n_keys * sizeof(*key)))
			return true;
	return false;
}

/**
 * struct order - what rows are sorted by
 */
struct order {
	const struct by_rows *rows;
	const double *weights;
};

static double weigh(const struct by_row *row, const struct order *o)
{
	double sum = 0;

	for (size_t i = 0; i < o->rows->events; i++)
		sum += o->weights[i] * (double)row->values[i];
	return sum;
}

static int compare(const void *pa, const void *pb, void *arg)
{
	const struct by_row *a = pa, *b = pb;
	const struct order *o = arg;
	double x = weigh(a, o), y = weigh(b, o);

	if (x != y)
		return x < y ? 1 : -1;
	for (unsigned int i = 0; i < o->rows->n_keys; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	return 0;
}

void by_rows_sort(struct by_rows *r, const double *weights)
{
	struct order order = { .rows = r, .weights = weights };

	if (r->n)
		qsort_r(r->v, r->n, sizeof(*r->v), compare, &order);
}

void by_rows_clear(struct by_rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->v[i].values);
	r->n = 0;
	htab_clear(&r->by_key);
}

void by_rows_free(struct by_rows *r)
{
	by_rows_clear(r);
	strtab_free(&r->names);
	free(r->v);
	htab_free(&r->by_key);
}
