// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the update of rows and the exchange of a CPU's two tables. Must not know what an
 * event is, or how keys are made.
 */

/**
 * DOC: rows
 *
 * Writers on a CPU nest as in a ring: a task is interrupted by a softirq, that by an
 * interrupt, that by an NMI, and each is done before the one that it interrupted goes on.
 * All words that they share are changed by operations that are atomic against the own CPU.
 *
 * Rows are found by open addressing. A free slot is taken by a cmpxchg of its state, so
 * that one writer fills it. A writer that nests while the slot is filled can't compare its
 * key, and goes on to another one: if it has the same key, there are two rows of that key
 * from then on, of which only the first is found again. Readers add rows of the same key
 * up anyway, as those of all CPUs.
 *
 * Call chains are kept in memory of their own, each once, and a key has the place of one.
 * A chain is written first, into words that its writer alone has, and then put into a free
 * slot of the index by a cmpxchg: so writers that nest see whole chains only, and compare
 * all of their addresses. If a writer that nested was first, its chain is used, or the
 * search goes on, and the words stay unused until the table is cleared.
 *
 * At least half of the slots stay free, and of those of the index, so that a search is
 * short. It ends after MOST_SLOTS in any case: what it did not find then goes to the other
 * row. Who chooses keys, and sees the order of rows, in which are the seeds, could make them
 * collide so far: the seeds of a table are others each time that it was handed out. Those of
 * chains stay, because nothing that is handed out depends on them.
 *
 * A CPU has two tables, and @active is the one that writers use. pev_rows_swap() runs on
 * the CPU with interrupts off, and does nothing if it interrupted a writer. What nests in
 * it is an NMI, which is done with one of the two tables when pev_rows_swap() goes on.
 * After it no writer is inside of the other table and none will come, until it is called
 * again: the reader needs no sequence, no barrier but that of the call to the CPU and
 * back, and no copy by the CPU.
 */
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/log2.h>
#include <linux/random.h>
#include <linux/string.h>
#include "base/mix.h"
#include "rows.h"

#define MOST_SLOTS	64

static __always_inline void add(struct pev_rows_sum *to, u64 nr, u64 value)
{
	local64_add(nr, &to->count);
	local64_add(value, &to->sum);
}

static __always_inline u64 hash_end(const struct pev_rows_half *half, u64 h)
{
	h ^= h >> 32;
	h *= half->seed[0];
	return h >> 32;
}

/* hash() of a key of one word. */
static __always_inline u64 hash_word(const struct pev_rows_half *half, u64 word)
{
	return hash_end(half, word * half->seed[0]);
}

/* Where the search for a key begins. */
static __always_inline u64 hash(const struct pev_rows_half *half, const u64 *key, u32 words)
{
	u64 h = 0;

	for (u32 i = 0; i < words; i++)
		h = (h ^ (h >> 32)) + key[i] * half->seed[i];
	return hash_end(half, h);
}

static __always_inline bool same_key(const struct pev_rows_shape *shape,
				     const struct pev_row *row, const u64 *key)
{
	for (u32 i = 0; i < shape->words; i++)
		if (row->key[i] != key[i])
			return false;
	return true;
}

/* ---- call chains ---- */

/* Two addresses a multiplication. */
static __always_inline u64 hash_stack(const struct pev_rows_shape *shape,
				      const struct pev_rows_stack *stack)
{
	const u64 even = shape->stack_seed[0], odd = shape->stack_seed[1];
	const u64 *ip = stack->ip, *end = ip + (stack->nr & ~1U);
	u64 h = stack->nr;

	for (; ip < end; ip += 2)
		h = pev_mix(h ^ ip[0] ^ even, ip[1] ^ odd);
	if (stack->nr & 1)
		h = pev_mix(h ^ ip[0] ^ even, odd);
	return h;
}

static __always_inline bool same_stack(const u64 *words, const struct pev_rows_stack *stack)
{
	const u64 *ip = stack->ip, *end = ip + (stack->nr & ~1U);

	if (*words++ != stack->nr)
		return false;
	for (; ip < end; ip += 2, words += 2)
		if (words[0] != ip[0] || words[1] != ip[1])
			return false;
	return !(stack->nr & 1) || *words == *ip;
}

/* Return: where it begins, or 0: there is no room. */
static u32 write_stack(const struct pev_rows_shape *shape, struct pev_rows_half *half,
		       const struct pev_rows_stack *stack)
{
	u32 words = stack->nr + 1;
	long end = local_add_return(words, &half->nr_words);
	u64 *to;

	if (end > shape->frames) {
		local_sub(words, &half->nr_words);
		return 0;
	}
	to = half->words + end - words;
	to[0] = stack->nr;
	memcpy(to + 1, stack->ip, stack->nr * sizeof(*to));
	return end - words;
}

