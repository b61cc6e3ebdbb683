// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Buckets of tables: which one has a number, and which numbers one has.
 */
#include <errno.h>
#include <stdbool.h>
#include <pev/pev.h>
#include "core/compiler.h"

/* ---- from a number to its bucket ---- */

static uint64_t bits_of(uint64_t number)
{
	return number ? 64 - (uint64_t)__builtin_clzll(number) : 0;
}

/* The power of two above bit 3, and the three bits below its own */
static uint64_t eighth_of(uint64_t number)
{
	uint64_t shift;

	if (number < 16)
		return number;
	shift = bits_of(number) - 4;
	return 8 * shift + (number >> shift);
}

static uint64_t linear_of(uint64_t step, bool negative, uint64_t number)
{
	/* the bucket below 0 begins at -1 */
	return negative ? ~(~number / step) : number / step;
}

PEV_EXPORT int pev_table_bucket(const struct pev_table_key *key, unsigned int flags,
				uint64_t number, uint64_t *word)
{
	bool negative = flags & PEV_TABLE_SIGNED && (int64_t)number < 0;

	if (flags & ~PEV_TABLE_SIGNED)
		return -EINVAL;
	switch (key->bucket) {
	case PEV_TABLE_EXACT:
		*word = number;
		return 0;
	case PEV_TABLE_LOG2:
		*word = negative ? -bits_of(-number) : bits_of(number);
		return 0;
	case PEV_TABLE_EIGHTHS:
		*word = negative ? -eighth_of(-number) : eighth_of(number);
		return 0;
	case PEV_TABLE_LINEAR:
		if (!key->step)
			return -EINVAL;
		*word = linear_of(key->step, negative, number);
		return 0;
	default:
		return -EINVAL;
	}
}

/* ---- and back ---- */

static int log2_bounds(int64_t n, uint64_t *low, uint64_t *high)
{
	uint64_t from, to;

	if (n < -64 || n > 64)
		return -EINVAL;
	if (!n) {
		*low = *high = 0;
		return 0;
	}
	from = 1ULL << ((n < 0 ? -n : n) - 1);
	to = from - 1 + from;
	*low = n < 0 ? -to : from;
	*high = n < 0 ? -from : to;
	/* the least number has no opposite */
	if (n == -64)
		*low = *high = from;
	return 0;
}

static int eighths_bounds(int64_t n, uint64_t *low, uint64_t *high)
{
	uint64_t k = n < 0 ? -(uint64_t)n : (uint64_t)n, from, to;
	unsigned int shift = k < 16 ? 0 : (unsigned int)(k / 8 - 1);

	if (shift > 60)
		return -EINVAL;
	from = k < 16 ? k : (8 + k % 8) << shift;
	to = from + (1ULL << shift) - 1;
	*low = n < 0 ? -to : from;
	*high = n < 0 ? -from : to;
	return 0;
}

PEV_EXPORT int pev_table_bounds(const struct pev_table_key *key, uint64_t word, uint64_t *low,
				uint64_t *high)
{
	switch (key->bucket) {
	case PEV_TABLE_EXACT:
		*low = *high = word;
		return 0;
	case PEV_TABLE_LOG2:
		return log2_bounds((int64_t)word, low, high);
	case PEV_TABLE_EIGHTHS:
		return eighths_bounds((int64_t)word, low, high);
	case PEV_TABLE_LINEAR:
		*low = word * key->step;
		*high = *low + (key->step - 1);
		return 0;
	default:
		return -EINVAL;
	}
}
