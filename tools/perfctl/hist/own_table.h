/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table like those of the kernel, for records that are added up here: the same keys, buckets,
 * pairs and sums.
 */
#ifndef PERFCTL_HIST_OWN_TABLE_H
#define PERFCTL_HIST_OWN_TABLE_H

#include "base/util.h"

#include <pev/pev.h>

/* Words of all keys: a name has two. Those that are not used are 0. */
#define OWN_WORDS (2 * PEV_MAX_TABLE_KEYS)

/**
 * struct own_row - a row
 */
struct own_row {
	uint64_t count;
	uint64_t sum;
	uint64_t min;
	uint64_t max;
	uint64_t key[OWN_WORDS];
};

/**
 * struct own_pair - a pair that is open, or was
 * @ns:   when it began
 * @kept: what the event had that began it
 */
struct own_pair {
	uint64_t key[PEV_MAX_TABLE_KEYS];
	uint64_t kept[OWN_WORDS];
	uint64_t ns;
	bool open;
};

/**
 * struct own_table - rows and pairs
 * @table: what it is asked for
 * @sign:  as pev_table_sign() tells it
 * @room:  rows at most
 * @sums:  what became of all that came; without what is lost or filtered
 */
struct own_table {
	const struct pev_table *table;
	uint32_t sign;
	size_t room;
	struct own_row *rows;
	size_t n_rows, cap_rows;
	struct htab h_rows;
	struct own_pair *pairs;
	size_t n_pairs, cap_pairs;
	struct htab h_pairs;
	struct pev_table_sums sums;
};

/* One more of @key, which has OWN_WORDS words. */
void own_table_add(struct own_table *t, const uint64_t *key, uint64_t value);
/* @key: PEV_MAX_TABLE_KEYS words, @kept: OWN_WORDS */
void own_table_begin(struct own_table *t, const uint64_t *key, const uint64_t *kept, uint64_t ns);
/* Returns the pair that ends, until the next call; NULL: none was open. */
const struct own_pair *own_table_end(struct own_table *t, const uint64_t *key);
/* Forgets rows and sums, but for pairs that are open. */
void own_table_clear(struct own_table *t);
void own_table_free(struct own_table *t);

#endif