/* Return: where the chain begins in @words, or -1: there is no room. */
static __always_inline long find_stack(const struct pev_rows_shape *shape,
				       struct pev_rows_half *half,
				       const struct pev_rows_stack *stack)
{
	u64 at = hash_stack(shape, stack);
	u32 own = 0;

	if (!stack->nr)
		return 0;
	for (u32 i = 0; i < MOST_SLOTS; i++, at++) {
		u32 *slot = &half->index[at & shape->stack_mask];
		u32 there = READ_ONCE(*slot);

		if (unlikely(!there)) {
			own = own ?: write_stack(shape, half, stack);
			if (!own)
				return -1;
			barrier();	/* a nested writer that sees it finds all of it */
			if (try_cmpxchg_local(slot, &there, own))
				return own;
		}
		if (same_stack(half->words + there, stack))
			return there;
	}
	return -1;
}

/* Put the places of call chains into a key. Return: false if there is no room for one. */
static noinline bool find_stacks(const struct pev_rows_shape *shape,
				 struct pev_rows_half *half, u64 *key)
{
	for (u32 left = shape->stacks; left; left &= left - 1) {
		u64 *word = &key[__ffs(left)];
		long at = find_stack(shape, half, (void *)(unsigned long)*word);

		if (at < 0)
			return false;
		*word = at;
	}
	return true;
}

/* ---- rows ---- */

static __always_inline void update(struct pev_row *row, u64 value, u64 mark, u64 flip)
{
	u64 old;

	local64_inc(&row->count);
	local64_add(value, &row->sum);
	old = READ_ONCE(row->min);
	while (unlikely(mark + flip < old + flip) && !try_cmpxchg_local(&row->min, &old, mark))
		;
	old = READ_ONCE(row->max);
	while (unlikely(mark + flip > old + flip) && !try_cmpxchg_local(&row->max, &old, mark))
		;
}

/* The slot is this writer's alone until it is ready. */
static void fill(const struct pev_rows_shape *shape, struct pev_row *row, const u64 *key,
		 u64 value, u64 mark)
{
	for (u32 i = 0; i < shape->words; i++)
		row->key[i] = key[i];
	local64_set(&row->count, 1);
	local64_set(&row->sum, value);
	row->min = mark;
	row->max = mark;
	barrier();	/* a nested writer that sees READY finds the rest */
	local_set(&row->state, PEV_ROW_READY);
}

/* Return: may one more row come into use? */
static bool row_begin(const struct pev_rows_shape *shape, struct pev_rows_half *half)
{
	if (local_add_return(1, &half->used) <= shape->rows)
		return true;
	local_dec(&half->used);
	return false;
}

/* Search from the place @at on. Return: false if there is no row for the key. */
static __always_inline bool update_from(struct pev_rows *rows, struct pev_rows_half *half,
					u64 at, const u64 *key, u64 value, u64 mark)
{
	const struct pev_rows_shape *shape = rows->shape;
	bool begun = false;

	for (u32 i = 0; i < MOST_SLOTS; i++, at++) {
		struct pev_row *row = pev_rows_at(rows, half, at & shape->mask);
		long state = local_read(&row->state);

		if (unlikely(state == PEV_ROW_FREE)) {
			if (!begun && !row_begin(shape, half))
				return false;
			begun = true;
			state = local_cmpxchg(&row->state, PEV_ROW_FREE, PEV_ROW_TAKEN);
			if (state == PEV_ROW_FREE) {
				fill(shape, row, key, value, mark);
				return true;
			}
			/* a nested writer was first, and is done */
			state = local_read(&row->state);
		}
		if (unlikely(state != PEV_ROW_READY) || !same_key(shape, row, key))
			continue;
		update(row, value, mark, shape->flip);
		if (unlikely(begun))
			local_dec(&half->used);
		return true;
	}
	if (begun)
		local_dec(&half->used);
	return false;
}

/* Return: false if there is no row for the key. */
static __always_inline bool update_row(struct pev_rows *rows, struct pev_rows_half *half,
				       const u64 *key, u64 value, u64 mark)
{
	return update_from(rows, half, hash(half, key, rows->shape->words), key, value, mark);
}

static __always_inline struct pev_rows_half *enter(struct pev_rows *rows)
{
	local_inc(&rows->nest);
	barrier();		/* @active is read inside the nest */
	return &rows->half[READ_ONCE(rows->active)];
}

