// SPDX-License-Identifier: GPL-2.0
/* Bytes of structures. See struct_bytes.h. */
#include "struct_bytes.h"

#include <inttypes.h>

uint16_t struct_u16(const struct struct_bytes *s, size_t at)
{
	uint16_t v = 0;

	if (s->len >= sizeof(v) && at <= s->len - sizeof(v))
		memcpy(&v, s->at + at, sizeof(v));
	return v;
}

uint32_t struct_u32(const struct struct_bytes *s, size_t at)
{
	uint32_t v = 0;

	if (s->len >= sizeof(v) && at <= s->len - sizeof(v))
		memcpy(&v, s->at + at, sizeof(v));
	return v;
}

uint64_t struct_u64(const struct struct_bytes *s, size_t at)
{
	uint64_t v = 0;

	if (s->len >= sizeof(v) && at <= s->len - sizeof(v))
		memcpy(&v, s->at + at, sizeof(v));
	return v;
}

void struct_pointer(struct strbuf *b, uint64_t v)
{
	if (v)
		strbuf_addf(b, "0x%" PRIx64, v);
	else
		strbuf_puts(b, "NULL");
}

void struct_array(struct strbuf *b, const struct struct_bytes *s, size_t size,
		  void (*put)(struct strbuf *b, const struct struct_bytes *s))
{
	struct struct_bytes one = *s;
	size_t n = s->len / size;

	strbuf_putc(b, '[');
	one.len = size;
	for (size_t i = 0; i < n; i++, one.at += size) {
		strbuf_puts(b, i ? ", " : "");
		put(b, &one);
	}
	strbuf_puts(b, s->cut ? n ? ", ...]" : "...]" : "]");
}
