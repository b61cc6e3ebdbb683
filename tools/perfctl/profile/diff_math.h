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

/*
 * Of many tests some look striking by chance: each p becomes the share of false
 * ones among all that are at least as striking (Benjamini and Hochberg).
 */
void adjust_p(double *p, size_t n);

#endif
