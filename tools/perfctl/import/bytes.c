// SPDX-License-Identifier: GPL-2.0
/* Numbers and texts of a piece of a file. See bytes.h. */
#include "bytes.h"

#include <string.h>

const void *bytes_take(struct bytes *b, uint64_t n)
{
	const uint8_t *p = b->p;

	if (n > (uint64_t)(b->end - b->p)) {
		b->short_ = true;
		b->p = b->end;
		return NULL;
	}
	b->p += n;
	return p;
}

uint64_t bytes_u64(struct bytes *b)
{
	const void *p = bytes_take(b, sizeof(uint64_t));
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

uint32_t bytes_u32(struct bytes *b)
{
	const void *p = bytes_take(b, sizeof(uint32_t));
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

const char *bytes_text(struct bytes *b, uint64_t room)
{
	const char *p = bytes_take(b, room);

	return p && memchr(p, 0, room) ? p : "";
}
