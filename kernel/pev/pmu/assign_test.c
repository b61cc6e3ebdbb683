// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the matching against all there is to try, where that is little, and
 * against its own proofs where it is not. Also compiled for user space, see
 * tests/unit/pmu.
 */
#include <kunit/test.h>
#include <linux/bitops.h>
#include "assign.h"

#define SMALL		6U	/* events and counters that all ways can be tried for */
#define SMALL_CASES	20000
#define LARGE_CASES	1000

/**
 * struct problem - what is asked
 * @code:      of each event
 * @ptr:       the same for pev_pmu_assign()
 * @can:       of each event: its counters among those available
 * @likes:     of each event: the counter it would like
 * @nr:        number of events
 * @available: counters
 */
struct problem {
	struct pev_pmu_code		code[PEV_PMU_MAX_EVENTS];
	const struct pev_pmu_code	*ptr[PEV_PMU_MAX_EVENTS];
	u64				can[PEV_PMU_MAX_EVENTS];
	s8				likes[PEV_PMU_MAX_EVENTS];
	unsigned int			nr;
	u64				available;
};

/* Too large for a kernel stack; cases run one after the other. */
static struct problem problem;
static u64 seed;

static u64 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1dULL >> 16;
}

static unsigned int below(unsigned int n)
{
	return rnd() % n;
}

static struct problem *new_problem(unsigned int nr, u64 available)
{
	struct problem *p = &problem;
	unsigned int i;

	memset(p, 0, sizeof(*p));
	p->nr = nr;
	p->available = available;
	for (i = 0; i < nr; i++) {
		p->ptr[i] = &p->code[i];
		p->likes[i] = -1;
	}
	return p;
}

static void one_way(struct problem *p, unsigned int event, u64 counters, int likes)
{
	p->code[event].alt[0].counters = counters;
	p->can[event] = counters & p->available;
	p->likes[event] = likes;
}

/* Deals some of the @nr counters at @where to the ways of each event. */
static void random_events(struct problem *p, const u8 *where, unsigned int nr)
{
	unsigned int i, j, way, hold = below(4);

	for (i = 0; i < p->nr; i++) {
		struct pev_pmu_code *code = &p->code[i];

		for (j = 0; j < nr; j++) {
			way = below(8);
			if (way < PEV_PMU_MAX_ALTS)
				code->alt[way].counters |= 1ULL << where[j];
			/* a way without counters ends the list */
			if (!code->alt[0].counters || below(8) < hold)
				code->alt[0].counters |= 1ULL << where[below(nr)];
		}
		for (way = 1; way < PEV_PMU_MAX_ALTS; way++)
			for (j = 0; j < way; j++)
				code->alt[way].counters &= ~code->alt[j].counters;
		p->can[i] = pev_pmu_code_counters(code) & p->available;
		p->likes[i] = below(4) ? where[below(nr)] : -1;
	}
}

static struct problem *small_problem(void)
{
	unsigned int nr = 1 + below(SMALL), i;
	u8 where[SMALL];
	struct problem *p;
	u64 there = 0;

	while (hweight64(there) < nr) {
		i = hweight64(there);
		where[i] = below(2) ? below(8) : below(PEV_PMU_MAX_COUNTERS);
		there |= 1ULL << where[i];
	}
	if (!below(4))
		there &= rnd();
	p = new_problem(below(SMALL + 1), there);
	random_events(p, where, nr);
	return p;
}

/* Is there a way, all tried? */
static bool possible(const u64 *can, unsigned int nr, u64 free)
{
	u64 mine;

	if (!nr--)
		return true;
	for (mine = can[nr] & free; mine; mine &= mine - 1)
		if (possible(can, nr, free & ~(mine & -mine)))
			return true;
	return false;
}

/* Is it possible for these events? */
static bool possible_for(const struct problem *p, u64 events)
{
	unsigned int i, nr = 0;
	u64 can[SMALL];

	for (i = 0; i < p->nr; i++)
		if (events >> i & 1)
			can[nr++] = p->can[i];
	return possible(can, nr, p->available);
}

static void check_assigned(struct kunit *test, const struct problem *p, const s8 *counters)
{
	u64 used = 0;
	unsigned int i;

	for (i = 0; i < p->nr; i++) {
		KUNIT_ASSERT_GE(test, counters[i], 0);
		KUNIT_ASSERT_LT(test, counters[i], PEV_PMU_MAX_COUNTERS);
		KUNIT_ASSERT_EQ(test, p->can[i] >> counters[i] & 1, 1);
		KUNIT_ASSERT_EQ(test, used >> counters[i] & 1, 0);
		used |= 1ULL << counters[i];
	}
}

