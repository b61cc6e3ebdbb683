/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Text that grows.
 */
#ifndef _PEV_CORE_TEXT_H
#define _PEV_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include "core/compiler.h"

/**
 * struct text - text that grows
 * @s:      NUL-terminated from the first byte on, NULL before it
 * @failed: there was no memory at some point: the text is incomplete
 */
struct text {
	char	*s;
	size_t	len;
	size_t	room;
	bool	failed;
};

void text_add(struct text *t, const char *s, size_t len);
void text_puts(struct text *t, const char *s);
void text_addf(struct text *t, const char *fmt, ...) PEV_PRINTF(2, 3);
/* Adds a string that stands between quotes: escaped, so that it ends where it should */
void text_quote(struct text *t, const char *s);
void text_free(struct text *t);
/* Gives the text to the caller, who frees it; -ENOMEM if it is incomplete */
int text_take(struct text *t, char **s, size_t *len);

#endif /* _PEV_CORE_TEXT_H */
