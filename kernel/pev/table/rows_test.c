// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of rows in the kernel: keys that collide, tables without room, and interrupts that
 * nest in an update or come while the tables are exchanged.
 */
#include <kunit/resource.h>
#include <kunit/test.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include "rows.h"

#define ROWS		16U
#define UPDATES		200000U

/**
 * struct rig - rows, and those who write to them
 * @shape:   of the rows
 * @rows:    under test
 * @timer:   writes from its interrupt
 * @work:    writes from its own
 * @written: updates, by any of them
 * @sum:     of their values
 * @nested:  updates from an interrupt that came within one
 * @inside:  a task is within an update
 */
struct rig {
	struct pev_rows_shape	shape;
	struct pev_rows		rows;
	struct hrtimer		timer;
	struct irq_work		work;
	local64_t		written;
	local64_t		sum;
	unsigned int		nested;
	bool			inside;
};

/* What was handed out so far. */
struct told {
	u64	rows;
	u64	rows_sum;
	u64	other;
	u64	lost;
	u64	filtered;
	u64	generated;
	u64	generated_sum;
	u64	other_sum;
	u32	nr;
	u64	min;
	u64	max;
};

static struct rig *make_rig(struct kunit *test, u32 rows, bool sign)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	pev_rows_shape(&rig->shape, rows, 2, sign);
	rig->rows.shape = &rig->shape;
	for (u32 i = 0; i < 2; i++) {
		rig->rows.half[i].slots = kunit_kzalloc(test, pev_rows_bytes(&rig->shape),
							GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, rig->rows.half[i].slots);
		pev_rows_seed(&rig->shape, &rig->rows.half[i]);
	}
	return rig;
}

/* As if they were known: without a hash all keys begin at the same slot. */
static void forget_seed(struct rig *rig)
{
	memset(rig->rows.half[rig->rows.active].seed, 0, sizeof(rig->rows.half[0].seed));
}

/* A key of one call chain and one number. */
static struct rig *make_stack_rig(struct kunit *test, u32 rows, u32 frames)
{
	struct rig *rig = make_rig(test, rows, false);

	pev_rows_shape_stacks(&rig->shape, BIT(0), frames);
	for (u32 i = 0; i < 2; i++) {
		struct pev_rows_half *half = &rig->rows.half[i];

		half->words = kunit_kzalloc(test, frames * sizeof(u64), GFP_KERNEL);
		half->index = kunit_kzalloc(test, pev_rows_index_bytes(&rig->shape), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, half->words);
		KUNIT_ASSERT_NOT_NULL(test, half->index);
		local_set(&half->nr_words, 1);
	}
	return rig;
}

/* Out of line: local64_add() takes no constants of 64 bits. */
static noinline void put(struct rig *rig, u64 a, u64 b, u64 value)
{
	u64 key[PEV_ROW_WORDS] = { a, b };

	local64_inc(&rig->written);
	local64_add(value, &rig->sum);
	pev_rows_update(&rig->rows, key, value, value);
}

static u64 read_count(const struct pev_rows_sum *sum)
{
	return local64_read(&sum->count);
}

/* Take what came since the last call. */
static void take(struct kunit *test, struct rig *rig, struct told *told)
{
	struct pev_rows_half *half;
	unsigned long flags;
	bool done;

	local_irq_save(flags);
	done = pev_rows_swap(&rig->rows);
	local_irq_restore(flags);
	KUNIT_ASSERT_TRUE(test, done);
	half = pev_rows_idle(&rig->rows);
	told->nr = 0;
	for (u32 i = 0; i <= rig->shape.mask; i++) {
		struct pev_row *row = pev_rows_at(&rig->rows, half, i);

		if (local_read(&row->state) == PEV_ROW_FREE)
			continue;
		KUNIT_ASSERT_EQ(test, local_read(&row->state), PEV_ROW_READY);
		told->rows += local64_read(&row->count);
		told->rows_sum += local64_read(&row->sum);
		told->min = row->min;
		told->max = row->max;
		told->nr++;
	}
	KUNIT_ASSERT_EQ(test, local_read(&half->used), told->nr);
	KUNIT_ASSERT_LE(test, told->nr, rig->shape.rows);
	told->other += read_count(&half->other);
	told->other_sum += local64_read(&half->other.sum);
	told->lost += read_count(&half->lost);
	told->filtered += read_count(&half->filtered);
	told->generated += read_count(&half->generated);
	told->generated_sum += local64_read(&half->generated.sum);
	pev_rows_clear(&rig->rows);
}

