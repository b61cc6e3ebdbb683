// SPDX-License-Identifier: GPL-2.0
/* Prints findings. See doctor.h. */
#include "doctor.h"

#include <stdarg.h>

void doctor_say(struct doctor *d, enum finding f, const char *what, const char *fmt, ...)
{
	static const char *const words[] = { "ok  ", "note", "BAD " };
	static const char *const colors[] = { "\033[32m", "\033[33m", "\033[31m" };
	va_list ap;

	d->bad += f == BAD;
	fprintf(d->out, "%s%s%s  %-18s ", d->color ? colors[f] : "", words[f],
		d->color ? "\033[m" : "", what);
	va_start(ap, fmt);
	vfprintf(d->out, fmt, ap);
	va_end(ap);
	fputc('\n', d->out);
}

void doctor_remedy(struct doctor *d, const char *fmt, ...)
{
	va_list ap;

	fprintf(d->out, "%25s-> ", "");
	va_start(ap, fmt);
	vfprintf(d->out, fmt, ap);
	va_end(ap);
	fputc('\n', d->out);
}
