// SPDX-License-Identifier: GPL-2.0
/* Hashes that stores keep: what is here never changes. See ids.h. */
#include "ids.h"

#define MIX_A 0x9e3779b97f4a7c15ULL
#define MIX_B 0xff51afd7ed558ccdULL

uint64_t id_u64(uint64_t h, uint64_t v)
{
	h = (h ^ v) + MIX_A;
	h ^= h >> 32;
	h *= MIX_B;
	h ^= h >> 29;
	h *= MIX_A;
	return h ^ h >> 32;
}

uint64_t id_bytes(uint64_t h, const void *data, size_t len)
{
	const uint8_t *p = data;
	uint64_t word = 0;

	h = id_u64(h, len);
	for (size_t i = 0; i < len; i++) {
		word |= (uint64_t)p[i] << (i % 8 * 8);
		if (i % 8 == 7 || i + 1 == len) {
			h = id_u64(h, word);
			word = 0;
		}
	}
	return h;
}
