// SPDX-License-Identifier: GPL-2.0
/* The frequency of this machine's TSC in kHz, measured over 20 ms. */
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct point {
	unsigned long long ns, tsc;
};

/* The pair read in the least time, of several: no interrupt was in between. */
static struct point now(void)
{
	struct point best = { 0 };
	unsigned long long least = ~0ULL;

	for (int i = 0; i < 100; i++) {
		struct timespec t;
		unsigned long long before = __rdtsc(), after;

		clock_gettime(CLOCK_MONOTONIC, &t);
		after = __rdtsc();
		if (after - before < least) {
			least = after - before;
			best.ns = t.tv_sec * 1000000000ULL + t.tv_nsec;
			best.tsc = before + least / 2;
		}
	}
	return best;
}

int main(void)
{
	struct timespec pause = { 0, 20 * 1000 * 1000 };
	struct point a = now(), b;

	nanosleep(&pause, NULL);
	b = now();
	printf("%.0f\n", (b.tsc - a.tsc) * 1e6 / (b.ns - a.ns));
	return 0;
}
