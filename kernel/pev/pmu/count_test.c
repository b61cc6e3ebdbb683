// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the arithmetic of counters. Also compiled for user space, see
 * tests/unit/pmu.
 */
#include <kunit/test.h>
#include <linux/time64.h>
#include "count.h"

#define TICK_NS		4000000U	/* a tick of the scheduler */
#define PMI_NS		1000U		/* no two samples are closer than that */

static u64 seed;

static u64 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1dULL >> 1;
}

/* Of all magnitudes */
static u64 rnd_wide(void)
{
	return rnd() * 2 >> rnd() % 64;
}

static void raw_values(struct kunit *test)
{
	static const u64 lefts[] = { 0, 1, 2, 1000, 1U << 31, 1ULL << 47, S64_MAX, U64_MAX };
	static const unsigned int widths[] = { 2, 31, 32, 40, 48, 64 };
	unsigned int i, j, bits;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		bits = widths[i];
		for (j = 0; j < ARRAY_SIZE(lefts); j++) {
			u64 raw = pev_count_raw(lefts[j], 1, bits), reach = pev_count_reach(bits);
			u64 n = min(max(lefts[j], 1ULL), reach);

			/* from there to 0 */
			KUNIT_EXPECT_EQ(test, pev_count_delta(raw, 0, bits), n);
			KUNIT_EXPECT_LE(test, raw, U64_MAX >> (64 - bits));
			/* however it is read, and a while after the overflow */
			KUNIT_EXPECT_EQ(test, pev_count_delta(raw, raw + n + 1, bits), n + 1);
		}
	}
	KUNIT_EXPECT_EQ(test, pev_count_raw(5, 16, 48), (1ULL << 48) - 16);
	KUNIT_EXPECT_EQ(test, pev_count_raw(U64_MAX, 1, 31), (1ULL << 30) + 1);
	KUNIT_EXPECT_EQ(test, pev_count_raw(1, U64_MAX, 64), (1ULL << 63) + 1);
}

/* Samples stand for all that was counted, and come where they would come anyway. */
static void periods_in_phase(struct kunit *test)
{
	unsigned int i, j;

	seed = 88172645463325252ULL;
	for (i = 0; i < 500; i++) {
		u64 period = 1 + (rnd_wide() >> 2), total = 0, sampled = 0, delta, left;
		struct pev_period p;

		pev_period_init(&p, period);
		for (j = 0; j < 50; j++) {
			delta = rnd() % 4 ? rnd() % period : rnd_wide() >> 8;
			left = p.left;
			if (total + delta > S64_MAX)
				break;
			total += delta;
			KUNIT_ASSERT_EQ(test, pev_period_add(&p, delta), delta >= left);
			if (p.left > 0)
				continue;
			sampled += pev_period_take(&p);
			KUNIT_ASSERT_EQ(test, sampled, total);
			KUNIT_ASSERT_EQ(test, p.left, period - total % period);
		}
	}
}

static void period_changes(struct kunit *test)
{
	struct pev_period p;

	pev_period_init(&p, 1000);
	KUNIT_EXPECT_FALSE(test, pev_period_add(&p, 400));
	p.period = 10;
	/* not before the sample */
	KUNIT_EXPECT_FALSE(test, pev_period_add(&p, 599));
	KUNIT_EXPECT_TRUE(test, pev_period_add(&p, 4));
	KUNIT_EXPECT_EQ(test, pev_period_take(&p), 1003);
	KUNIT_EXPECT_EQ(test, p.left, 7);
	/* still due, with a longer one to follow */
	KUNIT_EXPECT_TRUE(test, pev_period_add(&p, 7));
	p.period = 1000;
	KUNIT_EXPECT_TRUE(test, pev_period_add(&p, 0));
	KUNIT_EXPECT_EQ(test, pev_period_take(&p), 7);
	KUNIT_EXPECT_EQ(test, p.left, 1000);

	/* only a shorter one, from the last sample on */
	KUNIT_EXPECT_FALSE(test, pev_period_shorten(&p, 1000));
	KUNIT_EXPECT_FALSE(test, pev_period_shorten(&p, 0));
	KUNIT_EXPECT_EQ(test, p.left, 1000);
	KUNIT_EXPECT_FALSE(test, pev_period_add(&p, 30));
	KUNIT_EXPECT_TRUE(test, pev_period_shorten(&p, 100));
	KUNIT_EXPECT_EQ(test, p.left, 70);
	KUNIT_EXPECT_EQ(test, p.period, 100);
	KUNIT_EXPECT_TRUE(test, pev_period_shorten(&p, 20));
	KUNIT_EXPECT_EQ(test, p.left, 1);
	/* a sample for another reason */
	KUNIT_EXPECT_EQ(test, pev_period_take(&p), 30);
	KUNIT_EXPECT_EQ(test, p.left, 1);
	KUNIT_EXPECT_TRUE(test, pev_period_add(&p, 3));
	KUNIT_EXPECT_EQ(test, pev_period_take(&p), 3);
	KUNIT_EXPECT_EQ(test, p.left, 18);
}

