// SPDX-License-Identifier: GPL-2.0
/*
 * Computes at the end of a known call path, in code without frame pointers:
 * main one two three spin. usage: path MS
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

static volatile unsigned long sum;
static unsigned long end;

static unsigned long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (unsigned long)t.tv_sec * 1000 + (unsigned long)t.tv_nsec / 1000000;
}

NOINLINE int spin(int x)
{
	for (int i = 0; i < 200000; i++)
		sum += (unsigned long)(i * x);
	return x;
}

NOINLINE int three(int x)
{
	volatile char room[3000];

	room[x & 7] = 1;
	while (now() < end)
		spin(x);
	return room[x & 7];
}

NOINLINE int two(int x)
{
	return three(x + 1) + 1;
}

NOINLINE int one(int x)
{
	return two(x + 1) + 1;
}

int main(int argc, char **argv)
{
	end = now() + (argc > 1 ? strtoul(argv[1], NULL, 10) : 500);
	return one(argc) > 0 ? 0 : 1;
}
