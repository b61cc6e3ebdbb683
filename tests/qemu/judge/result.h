/* SPDX-License-Identifier: GPL-2.0 */
/* Results with what was counted, in numbers that go on. */
#include <stdarg.h>
#include <stdio.h>

static int tests;

static void result(int good, const char *name, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - %s: ", good ? "" : "not ", ++tests, name);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}
