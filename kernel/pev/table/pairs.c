// SPDX-License-Identifier: GPL-2.0
/*
 * Owns how open pairs are found, replaced and given up. Must not know what an event is, or
 * how keys are made.
 */

/**
 * DOC: pairs
 *
 * A pair may begin on one CPU and end on another, so all CPUs share the places. A key has
 * its place in one line of 16, and each line's tags are one cache line: a tag says that the
 * place is free, that it is being changed, or that it is open, with some bits of the key's
 * hash. So a search reads one line of memory and compares the key of those few places whose
 * tag fits.
 *
 * Places change hands by a cmpxchg of the tag to BUSY, and there is no lock: who finds a
 * place BUSY goes on to the next one, in an NMI, too. After the cmpxchg the key is compared
 * again, as it may have become another's meanwhile.
 *
 * Barriers:
 *
 * ============  =================================  =====  ==========================
 * label         who gives a place away             pairs  who takes it
 * ============  =================================  =====  ==========================
 * pev_pairs:A   key and time, release, tag         B      cmpxchg of tag, key, time
 * ============  =================================  =====  ==========================
 *
 * What begins in a full line takes the place of its oldest pair: those that never end, as
 * their threads are gone, are not in the way for ever. All loops go over one line once.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include "pairs.h"

#define LINE	16

/* Tags: of an open place, the hash's bits with OPEN set. */
#define FREE	0U
#define BUSY	1U
#define OPEN	2U

/**
 * struct place - where a key may be
 * @line: the first of its places
 * @tag:  that it has when it is open
 */
struct place {
	u32	line;
	u32	tag;
};

static __always_inline struct place place_of(const struct pev_pairs *pairs, const u64 *key)
{
	u64 h = 0;

	for (u32 i = 0; i < pairs->words; i++)
		h = (h ^ (h >> 32)) + key[i] * pairs->seed[i];
	h ^= h >> 32;
	h *= pairs->seed[0];
	return (struct place){
		.line = (u32)(h >> 32) & pairs->mask & ~(LINE - 1U),
		.tag = ((u32)h & ~(BUSY | OPEN)) | OPEN,
	};
}

static __always_inline struct pev_pair *pair_at(const struct pev_pairs *pairs, u32 at)
{
	return (void *)pairs->pairs + (size_t)at * pairs->bytes;
}

static __always_inline bool same_key(const struct pev_pairs *pairs, const struct pev_pair *pair,
				     const u64 *key)
{
	for (u32 i = 0; i < pairs->words; i++)
		if (READ_ONCE(pair->word[i]) != key[i])
			return false;
	return true;
}

/* Take a place that has @tag. Return: it is the caller's alone now. */
static __always_inline bool take(struct pev_pairs *pairs, u32 at, u32 tag)
{
	/* pev_pairs:B, pairs with A */
	return try_cmpxchg(&pairs->tags[at], &tag, BUSY);
}

static __always_inline void give(struct pev_pairs *pairs, u32 at, u32 tag)
{
	/* pev_pairs:A, pairs with B */
	smp_store_release(&pairs->tags[at], tag);
}

/* Return: the place of the open pair of a key, which is the caller's now; or -1. */
static __always_inline long take_open(struct pev_pairs *pairs, struct place place,
				      const u64 *key)
{
	for (u32 i = 0; i < LINE; i++) {
		u32 at = place.line + i;

		if (READ_ONCE(pairs->tags[at]) != place.tag ||
		    !same_key(pairs, pair_at(pairs, at), key) || !take(pairs, at, place.tag))
			continue;
		if (likely(same_key(pairs, pair_at(pairs, at), key)))
			return at;
		give(pairs, at, place.tag);
	}
	return -1;
}

static long take_free(struct pev_pairs *pairs, struct place place)
{
	for (u32 i = 0; i < LINE; i++)
		if (READ_ONCE(pairs->tags[place.line + i]) == FREE &&
		    take(pairs, place.line + i, FREE))
			return place.line + i;
	return -1;
}

