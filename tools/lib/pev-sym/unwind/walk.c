// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the memory of a sample: its piece of the stack, and mapped files. */
#include <string.h>
#include "object/elf.h"
#include "unwind/walk.h"

bool walk_map(struct unwind_walk *w, uint64_t addr)
{
	if (w->map.end && addr >= w->map.start && addr < w->map.end)
		return true;
	w->map = (struct pev_unwind_map){ 0 };
	if (w->in->find && w->in->find(w->in->arg, addr, &w->map) == 1 &&
	    addr >= w->map.start && addr < w->map.end)
		return true;
	w->map.end = 0;
	return false;
}

bool walk_read(struct unwind_walk *w, uint64_t addr, uint64_t *v)
{
	uint64_t off = addr - w->sp0;

	if (off < w->in->stack_len && w->in->stack_len - off >= sizeof(*v)) {
		memcpy(v, (const char *)w->in->stack + off, sizeof(*v));
		return true;
	}
	if (walk_map(w, addr) && elf_read(syms_loaded(w->u->syms, w->map.object),
					  addr - w->map.start + w->map.offset, v, sizeof(*v)))
		return true;
	/* what lies within reach behind the piece is a caller's frame */
	w->why = addr >= w->sp0 && off < (64u << 20) ? PEV_UNWIND_SHORT : PEV_UNWIND_BROKEN;
	return false;
}
