// SPDX-License-Identifier: LGPL-2.1-only
/* Keeps each call chain once. See chains.h. */
#include "sys/chains.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where a chain is, or would be. */
static uint32_t *slot_of(const struct chains *c, const uint64_t *chain)
{
	uint64_t h = 0;
	size_t at;

	for (uint64_t i = 0; i <= chain[0]; i++) {
		h = (h ^ chain[i]) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 32;
	}
	for (at = h;; at++) {
		uint32_t *slot = &c->slots[at & (c->nr_slots - 1)];

		if (!*slot || (c->words[*slot] == chain[0] &&
			       !memcmp(c->words + *slot + 1, chain + 1,
				       chain[0] * sizeof(*chain))))
			return slot;
	}
}

static int reserve_slots(struct chains *c, size_t chains)
{
	size_t nr = c->nr_slots ? c->nr_slots : 64;
	uint32_t *slots;

	while (nr < 2 * chains)
		nr *= 2;
	if (nr == c->nr_slots)
		return 0;
	slots = calloc(nr, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(c->slots);
	c->slots = slots;
	c->nr_slots = nr;
	for (size_t at = 1; at < c->nr; at += c->words[at] + 1)
		*slot_of(c, c->words + at) = at;
	return 0;
}

int chains_reserve(struct chains *c, size_t words)
{
	size_t room = c->room ? c->room : 256, nr = c->nr ? c->nr : 1;
	uint64_t *more;

	while (room < nr + words)
		room *= 2;
	if (room > UINT32_MAX)
		return -ENOMEM;
	if (room != c->room) {
		more = realloc(c->words, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		more[0] = 0;
		c->words = more;
		c->room = room;
		c->nr = nr;
	}
	/* the shortest one takes two words */
	return reserve_slots(c, c->nr_chains + words / 2);
}

uint32_t chains_add(struct chains *c, const uint64_t *chain)
{
	uint32_t *slot;

	if (!chain[0])
		return 0;
	slot = slot_of(c, chain);
	if (*slot)
		return *slot;
	memcpy(c->words + c->nr, chain, (chain[0] + 1) * sizeof(*chain));
	*slot = c->nr;
	c->nr += chain[0] + 1;
	c->nr_chains++;
	return *slot;
}

void chains_clear(struct chains *c)
{
	if (c->slots)
		memset(c->slots, 0, c->nr_slots * sizeof(*c->slots));
	c->nr = c->words ? 1 : 0;
	c->nr_chains = 0;
}

void chains_free(struct chains *c)
{
	free(c->words);
	free(c->slots);
}
