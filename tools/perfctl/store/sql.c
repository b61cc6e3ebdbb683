// SPDX-License-Identifier: GPL-2.0
/* Literals of SQL. See sql.h. */
#include "sql.h"

void sql_text(struct strbuf *b, const char *s)
{
	strbuf_putc(b, '\'');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		/* all that could have a meaning of its own is written by its number */
		if (c < 0x20 || c >= 0x7f || c == '\'' || c == '\\' || c == '`' || c == '"')
			strbuf_addf(b, "\\x%02x", c);
		else
			strbuf_putc(b, (char)c);
	}
	strbuf_putc(b, '\'');
}

bool sql_is_name(const char *s)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

	return *s && strchr(letters, *s) &&
	       strspn(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") ==
		       strlen(s) &&
	       strlen(s) <= 64;
}