static __always_inline void leave(struct pev_rows *rows)
{
	barrier();		/* all is written inside the nest */
	local_dec(&rows->nest);
}

/**
 * pev_rows_update() - count an update in the row of a key, or in the other row
 * @rows:  this CPU's
 * @key:   its words, of call chains the address of a struct pev_rows_stack; changed
 * @value: for the sum
 * @mark:  for min and max
 *
 * Context: Any, NMI included; preemption disabled.
 */
void pev_rows_update(struct pev_rows *rows, u64 *key, u64 value, u64 mark)
{
	struct pev_rows_half *half = enter(rows);

	add(&half->generated, 1, value);
	if (unlikely((rows->shape->stacks && !find_stacks(rows->shape, half, key)) ||
		     !update_row(rows, half, key, value, mark)))
		add(&half->other, 1, value);
	leave(rows);
}

/* What is not where its search begins. It leaves. */
static noinline void count_elsewhere(struct pev_rows *rows, struct pev_rows_half *half, u64 at,
				     u64 word)
{
	if (!update_from(rows, half, at, &word, 0, 0))
		add(&half->other, 1, 0);
	leave(rows);
}

/*
 * Most of what is counted has a row, and that is where the search begins: so this needs
 * fewer registers, and no loop.
 */
static __always_inline void count_and_leave(struct pev_rows *rows, struct pev_rows_half *half,
					    u64 word)
{
	const struct pev_rows_shape *shape = rows->shape;
	u64 at = hash_word(half, word);
	struct pev_row *row = pev_rows_at(rows, half, at & shape->mask);

	local64_inc(&half->generated.count);
	if (unlikely(local_read(&row->state) != PEV_ROW_READY || row->key[0] != word))
		return count_elsewhere(rows, half, at, word);
	local64_inc(&row->count);
	leave(rows);
}

/**
 * pev_rows_count() - pev_rows_update() with value and mark 0, in rows of one word
 * @rows: this CPU's; all of its values and marks are 0
 * @word: the key, no call chain
 *
 * Context: as pev_rows_update().
 */
void pev_rows_count(struct pev_rows *rows, u64 word)
{
	count_and_leave(rows, enter(rows), word);
}

/**
 * pev_rows_count_stack() - pev_rows_count() in rows of one call chain
 * @rows:  as there
 * @stack: the key
 *
 * Context: as pev_rows_update().
 */
void pev_rows_count_stack(struct pev_rows *rows, const struct pev_rows_stack *stack)
{
	struct pev_rows_half *half = enter(rows);
	long at = find_stack(rows->shape, half, stack);

	if (likely(at >= 0))
		return count_and_leave(rows, half, at);
	local64_inc(&half->generated.count);
	local64_inc(&half->other.count);
	leave(rows);
}

/**
 * pev_rows_lose() - count an update that came to nothing
 * @rows:  this CPU's
 * @value: as far as it is known
 *
 * Context: as pev_rows_update().
 */
void pev_rows_lose(struct pev_rows *rows, u64 value)
{
	struct pev_rows_half *half = enter(rows);

	add(&half->generated, 1, value);
	add(&half->lost, 1, value);
	leave(rows);
}

/**
 * pev_rows_filter() - count what a filter refused
 * @rows:  this CPU's
 * @nr:    occurrences
 * @value: of all of them
 *
 * Context: as pev_rows_update().
 */
void pev_rows_filter(struct pev_rows *rows, u64 nr, u64 value)
{
	struct pev_rows_half *half = enter(rows);

	add(&half->generated, nr, value);
	add(&half->filtered, nr, value);
	leave(rows);
}

/**
 * pev_rows_unmatch() - count the end of a pair that had not begun
 * @rows:  this CPU's
 * @value: for the sum
 *
 * Context: as pev_rows_update().
 */
void pev_rows_unmatch(struct pev_rows *rows, u64 value)
{
	struct pev_rows_half *half = enter(rows);

	add(&half->generated, 1, value);
	add(&half->unmatched, 1, value);
	leave(rows);
}

/**
 * pev_rows_begin() - count the begin of a pair, which is no update
 * @rows:     this CPU's
 * @replaced: it took the place of one of its key
 * @dropped:  it has no place, or another one has lost it
 *
 * Context: as pev_rows_update().
 */
void pev_rows_begin(struct pev_rows *rows, bool replaced, bool dropped)
{
	struct pev_rows_half *half = enter(rows);

	local64_inc(&half->begun);
	if (replaced)
		local64_inc(&half->replaced);
	if (unlikely(dropped))
		local64_inc(&half->dropped);
	leave(rows);
}

