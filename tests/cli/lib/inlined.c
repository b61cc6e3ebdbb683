// SPDX-License-Identifier: GPL-2.0
/* A function that another one has in it */
static volatile unsigned long sink;
static inline __attribute__((always_inline)) void inner_part(unsigned long n)
{
	while (n--)
		sink += n;
}
__attribute__((noinline)) void outer_part(void)
{
	inner_part(100000000);
}
int main(void)
{
	outer_part();
	return 0;
}
