// SPDX-License-Identifier: GPL-2.0
/*
 * A chain of threads: each calls getppid() ten times, starts the next one and ends, so that who
 * misses one misses all that follow. SIGUSR1 lets it end after so many links more. Each sleeps for
 * MS before it starts the next one, so that a slow machine can find it while it is there.
 *
 * usage: chain LINKS MS
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ending;
static long left;
static long ms;
static sem_t done;

static void *link_of(void *unused)
{
	struct timespec moment = { .tv_nsec = ms * 1000000 };
	pthread_t next;

	for (int i = 0; i < 10; i++)
		syscall(SYS_getppid);
	nanosleep(&moment, NULL);
	left -= ending;
	if (left > 0 && !pthread_create(&next, NULL, link_of, NULL))
		pthread_detach(next);
	else
		sem_post(&done);
	return unused;
}

static void end(int unused)
{
	(void)unused;
	ending = 1;
}

int main(int argc, char **argv)
{
	pthread_t first;

	if (argc != 3)
		return 2;
	left = atol(argv[1]);
	ms = atol(argv[2]);
	signal(SIGUSR1, end);
	sem_init(&done, 0, 0);
	if (pthread_create(&first, NULL, link_of, NULL))
		return 1;
	pthread_detach(first);
	while (sem_wait(&done))
		;
	return 0;
}
