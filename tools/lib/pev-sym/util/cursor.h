/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads numbers from untrusted bytes: past the end all is 0 and bad. */
#ifndef _PEV_SYM_CURSOR_H
#define _PEV_SYM_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t	*p;
	const uint8_t	*end;
	bool		bad;
};

static inline size_t left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

static inline bool take(struct cursor *c, void *to, size_t len)
{
	if (left(c) < len) {
		c->bad = true;
		c->p = c->end;
		memset(to, 0, len);
		return false;
	}
	memcpy(to, c->p, len);
	c->p += len;
	return true;
}

static inline void skip(struct cursor *c, uint64_t len)
{
	if (len > left(c)) {
		c->bad = true;
		c->p = c->end;
	} else {
		c->p += len;
	}
}

static inline uint8_t get_u8(struct cursor *c)
{
	uint8_t v;

	take(c, &v, sizeof(v));
	return v;
}

static inline uint16_t get_u16(struct cursor *c)
{
	uint16_t v;

	take(c, &v, sizeof(v));
	return v;
}

static inline uint32_t get_u32(struct cursor *c)
{
	uint32_t v;

	take(c, &v, sizeof(v));
	return v;
}

static inline uint64_t get_u64(struct cursor *c)
{
	uint64_t v;

	take(c, &v, sizeof(v));
	return v;
}

static inline uint64_t get_uleb(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned int shift = 0;; shift += 7) {
		uint8_t b = get_u8(c);

		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
}

static inline int64_t get_sleb(struct cursor *c)
{
	uint64_t v = 0;
	unsigned int shift = 0;
	uint8_t b;

	do {
		b = get_u8(c);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80);
	if (b & 0x40 && shift < 64)
		v |= ~0ULL << shift;
	return (int64_t)v;
}

#endif /* _PEV_SYM_CURSOR_H */
