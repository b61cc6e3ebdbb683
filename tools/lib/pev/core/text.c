// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Text that grows. See text.h.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/text.h"

static bool grow(struct text *t, size_t len)
{
	size_t room = t->room ? t->room : 256;
	char *more;

	if (t->failed)
		return false;
	while (room - t->len <= len)
		room *= 2;
	if (room == t->room)
		return true;
	more = realloc(t->s, room);
	if (!more) {
		t->failed = true;
		return false;
	}
	t->s = more;
	t->room = room;
	return true;
}

void text_add(struct text *t, const char *s, size_t len)
{
	if (!grow(t, len))
		return;
	memcpy(t->s + t->len, s, len);
	t->len += len;
	t->s[t->len] = '\0';
}

void text_puts(struct text *t, const char *s)
{
	text_add(t, s, strlen(s));
}

void text_addf(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0 || !grow(t, (size_t)len))
		return;
	va_start(ap, fmt);
	vsnprintf(t->s + t->len, (size_t)len + 1, fmt, ap);
	va_end(ap);
	t->len += (size_t)len;
}

void text_free(struct text *t)
{
	free(t->s);
	*t = (struct text){ 0 };
}

void text_quote(struct text *t, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			text_puts(t, "\\");
		text_add(t, c < 0x20 || c == 0x7f ? "?" : s, 1);
	}
}

int text_take(struct text *t, char **s, size_t *len)
{
	if (t->failed) {
		text_free(t);
		return -ENOMEM;
	}
	*s = t->s;
	*len = t->len;
	return 0;
}
