// SPDX-License-Identifier: GPL-2.0
/* Where functions begin, from the search table of .eh_frame_hdr. */
#include "object.h"

#include <stdlib.h>

/* DW_EH_PE_*: the forms that all toolchains write */
#define PE_UDATA4	  0x03
#define PE_PCREL_SDATA4	  0x1b
#define PE_DATAREL_SDATA4 0x3b

/* a hole behind a function is not part of it, however little is known */
#define FUNCTION_MOST (1u << 20)

static int by_value(const void *va, const void *vb)
{
	uint64_t a = *(const uint64_t *)va, b = *(const uint64_t *)vb;

	return a < b ? -1 : a > b;
}

void object_load_starts(struct object *o, const uint8_t *hdr, size_t size, uint64_t vaddr)
{
	uint32_t count;

	/* version, three encodings, .eh_frame's address, number of entries */
	if (size < 12 || hdr[0] != 1 || hdr[1] != PE_PCREL_SDATA4 || hdr[2] != PE_UDATA4 ||
	    hdr[3] != PE_DATAREL_SDATA4)
		return;
	memcpy(&count, hdr + 8, sizeof(count));
	count = (uint32_t)min_u64(count, (size - 12) / 8);
	free(o->starts);
	o->starts = xmalloc(count * sizeof(*o->starts));
	o->n_starts = count;
	for (uint32_t i = 0; i < count; i++) {
		int32_t off;

		memcpy(&off, hdr + 12 + 8 * (size_t)i, sizeof(off));
		o->starts[i] = vaddr + (uint64_t)(int64_t)off;
	}
	qsort(o->starts, count, sizeof(*o->starts), by_value);
}

bool object_function_start(const struct object *o, uint64_t vaddr, uint64_t *start)
{
	size_t lo = 0, hi = o->n_starts;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (o->starts[mid] <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || vaddr - o->starts[lo - 1] >= FUNCTION_MOST)
		return false;
	*start = o->starts[lo - 1];
	return true;
}
