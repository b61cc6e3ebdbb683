/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of one CPU: keys, counts and sums, updated by that CPU in any context. See the DOC
 * block in rows.c for the algorithm. This layer knows words; it must not learn what an
 * event is.
 */
#ifndef _PEV_TABLE_ROWS_H
#define _PEV_TABLE_ROWS_H

#include <linux/types.h>
#include <asm/local.h>
#include <asm/local64.h>
#include <uapi/linux/pev.h>

/* Words of the longest key: four names of threads. */
#define PEV_ROW_WORDS	(2 * PEV_MAX_TABLE_KEYS)

/**
 * struct pev_rows_shape - what the rows of all CPUs of a table have in common
 * @words: of a key
 * @rows:  that may be in use
 * @mask:  slots less 1: there are at least twice as many as rows, a power of two
 * @slot:  bytes of a slot
 * @stacks: mask of the words of a key that are call chains
 * @frames: words of memory for these
 * @stack_mask: slots for these less 1
 * @flip:  is added to a mark, modulo 2^64, to compare it as a number without a sign
 * @stack_seed: numbers that users can't guess, nor find out
 */
struct pev_rows_shape {
	u32	words;
	u32	rows;
	u32	mask;
	u32	slot;
	u32	stacks;
	u32	frames;
	u32	stack_mask;
	u64	flip;
	u64	stack_seed[2];
};

/**
 * struct pev_row - a slot for a row; from @count on as struct pev_table_row
 * @state: enum pev_row_state
 * @count: of updates
 * @sum:   of their values
 * @min:   the least of their marks
 * @max:   the greatest
 * @key:   what tells it apart
 */
struct pev_row {
	local_t		state;
	local64_t	count;
	local64_t	sum;
	u64		min;
	u64		max;
	u64		key[];
};

/**
 * enum pev_row_state - who may touch a slot
 * @PEV_ROW_FREE:  no one has
 * @PEV_ROW_TAKEN: a writer fills it
 * @PEV_ROW_READY: its key stays
 */
enum pev_row_state {
	PEV_ROW_FREE,
	PEV_ROW_TAKEN,
	PEV_ROW_READY,
};

/**
 * struct pev_rows_stack - a call chain that is part of a key
 * @nr: addresses
 * @ip: they
 */
struct pev_rows_stack {
	u32		nr;
	const u64	*ip;
};

/* A count and a sum that nested writers add to. */
struct pev_rows_sum {
	local64_t	count;
	local64_t	sum;
};

/**
 * struct pev_rows_half - one of the two tables of a CPU, and what came since it was empty
 * @used:      rows in use, and those about to be
 * @generated: all that came
 * @other:     updates that found no row
 * @lost:      see struct pev_table_swap
 * @filtered:  see struct pev_table_swap
 * @unmatched: see struct pev_table_swap
 * @begun:     pairs that began
 * @replaced:  see struct pev_table_swap
 * @dropped:   see struct pev_table_swap
 * @recorded:  see struct pev_table_swap
 * @unrecorded: see struct pev_table_swap
 * @slots:     the memory
 * @seed:      odd numbers for each word of a key, that users can't guess
 * @nr_words:  of @words in use, and of those that did not fit for a moment
 * @words:     call chains, each a word with its length and its addresses; the first one is
 *             empty
 * @index:     where each of them begins, by its hash; 0: free
 */
struct pev_rows_half {
	local_t			used;
	struct pev_rows_sum	generated;
	struct pev_rows_sum	other;
	struct pev_rows_sum	lost;
	struct pev_rows_sum	filtered;
	struct pev_rows_sum	unmatched;
	local64_t		begun;
	local64_t		replaced;
	local64_t		dropped;
	local64_t		recorded;
	local64_t		unrecorded;
	void			*slots;
	u64			seed[PEV_ROW_WORDS];
	local_t			nr_words;
	u64			*words;
	u32			*index;
};

/**
 * struct pev_rows - the rows of one CPU
 * @nest:   writers inside
 * @active: which half they write to; changed by this CPU, see pev_rows_swap()
 * @charging: events that count here, and whose counts become updates only before an exchange
 * @shape:  of the table
 * @half:   both
 *
 * Written by the owning CPU alone, but for the half that is not active.
 */
struct pev_rows {
	local_t				nest;
	u32				active;
	u32 charging;
	const struct pev_rows_shape	*shape;
	struct pev_rows_half		half[2];
};

void pev_rows_shape(struct pev_rows_shape *shape, u32 rows, u32 words, bool sign);
void pev_rows_seed(const struct pev_rows_shape *shape, struct pev_rows_half *half);
void pev_rows_shape_stacks(struct pev_rows_shape *shape, u32 mask, u32 frames);
size_t pev_rows_bytes(const struct pev_rows_shape *shape);
size_t pev_rows_index_bytes(const struct pev_rows_shape *shape);
void pev_rows_update(struct pev_rows *rows, u64 *key, u64 value, u64 mark);
void pev_rows_count(struct pev_rows *rows, u64 word);
void pev_rows_count_stack(struct pev_rows *rows, const struct pev_rows_stack *stack);
void pev_rows_lose(struct pev_rows *rows, u64 value);
void pev_rows_filter(struct pev_rows *rows, u64 nr, u64 value);
void pev_rows_unmatch(struct pev_rows *rows, u64 value);
void pev_rows_begin(struct pev_rows *rows, bool replaced, bool dropped);
void pev_rows_record(struct pev_rows *rows, bool written);
bool pev_rows_has_any(const struct pev_rows *rows);
bool pev_rows_swap(struct pev_rows *rows);
void pev_rows_clear(struct pev_rows *rows);

/* The half that no one writes to, until the next pev_rows_swap(). */
static inline struct pev_rows_half *pev_rows_idle(struct pev_rows *rows)
{
	return &rows->half[!rows->active];
}

/* Words of call chains that there are in it. */
static inline u32 pev_rows_words(const struct pev_rows_half *half)
{
	return local_read(&half->nr_words);
}

static inline struct pev_row *pev_rows_at(const struct pev_rows *rows,
					  const struct pev_rows_half *half, u32 nr)
{
	return half->slots + (size_t)nr * rows->shape->slot;
}

#endif
