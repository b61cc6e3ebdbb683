// SPDX-License-Identifier: GPL-2.0
/*
 * Computes in a handler of a signal that was sent at the end of a known path, in code without frame
 * pointers: main one two kill, the handler's frame, handler spin.
 */
#include <signal.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile unsigned long sum;

NOINLINE void spin(void)
{
	for (unsigned long i = 0; i < 2000000; i++)
		sum += i;
}

static NOINLINE void handler(int sig)
{
	spin();
	sum += (unsigned long)sig;
}

NOINLINE int two(int x)
{
	volatile char room[3000];

	room[x & 7] = 1;
	kill(getpid(), SIGUSR1);
	return room[x & 7];
}

NOINLINE int one(int x)
{
	return two(x + 1) + 1;
}

int main(int argc, char **argv)
{
	(void)argv;
	signal(SIGUSR1, handler);
	return one(argc) > 0 ? 0 : 1;
}
