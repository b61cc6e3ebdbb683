// SPDX-License-Identifier: GPL-2.0
/* A program with functions at known places, to be "sampled" by mktrace. */
__attribute__((noinline)) int alpha(int x);
__attribute__((noinline)) int beta(int x);
__attribute__((noinline)) int gamma_ray(int x);

int alpha(int x)
{
	volatile int y = x;

	return y + 1;
}

int beta(int x)
{
	volatile int y = x;

	return y + 2;
}

int gamma_ray(int x)
{
	volatile int y = x;

	return y + 3;
}

int main(int argc, char **argv)
{
	(void)argv;
	return alpha(argc) + beta(argc) + gamma_ray(argc);
}
