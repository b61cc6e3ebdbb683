// SPDX-License-Identifier: GPL-2.0
/* Numbers and strings as ClickHouse writes and reads them. See wire.h. */
#include "wire.h"

#include <stdlib.h>

/* ---- writing: the least significant byte comes first */

static void put(struct strbuf *b, uint64_t v, unsigned int bytes)
{
	uint8_t le[8];

	for (unsigned int i = 0; i < bytes; i++)
		le[i] = (uint8_t)(v >> (8 * i));
	strbuf_add(b, le, bytes);
}

void wire_put_u8(struct strbuf *b, uint8_t v)
{
	put(b, v, 1);
}

void wire_put_u16(struct strbuf *b, uint16_t v)
{
	put(b, v, 2);
}

void wire_put_u32(struct strbuf *b, uint32_t v)
{
	put(b, v, 4);
}

void wire_put_u64(struct strbuf *b, uint64_t v)
{
	put(b, v, 8);
}

void wire_put_size(struct strbuf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		wire_put_u8(b, (uint8_t)(v | 0x80));
	wire_put_u8(b, (uint8_t)v);
}

void wire_put_text(struct strbuf *b, const char *s)
{
	size_t len = strlen(s);

	wire_put_size(b, len);
	strbuf_add(b, s, len);
}

/* ---- reading */

static bool has(struct wire *w, size_t bytes)
{
	if (!w->broken && (size_t)(w->end - w->p) >= bytes)
		return true;
	w->broken = true;
	return false;
}

static uint64_t get(struct wire *w, unsigned int bytes)
{
	uint64_t v = 0;

	if (!has(w, bytes))
		return 0;
	for (unsigned int i = 0; i < bytes; i++)
		v |= (uint64_t)w->p[i] << (8 * i);
	w->p += bytes;
	return v;
}

uint8_t wire_u8(struct wire *w)
{
	return (uint8_t)get(w, 1);
}

uint16_t wire_u16(struct wire *w)
{
	return (uint16_t)get(w, 2);
}

uint32_t wire_u32(struct wire *w)
{
	return (uint32_t)get(w, 4);
}

uint64_t wire_u64(struct wire *w)
{
	return get(w, 8);
}

size_t wire_size(struct wire *w, size_t least)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte = wire_u8(w);

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (!w->broken && v <= (uint64_t)(w->end - w->p) / least)
			return v;
		break;
	}
	w->broken = true;
	return 0;
}

char *wire_text(struct wire *w)
{
	size_t len = wire_size(w, 1);
	char *s = xstrndup(w->broken ? "" : (const char *)w->p, len);

	if (!w->broken)
		w->p += len;
	return s;
}
