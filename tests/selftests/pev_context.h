/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of contexts share: requests by a number, and saying which one it is. */
#ifndef PEV_CONTEXT_H
#define PEV_CONTEXT_H

#include "pev_util.h"

#define NONE ((struct ids){ 0, 0, 0 })

struct ids {
	uint64_t high, low, span;
};

/* Request @n: bytes that are all different, so that each has its place. */
static UNUSED struct pev_thread_context request(uint8_t n)
{
	struct pev_thread_context c = { .valid = 1 };

	for (unsigned int i = 0; i < sizeof(c.trace_id); i++)
		c.trace_id[i] = n + i;
	for (unsigned int i = 0; i < sizeof(c.span_id); i++)
		c.span_id[i] = n + 0x20 + i;
	return c;
}

static UNUSED uint64_t number_of(const uint8_t *bytes)
{
	uint64_t number = 0;

	for (unsigned int i = 0; i < 8; i++)
		number = number << 8 | bytes[i];
	return number;
}

static UNUSED struct ids ids_of(uint8_t n)
{
	struct pev_thread_context c = request(n);

	return (struct ids){ number_of(c.trace_id), number_of(c.trace_id + 8),
			     number_of(c.span_id) };
}

static UNUSED bool same(struct ids a, struct ids b)
{
	return a.high == b.high && a.low == b.low && a.span == b.span;
}

static UNUSED int attach_at(uint64_t at)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CONTEXT,
		.config = at,
		.channel_fd = -1,
		.group_fd = -1,
	};

	return pev_open(&attr);
}

/* What a thread tells of itself: the pointer whose address is made known, and a record */
struct self {
	const void *pointer;
	struct pev_thread_context record;
};

static UNUSED int attach(struct self *self)
{
	return attach_at((uintptr_t)&self->pointer);
}

/* Not before what was written, and not after the next call. */
static UNUSED void point_at(struct self *self, const void *record)
{
	__asm__ volatile("" : : : "memory");
	*(const void *volatile *)&self->pointer = record;
}

static UNUSED void say(struct self *self, uint8_t n)
{
	self->record = request(n);
	point_at(self, &self->record);
}

#endif
