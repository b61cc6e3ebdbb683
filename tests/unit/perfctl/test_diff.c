// SPDX-License-Identifier: GPL-2.0
/* The statistics of perfctl diff, against known values. */
#include "profile/diff_math.h"
#include "tests.h"

#include <math.h>

static bool near(double a, double b, double by)
{
	return fabs(a - b) <= by;
}

void test_diff(void)
{
	double p[] = { 0.01, 0.04, 0.03, 0.005 }, same[] = { 0.2, 0.2 };

	/* 2 * (1 + 10) / 2^10 */
	OK(near(binomial_two_sided(1, 9, 0.5), 22.0 / 1024, 1e-9), "1 and 9 of 10, by hand");
	OK(near(binomial_two_sided(5, 5, 0.5), 1, 1e-9), "5 and 5 prove nothing");
	OK(near(binomial_two_sided(0, 5, 0.5), 2.0 / 32, 1e-9), "0 and 5");
	/* 0.2^3 and, as unlikely or less, nothing on the other side */
	OK(near(binomial_two_sided(3, 0, 0.2), 0.008, 1e-9), "3 of 3 where 0.6 were expected");
	OK(binomial_two_sided(0, 0, 0.5) == 1, "nothing at all");
	OK(binomial_two_sided(1000, 1000, 0.5) > 0.99, "large and equal");
	OK(near(binomial_two_sided(1000, 1100, 0.5), 0.0307, 0.001), "large, by the normal distribution");
	OK(near(binomial_two_sided(950, 1040, 0.5), binomial_two_sided(955, 1046, 0.5), 0.01),
	   "exact and normal agree where they meet");
	OK(binomial_two_sided(100000, 1, 0.5) < 1e-100, "beyond doubt");
	/* from tables of Student's distribution: 5 % and 0.1 % on two sides */
	OK(near(student_two_sided(12.706, 1), 0.05, 1e-4), "t with 1 degree of freedom");
	OK(near(student_two_sided(-4.303, 2), 0.05, 1e-4), "... with 2, below 0");
	OK(near(student_two_sided(3.182, 3), 0.05, 1e-4), "... with 3");
	OK(near(student_two_sided(2.776, 4), 0.05, 1e-4), "... with 4");
	OK(near(student_two_sided(2.365, 7), 0.05, 1e-4), "... with 7");
	OK(near(student_two_sided(5.041, 8), 0.001, 1e-5), "... with 8, far away");
	OK(near(student_two_sided(1.984, 100), 0.05, 1e-4), "... with 100");
	OK(near(student_two_sided(0, 5), 1, 1e-12), "no difference");
	adjust_p(p, 4);
	OK(near(p[3], 0.02, 1e-12) && near(p[0], 0.02, 1e-12) && near(p[2], 0.04, 1e-12) &&
	   near(p[1], 0.04, 1e-12), "four tests, adjusted for each other");
	adjust_p(same, 2);
	OK(near(same[0], 0.2, 1e-12), "two that are the same stay what they are");
}
