/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Test Anything Protocol for programs in C. Results have no numbers: the script that
 * runs the program, and tests/run, count them.
 */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* One of each in a program, however many of its files include this. */
__attribute__((weak)) int tap_count;
__attribute__((weak)) int tap_failed;

/* One result; returns @good. */
__attribute__((format(printf, 4, 5), unused))
static bool tap_ok(bool good, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	tap_count++;
	tap_failed += !good;
	printf("%sok - ", good ? "" : "not ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	if (!good)
		printf("# failed at %s:%d\n", file, line);
	fflush(stdout);
	return good;
}

__attribute__((unused))
static bool tap_str(const char *got, const char *want, const char *file, int line,
		    const char *name)
{
	bool same = got && want ? !strcmp(got, want) : got == want;

	tap_ok(same, file, line, "%s", name);
	if (!same)
		printf("#      got: %s\n# expected: %s\n", got ? got : "(null)",
		       want ? want : "(null)");
	return same;
}

__attribute__((unused))
static bool tap_num(long long got, long long want, const char *file, int line, const char *name)
{
	tap_ok(got == want, file, line, "%s", name);
	if (got != want)
		printf("#      got: %lld\n# expected: %lld\n", got, want);
	return got == want;
}

#define OK(cond, ...) tap_ok((cond), __FILE__, __LINE__, __VA_ARGS__)
#define IS_STR(got, want, name) tap_str((got), (want), __FILE__, __LINE__, (name))
#define IS_NUM(got, want, name) \
	tap_num((long long)(got), (long long)(want), __FILE__, __LINE__, (name))

/* Prints only a failure: for what is checked many times. */
#define QUIET_OK(cond, ...) ((cond) ? true : OK(false, __VA_ARGS__))

/* The names that libpev's tests use. */
#define check OK
#define quiet_check QUIET_OK
#define tap_done() (tap_failed != 0)

/* The plan, which says that the program came to its end; returns its exit status. */
__attribute__((unused))
static int tap_plan(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}

#endif
