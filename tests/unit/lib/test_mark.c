// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writing marks, without a kernel that has pev: the gate and the rings are this program's own
 * memory, and what is written is read by libpev's reader. Restartable sequences are the real
 * ones: threads go from CPU to CPU, and signals come, while they write.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <pev/mark.h>
#include "tap.h"
#include "user/ring.h"

#define THREADS 6
#define MARKS 200000

static void count(unsigned long n, unsigned long thread)
{
	PEV_USER_MARK(test, count, "%lu %lu", n, thread);
}

static void fields(const char *text)
{
	PEV_USER_MARK(test, fields, "%d %s %f %c %p", -3, text, 1.5, 'x', (void *)text);
}

/* The number of a mark, as it was registered */
static uint64_t number(const char *name)
{
	for (struct pev_mark_entry *e = __start_pev_marks; e < __stop_pev_marks; e++)
		if (!strcmp(e->name, name))
			return e->number;
	return PEV_MAX_USER_MARKS;
}

static void switch_on(const char *name, uint8_t on)
{
	pev_mark_gate.gate.slots[pev_mark_slot(name)] = on;
	pev_mark_gate.gate.on[number(name)] = on;
}

/* What the kernel does when a program registers */
static void be_kernel(uint32_t clock)
{
	struct pev_mark_set *set = &pev_mark_set;
	size_t size;

	set->nr_rings = pev_mark_rings();
	set->page = sysconf(_SC_PAGESIZE);
	set->stride = (uint64_t)set->page + PEV_MARK_RING;
	set->mask = PEV_MARK_RING / 8 - 1;
	size = set->nr_rings * set->stride;
	if (set->rings)
		munmap(set->rings, size);
	/* shared, as the kernel's are: a child's records are seen here */
	set->rings = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (set->rings == MAP_FAILED)
		exit(1);
	pev_mark_gate.gate.clock = clock;
	pev_mark_gate.gate.id++;
}

struct sums {
	uint64_t records, lost, damaged, sum, unordered, time;
	uint64_t last[4 + 64];
	uint32_t units;
};

static int take(void *arg, const uint64_t *words, uint32_t units)
{
	struct sums *s = arg;

	s->records++;
	s->unordered += words[1] < s->time;
	s->time = words[1];
	s->sum += units > 2 ? words[2] : 0;
	s->units = units;
	memcpy(s->last, words, (units < 68 ? units : 68) * sizeof(*words));
	return 0;
}

static struct sums read_all(void)
{
	struct sums s = { 0 };

	for (uint32_t i = 0; i < pev_mark_set.nr_rings; i++) {
		char *ring = pev_mark_set.rings + i * pev_mark_set.stride;
		struct user_ring r = {
			.head = (const uint64_t *)(void *)ring,
			.data = (const uint64_t *)(void *)(ring + pev_mark_set.page),
			.units = PEV_MARK_RING / 8,
		};

		s.time = 0;
		user_ring_read(&r, take, &s);
		s.lost += r.lost;
		s.damaged += r.damaged;
	}
	return s;
}

static void test_off(void)
{
	be_kernel(PEV_CLOCK_CYCLES);
	count(1, 0);
	IS_NUM(read_all().records, 0, "a mark that is off writes nothing");
	/* another one that shares the slot is on */
	pev_mark_gate.gate.slots[pev_mark_slot("test:count")] = 1;
	count(1, 0);
	IS_NUM(read_all().records, 0, "nor does one that only shares a slot");
	switch_on("test:count", 1);
	count(7, 0);
	IS_NUM(read_all().sum, 7, "one that is on does");
}

static void test_fields(uint32_t clock)
{
	char text[300];
	double number_of;
	struct sums s;

	memset(text, 'a', sizeof(text));
	text[299] = '\0';
	be_kernel(clock);
	switch_on("test:fields", 1);
	fields("Rome");
	s = read_all();
	memcpy(&number_of, &s.last[5], 8);
	OK(s.units == 2 + 6 && (int64_t)s.last[2] == -3 && s.last[3] == 4 &&
		   !memcmp(&s.last[4], "Rome\0\0\0", 8) && number_of == 1.5 && s.last[6] == 'x' &&
		   s.last[0] >> 32 == (uint64_t)getpid(),
	   "fields, and the thread, with clock %u", clock);
	fields(text);
	s = read_all();
	OK(s.units == 2 + 5 + 32 && s.last[3] == PEV_MARK_TEXT && s.last[35] == 0x6161616161616161,
	   "a long string is cut");
	fields("");
	fields(NULL);
	s = read_all();
	OK(s.records == 4 && s.last[3] == 6 && !memcmp(&s.last[4], "(null)", 6), "no string");
	switch_on("test:fields", 0);
}

static volatile uint64_t from_handler;

static void handler(int signal)
{
	(void)signal;
	count(1, 77);
	from_handler++;
}

static void *write_and_move(void *arg)
{
	unsigned long nr = (unsigned long)(uintptr_t)arg;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	for (unsigned long i = 0; i < MARKS; i++) {
		count(1, nr);
		if (i % 64)
			continue;
		CPU_ZERO(&set);
		CPU_SET((i / 64 + nr) % (unsigned long)cpus, &set);
		sched_setaffinity(0, sizeof(set), &set);
	}
	return NULL;
}

static void test_storm(uint32_t clock)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART };
	pthread_t threads[THREADS];
	struct sums s;

	be_kernel(clock);
	from_handler = 0;
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, write_and_move, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	s = read_all();
	IS_NUM(s.records + s.lost, (uint64_t)THREADS * MARKS + from_handler,
	       "written = read + displaced, from CPU to CPU, with signals");
	OK(!s.damaged && s.sum == s.records, "no record is torn");
	IS_NUM(s.unordered, 0, "times in a ring never step back");
	OK(from_handler > 0, "%llu of them in a signal handler", (unsigned long long)from_handler);
}

static void test_killed(void)
{
	uint64_t least = 0, damaged = 0, wrong = 0;

	for (int i = 0; i < 50; i++) {
		struct sums s;
		int go[2];
		pid_t pid;
		char c;

		be_kernel(PEV_CLOCK_CYCLES);
		if (pipe(go))
			exit(1);
		pid = fork();
		if (!pid) {
			for (unsigned long n = 0;; n++) {
				count(1, 0);
				if (n == 100 && write(go[1], "", 1) != 1)
					_exit(1);
			}
		}
		least += read(go[0], &c, 1) == 1;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(go[0]);
		close(go[1]);
		s = read_all();
		damaged += s.damaged;
		wrong += s.sum != s.records || s.records + s.lost < 100;
	}
	IS_NUM(least, 50, "programs that were killed while they wrote");
	IS_NUM(damaged + wrong, 0, "leave whole records");
}

int main(void)
{
	if (!pev_mark_possible()) {
		printf("ok - marks # SKIP no restartable sequences in this C library or kernel\n");
		return 0;
	}
	test_off();
	test_fields(PEV_CLOCK_CYCLES);
	test_fields(PEV_CLOCK_MONOTONIC);
	test_storm(PEV_CLOCK_CYCLES);
	test_storm(PEV_CLOCK_MONOTONIC);
	test_killed();
	return tap_done();
}
