// SPDX-License-Identifier: GPL-2.0
/* Prints findings. See doctor.h. */
#include "doctor.h"

#include <stdarg.h>
#include <stdlib.h>

static char *text_of(const char *fmt, va_list ap)
{
	char *text;

	return vasprintf(&text, fmt, ap) < 0 ? xstrdup("") : text;
}

static void json_finding(struct doctor *d, enum finding f, const char *what, const char *text)
{
	static const char *const words[] = { "ok", "note", "bad" };

	doctor_end(d);
	json_open(d->json, NULL, '{');
	json_string(d->json, "what", what);
	json_string(d->json, "state", words[f]);
	json_string(d->json, "text", text);
	d->open = true;
}

void doctor_end(struct doctor *d)
{
	if (d->open)
		json_close(d->json, '}');
	d->open = false;
}

void doctor_say(struct doctor *d, enum finding f, const char *what, const char *fmt, ...)
{
	static const char *const words[] = { "ok  ", "note", "BAD " };
	static const char *const colors[] = { "\033[32m", "\033[33m", "\033[31m" };
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = text_of(fmt, ap);
	va_end(ap);
	d->bad += f == BAD;
	if (d->json)
		json_finding(d, f, what, text);
	else
		fprintf(d->out, "%s%s%s  %-18s %s\n", d->color ? colors[f] : "", words[f],
			d->color ? "\033[m" : "", what, text);
	free(text);
}

void doctor_remedy(struct doctor *d, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = text_of(fmt, ap);
	va_end(ap);
	if (d->json)
		json_string(d->json, "remedy", text);
	else
		fprintf(d->out, "%25s-> %s\n", "", text);
	free(text);
}
