/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open pairs: what began and has not ended, by key, on whatever CPU. See the DOC block in
 * pairs.c for the algorithm. This layer knows words and times; it must not learn what an
 * event is.
 */
#ifndef _PEV_TABLE_PAIRS_H
#define _PEV_TABLE_PAIRS_H

#include <linux/types.h>
#include <uapi/linux/pev.h>

/* Words of the longest key of a pair: numbers only. */
#define PEV_PAIR_WORDS	PEV_MAX_TABLE_KEYS
/* Words that are kept with it at most: four names of threads. */
#define PEV_PAIR_KEPT	(2 * PEV_MAX_TABLE_KEYS)

/**
 * enum pev_pair_begun - what became of the pairs that a begin met
 * @PEV_PAIR_OPEN:     it is open, and nothing else has changed
 * @PEV_PAIR_REPLACED: it is open in place of one of the same key
 * @PEV_PAIR_DROPPED:  it is open in place of the oldest one near it, or is not open itself
 */
enum pev_pair_begun {
	PEV_PAIR_OPEN,
	PEV_PAIR_REPLACED,
	PEV_PAIR_DROPPED,
};

/**
 * struct pev_pair - a pair that is open
 * @time: when it began, in ns
 * @word: its key, and behind it what is kept until it ends
 */
struct pev_pair {
	u64	time;
	u64	word[];
};

/**
 * struct pev_pairs - the open pairs of a table
 * @words: of a key
 * @kept:  words behind it
 * @bytes: of a struct pev_pair
 * @mask:  places less 1, a power of two
 * @seed:  odd numbers that users can't guess, for each word
 * @tags:  of each place, see pairs.c
 * @pairs: of each place
 */
struct pev_pairs {
	u32		words;
	u32		kept;
	u32		bytes;
	u32		mask;
	u64		seed[PEV_PAIR_WORDS];
	u32		*tags;
	struct pev_pair	*pairs;
};

void pev_pairs_shape(struct pev_pairs *pairs, u32 open, u32 words, u32 kept);
size_t pev_pairs_tag_bytes(const struct pev_pairs *pairs);
size_t pev_pairs_bytes(const struct pev_pairs *pairs);
enum pev_pair_begun pev_pairs_begin(struct pev_pairs *pairs, const u64 *key, u64 now);
bool pev_pairs_end(struct pev_pairs *pairs, const u64 *key, u64 *began, u64 *kept);
u32 pev_pairs_open(const struct pev_pairs *pairs);

#endif
