// SPDX-License-Identifier: GPL-2.0
/*
 * Makes system calls that nothing else makes, as fast as it can, and prints how many.
 * usage: calls SECONDS; without SECONDS: prints the number of the call
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BETWEEN_LOOKS 1000

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

int main(int argc, char **argv)
{
	unsigned long made = 0;
	time_t end;

	if (argc < 2) {
		printf("%d\n", SYS_getppid);
		return 0;
	}
	for (end = now() + atol(argv[1]); now() < end; made += BETWEEN_LOOKS)
		for (int i = 0; i < BETWEEN_LOOKS; i++)
			syscall(SYS_getppid);
	printf("%lu\n", made);
	return 0;
}
