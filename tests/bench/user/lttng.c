// SPDX-License-Identifier: GPL-2.0
/*
 * usage: lttng off|two|text
 *
 * What an event of LTTng-UST costs: the turns of marks.c. The session that is there when
 * this begins has switched on "bench:two" and "bench:text".
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "provider.h"
#include "turns.h"

#include <string.h>
#include <unistd.h>

static __attribute__((noinline)) void turn_rows(unsigned long n, const char *city)
{
	(void)city;
	for (unsigned long i = 0; i < ROWS; i++) {
		__asm__ volatile("" : : "r"(n));
		lttng_ust_tracepoint(bench, row_1, n, n);
		lttng_ust_tracepoint(bench, row_2, n, n);
		lttng_ust_tracepoint(bench, row_3, n, n);
		lttng_ust_tracepoint(bench, row_4, n, n);
		lttng_ust_tracepoint(bench, row_5, n, n);
		lttng_ust_tracepoint(bench, row_6, n, n);
		lttng_ust_tracepoint(bench, row_7, n, n);
		lttng_ust_tracepoint(bench, row_8, n, n);
	}
}

static __attribute__((noinline)) void turn_two(unsigned long n, const char *city)
{
	(void)city;
	lttng_ust_tracepoint(bench, two, n, n);
}

static __attribute__((noinline)) void turn_text(unsigned long n, const char *city)
{
	lttng_ust_tracepoint(bench, text, n, city);
}

static int is_on(void)
{
	return lttng_ust_tracepoint_enabled(bench, two) && lttng_ust_tracepoint_enabled(bench, text);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	/* the session says so by a thread of the library's */
	for (int i = 0; !is_on() && i < 10000; i++)
		usleep(1000);
	if (!is_on()) {
		fprintf(stderr, "lttng: no session listens to bench:two and bench:text\n");
		return 1;
	}
	if (!strcmp(argv[1], "off"))
		turns_off("off", turn_rows);
	else if (!strcmp(argv[1], "two"))
		turns_on("two", turn_two);
	else if (!strcmp(argv[1], "text"))
		turns_on("text", turn_text);
	else
		return 2;
	return 0;
}
