// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tables of libpev: rows of the same key are one, and what a bucket holds. What the kernel gives
 * is tests/selftests/table_test.c's and tests/cli/hist.sh's.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "sys/chains.h"
#include "sys/table.h"
#include "tap.h"

#define KEYS	5000

union row {
	struct pev_table_row	row;
	uint64_t		words[6];
};

static void make_row(union row *row, uint64_t a, uint64_t b, uint64_t value)
{
	*row = (union row){ .words = { 1, value, value, value, a, b } };
}

/* Three times each key, of CPUs one after the other. */
static void test_rows(bool sign)
{
	struct rows rows = { .size = sizeof(union row), .sign = sign };
	uint64_t count = 0, sum = 0, wanted = 0;
	bool right = true, distinct = true;

	for (int round = -1; round < 2; round++) {
		check(!table_reserve(&rows, KEYS), "room for as many rows as may come");
		for (uint64_t i = 0; i < KEYS; i++) {
			union row row;

			make_row(&row, i % 100, i / 100, (uint64_t)(round * (int)i));
			table_add(&rows, &row.row);
			wanted += (uint64_t)(round * (int)i);
		}
	}
	for (size_t i = 0; i < rows.nr; i++) {
		union row *row = (union row *)(rows.data + i * rows.size);
		uint64_t n = row->words[4] + 100 * row->words[5];

		count += row->row.count;
		sum += row->row.sum;
		distinct &= n == i;
		right &= row->row.count == 3 && !row->row.sum &&
			 row->row.min == (sign ? -n : 0) &&
			 row->row.max == (sign || !n ? n : -n);
	}
	check(rows.nr == KEYS && distinct, "a row for each key");
	check(count == 3 * KEYS && sum == wanted, "nothing is forgotten");
	check(right, "least and greatest, %s a sign", sign ? "with" : "without");
	table_clear(&rows);
	check(!rows.nr && !table_reserve(&rows, KEYS), "empty again");
	table_free(&rows);
}

/* Chains that begin and end alike, each twice: each is there once, and stays what it is. */
static void test_chains(void)
{
	enum { CHAINS = 3000 };
	static uint32_t at[CHAINS];
	struct chains chains = { 0 };
	bool once = true, whole = true;

	for (unsigned int round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < CHAINS; i++) {
			uint64_t chain[8] = { i % 8, 0xffffffff81000000, i / 8 };
			uint32_t place;

			if (i % 100 == 0)
				check(!chains_reserve(&chains, 800), "room for chains");
			place = chains_add(&chains, chain);
			once &= !round || at[i] == place;
			at[i] = place;
		}
	}
	for (uint64_t i = 0; i < CHAINS; i++) {
		const uint64_t *words = chains.words + at[i];

		whole &= words[0] == i % 8 && (i % 8 < 2 || words[2] == i / 8);
	}
	check(once, "a chain has one place");
	check(whole, "chains are as they were");
	check(!at[0] && !at[8] && at[1] && at[1] == at[9] && at[2] != at[10],
	      "chains without addresses are one, and others differ");
	chains_clear(&chains);
	check(chains.nr == 1 && !chains.nr_chains && !chains_reserve(&chains, 8), "none is left");
	chains_free(&chains);
}

