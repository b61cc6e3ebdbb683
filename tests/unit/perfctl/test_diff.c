// SPDX-License-Identifier: GPL-2.0
/* The statistics of perfctl diff, against known values. */
#include "profile/diff_math.h"
#include "tests.h"

#include <math.h>

static bool near(double a, double b, double by)
{
	return fabs(a - b) <= by;
}

/* ---- series ---- */

static uint64_t seed;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + 0.5) / 0x1p53;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
}

static double poisson(double mean)
{
	double left = exp(-mean), p = 1;
	int n = -1;

	if (mean > 50)
		return fmax(floor(mean + sqrt(mean) * normal() + 0.5), 0);
	for (; p > left; n++)
		p *= uniform();
	return n;
}

/* How a service may behave from one window of 10 s to the next, while nothing changes */
enum nature { EVEN, BURSTY, RARE, SLOW, NATURES };

#define WINDOWS 360
#define BLOCKS 15

static struct level hour(enum nature nature, double rate)
{
	double block[BLOCKS] = { 0 }, drift = normal(), all = 0, v;

	for (int i = 0; i < WINDOWS; i++) {
		v = rate;
		if (nature == BURSTY)
			v *= -log(uniform());
		else if (nature == RARE)
			v *= uniform() < 0.02 ? 50 : 0;
		else if (nature == SLOW)
			v *= exp(0.5 * drift - 0.125);
		/* what there was is half forgotten after three and a half minutes */
		drift = exp(-1 / 30.0) * drift + sqrt(1 - exp(-2 / 30.0)) * normal();
		v = poisson(v);
		block[i * BLOCKS / WINDOWS] += v;
		all += v;
	}
	return level_of(block, BLOCKS, all);
}

/* Returns how many of 1,000 services are called changed, of which @times more than before take some. */
static int called(enum nature nature, int grown, double times, int *wrong)
{
	double p[1000];
	int n = 0;

	for (int i = 0; i < 1000; i++) {
		double rate = i < grown ? 5 : 0.05 * pow(4000, uniform());
		struct level before = hour(nature, rate);
		struct level after = hour(nature, i < grown ? times * rate : rate);

		p[i] = level_differs(&before, &after);
	}
	adjust_p(p, 1000);
	*wrong = 0;
	for (int i = 0; i < 1000; i++) {
		n += p[i] <= 0.05 && i < grown;
		*wrong += p[i] <= 0.05 && i >= grown;
	}
	return n;
}

static void test_levels(void)
{
	static const char *const natures[] = { "even", "bursty", "rare", "slowly changing" };
	double rises[] = { 10, 10, 10, 10, 10, 10, 10, 10 };
	struct level a = level_of(rises, 8, 80), none = level_of((double[8]){ 0 }, 8, 0);
	int wrong, most, found;

	OK(a.mean == 10, "the mean of a series");
	/* each of n things that come one by one may be missing or there twice: sqrt(n) */
	OK(a.error >= sqrt(81) / 8 && a.error < 2 * sqrt(81) / 8, "its error is not below chance's");
	OK(level_differs(&a, &a) == 1, "a level does not differ from itself");
	OK(level_differs(&none, &none) == 1, "nothing does not from nothing");
	OK(level_differs(&none, &a) < 0.01, "it does from something");
	for (enum nature n = 0; n < NATURES; n++) {
		seed = 88172645463325252ull + n;
		most = 0;
		for (int i = 0; i < 5; i++) {
			called(n, 0, 1, &wrong);
			most = wrong > most ? wrong : most;
		}
		OK(most <= 10, "of 1,000 %s services that did not change at most 10 are called so",
		   natures[n]);
	}
	seed = 7;
	found = called(EVEN, 50, 1.5, &wrong);
	OK(found >= 48 && wrong <= 10, "half as much again is found");
	found = called(BURSTY, 50, 2, &wrong);
	OK(found >= 45 && wrong <= 10, "twice as much is found of bursty services");
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
	test_levels();
}
