// SPDX-License-Identifier: GPL-2.0
/* Times of calls as sums, percentiles and histograms. See tally.h. */
#include "tally.h"
#include "base/text.h"

#define BAR 40

static unsigned int power_of(uint64_t ns)
{
	return 63 - (unsigned int)__builtin_clzll(ns);
}

/* Below TALLY_STEPS each ns has its own; above, the bits behind the highest one choose. */
static unsigned int bucket_of(uint64_t ns)
{
	unsigned int power;

	if (ns < TALLY_STEPS)
		return (unsigned int)ns;
	power = power_of(ns);
	return power * TALLY_STEPS + (unsigned int)(ns >> (power - 3) & (TALLY_STEPS - 1));
}

/* The middle of a bucket */
static uint64_t bucket_ns(unsigned int b)
{
	unsigned int power = b / TALLY_STEPS;
	uint64_t step;

	/* between those of single ns and those of 8 ns on, none is used */
	if (power < 3)
		return b;
	step = 1ULL << (power - 3);
	return (1ULL << power) + b % TALLY_STEPS * step + step / 2;
}

void tally_add(struct tally *t, uint64_t ns, bool timed, bool failed)
{
	t->calls++;
	t->errors += failed;
	if (!timed)
		return;
	t->timed++;
	t->ns += ns;
	t->longest = max_u64(t->longest, ns);
	t->buckets[bucket_of(ns)]++;
}

void tally_merge(struct tally *to, const struct tally *from)
{
	to->calls += from->calls;
	to->timed += from->timed;
	to->errors += from->errors;
	to->ns += from->ns;
	to->longest = max_u64(to->longest, from->longest);
	for (unsigned int b = 0; b < TALLY_BUCKETS; b++)
		to->buckets[b] += from->buckets[b];
}

uint64_t tally_percentile(const struct tally *t, double share)
{
	uint64_t seen = 0;

	for (unsigned int b = 0; b < TALLY_BUCKETS; b++) {
		seen += t->buckets[b];
		if (seen && (double)seen >= share * (double)t->timed)
			return min_u64(bucket_ns(b), t->longest);
	}
	return t->longest;
}

/* Calls that took from 2^@power ns up to twice that; 0: all below the first with steps */
static uint64_t in_power(const struct tally *t, unsigned int power)
{
	uint64_t n = 0;

	for (unsigned int b = 0; b < TALLY_BUCKETS; b++) {
		uint64_t ns = bucket_ns(b);

		if (t->buckets[b] && (ns ? power_of(ns) : 0) == power)
			n += t->buckets[b];
	}
	return n;
}

void tally_histogram(const struct tally *t, FILE *out)
{
	unsigned int first = 64, last = 0;
	uint64_t n[64], most = 0;
	char from[32], count[32];

	for (unsigned int p = 0; p < 64; p++) {
		n[p] = in_power(t, p);
		most = max_u64(most, n[p]);
		if (!n[p])
			continue;
		last = p;
		if (first == 64)
			first = p;
	}
	for (unsigned int p = first; p <= last && most; p++)
		fprintf(out, "  from %10s  %-*.*s %s\n", text_ns(from, 1ULL << p), BAR,
			(int)((n[p] * BAR + most - 1) / most),
			"########################################", text_count(count, n[p]));
}
