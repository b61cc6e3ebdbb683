// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A server that says what it does: three threads take orders and write each into a journal,
 * whose lock a fourth one keeps for a tenth of a second while order 5 is on its way.
 * Documentation/admin-guide/requests.rst finds out why that one was slow.
 *
 *	gcc -O2 -g -o orders orders.c -lpev -pthread
 *	perfctl record -g --context --waits=1ms -e 'user:shop:*' -e task-clock -- ./orders
 */
#include <fcntl.h>
#include <pev/context.h>
#include <pev/mark.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define ORDERS 12
#define SLOW 5

static __thread struct pev_thread_context request, *current_request;
static char journal[] = "/tmp/journal.XXXXXX";
static unsigned long next_order;
static pthread_barrier_t copying;

static unsigned long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long)t.tv_sec * 1000000 + (unsigned long)t.tv_nsec / 1000;
}

static int open_journal(void)
{
	int fd = open(journal, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0) {
		perror(journal);
		exit(1);
	}
	return fd;
}

/* Keep the journal from changing. */
static void *copy_journal(void *unused)
{
	int fd = open_journal();

	pthread_barrier_wait(&copying);
	flock(fd, LOCK_EX);
	pthread_barrier_wait(&copying);
	usleep(100000);
	close(fd);
	return unused;
}

static void calculate(unsigned long order)
{
	for (volatile unsigned long i = 0; i < 50000 + order; i++)
		;
}

static void write_journal(int fd, unsigned long order)
{
	char line[32];
	int len = snprintf(line, sizeof(line), "%lu\n", order);

	flock(fd, LOCK_EX);
	if (write(fd, line, (size_t)len) != len)
		perror(journal);
	flock(fd, LOCK_UN);
}

static void serve(int fd, unsigned long order, const char *trace)
{
	unsigned long begin = now_us();

	PEV_USER_MARK(shop, begin, "order %lu trace %s", order, trace);
	calculate(order);
	if (order == SLOW) {
		pthread_barrier_wait(&copying);
		pthread_barrier_wait(&copying);
	}
	write_journal(fd, order);
	PEV_USER_MARK(shop, done, "order %lu trace %s us %lu", order, trace, now_us() - begin);
}

/* The identifiers come with requests, usually. */
static void identify(unsigned long order, unsigned char *trace, unsigned char *span, char *text)
{
	memset(trace, 0x5a, 16);
	memset(span, 0xc3, 8);
	trace[15] = span[7] = (unsigned char)order;
	for (int i = 0; i < 16; i++)
		sprintf(text + 2 * i, "%02x", trace[i]);
}

static void *worker(void *unused)
{
	int fd = open_journal();
	unsigned long order;

	/* without pev the server works as well */
	pev_context_attach(&current_request, NULL);
	while ((order = __atomic_fetch_add(&next_order, 1, __ATOMIC_RELAXED)) < ORDERS) {
		unsigned char trace[16], span[8];
		char text[33];

		identify(order, trace, span, text);
		pev_context_write(&request, trace, span);
		pev_context_point(&current_request, &request);
		serve(fd, order, text);
		pev_context_point(&current_request, NULL);
	}
	close(fd);
	return unused;
}

int main(void)
{
	pthread_t copier, workers[THREADS];

	close(mkstemp(journal));
	pthread_barrier_init(&copying, NULL, 2);
	pthread_create(&copier, NULL, copy_journal, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&workers[i], NULL, worker, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(workers[i], NULL);
	pthread_join(copier, NULL);
	unlink(journal);
	return 0;
}
