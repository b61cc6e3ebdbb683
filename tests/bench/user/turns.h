/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The loops of both tracers, which differ in TURN_OFF() and TURN_ON() alone: what one
 * event of a program costs, as lines "NAME NANOSECONDS".
 */
#ifndef PEV_BENCH_TURNS_H
#define PEV_BENCH_TURNS_H

#include <stdio.h>
#include <time.h>

#define TURNS 20000
#define TRIES 8 /* the kernel has other things to do now and then: the least is it */
#define ROW 8	/* events that are off, one behind the other ... */
#define ROWS 64 /* ... so many times in a turn: what is done once for all counts little */

static double turns_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static __attribute__((noinline)) void turn_bare(unsigned long n, const char *city)
{
	__asm__ volatile("" : : "r"(n), "r"(city));
}

static __attribute__((noinline)) void turn_bare_rows(unsigned long n, const char *city)
{
	(void)city;
	for (unsigned long i = 0; i < ROWS; i++)
		__asm__ volatile("" : : "r"(n));
}

/* Nanoseconds for a turn, of which the bare one is a part */
static double turns_of(void (*turn)(unsigned long, const char *))
{
	double least = 1e9;

	for (int i = 0; i < TRIES; i++) {
		double begin = turns_now(), ns;

		for (unsigned long n = 0; n < TURNS; n++)
			turn(n, "Rome");
		ns = (turns_now() - begin) / TURNS;
		least = ns < least ? ns : least;
	}
	return least;
}

/* An event that is on, one a turn */
static void turns_on(const char *name, void (*turn)(unsigned long, const char *))
{
	printf("%s %.1f\n", name, turns_of(turn) - turns_of(turn_bare));
}

/* One of those that are off */
static void turns_off(const char *name, void (*rows)(unsigned long, const char *))
{
	printf("%s %.1f\n", name, (turns_of(rows) - turns_of(turn_bare_rows)) / ROW / ROWS);
}

#endif