static void test_bounds(void)
{
	static const struct {
		uint32_t bucket;
		uint64_t step, word, low, high;
	} good[] = {
		{ PEV_TABLE_EXACT, 0, 77, 77, 77 },
		{ PEV_TABLE_LOG2, 0, 0, 0, 0 },
		{ PEV_TABLE_LOG2, 0, 1, 1, 1 },
		{ PEV_TABLE_LOG2, 0, 4, 8, 15 },
		{ PEV_TABLE_LOG2, 0, 64, 1ULL << 63, UINT64_MAX },
		{ PEV_TABLE_LOG2, 0, -2ULL, -3ULL, -2ULL },
		{ PEV_TABLE_LOG2, 0, -64ULL, 1ULL << 63, 1ULL << 63 },
		{ PEV_TABLE_EIGHTHS, 0, 15, 15, 15 },
		{ PEV_TABLE_EIGHTHS, 0, 16, 16, 17 },
		{ PEV_TABLE_EIGHTHS, 0, 23, 30, 31 },
		{ PEV_TABLE_EIGHTHS, 0, 24, 32, 35 },
		{ PEV_TABLE_EIGHTHS, 0, 495, 15ULL << 60, UINT64_MAX },
		{ PEV_TABLE_EIGHTHS, 0, -16ULL, -17ULL, -16ULL },
		{ PEV_TABLE_LINEAR, 10, 3, 30, 39 },
		{ PEV_TABLE_LINEAR, 10, -1ULL, -10ULL, -1ULL },
	};
	uint64_t low, high;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct pev_table_key key = { .bucket = good[i].bucket, .step = good[i].step };

		check(!pev_table_bounds(&key, good[i].word, &low, &high) &&
			      low == good[i].low && high == good[i].high,
		      "bounds %zu", i);
	}
	check(pev_table_bounds(&(struct pev_table_key){ .bucket = PEV_TABLE_LOG2 }, 65, &low,
			       &high) == -EINVAL,
	      "no number has so many bits");
	check(pev_table_bounds(&(struct pev_table_key){ .bucket = PEV_TABLE_EIGHTHS }, 496, &low,
			       &high) == -EINVAL,
	      "... nor so many eighths");
	check(pev_table_bounds(&(struct pev_table_key){ .bucket = 77 }, 0, &low, &high) == -EINVAL,
	      "a bucket of a later kernel");
}

/* The bucket of a number has it. */
static bool in_its_bucket(const struct pev_table_key *key, uint64_t number, bool sign)
{
	uint64_t word, low, high;

	if (pev_table_bucket(key, sign ? PEV_TABLE_SIGNED : 0, number, &word) ||
	    pev_table_bounds(key, word, &low, &high))
		return false;
	return sign ? (int64_t)low <= (int64_t)number && (int64_t)number <= (int64_t)high :
		      low <= number && number <= high;
}

static void test_buckets(void)
{
	const struct pev_table_key kinds[] = {
		{ .bucket = PEV_TABLE_EXACT },
		{ .bucket = PEV_TABLE_LOG2 },
		{ .bucket = PEV_TABLE_EIGHTHS },
		{ .bucket = PEV_TABLE_LINEAR, .step = 1 },
		{ .bucket = PEV_TABLE_LINEAR, .step = 100 },
	};
	unsigned int wrong = 0;
	uint64_t word;

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (unsigned int bit = 0; bit < 62; bit++)
			for (int64_t near = -2; near <= 2; near++) {
				int64_t number = (int64_t)(1ull << bit) + near;

				wrong += number >= 0 &&
					 !in_its_bucket(&kinds[k], (uint64_t)number, false);
				wrong += !in_its_bucket(&kinds[k], (uint64_t)number, true);
				wrong += !in_its_bucket(&kinds[k], (uint64_t)-number, true);
			}
	check(!wrong, "each number is in its bucket: %u are not", wrong);
	check(!in_its_bucket(&(struct pev_table_key){ .bucket = PEV_TABLE_LINEAR }, 5, false),
	      "a width of 0");
	check(pev_table_bucket(&(struct pev_table_key){ .bucket = 77 }, 0, 5, &word) == -EINVAL,
	      "a number has no bucket of a later kernel");
	check(pev_table_bucket(&kinds[0], 2, 5, &word) == -EINVAL, "flags of a later library");
}

static void test_flags(void)
{
	struct pev_table table = { .rows = 1 };
	struct pev_table_reader *reader;
	struct pev_error err = { 0 };

	check(pev_table_open(&table, 2, &reader, &err) == -EINVAL && !reader &&
		      strstr(err.text, "flags"),
	      "flags that there are not");
	pev_table_close(NULL);
}

int main(void)
{
	test_rows(false);
	test_rows(true);
	test_chains();
	test_bounds();
	test_buckets();
	test_flags();
	return tap_done();
}