/* Give up the oldest pair of the line. Return: its place, or -1: all are about to change. */
static long take_oldest(struct pev_pairs *pairs, struct place place)
{
	u64 oldest = U64_MAX;
	u32 tag = BUSY;
	long at = -1;

	for (u32 i = 0; i < LINE; i++) {
		u32 now = READ_ONCE(pairs->tags[place.line + i]);
		u64 time = READ_ONCE(pair_at(pairs, place.line + i)->time);

		if (!(now & OPEN) || time >= oldest)
			continue;
		oldest = time;
		tag = now;
		at = place.line + i;
	}
	return at >= 0 && take(pairs, at, tag) ? at : -1;
}

static void fill(struct pev_pairs *pairs, u32 at, u32 tag, const u64 *key, u64 now)
{
	struct pev_pair *pair = pair_at(pairs, at);

	WRITE_ONCE(pair->time, now);
	for (u32 i = 0; i < pairs->words + pairs->kept; i++)
		WRITE_ONCE(pair->word[i], key[i]);
	give(pairs, at, tag);
}

/**
 * pev_pairs_begin() - a pair begins
 * @pairs: those that are open
 * @key:   its words, and behind them those that are kept
 * @now:   in ns
 *
 * Two that begin with the same key on two CPUs at once may both be open: each has its end,
 * or is given up as the oldest.
 *
 * Context: Any, NMI included; preemption disabled.
 * Return: enum pev_pair_begun.
 */
enum pev_pair_begun pev_pairs_begin(struct pev_pairs *pairs, const u64 *key, u64 now)
{
	struct place place = place_of(pairs, key);
	enum pev_pair_begun begun = PEV_PAIR_REPLACED;
	long at = take_open(pairs, place, key);

	if (at < 0) {
		begun = PEV_PAIR_OPEN;
		at = take_free(pairs, place);
	}
	if (unlikely(at < 0)) {
		begun = PEV_PAIR_DROPPED;
		at = take_oldest(pairs, place);
	}
	if (likely(at >= 0))
		fill(pairs, at, place.tag, key, now);
	return begun;
}

/**
 * pev_pairs_end() - a pair ends
 * @pairs: those that are open
 * @key:   its words
 * @began: gets when it began
 * @kept:  gets what was kept since
 *
 * Context: as pev_pairs_begin().
 * Return: false if none of that key is open.
 */
bool pev_pairs_end(struct pev_pairs *pairs, const u64 *key, u64 *began, u64 *kept)
{
	struct place place = place_of(pairs, key);
	long at = take_open(pairs, place, key);
	const struct pev_pair *pair;

	if (at < 0)
		return false;
	pair = pair_at(pairs, at);
	*began = pair->time;
	for (u32 i = 0; i < pairs->kept; i++)
		kept[i] = pair->word[pairs->words + i];
	give(pairs, at, FREE);
	return true;
}

/* How many are open, at no particular moment. Any context. */
u32 pev_pairs_open(const struct pev_pairs *pairs)
{
	u32 open = 0;

	for (u32 i = 0; i <= pairs->mask; i++)
		open += READ_ONCE(pairs->tags[i]) != FREE;
	return open;
}

/**
 * pev_pairs_shape() - how large the memory for open pairs is
 * @pairs: filled in, but for the memory
 * @open:  places that there are at least
 * @words: of a key
 * @kept:  words behind it, at most PEV_PAIR_KEPT
 */
void pev_pairs_shape(struct pev_pairs *pairs, u32 open, u32 words, u32 kept)
{
	pairs->words = words;
	pairs->kept = kept;
	pairs->bytes = struct_size_t(struct pev_pair, word, words + kept);
	pairs->mask = roundup_pow_of_two(max_t(u32, open, LINE)) - 1;
	get_random_bytes(pairs->seed, sizeof(pairs->seed));
	for (u32 i = 0; i < PEV_PAIR_WORDS; i++)
		pairs->seed[i] |= 1;
}

size_t pev_pairs_tag_bytes(const struct pev_pairs *pairs)
{
	return ((size_t)pairs->mask + 1) * sizeof(*pairs->tags);
}

size_t pev_pairs_bytes(const struct pev_pairs *pairs)
{
	return ((size_t)pairs->mask + 1) * pairs->bytes;
}