static void check_law(struct kunit *test, struct rig *rig, const struct told *told)
{
	KUNIT_EXPECT_EQ(test, told->generated, (u64)local64_read(&rig->written));
	KUNIT_EXPECT_EQ(test, told->generated_sum, (u64)local64_read(&rig->sum));
	KUNIT_EXPECT_EQ(test, told->rows + told->other + told->lost + told->filtered,
			told->generated);
	KUNIT_EXPECT_EQ(test, told->rows_sum + told->other_sum, told->generated_sum);
}

/* Every row that was asked for can be used, and one more is other. */
static void room(struct kunit *test)
{
	struct rig *rig = make_rig(test, ROWS, false);
	struct told told = { };

	preempt_disable();
	for (u32 round = 0; round < 3; round++)
		for (u32 i = 0; i < ROWS; i++)
			put(rig, i, 1000 - i, 1ULL << i);
	KUNIT_EXPECT_EQ(test, read_count(&rig->rows.half[0].other), 0);
	put(rig, 77, 77, 5);
	put(rig, 3, 997, 5);
	preempt_enable();
	take(test, rig, &told);
	KUNIT_EXPECT_EQ(test, told.nr, ROWS);
	KUNIT_EXPECT_EQ(test, told.other, 1);
	KUNIT_EXPECT_EQ(test, told.other_sum, 5);
	check_law(test, rig, &told);
	/* and it is empty again */
	take(test, rig, &told);
	KUNIT_EXPECT_EQ(test, told.nr, 0);
	check_law(test, rig, &told);
}

/* A search ends, and what told the seeds tells those of before. */
static void collisions(struct kunit *test)
{
	struct rig *rig = make_rig(test, 1024, false);
	struct told told = { };

	forget_seed(rig);
	preempt_disable();
	for (u32 round = 0; round < 2; round++)
		for (u32 i = 0; i < 1024; i++)
			put(rig, i, 0, i);
	preempt_enable();
	take(test, rig, &told);
	/* the search ended early; nothing was forgotten */
	KUNIT_EXPECT_LT(test, told.nr, 100);
	KUNIT_EXPECT_GE(test, told.nr, 50);
	check_law(test, rig, &told);
	KUNIT_EXPECT_NE(test, pev_rows_idle(&rig->rows)->seed[0], 0);
}

static void seeds(struct kunit *test)
{
	struct rig *rig = make_rig(test, ROWS, false);
	u64 seen[6] = { rig->rows.half[0].seed[0], rig->rows.half[1].seed[0] };
	struct told told = { };

	for (u32 i = 2; i < ARRAY_SIZE(seen); i++) {
		take(test, rig, &told);
		seen[i] = pev_rows_idle(&rig->rows)->seed[0];
		KUNIT_EXPECT_EQ(test, seen[i] & 1, 1);
	}
	for (u32 i = 1; i < ARRAY_SIZE(seen); i++)
		for (u32 j = 0; j < i; j++)
			KUNIT_EXPECT_NE(test, seen[i], seen[j]);
}

static void least_and_most(struct kunit *test)
{
	struct rig *rig = make_rig(test, ROWS, true);
	struct told told = { };

	preempt_disable();
	put(rig, 1, 1, -5);
	put(rig, 1, 1, 7);
	put(rig, 1, 1, S64_MIN);
	preempt_enable();
	take(test, rig, &told);
	KUNIT_EXPECT_EQ(test, (s64)told.min, S64_MIN);
	KUNIT_EXPECT_EQ(test, told.max, 7);
	rig = make_rig(test, ROWS, false);
	preempt_disable();
	put(rig, 1, 1, 7);
	put(rig, 1, 1, -5);
	preempt_enable();
	take(test, rig, &told);
	KUNIT_EXPECT_EQ(test, told.min, 7);
	KUNIT_EXPECT_EQ(test, told.max, (u64)-5);
}

static void fates(struct kunit *test)
{
	struct rig *rig = make_rig(test, ROWS, false);
	struct told told = { };

	preempt_disable();
	pev_rows_lose(&rig->rows, 0);
	pev_rows_filter(&rig->rows, 3, 0);
	put(rig, 1, 2, 0);
	preempt_enable();
	local64_add(4, &rig->written);
	take(test, rig, &told);
	KUNIT_EXPECT_EQ(test, told.lost, 1);
	KUNIT_EXPECT_EQ(test, told.filtered, 3);
	check_law(test, rig, &told);
}