static void period_extremes(struct kunit *test)
{
	struct pev_period p;
	unsigned int i;
	u64 sum = 0;

	pev_period_init(&p, 5);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_TRUE(test, pev_period_add(&p, U64_MAX));
		KUNIT_EXPECT_TRUE(test, pev_period_add(&p, 1ULL << 62));
		KUNIT_EXPECT_TRUE(test, pev_period_add(&p, 0));
		sum += U64_MAX + (1ULL << 62);
		KUNIT_EXPECT_EQ(test, p.left, S64_MIN);
	}
	KUNIT_EXPECT_EQ(test, pev_period_take(&p), sum);
	KUNIT_EXPECT_GT(test, p.left, 0);
	KUNIT_EXPECT_LE(test, p.left, 5);

	pev_period_init(&p, U64_MAX);
	KUNIT_EXPECT_EQ(test, p.left, S64_MAX);
	KUNIT_EXPECT_FALSE(test, pev_period_add(&p, S64_MAX - 1));
	KUNIT_EXPECT_TRUE(test, pev_period_add(&p, U64_MAX));
	KUNIT_EXPECT_EQ(test, pev_period_take(&p), (u64)S64_MAX - 2);
	KUNIT_EXPECT_GT(test, p.left, 0);

	/* none is due */
	pev_period_init(&p, 0);
	KUNIT_EXPECT_FALSE(test, pev_period_add(&p, 1ULL << 62));
	KUNIT_EXPECT_EQ(test, pev_period_take(&p), 1ULL << 62);
	KUNIT_EXPECT_FALSE(test, pev_period_add(&p, 1ULL << 61));

	pev_period_init(&p, 1);
	KUNIT_EXPECT_TRUE(test, pev_period_add(&p, 1));
	KUNIT_EXPECT_EQ(test, pev_period_take(&p), 1);
	KUNIT_EXPECT_EQ(test, p.left, 1);
}

/**
 * struct freq - an event that is sampled at a frequency, simulated
 * @p:       progress
 * @hz:      frequency
 * @rate:    occurrences a second
 * @part:    of the next occurrence, in units of 10^-9
 * @ns:      since the last sample
 * @tick:    ns to the next one
 * @samples: taken
 * @lowest:  period that was in use
 * @highest: period that was in use
 */
struct freq {
	struct pev_period	p;
	u32			hz;
	u64			rate;
	u64			part;
	u64			ns;
	u64			tick;
	u64			samples;
	u64			lowest;
	u64			highest;
};

static void freq_init(struct freq *f, u32 hz, u64 period)
{
	memset(f, 0, sizeof(*f));
	f->hz = hz;
	f->tick = TICK_NS;
	pev_period_init(&f->p, period);
}

static u64 freq_adapt(struct freq *f)
{
	u64 next = pev_freq_next(f->p.period, f->p.since, f->ns, f->hz, 1);

	f->lowest = min(f->lowest, next);
	f->highest = max(f->highest, next);
	return next;
}

