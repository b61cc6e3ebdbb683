// SPDX-License-Identifier: GPL-2.0
/* Prints the number of a system call that nothing makes but the tests. */
#include <stdio.h>
#include <sys/syscall.h>

int main(void)
{
	printf("%d\n", SYS_getppid);
	return 0;
}
