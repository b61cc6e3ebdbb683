// SPDX-License-Identifier: GPL-2.0
/*
 * A program that spends its time in known shares: three quarters below hot(),
 * one quarter below cold(), all of it in spin().
 * usage: hot MILLISECONDS [MILLISECONDS]	the second are those of a processor, at least
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) unsigned int spin(unsigned int n);
__attribute__((noinline)) unsigned int hot(unsigned int n);
__attribute__((noinline)) unsigned int cold(unsigned int n);

unsigned int spin(unsigned int n)
{
	volatile unsigned int x = 1;

	for (unsigned int i = 0; i < n; i++)
		x = x * 3 + i;
	return x;
}

unsigned int hot(unsigned int n)
{
	return spin(3 * n) + 1;
}

unsigned int cold(unsigned int n)
{
	return spin(n) + 2;
}

static long now_ms(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	long end = now_ms(CLOCK_MONOTONIC) + (argc > 1 ? atol(argv[1]) : 500);
	long least = argc > 2 ? atol(argv[2]) : 0;
	unsigned int sum = 0;

	while (now_ms(CLOCK_MONOTONIC) < end ||
	       (least && now_ms(CLOCK_PROCESS_CPUTIME_ID) < least))
		sum += hot(100000) + cold(100000);
	printf("%u\n", sum & 1);
	return 0;
}
