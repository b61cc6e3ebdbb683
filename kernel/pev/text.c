// SPDX-License-Identifier: GPL-2.0
/* Owns text that grows: metadata and the catalog. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sprintf.h>
#include <linux/string.h>
#include "channel.h"

static bool grow(struct pev_text *text, size_t need)
{
	size_t size = max_t(size_t, text->size * 2, 1024);
	char *buf;

	while (size < need)
		size *= 2;
	buf = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!buf) {
		text->error = -ENOMEM;
		return false;
	}
	if (text->len)
		memcpy(buf, text->buf, text->len);
	kvfree(text->buf);
	text->buf = buf;
	text->size = size;
	return true;
}

/**
 * pev_text_printf() - append
 * @text: where to; a failure sticks in @text->error
 * @fmt:  as printf
 *
 * Context: Process context, may sleep.
 */
void pev_text_printf(struct pev_text *text, const char *fmt, ...)
{
	va_list args;
	int len;

	if (text->error)
		return;
	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	/* one more for the NUL that vsnprintf() insists on */
	if (text->len + len + 1 > text->size && !grow(text, text->len + len + 1))
		return;
	va_start(args, fmt);
	vsnprintf(text->buf + text->len, len + 1, fmt, args);
	va_end(args);
	/* a file's llseek() looks without a lock */
	WRITE_ONCE(text->len, text->len + len);
}

void pev_text_free(struct pev_text *text)
{
	kvfree(text->buf);
	memset(text, 0, sizeof(*text));
}