/**
 * pev_rows_record() - count a pair that took long enough for a record
 * @rows:    this CPU's
 * @written: there was room for it
 *
 * Context: as pev_rows_update().
 */
void pev_rows_record(struct pev_rows *rows, bool written)
{
	struct pev_rows_half *half = enter(rows);

	local64_inc(written ? &half->recorded : &half->unrecorded);
	leave(rows);
}

/**
 * pev_rows_has_any() - would an exchange bring anything?
 * @rows: a CPU's
 *
 * Context: Any CPU; the caller keeps others from exchanging the two tables. What is added
 * meanwhile may be seen or not.
 * Return: whether anything was counted since the last exchange, or is still to become an update.
 */
bool pev_rows_has_any(const struct pev_rows *rows)
{
	const struct pev_rows_half *half = &rows->half[rows->active];

	return READ_ONCE(rows->charging) || local64_read(&half->generated.count) ||
	       local64_read(&half->begun) || local64_read(&half->recorded) ||
	       local64_read(&half->unrecorded);
}

/**
 * pev_rows_swap() - let writers use the other table, which must be clear
 * @rows: a CPU's
 *
 * Context: Interrupts disabled on that CPU; or it is offline, can't come online, and there
 * is one caller.
 * Return: false if a writer was interrupted, and nothing was changed.
 */
bool pev_rows_swap(struct pev_rows *rows)
{
	if (local_read(&rows->nest))
		return false;
	WRITE_ONCE(rows->active, !rows->active);
	return true;
}

/* Make the table that is not active ready for the next pev_rows_swap(). Process context. */
void pev_rows_clear(struct pev_rows *rows)
{
	const struct pev_rows_shape *shape = rows->shape;
	struct pev_rows_half *half = pev_rows_idle(rows);
	struct pev_rows_half empty = {
		.slots = half->slots, .words = half->words, .index = half->index,
	};

	memset(half->slots, 0, pev_rows_bytes(shape));
	if (shape->stacks) {
		memset(half->index, 0, pev_rows_index_bytes(shape));
		half->words[0] = 0;
		local_set(&empty.nr_words, 1);
	}
	pev_rows_seed(shape, &empty);
	*half = empty;
}

/**
 * pev_rows_seed() - have keys where no one knows that they are
 * @shape: of the rows
 * @half:  empty, and not active; those that are handed out next
 *
 * Context: Process context.
 */
void pev_rows_seed(const struct pev_rows_shape *shape, struct pev_rows_half *half)
{
	get_random_bytes(half->seed, shape->words * sizeof(*half->seed));
	for (u32 i = 0; i < shape->words; i++)
		half->seed[i] |= 1;
}

/**
 * pev_rows_shape() - how large the rows of a table are
 * @shape: filled in
 * @rows:  at least 1
 * @words: of a key
 * @sign:  do values have a sign?
 */
void pev_rows_shape(struct pev_rows_shape *shape, u32 rows, u32 words, bool sign)
{
	BUILD_BUG_ON(sizeof(struct pev_row) - offsetof(struct pev_row, count) !=
		     sizeof(struct pev_table_row));
	shape->words = words;
	shape->rows = rows;
	shape->mask = roundup_pow_of_two(2 * rows) - 1;
	shape->slot = struct_size_t(struct pev_row, key, words);
	shape->flip = sign ? 1ULL << 63 : 0;
	get_random_bytes(shape->stack_seed, sizeof(shape->stack_seed));
}

/**
 * pev_rows_shape_stacks() - let words of the key be call chains
 * @shape:  changed
 * @mask:   of these words
 * @frames: words of memory for them
 *
 * With as many slots as words, at least half of them stay free, as those of rows do: the
 * shortest chain that needs one has two words.
 */
void pev_rows_shape_stacks(struct pev_rows_shape *shape, u32 mask, u32 frames)
{
	shape->stacks = mask;
	shape->frames = frames;
	shape->stack_mask = roundup_pow_of_two(frames) - 1;
}

/* Bytes of the slots of one of a CPU's two tables. */
size_t pev_rows_bytes(const struct pev_rows_shape *shape)
{
	return (size_t)(shape->mask + 1) * shape->slot;
}

/* Bytes of the index of call chains of one of a CPU's two tables. */
size_t pev_rows_index_bytes(const struct pev_rows_shape *shape)
{
	return ((size_t)shape->stack_mask + 1) * sizeof(u32);
}