/* To the next sample or tick, whichever is first; as the hardware, a bit late. */
static u64 freq_step(struct freq *f)
{
	u64 ns = f->tick, n;

	if (f->p.left <= f->rate / (NSEC_PER_SEC / TICK_NS))
		ns = min(ns, f->p.left * NSEC_PER_SEC / f->rate + rnd() % PMI_NS);
	ns = max_t(u64, ns, PMI_NS);
	n = f->rate * ns + f->part;
	f->part = n % NSEC_PER_SEC;
	n /= NSEC_PER_SEC;
	f->ns += ns;
	if (pev_period_add(&f->p, n)) {
		f->samples++;
		f->p.period = freq_adapt(f);
		f->ns = 0;
		pev_period_take(&f->p);
	}
	if (f->tick <= ns) {
		f->tick = TICK_NS;
		/* at twice the time that it should take */
		if (f->ns > 2 * NSEC_PER_SEC / f->hz)
			pev_period_shorten(&f->p, freq_adapt(f));
	} else {
		f->tick -= ns;
	}
	return ns;
}

static void freq_run(struct freq *f, u64 rate, u64 ns)
{
	u64 now = 0;

	f->rate = rate;
	f->samples = 0;
	f->lowest = U64_MAX;
	f->highest = 0;
	while (now < ns)
		now += freq_step(f);
}

static void freq_steady(struct kunit *test)
{
	static const u64 rates[] = { 3000000000ULL, 20000000, 1000 };
	static const u32 freqs[] = { 99, 1000, 4000 };
	unsigned int i, j, k;
	struct freq f;

	seed = 2862933555777941757ULL;
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		for (j = 0; j < ARRAY_SIZE(freqs); j++) {
			u32 hz = freqs[j];
			u64 right = max(rates[i] / hz, 1ULL), wanted = min_t(u64, rates[i], hz);

			/* from far too short and far too long */
			for (k = 0; k < 2; k++) {
				freq_init(&f, hz, k ? 1ULL << 40 : 1);
				freq_run(&f, rates[i], NSEC_PER_SEC / 2);
				KUNIT_EXPECT_LE(test, f.samples, wanted / 2 + 32);
				freq_run(&f, rates[i], NSEC_PER_SEC);
				KUNIT_EXPECT_GE(test, f.lowest, right - right / 10 - (right > 1));
				KUNIT_EXPECT_LE(test, f.highest, right + right / 10 + 1);
				KUNIT_EXPECT_GE(test, f.samples, wanted - wanted / 10);
				KUNIT_EXPECT_LE(test, f.samples, wanted + wanted / 10);
			}
		}
	}
}

static void freq_changes(struct kunit *test)
{
	static const u32 freqs[] = { 99, 1000, 4000 };
	unsigned int i, j;
	struct freq f;

	seed = 3935559000370003845ULL;
	for (i = 0; i < ARRAY_SIZE(freqs); i++) {
		u32 hz = freqs[i];

		freq_init(&f, hz, 1);
		freq_run(&f, 3000000000ULL, NSEC_PER_SEC);
		/* hardly anything any more: the period must not wait for a sample */
		freq_run(&f, 1000, NSEC_PER_SEC / 2);
		freq_run(&f, 1000, NSEC_PER_SEC);
		KUNIT_EXPECT_GE(test, f.samples, min(hz, 1000U) * 9 / 10);
		/* idle, then a flood: a few samples too many */
		freq_run(&f, 0, 10ULL * NSEC_PER_SEC);
		KUNIT_EXPECT_EQ(test, f.samples, 0);
		KUNIT_EXPECT_EQ(test, f.p.period, 1);
		freq_run(&f, 3000000000ULL, NSEC_PER_SEC / 10);
		KUNIT_EXPECT_LE(test, f.samples, hz / 10 + 32);
		KUNIT_EXPECT_GE(test, f.samples, hz / 10 - hz / 100);
		/* bursts of 10 ms in 100: never more than 32 too many in each */
		for (j = 0; j < 20; j++) {
			freq_run(&f, 1000000000, NSEC_PER_SEC / 100);
			KUNIT_EXPECT_LE(test, f.samples, hz / 100 + 32);
			freq_run(&f, 0, NSEC_PER_SEC / 100 * 9);
			KUNIT_EXPECT_EQ(test, f.samples, 0);
		}
	}
}

