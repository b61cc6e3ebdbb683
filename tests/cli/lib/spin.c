// SPDX-License-Identifier: GPL-2.0
/*
 * usage: spin MS: takes so much of a processor, and prints the ns that it had one, and those for
 * which the scheduler says it had to wait for one; "-" where the kernel does not count these.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 0;
	unsigned long long delay;
	struct timespec ts;
	FILE *f;

	do {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	} while (ts.tv_sec * 1000 + ts.tv_nsec / 1000000 < ms);
	printf("%lld ", ts.tv_sec * 1000000000ll + ts.tv_nsec);
	f = fopen("/proc/self/schedstat", "r");
	if (f && fscanf(f, "%*u %llu", &delay) == 1)
		printf("%llu\n", delay);
	else
		printf("-\n");
	return f && fclose(f) != 0;
}
