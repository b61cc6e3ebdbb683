// SPDX-License-Identifier: GPL-2.0
/* Calls work() as often as it is told, and then both functions that are called twice(). */
#include <stdio.h>
#include <stdlib.h>

int work(int x);
int other_file(int x);

__attribute__((noinline)) int work(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static __attribute__((noinline)) int twice(int x)
{
	__asm__ volatile("" : "+r"(x));
	return 2 * x;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, sum = 0;

	for (int i = 0; i < n; i++)
		sum = work(sum);
	printf("%d %d\n", sum, twice(sum) + other_file(sum));
	return 0;
}
