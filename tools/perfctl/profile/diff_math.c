// SPDX-License-Identifier: GPL-2.0
/* Is a difference of counts more than chance? See diff_math.h. */
#include "diff_math.h"

#include <math.h>
#include <stdlib.h>

/* up to here sums are exact; beyond, the normal distribution is as good */
#define EXACT_MOST 2000

static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

double binomial_two_sided(uint64_t a, uint64_t b, double p)
{
	double n = (double)(a + b), lp, lq, own, sum = 0, mean, sd;

	if (!(a + b) || !(p > 0 && p < 1))
		return 1;
	if (a + b > EXACT_MOST) {
		mean = n * p;
		sd = sqrt(n * p * (1 - p));
		/* half a step nearer: counts are whole numbers */
		return erfc(fmax(fabs((double)a - mean) - 0.5, 0) / sd / sqrt(2));
	}
	lp = log(p);
	lq = log1p(-p);
	own = log_choose(n, (double)a) + (double)a * lp + (double)b * lq;
	for (double k = 0; k <= n; k++) {
		double each = log_choose(n, k) + k * lp + (n - k) * lq;

		/* what rounding makes a little likelier is as likely */
		if (each <= own + 1e-7)
			sum += exp(each);
	}
	return fmin(sum, 1);
}

/* Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4 */
double student_two_sided(double t, unsigned int freedom)
{
	double angle = atan(fabs(t) / sqrt(freedom)), c = cos(angle), term, sum;
	unsigned int k = freedom % 2 ? 3 : 2;

	term = freedom % 2 ? c : 1;
	sum = freedom > 1 ? term : 0;
	for (; k < freedom; k += 2) {
		term *= c * c * (k - 1) / k;
		sum += term;
	}
	sum *= sin(angle);
	if (freedom % 2)
		sum = 2 / acos(-1) * (angle + sum);
	return fmax(1 - sum, 0);
}

/* What each sum tells of the next: the correlation of a series with itself one step later */
static double persistence(const double *v, unsigned int n, double mean)
{
	double all = 0, next = 0, r;

	for (unsigned int i = 0; i < n; i++)
		all += (v[i] - mean) * (v[i] - mean);
	for (unsigned int i = 1; i < n; i++)
		next += (v[i] - mean) * (v[i - 1] - mean);
	r = all > 0 ? next / all : 0;
	/*
	 * Short series show too little of it on the average (Kendall). Half an error of it on top costs
	 * less than to call changed what did not.
	 */
	r += (1 + 4 * r) / n + 0.5 / sqrt(n);
	return fmin(fmax(r, 0), 0.9);
}

struct level level_of(const double *v, unsigned int n, double counts)
{
	double mean = 0, spread = 0, sum, each, r, wider;

	for (unsigned int i = 0; i < n; i++)
		mean += v[i] / n;
	for (unsigned int i = 0; i < n; i++)
		spread += (v[i] - mean) * (v[i] - mean) / (n - 1);
	sum = mean * n;
	each = counts > 0 ? sum / counts : 0;
	/* one more than there were: none may be chance, too */
	spread = fmax(spread, each * each * (counts + 1) / n);
	r = persistence(v, n, mean);
	wider = (1 + r) / (1 - r);
	return (struct level){ mean, sqrt(spread * wider / n), (n - 1) / wider };
}

double level_differs(const struct level *a, const struct level *b)
{
	double va = a->error * a->error, vb = b->error * b->error, both = va + vb, freedom;

	if (!(both > 0))
		return a->mean == b->mean ? 1 : 0;
	freedom = both * both / (va * va / a->freedom + vb * vb / b->freedom);
	return student_two_sided((b->mean - a->mean) / sqrt(both),
				 freedom < 1 ? 1 : (unsigned int)freedom);
}

struct ranked {
	double p;
	size_t at;
};

static int by_p(const void *va, const void *vb)
{
	const struct ranked *a = va, *b = vb;

	return a->p < b->p ? -1 : a->p > b->p;
}

void adjust_p(double *p, size_t n)
{
	struct ranked *r = xcalloc(n, sizeof(*r));
	double least = 1;

	for (size_t i = 0; i < n; i++)
		r[i] = (struct ranked){ p[i], i };
	if (n)
		qsort(r, n, sizeof(*r), by_p);
	for (size_t i = n; i-- > 0;) {
		least = fmin(least, r[i].p * (double)n / (double)(i + 1));
		p[r[i].at] = least;
	}
	free(r);
}
