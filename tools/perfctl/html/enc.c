// SPDX-License-Identifier: GPL-2.0
/* Writes the data of a page. See html.h. */
#include "enc.h"

#include <stdlib.h>

/* bytes of a name; that of others may be as long as they like */
#define NAME_MOST 1000

void html_varint(struct strbuf *b, uint64_t v)
{
	while (v >= 0x80) {
		strbuf_putc(b, (char)(v | 0x80));
		v >>= 7;
	}
	strbuf_putc(b, (char)v);
}

void html_put_bytes(struct strbuf *out, const char *name, const struct strbuf *bytes)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)bytes->s;

	strbuf_addf(out, "\"%s\": \"", name);
	for (size_t i = 0; i < bytes->len; i += 3) {
		size_t n = bytes->len - i < 3 ? bytes->len - i : 3;
		uint32_t v = (uint32_t)p[i] << 16;
		char four[4];

		if (n > 1)
			v |= (uint32_t)p[i + 1] << 8;
		if (n > 2)
			v |= p[i + 2];
		for (unsigned int k = 0; k < 4; k++)
			four[k] = k <= n ? digits[v >> (18 - 6 * k) & 63] : '=';
		strbuf_add(out, four, 4);
	}
	strbuf_puts(out, "\",\n");
}

void html_put_text(struct strbuf *out, const char *s)
{
	strbuf_putc(out, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		/* escape what could end the script or begin a comment */
		if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == 0x7f)
			strbuf_addf(out, "\\u%04x", c);
		else
			strbuf_putc(out, *s);
	}
	strbuf_putc(out, '"');
}

uint32_t html_string(struct html_enc *e, const char *s)
{
	size_t len = strlen(s);
	uint32_t id;
	char *cut;

	if (len <= NAME_MOST)
		return strtab_id(&e->strings, s);
	len = NAME_MOST;
	/* between two characters */
	while (len && ((unsigned char)s[len] & 0xc0) == 0x80)
		len--;
	cut = xasprintf("%.*s\u2026", (int)len, s);
	id = strtab_id(&e->strings, cut);
	free(cut);
	return id;
}

uint32_t html_thread(struct html_threads *ts, uint32_t comm, uint32_t pid, uint32_t tid)
{
	uint32_t hash = hash_2u64((uint64_t)comm << 32 | pid, tid);
	struct html_thread *t;

	if (HTAB_GET(t, &ts->h, hash, t->comm == comm && t->pid == pid && t->tid == tid, ts->t,
		     ts->n, ts->cap))
		*t = (struct html_thread){ .comm = comm, .pid = pid, .tid = tid };
	return (uint32_t)(t - ts->t);
}
