// SPDX-License-Identifier: GPL-2.0
/* usage: spin MS: takes so much of a processor, and prints what the scheduler says of it. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 0;
	unsigned long long run = 0, delay = 0, slices = 0;
	struct timespec ts;
	FILE *f;

	do {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	} while (ts.tv_sec * 1000 + ts.tv_nsec / 1000000 < ms);
	f = fopen("/proc/self/schedstat", "r");
	if (!f || fscanf(f, "%llu %llu %llu", &run, &delay, &slices) != 3)
		return 1;
	printf("%llu %llu\n", run, delay);
	return fclose(f) != 0;
}