static void no_swap_inside(struct kunit *test)
{
	struct rig *rig = make_rig(test, ROWS, false);
	unsigned long flags;

	local_irq_save(flags);
	/* as an interrupt in the middle of an update */
	local_inc(&rig->rows.nest);
	KUNIT_EXPECT_FALSE(test, pev_rows_swap(&rig->rows));
	KUNIT_EXPECT_EQ(test, rig->rows.active, 0);
	local_dec(&rig->rows.nest);
	KUNIT_EXPECT_TRUE(test, pev_rows_swap(&rig->rows));
	KUNIT_EXPECT_EQ(test, rig->rows.active, 1);
	local_irq_restore(flags);
}

/* A slot that is being filled is passed over, and its key gets a row. */
static void taken(struct kunit *test)
{
	struct rig *rig = make_rig(test, ROWS, false);
	struct told told = { };
	struct pev_row *row = NULL;

	preempt_disable();
	put(rig, 4, 4, 1);
	for (u32 i = 0; i <= rig->shape.mask; i++) {
		row = pev_rows_at(&rig->rows, &rig->rows.half[0], i);
		if (local_read(&row->state))
			break;
	}
	local_set(&row->state, PEV_ROW_TAKEN);
	put(rig, 4, 4, 2);
	put(rig, 4, 4, 3);
	local_set(&row->state, PEV_ROW_READY);
	put(rig, 4, 4, 4);
	KUNIT_EXPECT_EQ(test, local64_read(&row->sum), 5);
	preempt_enable();
	take(test, rig, &told);
	KUNIT_EXPECT_EQ(test, told.nr, 2);
	check_law(test, rig, &told);
}

/* Numbers that are only counted, by both ways, which meet in the same rows. */
static void count_words(struct kunit *test, bool collide)
{
	struct rig *rig = make_rig(test, ROWS, false);
	struct told told = { };

	/* the memory is enough for more */
	pev_rows_shape(&rig->shape, ROWS, 1, false);
	if (collide)
		forget_seed(rig);
	preempt_disable();
	for (u64 round = 0; round < 3; round++)
		for (u64 i = 0; i < ROWS; i++) {
			u64 key[PEV_ROW_WORDS] = { i };

			pev_rows_count(&rig->rows, i);
			pev_rows_update(&rig->rows, key, 0, 0);
		}
	KUNIT_EXPECT_EQ(test, read_count(&rig->rows.half[0].other), 0);
	pev_rows_count(&rig->rows, ROWS);
	preempt_enable();
	local64_add(6 * ROWS + 1, &rig->written);
	take(test, rig, &told);
	KUNIT_EXPECT_EQ(test, told.nr, ROWS);
	KUNIT_EXPECT_EQ(test, told.rows, 6 * ROWS);
	KUNIT_EXPECT_EQ(test, told.other, 1);
	check_law(test, rig, &told);
}

static void counts(struct kunit *test)
{
	count_words(test, false);
	count_words(test, true);
}

/* ---- call chains ---- */

static noinline void put_stack(struct rig *rig, const u64 *ip, u32 nr, u64 b)
{
	struct pev_rows_stack stack = { .nr = nr, .ip = ip };
	u64 key[PEV_ROW_WORDS] = { (unsigned long)&stack, b };

	local64_inc(&rig->written);
	local64_inc(&rig->sum);
	pev_rows_update(&rig->rows, key, 1, 1);
}

/* Return: the row of a chain, which must be there whole. */
static struct pev_row *find_stack(struct rig *rig, const u64 *ip, u32 nr)
{
	struct pev_rows_half *half = pev_rows_idle(&rig->rows);

	for (u32 i = 0; i <= rig->shape.mask; i++) {
		struct pev_row *row = pev_rows_at(&rig->rows, half, i);
		const u64 *words = half->words + row->key[0];

		if (local_read(&row->state) == PEV_ROW_READY && words[0] == nr &&
		    !memcmp(words + 1, ip, nr * sizeof(*ip)))
			return row;
	}
	return NULL;
}

