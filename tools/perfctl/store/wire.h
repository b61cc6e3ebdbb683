/* SPDX-License-Identifier: GPL-2.0 */
/* RowBinary, the form in which rows go to ClickHouse and come from it. Knows no table. */
#ifndef PERFCTL_STORE_WIRE_H
#define PERFCTL_STORE_WIRE_H

#include "base/util.h"

void wire_put_u8(struct strbuf *b, uint8_t v);
void wire_put_u16(struct strbuf *b, uint16_t v);
void wire_put_u32(struct strbuf *b, uint32_t v);
void wire_put_u64(struct strbuf *b, uint64_t v);
void wire_put_size(struct strbuf *b, uint64_t v);
void wire_put_text(struct strbuf *b, const char *s);

/**
 * struct wire - an answer that is read
 * @p:      what comes next
 * @end:    of the answer
 * @broken: something was not as it has to be; all that is read from then on is 0 or empty
 */
struct wire {
	const uint8_t *p;
	const uint8_t *end;
	bool broken;
};

uint8_t wire_u8(struct wire *w);
uint16_t wire_u16(struct wire *w);
uint32_t wire_u32(struct wire *w);
uint64_t wire_u64(struct wire *w);
/* The number of elements that follow, of at least @least bytes each */
size_t wire_size(struct wire *w, size_t least);
/* A string without NUL in it; free it. */
char *wire_text(struct wire *w);

static inline bool wire_more(const struct wire *w)
{
	return !w->broken && w->p < w->end;
}

#endif
