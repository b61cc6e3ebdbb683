// SPDX-License-Identifier: GPL-2.0
/* Has a function of a name that calls.c has, too. */
int other_file(int x);

static __attribute__((noinline)) int twice(int x)
{
	__asm__ volatile("" : "+r"(x));
	return 2 * x + 1;
}

int other_file(int x)
{
	return twice(x);
}
