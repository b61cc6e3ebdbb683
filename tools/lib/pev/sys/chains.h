/* SPDX-License-Identifier: LGPL-2.1-only */
/* Call chains by their content, each once. */
#ifndef _PEV_SYS_CHAINS_H
#define _PEV_SYS_CHAINS_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct chains - call chains, one behind the other: the number of addresses, and these
 * @words: all of them; word 0 is a chain without addresses
 * @nr:    words in use
 * @room:  words that there is room for
 * @nr_chains: that have addresses
 * @slots: twice as many as there may be chains, a power of two: where one begins, 0: free
 * @nr_slots: of these
 */
struct chains {
	uint64_t	*words;
	size_t		nr;
	size_t		room;
	size_t		nr_chains;
	uint32_t	*slots;
	size_t		nr_slots;
};

/* Room for chains of @words more words. Returns 0 or -ENOMEM, with the chains as they were. */
int chains_reserve(struct chains *c, size_t words);
/* There is room. @chain: its length and its addresses; returns where it is in @c->words */
uint32_t chains_add(struct chains *c, const uint64_t *chain);
void chains_clear(struct chains *c);
void chains_free(struct chains *c);

#endif /* _PEV_SYS_CHAINS_H */
