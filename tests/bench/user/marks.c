// SPDX-License-Identifier: GPL-2.0
/*
 * What a mark of a program costs, while nobody listens and while this program does:
 * see turns.h. Each that was on must be in the rings.
 */
#include <sched.h>
#include <stdlib.h>
#include <pev/mark.h>
#include "../../selftests/pev_user.h"
#include "turns.h"

static __attribute__((noinline)) void turn_rows(unsigned long n, const char *city)
{
	(void)city;
	for (unsigned long i = 0; i < ROWS; i++) {
		__asm__ volatile("" : : "r"(n));
		PEV_USER_MARK(bench, row_1, "%lu %lu", n, n);
		PEV_USER_MARK(bench, row_2, "%lu %lu", n, n);
		PEV_USER_MARK(bench, row_3, "%lu %lu", n, n);
		PEV_USER_MARK(bench, row_4, "%lu %lu", n, n);
		PEV_USER_MARK(bench, row_5, "%lu %lu", n, n);
		PEV_USER_MARK(bench, row_6, "%lu %lu", n, n);
		PEV_USER_MARK(bench, row_7, "%lu %lu", n, n);
		PEV_USER_MARK(bench, row_8, "%lu %lu", n, n);
	}
}

static __attribute__((noinline)) void turn_two(unsigned long n, const char *city)
{
	(void)city;
	PEV_USER_MARK(bench, two, "%lu %lu", n, n);
}

static __attribute__((noinline)) void turn_text(unsigned long n, const char *city)
{
	PEV_USER_MARK(bench, text, "%lu %s", n, city);
}

static void die(const char *what, const char *why)
{
	fprintf(stderr, "marks: %s: %s\n", what, why);
	exit(1);
}

/* Records that were written so far, as the rings' heads have it */
static uint64_t written(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < pev_mark_set.gate->used_rings; i++)
		sum += *(const uint64_t *)(void *)(pev_mark_set.rings + i * pev_mark_set.stride) >>
		       32;
	return sum;
}

static int listen_to(const char *name)
{
	int fd = user_listen(name, PEV_TARGET_PROCESS, 0, 0);

	if (fd < 0)
		die(name, pev_reason());
	while (!pev_mark_gate.gate.slots[pev_mark_slot(name)])
		sched_yield();
	return fd;
}

static void measure_on(const char *figure, const char *name,
		       void (*turn)(unsigned long, const char *))
{
	int fd = listen_to(name);
	uint64_t before = written();

	turns_on(figure, turn);
	if (written() - before != (uint64_t)TURNS * TRIES)
		die(name, "not all records were written");
	close(fd);
}

int main(void)
{
	if (!pev_mark_set.gate)
		die("marks", "this program could not be registered");
	turns_off("off", turn_rows);
	measure_on("two", "bench:two", turn_two);
	measure_on("text", "bench:text", turn_text);
	return 0;
}
