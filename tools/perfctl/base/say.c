// SPDX-License-Identifier: GPL-2.0
/* Errors and notes. See say.h. */
#include "say.h"

#include <stdarg.h>

static void say(const char *before, const char *fmt, va_list ap)
{
	fflush(stdout);
	fputs(before, stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void print_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("perfctl: ", fmt, ap);
	va_end(ap);
}

void note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("note: ", fmt, ap);
	va_end(ap);
}