/* More events than counters that they have: no way can be found. */
static void check_conflict(struct kunit *test, const struct problem *p, const s8 *counters,
			   const struct pev_pmu_conflict *c)
{
	u64 can = 0;
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		if (c->events >> i & 1)
			can |= p->can[i];
	KUNIT_ASSERT_EQ(test, p->nr == 64 ? 0 : c->events >> p->nr, 0);
	KUNIT_ASSERT_EQ(test, c->counters, can);
	KUNIT_ASSERT_LT(test, hweight64(can), hweight64(c->events));
	KUNIT_ASSERT_EQ(test, memcmp(counters, p->likes, p->nr), 0);
}

/* Each of them is needed for the proof. */
static void check_fewest(struct kunit *test, const struct problem *p, u64 events)
{
	u64 bits;

	for (bits = events; bits; bits &= bits - 1)
		KUNIT_ASSERT_TRUE(test, possible_for(p, events & ~(bits & -bits)));
}

/* One after the other keeps what it likes if there is a way then. */
static void check_kept(struct kunit *test, const struct problem *p, const s8 *counters)
{
	unsigned int i;
	u64 can[SMALL];
	u64 all;

	memcpy(can, p->can, sizeof(can));
	for (i = 0; i < p->nr; i++) {
		all = can[i];
		can[i] &= p->likes[i] < 0 ? 0 : 1ULL << p->likes[i];
		if (can[i] && possible(can, p->nr, p->available)) {
			KUNIT_ASSERT_EQ(test, counters[i], p->likes[i]);
		} else {
			can[i] = all;
			KUNIT_ASSERT_TRUE(test, p->likes[i] < 0 || counters[i] != p->likes[i]);
		}
	}
}

static bool assign(const struct problem *p, s8 *counters, struct pev_pmu_conflict *c)
{
	memcpy(counters, p->likes, sizeof(p->likes));
	return pev_pmu_assign(p->ptr, counters, p->nr, p->available, c);
}

static void small_cases(struct kunit *test)
{
	unsigned int i, found = 0;

	seed = 88172645463325252ULL;
	for (i = 0; i < SMALL_CASES; i++) {
		struct problem *p = small_problem();
		s8 counters[PEV_PMU_MAX_EVENTS];
		struct pev_pmu_conflict c;
		bool ok = assign(p, counters, &c);

		KUNIT_ASSERT_EQ(test, ok, possible(p->can, p->nr, p->available));
		found += ok;
		if (ok) {
			check_assigned(test, p, counters);
			check_kept(test, p, counters);
		} else {
			check_conflict(test, p, counters, &c);
			check_fewest(test, p, c.events);
		}
		/* @conflict may be NULL */
		KUNIT_ASSERT_EQ(test, assign(p, counters, NULL), ok);
	}
	/* both are many */
	KUNIT_EXPECT_GT(test, found, SMALL_CASES / 4);
	KUNIT_EXPECT_LT(test, found, SMALL_CASES * 3 / 4);
}

/* Whatever the answer, it comes with its proof. */
static void large_cases(struct kunit *test)
{
	unsigned int i, j, found = 0;
	u8 where[PEV_PMU_MAX_COUNTERS];

	for (i = 0; i < ARRAY_SIZE(where); i++)
		where[i] = i;
	seed = 2862933555777941757ULL;
	for (i = 0; i < LARGE_CASES; i++) {
		struct problem *p = new_problem(48 + below(17), ~0ULL);
		s8 counters[PEV_PMU_MAX_EVENTS];
		struct pev_pmu_conflict c;

		for (j = 0; j < p->nr; j++)
			one_way(p, j, 1ULL << below(64) | 1ULL << below(64) | 1ULL << below(40),
				below(PEV_PMU_MAX_COUNTERS));
		if (assign(p, counters, &c)) {
			check_assigned(test, p, counters);
			found++;
		} else {
			check_conflict(test, p, counters, &c);
		}
	}
	KUNIT_EXPECT_GT(test, found, LARGE_CASES / 4);
	KUNIT_EXPECT_LT(test, found, LARGE_CASES * 3 / 4);
}

static void shared_resources(struct kunit *test)
{
	unsigned int i, e, j, disagree, fails = 0;

	seed = 3935559000370003845ULL;
	for (i = 0; i < SMALL_CASES / 4; i++) {
		struct problem *p = small_problem();
		s8 counters[PEV_PMU_MAX_EVENTS];
		struct pev_pmu_conflict c;
		bool ok;

		for (e = 0; e < p->nr; e++) {
			p->code[e].share_mask = rnd() & rnd() & 0xf;
			p->code[e].share_value = (rnd() & rnd() & 0xf) | 0xf0;
		}
		disagree = 0;
		for (e = 0; e < p->nr; e++)
			for (j = 0; j < e; j++)
				disagree += !pev_pmu_codes_agree(&p->code[e], &p->code[j]);
		ok = assign(p, counters, &c);
		if (!disagree) {
			KUNIT_ASSERT_EQ(test, ok, possible(p->can, p->nr, p->available));
			continue;
		}
		fails++;
		KUNIT_ASSERT_FALSE(test, ok);
		KUNIT_ASSERT_EQ(test, c.counters, 0);
		KUNIT_ASSERT_EQ(test, hweight64(c.events), 2);
		e = __ffs64(c.events);
		j = __ffs64(c.events & (c.events - 1));
		KUNIT_ASSERT_LT(test, j, p->nr);
		KUNIT_ASSERT_FALSE(test, pev_pmu_codes_agree(&p->code[e], &p->code[j]));
		KUNIT_ASSERT_EQ(test, memcmp(counters, p->likes, p->nr), 0);
	}
	KUNIT_EXPECT_GT(test, fails, SMALL_CASES / 40);
}