/* Chains that begin alike, whose hash is the same, and none: each has its row. */
static void stacks(struct kunit *test)
{
	struct rig *rig = make_stack_rig(test, 64, 512);
	u64 ip[20] = { 0xffffffff81000000, 0xffffffff81000000 };
	struct told told = { };
	u32 words;

	/* hashes that say nothing */
	forget_seed(rig);
	memset(rig->shape.stack_seed, 0, sizeof(rig->shape.stack_seed));
	preempt_disable();
	for (u32 round = 0; round < 3; round++)
		for (u32 nr = 0; nr <= ARRAY_SIZE(ip); nr++)
			put_stack(rig, ip, nr, 0);
	words = pev_rows_words(&rig->rows.half[0]);
	preempt_enable();
	/* each is there once: 1 + 2 + ... + 21 */
	KUNIT_EXPECT_EQ(test, words, 231);
	KUNIT_EXPECT_EQ(test, read_count(&rig->rows.half[0].other), 0);
	/* without clearing it, what told counts is looked at below */
	rig->rows.active = 1;
	for (u32 nr = 0; nr <= ARRAY_SIZE(ip); nr++) {
		struct pev_row *row = find_stack(rig, ip, nr);

		KUNIT_ASSERT_NOT_NULL(test, row);
		KUNIT_EXPECT_EQ(test, local64_read(&row->count), 3);
	}
	rig->rows.active = 0;
	take(test, rig, &told);
	KUNIT_EXPECT_EQ(test, told.nr, ARRAY_SIZE(ip) + 1);
	check_law(test, rig, &told);
	KUNIT_EXPECT_EQ(test, pev_rows_words(&rig->rows.half[0]), 1);
	KUNIT_EXPECT_NULL(test, memchr_inv(rig->rows.half[0].index, 0,
					   pev_rows_index_bytes(&rig->shape)));
}

/* Chains that are only counted, by both ways; the longest finds no memory. */
static void stack_counts(struct kunit *test)
{
	struct rig *rig = make_stack_rig(test, 64, 64);
	struct told told = { };
	u64 ip[40] = { };

	/* the memory is enough for more */
	pev_rows_shape(&rig->shape, 64, 1, false);
	pev_rows_shape_stacks(&rig->shape, BIT(0), 64);
	preempt_disable();
	for (u32 i = 0; i < 30; i++) {
		struct pev_rows_stack stack = { .nr = i % 10, .ip = ip };
		u64 key[PEV_ROW_WORDS] = { (unsigned long)&stack };

		pev_rows_count_stack(&rig->rows, &stack);
		pev_rows_update(&rig->rows, key, 0, 0);
	}
	pev_rows_count_stack(&rig->rows, &(struct pev_rows_stack){ ARRAY_SIZE(ip), ip });
	preempt_enable();
	local64_add(61, &rig->written);
	/* 1 + 2 + ... + 10 */
	KUNIT_EXPECT_EQ(test, pev_rows_words(&rig->rows.half[0]), 55);
	take(test, rig, &told);
	KUNIT_EXPECT_EQ(test, told.nr, 10);
	KUNIT_EXPECT_EQ(test, told.rows, 60);
	KUNIT_EXPECT_EQ(test, told.other, 1);
	check_law(test, rig, &told);
}

/* What finds no memory for its chain is other, and shorter chains still fit. */
static void stacks_room(struct kunit *test)
{
	struct rig *rig = make_stack_rig(test, 64, 64);
	struct told told = { };
	u64 ip[40];

	preempt_disable();
	for (u32 i = 0; i < 4; i++) {
		for (u32 k = 0; k < ARRAY_SIZE(ip); k++)
			ip[k] = i;
		put_stack(rig, ip, ARRAY_SIZE(ip), 0);
	}
	KUNIT_EXPECT_EQ(test, read_count(&rig->rows.half[0].other), 3);
	put_stack(rig, ip, 22, 0);
	KUNIT_EXPECT_EQ(test, read_count(&rig->rows.half[0].other), 4);
	put_stack(rig, ip, 21, 0);
	KUNIT_EXPECT_EQ(test, read_count(&rig->rows.half[0].other), 4);
	KUNIT_EXPECT_EQ(test, pev_rows_words(&rig->rows.half[0]), 64);
	preempt_enable();
	take(test, rig, &told);
	KUNIT_EXPECT_EQ(test, told.nr, 2);
	check_law(test, rig, &told);
}

static u32 used_slots(const struct rig *rig)
{
	u32 used = 0;

	for (u32 i = 0; i <= rig->shape.stack_mask; i++)
		used += !!rig->rows.half[0].index[i];
	return used;
}

