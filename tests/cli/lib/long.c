// SPDX-License-Identifier: GPL-2.0
/*
 * usage: long CALLS
 *
 * Calls outer(), which calls inner(), which has the kernel make 4 MiB of random bytes: long
 * system calls from a known place. Then ends by an exec of true.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static char bytes[1 << 22];

/* libc's has no frame */
__attribute__((noinline)) static long make_bytes(void)
{
	return syscall(SYS_getrandom, bytes, sizeof(bytes), 0);
}

__attribute__((noinline)) int inner(void)
{
	return make_bytes() > 0;
}

__attribute__((noinline)) int outer(void)
{
	return inner() + 1;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;

	while (n--)
		if (!outer())
			return 1;
	execlp("true", "true", NULL);
	return 1;
}
