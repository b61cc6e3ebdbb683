// SPDX-License-Identifier: GPL-2.0
/*
 * usage: server THREADS REQUESTS
 *
 * Threads take requests from a queue: number n takes (n % 4 + 1) * 5 ms of processor time, in
 * work_0 to work_3, and makes CALLS system calls that nothing else makes. Each request has a
 * trace id that ends with its number. Prints a line for each: its trace id, the function, and
 * the ns that it took.
 */
#include "../../lib/pev_enter.h"

#include <pev/context.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MOST 1000
#define CALLS 5
#define STEP 5000000ULL

static __thread struct pev_thread_context request, *current_request;
static unsigned int taken, number;
static uint64_t took[MOST];

static uint64_t own_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Most of the time is in the function itself: a look at the clock is rare. */
#define WORK(n)                                                               \
	static __attribute__((noinline, noclone)) void work_##n(uint64_t end) \
	{                                                                     \
		do {                                                          \
			for (volatile int i = 0; i < 20000 + (n); i++)        \
				;                                             \
		} while (own_time() < end);                                   \
	}
WORK(0)
WORK(1)
WORK(2)
WORK(3)

static void identify(unsigned int n, uint8_t trace[16], uint8_t span[8])
{
	memset(trace, 0xab, 16);
	memset(span, 0xcd, 8);
	trace[14] = span[6] = (uint8_t)(n >> 8);
	trace[15] = span[7] = (uint8_t)n;
}

static void serve(unsigned int n)
{
	static void (*const works[])(uint64_t end) = { work_0, work_1, work_2, work_3 };
	uint8_t trace[16], span[8];
	uint64_t begin;

	identify(n, trace, span);
	pev_context_write(&request, trace, span);
	pev_context_point(&current_request, &request);
	begin = own_time();
	works[n % 4](begin + (n % 4 + 1) * STEP);
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_sched_get_priority_max, 0);
	took[n] = own_time() - begin;
	pev_context_point(&current_request, NULL);
}

static void *worker(void *arg)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CONTEXT,
		.config = (uintptr_t)&current_request,
		.channel_fd = -1,
		.group_fd = -1,
	};

	(void)arg;
	if (pev_enter(&attr, sizeof(attr), 0)) {
		perror("server: PEV_TYPE_CONTEXT");
		exit(1);
	}
	for (;;) {
		unsigned int n = __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);

		if (n >= number)
			return NULL;
		serve(n);
		/* of no request */
		syscall(SYS_sched_get_priority_max, 0);
	}
}

int main(int argc, char **argv)
{
	unsigned int threads = argc > 2 ? (unsigned int)atoi(argv[1]) : 0;
	pthread_t ids[64];

	number = argc > 2 ? (unsigned int)atoi(argv[2]) : 0;
	if (!threads || threads > 64 || !number || number > MOST)
		return 2;
	for (unsigned int i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, worker, NULL))
			return 1;
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	for (unsigned int n = 0; n < number; n++) {
		uint8_t trace[16], span[8];

		identify(n, trace, span);
		for (int i = 0; i < 16; i++)
			printf("%02x", trace[i]);
		printf(" work_%u %llu\n", n % 4, (unsigned long long)took[n]);
	}
	return 0;
}
