/* SPDX-License-Identifier: GPL-2.0 */
/* Is a difference of counts more than chance? */
#ifndef PERFCTL_PROFILE_DIFF_MATH_H
#define PERFCTL_PROFILE_DIFF_MATH_H

#include "base/util.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The probability of a difference at least as unlikely as this one, if @a of
 * a + b fall on the first side each with probability @p: an exact binomial test
 * with two sides, for large numbers by the normal distribution.
 */
double binomial_two_sided(uint64_t a, uint64_t b, double p);

/*
 * The probability of a t at least as far from 0, if both sides are the same: Student's
 * distribution with @freedom degrees, at least 1.
 */
double student_two_sided(double t, unsigned int freedom);

/**
 * struct level - about which level a series moves
 * @mean:  of the series
 * @error: its standard error, of which chance made it
 * @freedom: degrees that @error has
 */
struct level {
	double mean;
	double error;
	double freedom;
};

/* Fewer say nothing of how much they vary */
#define LEVEL_LEAST 6

/*
 * The level of @n sums that follow each other in time, at least LEVEL_LEAST, in which @counts
 * things were counted. What is near in time is alike: @error is larger by as much as each sum
 * tells of the next one, and never smaller than chance makes it for things that come one by one.
 */
struct level level_of(const double *v, unsigned int n, double counts);

/* The probability that two levels are as far apart if nothing changed: Welch's test. */
double level_differs(const struct level *a, const struct level *b);

/*
 * Of many tests some look striking by chance: each p becomes the share of false
 * ones among all that are at least as striking (Benjamini and Hochberg).
 */
void adjust_p(double *p, size_t n);

#endif
