// SPDX-License-Identifier: GPL-2.0
/* Mean and deviation of numbers that come one at a time (Welford). */
#include "stat.h"

#include <math.h>

void spread_add(struct spread *s, double v)
{
	double delta = v - s->mean;

	s->n++;
	s->mean += delta / (double)s->n;
	s->m2 += delta * (v - s->mean);
}

double spread_stddev(const struct spread *s)
{
	return s->n > 1 ? sqrt(s->m2 / (double)(s->n - 1)) : 0;
}

double spread_percent(const struct spread *s)
{
	if (s->n < 2 || s->mean == 0)
		return 0;
	return 100 * spread_stddev(s) / sqrt((double)s->n) / s->mean;
}