/* However short they are, a search for the next one soon finds a free slot. */
static void stacks_shortest(struct kunit *test)
{
	struct rig *rig = make_stack_rig(test, 512, 512);
	struct told told = { };

	preempt_disable();
	for (u64 ip = 0; ip < 300; ip++)
		put_stack(rig, &ip, 1, 0);
	preempt_enable();
	/* one word is that of the empty chain */
	KUNIT_EXPECT_EQ(test, used_slots(rig), (512 - 1) / 2);
	KUNIT_EXPECT_LE(test, 2 * used_slots(rig), rig->shape.stack_mask + 1);
	take(test, rig, &told);
	KUNIT_EXPECT_EQ(test, told.nr, (512 - 1) / 2);
	KUNIT_EXPECT_EQ(test, told.other, 300 - (512 - 1) / 2);
	check_law(test, rig, &told);
}

/* ---- interrupts ---- */

static void put_some(struct rig *rig, u64 n)
{
	u64 ip[] = { n % 7, n % 11, n % 13 };

	if (rig->shape.stacks)
		put_stack(rig, ip, 1 + n % 3, n % 2);
	else
		put(rig, n % 40, n % 3, n);
}

static void put_nested(struct rig *rig)
{
	u64 n = local64_read(&rig->written);

	rig->nested += READ_ONCE(rig->inside);
	put_some(rig, n);
}

static void work_writes(struct irq_work *work)
{
	put_nested(container_of(work, struct rig, work));
}

static enum hrtimer_restart timer_writes(struct hrtimer *timer)
{
	struct rig *rig = container_of(timer, struct rig, timer);

	put_nested(rig);
	irq_work_queue(&rig->work);
	hrtimer_forward_now(timer, ns_to_ktime(20000 + local64_read(&rig->written) % 7919));
	return HRTIMER_RESTART;
}

static void stop_nesting(void *data)
{
	struct rig *rig = data;

	hrtimer_cancel(&rig->timer);
	irq_work_sync(&rig->work);
}

/* The table is too small, is exchanged all the time, and nothing is told twice. */
static void nest(struct kunit *test, struct rig *rig)
{
	struct told told = { };

	init_irq_work(&rig->work, work_writes);
	hrtimer_init(&rig->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	rig->timer.function = timer_writes;
	/* the timer is where the rows are */
	migrate_disable();
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, stop_nesting, rig), 0);
	hrtimer_start(&rig->timer, ns_to_ktime(20000), HRTIMER_MODE_REL_PINNED_HARD);
	for (u32 i = 0; i < UPDATES; i++) {
		preempt_disable();
		WRITE_ONCE(rig->inside, true);
		put_some(rig, i);
		WRITE_ONCE(rig->inside, false);
		preempt_enable();
		if (i % 1000 == 0)
			take(test, rig, &told);
	}
	stop_nesting(rig);
	take(test, rig, &told);
	migrate_enable();
	check_law(test, rig, &told);
	KUNIT_EXPECT_GT(test, told.other, 0);
	KUNIT_EXPECT_GT(test, told.rows, 0);
	kunit_info(test, "%u updates nested", rig->nested);
}

static void nesting(struct kunit *test)
{
	nest(test, make_rig(test, ROWS, false));
}

static void nesting_stacks(struct kunit *test)
{
	nest(test, make_stack_rig(test, ROWS, 128));
}

static struct kunit_case rows_cases[] = {
	KUNIT_CASE(room),
	KUNIT_CASE(collisions),
	KUNIT_CASE(seeds),
	KUNIT_CASE(least_and_most),
	KUNIT_CASE(fates),
	KUNIT_CASE(no_swap_inside),
	KUNIT_CASE(taken),
	KUNIT_CASE(counts),
	KUNIT_CASE(stacks),
	KUNIT_CASE(stack_counts),
	KUNIT_CASE(stacks_room),
	KUNIT_CASE(stacks_shortest),
	KUNIT_CASE_SLOW(nesting),
	KUNIT_CASE_SLOW(nesting_stacks),
	{},
};

static struct kunit_suite rows_suite = {
	.name = "pev_rows",
	.test_cases = rows_cases,
};

kunit_test_suite(rows_suite);

MODULE_DESCRIPTION("KUnit tests of the rows of pev's tables");
MODULE_LICENSE("GPL");
