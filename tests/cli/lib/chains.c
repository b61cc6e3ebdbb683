// SPDX-License-Identifier: GPL-2.0
/*
 * Calls getppid() by many different call chains of the functions zero and one, one for each
 * number of so many bits. usage: chains BITS TIMES [wait]: each so often; first sleeps until
 * SIGUSR1 comes
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Each has a frame, and none jumps to the next. */
#define FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory")
#define NOINLINE __attribute__((noinline))

static void go(unsigned int number, unsigned int bits);

NOINLINE void end(void)
{
	FRAME();
	syscall(SYS_getppid);
	FRAME();
}

NOINLINE void zero(unsigned int number, unsigned int bits)
{
	FRAME();
	go(number, bits);
	FRAME();
}

NOINLINE void one(unsigned int number, unsigned int bits)
{
	FRAME();
	go(number, bits);
	FRAME();
}

static NOINLINE void go(unsigned int number, unsigned int bits)
{
	FRAME();
	if (!bits)
		end();
	else if (number >> (bits - 1) & 1)
		one(number, bits - 1);
	else
		zero(number, bits - 1);
	FRAME();
}

int main(int argc, char **argv)
{
	unsigned int bits = argc > 1 ? (unsigned int)atoi(argv[1]) : 0;
	unsigned int times = argc > 2 ? (unsigned int)atoi(argv[2]) : 1;
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (argc > 3)
		sigwait(&set, &got);
	for (unsigned int i = 0; i < times << bits; i++)
		go(i / times, bits);
	return 0;
}