/* The law as the comment has it, for inputs of all sizes */
static void freq_law(struct kunit *test)
{
	static const u64 odd[] = { 0, 1, (1ULL << 34) - 1, 1ULL << 34, S64_MAX, U64_MAX };
	u64 period, count, ns, sum, weight, next, shift;
	unsigned int i;
	u128 got, want;
	u32 hz;

	seed = 88172645463325252ULL;
	for (i = 0; i < 100000; i++) {
		period = rnd() % 8 ? rnd_wide() : odd[rnd() % ARRAY_SIZE(odd)];
		count = rnd() % 8 ? rnd_wide() : odd[rnd() % ARRAY_SIZE(odd)];
		ns = rnd() % 8 ? rnd_wide() : odd[rnd() % ARRAY_SIZE(odd)];
		hz = 1 + rnd_wide() % NSEC_PER_SEC;
		next = pev_freq_next(period, count, ns, hz, 1);
		KUNIT_ASSERT_GE(test, next, 1);
		KUNIT_ASSERT_GE(test, pev_freq_next(period, count, ns, hz, 1000), 1000);
		if (next == 1)
			continue;
		sum = period + count < period ? U64_MAX : period + count;
		weight = NSEC_PER_SEC + min(ns, (u64)S64_MAX / hz) * hz;
		shift = fls64(sum >> 34);
		got = (u128)next * weight;
		want = (u128)sum * NSEC_PER_SEC;
		KUNIT_ASSERT_TRUE(test, (got > want ? got - want : want - got) <=
				  ((u128)weight << shift) + (want >> 33));
	}
	/* what is left of it is positive, whatever it is given */
	KUNIT_EXPECT_EQ(test, pev_freq_next(0, 0, 0, 0, 0), 1);
	KUNIT_EXPECT_EQ(test, pev_freq_next(7, 0, 0, U32_MAX, 0), 7);
	KUNIT_EXPECT_EQ(test, pev_freq_next(U64_MAX, U64_MAX, 0, 1, 0) >> 34, (1 << 30) - 1);
	KUNIT_EXPECT_EQ(test, pev_freq_next(1, 1, U64_MAX, U32_MAX, U64_MAX), U64_MAX);
}

/* Fractions are not lost: a short period moves as it should in the mean. */
static void freq_fractions(struct kunit *test)
{
	u64 sum = 0;
	unsigned int i;

	/* 10 / 1.1 */
	for (i = 0; i < 10000; i++)
		sum += pev_freq_next(10, 0, 1000000 + i * 7 % 1000, 100, 1);
	KUNIT_EXPECT_GE(test, sum, 90900 - 200);
	KUNIT_EXPECT_LE(test, sum, 90900 + 200);
}

/* Three windows: 400, 600 and 500 in 16 ns each, 32 ns apart. */
static void window_sums(struct kunit *test)
{
	const u64 one = 1ULL << PEV_RATE_SHIFT;
	struct pev_window last = {};
	struct pev_windows w = {};

	pev_windows_open(&w, &last, 7);
	KUNIT_EXPECT_EQ(test, w.blind, 7);
	pev_windows_add(&w, &last, 8, 400, 16);
	KUNIT_EXPECT_EQ(test, w.nr, 1);
	KUNIT_EXPECT_EQ(test, w.ns, 16);
	KUNIT_EXPECT_EQ(test, w.ends, 1);
	KUNIT_EXPECT_EQ(test, w.pairs, 0);
	KUNIT_EXPECT_EQ(test, last.rate, 25 * one);
	KUNIT_EXPECT_EQ(test, w.gaps[0], 2 * 8 * 25 * one);
	pev_windows_add(&w, &last, 32, 608, 16);
	KUNIT_EXPECT_EQ(test, w.pairs, 1);
	KUNIT_EXPECT_EQ(test, w.triples, 0);
	KUNIT_EXPECT_EQ(test, w.gaps[0], (16 * 25 + 32 * (25 + 38)) * one);
	/* the gap, times the distance of the middles, times the square of 13 a ns */
	KUNIT_EXPECT_EQ(test, w.first[0], 32 * 48 * 13 * 13ULL << 16);
	KUNIT_EXPECT_EQ(test, w.second[0], 0);
	pev_windows_add(&w, &last, 16, 512, 16);
	KUNIT_EXPECT_EQ(test, w.triples, 1);
	KUNIT_EXPECT_EQ(test, w.ends, 1);
	KUNIT_EXPECT_EQ(test, w.first[0], (32 * 48 * 13 * 13ULL + 16 * 32 * 6 * 6) << 16);
	KUNIT_EXPECT_EQ(test, w.second[0], (32 * 48 + 16 * 32) * 19 * 19ULL << 16);
	KUNIT_EXPECT_EQ(test, w.fourth[0], (w.second[0] >> 16) * (w.second[0] >> 16));
	KUNIT_EXPECT_EQ(test, w.gaps[1] | w.first[1] | w.second[1] | w.fourth[1], 0);
	/* what was held before a long time without windows is no neighbour */
	pev_window_forget(&last);
	pev_windows_add(&w, &last, 64, 512, 16);
	KUNIT_EXPECT_EQ(test, w.pairs, 2);
	KUNIT_EXPECT_EQ(test, w.ends, 2);
	/* and the last rate is what there is for the time until now */
	pev_windows_open(&w, &last, 0);
	KUNIT_EXPECT_EQ(test, w.ends, 2);
	pev_windows_open(&w, &last, 8);
	KUNIT_EXPECT_EQ(test, w.ends, 3);
	KUNIT_EXPECT_EQ(test, w.gaps[0], (16 * 25 + 32 * 63 + 16 * 70 + 2 * (64 + 8) * 32) * one);
	KUNIT_EXPECT_EQ(test, w.blind, 7);
}

