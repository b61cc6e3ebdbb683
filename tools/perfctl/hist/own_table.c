// SPDX-License-Identifier: GPL-2.0
/* Adds up records. See own_table.h. */
#include "own_table.h"

#include <stdlib.h>

/* ---- rows ---- */

static uint32_t hash_of(const uint64_t *words, size_t n)
{
	uint64_t h = 0;

	for (size_t i = 0; i < n; i++)
		h = hash_fold(h ^ words[i], 0x9e3779b97f4a7c15ULL + i);
	return (uint32_t)(h ^ h >> 32);
}

static bool less(const struct own_table *t, uint64_t a, uint64_t b)
{
	return t->sign >> PEV_MAX_TABLE_KEYS & 1 ? (int64_t)a < (int64_t)b : a < b;
}

static void add_sum(struct pev_table_sum *sum, uint64_t value)
{
	sum->count++;
	sum->sum += value;
}

static struct own_row *row_of(struct own_table *t, const uint64_t *key, uint64_t value)
{
	uint32_t hash = hash_of(key, OWN_WORDS), pos;
	struct own_row *row;

	for (uint32_t ref = htab_first(&t->h_rows, hash, &pos); ref;
	     ref = htab_next(&t->h_rows, hash, &pos))
		if (!memcmp(t->rows[ref - 1].key, key, sizeof(row->key)))
			return &t->rows[ref - 1];
	if (t->n_rows >= t->room)
		return NULL;
	row = ARRAY_PUSH(t->rows, t->n_rows, t->cap_rows);
	htab_add(&t->h_rows, hash, (uint32_t)(t->n_rows - 1));
	memcpy(row->key, key, sizeof(row->key));
	row->min = row->max = value;
	return row;
}

void own_table_add(struct own_table *t, const uint64_t *key, uint64_t value)
{
	struct own_row *row = row_of(t, key, value);

	add_sum(&t->sums.generated, value);
	add_sum(row ? &t->sums.rows : &t->sums.other, value);
	if (!row)
		return;
	row->count++;
	row->sum += value;
	row->min = less(t, value, row->min) ? value : row->min;
	row->max = less(t, row->max, value) ? value : row->max;
}

/* ---- pairs ---- */

static struct own_pair *find_pair(struct own_table *t, const uint64_t *key, uint32_t hash)
{
	uint32_t pos;

	for (uint32_t ref = htab_first(&t->h_pairs, hash, &pos); ref;
	     ref = htab_next(&t->h_pairs, hash, &pos))
		if (!memcmp(t->pairs[ref - 1].key, key, sizeof(t->pairs->key)))
			return &t->pairs[ref - 1];
	return NULL;
}

/* Makes room where pairs were that have ended. */
static void forget_ended(struct own_table *t)
{
	size_t n = 0;

	htab_clear(&t->h_pairs);
	for (size_t i = 0; i < t->n_pairs; i++) {
		if (!t->pairs[i].open)
			continue;
		t->pairs[n] = t->pairs[i];
		htab_add(&t->h_pairs, hash_of(t->pairs[n].key, PEV_MAX_TABLE_KEYS), (uint32_t)n);
		n++;
	}
	t->n_pairs = n;
}

void own_table_begin(struct own_table *t, const uint64_t *key, const uint64_t *kept, uint64_t ns)
{
	uint32_t hash = hash_of(key, PEV_MAX_TABLE_KEYS);
	struct own_pair *p = find_pair(t, key, hash);

	t->sums.begun++;
	if (p && p->open) {
		t->sums.replaced++;
	} else {
		if (!p && t->n_pairs >= t->table->open && t->sums.open < t->n_pairs)
			forget_ended(t);
		if (!p && t->n_pairs >= t->table->open) {
			t->sums.dropped++;
			return;
		}
		t->sums.open++;
	}
	if (!p) {
		p = ARRAY_PUSH(t->pairs, t->n_pairs, t->cap_pairs);
		htab_add(&t->h_pairs, hash, (uint32_t)(t->n_pairs - 1));
		memcpy(p->key, key, sizeof(p->key));
	}
	memcpy(p->kept, kept, sizeof(p->kept));
	p->ns = ns;
	p->open = true;
}

const struct own_pair *own_table_end(struct own_table *t, const uint64_t *key)
{
	struct own_pair *p = find_pair(t, key, hash_of(key, PEV_MAX_TABLE_KEYS));

	if (!p || !p->open) {
		add_sum(&t->sums.generated, 0);
		add_sum(&t->sums.unmatched, 0);
		return NULL;
	}
	p->open = false;
	t->sums.open--;
	return p;
}

void own_table_clear(struct own_table *t)
{
	uint64_t open = t->sums.open;

	htab_clear(&t->h_rows);
	t->n_rows = 0;
	t->sums = (struct pev_table_sums){ .open = open };
}

void own_table_free(struct own_table *t)
{
	free(t->rows);
	free(t->pairs);
	htab_free(&t->h_rows);
	htab_free(&t->h_pairs);
	*t = (struct own_table){ 0 };
}
