/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Checks that print TAP lines without numbers; the script run numbers them.
 */
#ifndef _TAP_H
#define _TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_failed;

__attribute__((format(printf, 2, 3)))
static inline bool check(bool good, const char *fmt, ...)
{
	va_list ap;

	tap_failed += !good;
	printf("%s - ", good ? "ok" : "not ok");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	return good;
}

/* Like check(), but prints only failures: for what is checked many times. */
#define quiet_check(good, ...)	((good) ? true : check(false, __VA_ARGS__))

static inline int tap_done(void)
{
	return tap_failed ? 1 : 0;
}

#endif /* _TAP_H */