/* A third of an occurrence a ns, and one in a second */
static void window_rates(struct kunit *test)
{
	struct pev_window last = {};
	struct pev_windows w = {};

	pev_windows_add(&w, &last, 0, NSEC_PER_MSEC, 3 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, last.rate, (1ULL << PEV_RATE_SHIFT) / 3);
	pev_windows_add(&w, &last, 0, 1, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, last.rate, (1ULL << PEV_RATE_SHIFT) / NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, w.ends, 0);
	KUNIT_EXPECT_EQ(test, w.gaps[0], 0);
	/* a window of a day: whole occurrences a ns */
	pev_windows_add(&w, &last, 0, 86400 * NSEC_PER_SEC * 5 / 2, 86400 * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, last.rate, 2ULL << PEV_RATE_SHIFT);
}

/* Nothing that a counter could say makes sums wrap. */
static void window_extremes(struct kunit *test)
{
	struct pev_windows w = {}, all = {};
	struct pev_window last = {};

	for (unsigned int i = 0; i < 200; i++)
		pev_windows_add(&w, &last, U64_MAX, i % 2 ? U64_MAX : 0, 1);
	KUNIT_EXPECT_EQ(test, w.nr, 200);
	KUNIT_EXPECT_EQ(test, w.gaps[0] & w.gaps[1], U64_MAX);
	KUNIT_EXPECT_EQ(test, w.fourth[0] & w.fourth[1], U64_MAX);
	/* each is cut, so that it takes years */
	KUNIT_EXPECT_LT(test, w.first[1], U64_MAX);
	KUNIT_EXPECT_LT(test, w.second[1], U64_MAX);
	pev_windows_add(&w, &last, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, w.gaps[0] & w.gaps[1], U64_MAX);

	all.first[0] = U64_MAX;
	all.ends = 3;
	w.first[0] = 2;
	w.first[1] = 5;
	pev_windows_merge(&all, &w);
	KUNIT_EXPECT_EQ(test, all.nr, 201);
	KUNIT_EXPECT_EQ(test, all.ns, 201);
	KUNIT_EXPECT_EQ(test, all.ends, 3 + w.ends);
	/* a carry */
	KUNIT_EXPECT_EQ(test, all.first[0], 1);
	KUNIT_EXPECT_EQ(test, all.first[1], 6);
	/* full, and it stays so */
	KUNIT_EXPECT_EQ(test, all.fourth[0] & all.fourth[1], U64_MAX);
}

static struct kunit_case count_cases[] = {
	KUNIT_CASE(raw_values),
	KUNIT_CASE(periods_in_phase),
	KUNIT_CASE(period_changes),
	KUNIT_CASE(period_extremes),
	KUNIT_CASE(freq_steady),
	KUNIT_CASE(freq_changes),
	KUNIT_CASE(freq_law),
	KUNIT_CASE(freq_fractions),
	KUNIT_CASE(window_sums),
	KUNIT_CASE(window_rates),
	KUNIT_CASE(window_extremes),
	{}
};

static struct kunit_suite count_suite = {
	.name = "pev_count",
	.test_cases = count_cases,
};

kunit_test_suite(count_suite);
