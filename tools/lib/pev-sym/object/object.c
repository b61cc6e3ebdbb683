// SPDX-License-Identifier: LGPL-2.1-only
/* Converts addresses and offsets of objects, and keeps what is wrong with them. */
#include <stdarg.h>
#include <stdio.h>
#include "object/object.h"

void sym_object_problem(struct sym_object *o, const char *fmt, ...)
{
	va_list ap;

	if (o->problem)
		return;
	va_start(ap, fmt);
	if (vasprintf(&o->problem, fmt, ap) < 0)
		o->problem = NULL;
	va_end(ap);
}

uint64_t sym_object_vaddr(const struct sym_object *o, uint64_t offset)
{
	for (size_t i = 0; i < o->segs.n; i++) {
		const struct segment *s = &o->segs.p[i];

		if (offset >= s->offset && offset - s->offset < s->size)
			return offset - s->offset + s->vaddr;
	}
	return UINT64_MAX;
}

uint64_t sym_object_offset(const struct sym_object *o, uint64_t vaddr)
{
	for (size_t i = 0; i < o->segs.n; i++) {
		const struct segment *s = &o->segs.p[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->size)
			return vaddr - s->vaddr + s->offset;
	}
	return UINT64_MAX;
}