static void no_events(struct kunit *test)
{
	struct pev_pmu_conflict c;

	KUNIT_EXPECT_TRUE(test, pev_pmu_assign(NULL, NULL, 0, 0, &c));
	KUNIT_EXPECT_TRUE(test, pev_pmu_assign(NULL, NULL, 0, ~0ULL, NULL));
}

static void as_many_as_counters(struct kunit *test)
{
	struct problem *p = new_problem(64, ~0ULL);
	s8 counters[PEV_PMU_MAX_EVENTS];
	struct pev_pmu_conflict c;
	unsigned int i;

	for (i = 0; i < 64; i++)
		one_way(p, i, ~0ULL, 63 - i);
	KUNIT_ASSERT_TRUE(test, assign(p, counters, &c));
	KUNIT_EXPECT_EQ(test, memcmp(counters, p->likes, sizeof(counters)), 0);

	for (i = 0; i < 64; i++)
		p->likes[i] = 7;
	KUNIT_ASSERT_TRUE(test, assign(p, counters, &c));
	check_assigned(test, p, counters);
	KUNIT_EXPECT_EQ(test, counters[0], 7);

	/* the last one needs all others to move by one */
	for (i = 0; i < 63; i++)
		one_way(p, i, 3ULL << i, i + 1);
	one_way(p, 63, 1ULL << 63, -1);
	KUNIT_ASSERT_TRUE(test, assign(p, counters, &c));
	for (i = 0; i < 64; i++)
		KUNIT_EXPECT_EQ(test, counters[i], i);

	p->available = ~1ULL;
	p->can[0] = 2;
	KUNIT_ASSERT_FALSE(test, assign(p, counters, &c));
	check_conflict(test, p, counters, &c);
	KUNIT_EXPECT_EQ(test, c.events, ~0ULL);
}

static void not_available(struct kunit *test)
{
	struct problem *p = new_problem(2, 0x5);
	s8 counters[PEV_PMU_MAX_EVENTS];
	struct pev_pmu_conflict c;

	/* what it likes has gone */
	one_way(p, 0, 0xf, 1);
	one_way(p, 1, 0xf, 3);
	KUNIT_ASSERT_TRUE(test, assign(p, counters, &c));
	check_assigned(test, p, counters);

	one_way(p, 1, 0xa, 1);
	KUNIT_ASSERT_FALSE(test, assign(p, counters, &c));
	KUNIT_EXPECT_EQ(test, c.events, 2);
	KUNIT_EXPECT_EQ(test, c.counters, 0);
}

static void best_way_first(struct kunit *test)
{
	struct problem *p = new_problem(2, ~0ULL);
	s8 counters[PEV_PMU_MAX_EVENTS];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		p->code[i].alt[0] = (struct pev_pmu_alt){ 1ULL << 32, 10 };
		p->code[i].alt[1] = (struct pev_pmu_alt){ 0xf, 11 };
		/* behind the end */
		p->code[i].alt[3] = (struct pev_pmu_alt){ 0xf0, 13 };
	}
	KUNIT_ASSERT_TRUE(test, assign(p, counters, NULL));
	KUNIT_EXPECT_EQ(test, counters[0], 32);
	KUNIT_EXPECT_EQ(test, counters[1], 0);
	KUNIT_EXPECT_EQ(test, pev_pmu_code_counters(&p->code[0]), 0xfULL | 1ULL << 32);
	KUNIT_EXPECT_EQ(test, pev_pmu_code_config(&p->code[0], 32), 10);
	KUNIT_EXPECT_EQ(test, pev_pmu_code_config(&p->code[0], 3), 11);

	p->likes[0] = 4;
	p->likes[1] = 2;
	KUNIT_ASSERT_TRUE(test, assign(p, counters, NULL));
	KUNIT_EXPECT_EQ(test, counters[0], 32);
	KUNIT_EXPECT_EQ(test, counters[1], 2);
}

static struct kunit_case assign_cases[] = {
	KUNIT_CASE(no_events),
	KUNIT_CASE(as_many_as_counters),
	KUNIT_CASE(not_available),
	KUNIT_CASE(best_way_first),
	KUNIT_CASE(shared_resources),
	KUNIT_CASE_SLOW(small_cases),
	KUNIT_CASE_SLOW(large_cases),
	{}
};

static struct kunit_suite assign_suite = {
	.name = "pev_pmu_assign",
	.test_cases = assign_cases,
};

kunit_test_suite(assign_suite);
