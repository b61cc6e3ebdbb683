// SPDX-License-Identifier: LGPL-2.1-only
/* Finds functions, lines and code at places of objects. */
#include <errno.h>
#include "dwarf/lines.h"
#include "names/demangle.h"
#include "object/elf.h"
#include "syms/kernel.h"

/* Returns the table of a function, and its place there in @index. */
static struct symtab *table_of(struct pev_syms *s, int object, uint32_t *index)
{
	if (syms_object(s, object)->kind == PEV_SYM_KIND_MODULE)
		object = PEV_SYM_KERNEL;
	if (object != PEV_SYM_KERNEL || *index == SYM_NONE || !(*index & SYMS_LATER))
		return &syms_named(s, object)->syms;
	*index &= ~SYMS_LATER;
	return &s->later;
}

/* Unwind tables distinguish functions even where there are no symbols. */
static void start_by_tables(struct sym_object *o, uint64_t vaddr, struct pev_sym *sym)
{
	const struct cfi *cfi = elf_cfi(o, 0);
	const struct fde *f = cfi ? cfi_find(cfi, vaddr) : NULL;

	if (f && vaddr - f->start <= sym->start) {
		sym->start -= vaddr - f->start;
		sym->size = f->end - f->start;
	}
}

PEV_EXPORT int pev_sym_find(struct pev_syms *s, int object, uint64_t at, struct pev_sym *sym)
{
	bool kernel = syms_object(s, object)->kind == PEV_SYM_KIND_MODULE ||
		      object == PEV_SYM_KERNEL;
	struct sym_object *o = syms_named(s, kernel ? PEV_SYM_KERNEL : object);
	bool file = o->kind == PEV_SYM_KIND_FILE || o->kind == PEV_SYM_KIND_VDSO;
	uint64_t addr = file ? sym_object_vaddr(o, at) : at;
	const struct symbol *found;

	*sym = (struct pev_sym){ .object = object, .index = SYM_NONE, .start = at };
	if (file && addr == UINT64_MAX)
		return 0;
	if (kernel) {
		found = syms_kernel_function(s, addr, &sym->index);
	} else {
		sym->index = symtab_find(&o->syms, addr);
		found = sym->index == SYM_NONE ? NULL : &o->syms.s.p[sym->index];
	}
	if (!found) {
		if (file)
			start_by_tables(o, addr, sym);
		return 0;
	}
	sym->size = found->end - found->start;
	sym->start = at - (addr - found->start);
	if (kernel)
		sym->object = found->owner;
	return 1;
}

PEV_EXPORT int pev_sym_nth(struct pev_syms *s, int object, uint32_t index, struct pev_sym *sym)
{
	const struct sym_object *o = syms_named(s, object);
	const struct symbol *found;

	*sym = (struct pev_sym){ .object = object, .index = SYM_NONE };
	if (o->kind != PEV_SYM_KIND_FILE || !o->file)
		return -ENODATA;
	if (index >= o->syms.s.n)
		return 0;
	found = &o->syms.s.p[index];
	sym->index = index;
	sym->start = sym_object_offset(o, found->start);
	sym->size = found->end - found->start;
	return 1;
}

PEV_EXPORT int pev_sym_place(struct pev_syms *s, int object, const char *name, uint64_t *at)
{
	struct sym_object *o = syms_loaded(s, object);
	uint64_t vaddr;
	int ret;

	ret = o->kind == PEV_SYM_KIND_FILE ? elf_function(o, name, &vaddr) : -ENODATA;
	if (ret)
		return ret;
	*at = sym_object_offset(o, vaddr);
	return *at == UINT64_MAX ? -ENOENT : 0;
}

PEV_EXPORT const char *pev_sym_name(struct pev_syms *s, int object, uint32_t index)
{
	struct symtab *t = table_of(s, object, &index);

	return index < t->s.n ? symtab_name(t, index) : "";
}

PEV_EXPORT const char *pev_sym_raw_name(struct pev_syms *s, int object, uint32_t index)
{
	struct symtab *t = table_of(s, object, &index);

	return index < t->s.n ? t->s.p[index].name : "";
}

PEV_EXPORT int pev_sym_lines(struct pev_syms *s, int object, uint64_t at,
			     struct pev_sym_line *lines, unsigned int room)
{
	struct sym_object *o = object == PEV_SYM_KERNEL ? kernel_image(s) : syms_loaded(s, object);
	uint64_t vaddr, bias;
	void *dw;

	if (!o)
		return 0;
	vaddr = object == PEV_SYM_KERNEL ? at - s->slide : sym_object_vaddr(o, at);
	if (!o->file || vaddr == UINT64_MAX)
		return 0;
	if (!o->lines_tried) {
		o->lines_tried = true;
		dw = elf_dwarf(o, &bias);
		o->lines = dw ? line_table_new(dw, bias) : NULL;
	}
	return o->lines ? line_table_find(o->lines, vaddr, lines, room) : 0;
}

PEV_EXPORT int pev_sym_bytes(struct pev_syms *s, int object, uint64_t at, void *buf, size_t len,
			     struct pev_sym_bytes *what)
{
	struct sym_object *o = syms_loaded(s, object);
	uint64_t vaddr;

	*what = (struct pev_sym_bytes){ 0 };
	if (o->kind == PEV_SYM_KIND_KERNEL || o->kind == PEV_SYM_KIND_MODULE)
		return kernel_code(s, o->kind == PEV_SYM_KIND_MODULE, at, buf, len, what);
	if (!o->file)
		return -ENODATA;
	vaddr = sym_object_vaddr(o, at);
	return vaddr == UINT64_MAX ? -ENODATA : elf_code(o, vaddr, buf, len, what);
}

PEV_EXPORT char *pev_sym_demangle(const char *name)
{
	return demangle(name);
}
