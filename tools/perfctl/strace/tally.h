/* SPDX-License-Identifier: GPL-2.0 */
/* How many calls there were, and how long they took. */
#ifndef PERFCTL_STRACE_TALLY_H
#define PERFCTL_STRACE_TALLY_H

#include "base/util.h"

/* Eight to a power of two: a percentile is off by a sixteenth at most. */
#define TALLY_STEPS   8
#define TALLY_BUCKETS (64 * TALLY_STEPS)

/**
 * struct tally - of one call, or of several
 * @timed:   calls whose time is known; others began before, or do not end
 * @ns:      of these together
 * @buckets: calls by their time
 */
struct tally {
	uint64_t calls;
	uint64_t timed;
	uint64_t errors;
	uint64_t ns;
	uint64_t longest;
	uint32_t buckets[TALLY_BUCKETS];
};

/* @timed: @ns is known */
void tally_add(struct tally *t, uint64_t ns, bool timed, bool failed);
void tally_merge(struct tally *to, const struct tally *from);
/* Returns the ns that @share of the calls (0 to 1) took at most. */
uint64_t tally_percentile(const struct tally *t, double share);
/* Prints a bar for each power of two between the shortest and the longest. */
void tally_histogram(const struct tally *t, FILE *out);

#endif
