// SPDX-License-Identifier: LGPL-2.1-only
/* Objects by path and build id, their functions on demand: the public side. */
#include "internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static enum pev_sym_kind kind_of(const char *path)
{
	if (!strcmp(path, "[vdso]"))
		return PEV_SYM_KIND_VDSO;
	if (path[0] == '/' && strncmp(path, "//anon", 6) && strncmp(path, "/memfd:", 7) &&
	    strncmp(path, "/dev/zero", 9) && strncmp(path, "/SYSV", 5))
		return PEV_SYM_KIND_FILE;
	return PEV_SYM_KIND_ANON;
}

struct object *syms_object(const struct pev_syms *s, int object)
{
	return s->o.p[object >= 0 && (size_t)object < s->o.n ? object : PEV_SYM_UNKNOWN];
}

void object_problem(struct object *o, const char *fmt, ...)
{
	va_list ap;

	if (o->problem)
		return;
	va_start(ap, fmt);
	if (vasprintf(&o->problem, fmt, ap) < 0)
		o->problem = NULL;
	va_end(ap);
}

void object_free(struct object *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->dumps.n; i++)
		free(o->dumps.p[i]);
	free(o->dumps.p);
	lines_free(o->lines);
	elf_free(o->file);
	symtab_free(&o->syms);
	free(o->segs.p);
	free(o->problem);
	free(o->path);
	free(o);
}

struct object *object_new(const char *path, enum pev_sym_kind kind, const struct build_id *id)
{
	struct object *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->path = strdup(path);
	o->kind = kind;
	o->id = *id;
	if (!o->path) {
		free(o);
		return NULL;
	}
	return o;
}

static uint64_t hash_text(uint64_t h, const void *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ ((const uint8_t *)data)[i]) * 0x100000001b3ULL;
	return h;
}

int syms_add(struct pev_syms *s, const char *path, enum pev_sym_kind kind,
	     const struct build_id *id)
{
	uint64_t key = hash_text(hash_text(0xcbf29ce484222325ULL + kind, path, strlen(path)),
				 id->bytes, id->len);
	struct object *o, **slot;
	uint32_t known;

	for (; (known = hmap_get(&s->by_key, key)) != UINT32_MAX; key++) {
		o = s->o.p[known];
		if (o->kind == kind && !strcmp(o->path, path) && o->id.len == id->len &&
		    !memcmp(o->id.bytes, id->bytes, id->len))
			return (int)known;
	}
	o = s->o.n < INT32_MAX ? object_new(path, kind, id) : NULL;
	slot = o ? VEC_PUSH(&s->o) : NULL;
	if (!slot) {
		object_free(o);
		return -ENOMEM;
	}
	*slot = o;
	if (!hmap_add(&s->by_key, key, (uint32_t)(s->o.n - 1))) {
		s->o.n--;
		object_free(o);
		return -ENOMEM;
	}
	return (int)s->o.n - 1;
}

PEV_EXPORT int pev_syms_new(unsigned int flags, struct pev_syms **syms)
{
	static const struct build_id none;
	struct pev_syms *s;

	if (flags & ~(PEV_SYMS_NO_CACHE | PEV_SYMS_NO_DEBUGINFOD))
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->flags = flags;
	if (syms_add(s, "[unknown]", PEV_SYM_KIND_NONE, &none) != PEV_SYM_UNKNOWN ||
	    syms_add(s, "[kernel]", PEV_SYM_KIND_KERNEL, &none) != PEV_SYM_KERNEL) {
		pev_syms_free(s);
		return -ENOMEM;
	}
	*syms = s;
	return 0;
}

PEV_EXPORT void pev_syms_free(struct pev_syms *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->o.n; i++)
		object_free(s->o.p[i]);
	free(s->o.p);
	hmap_free(&s->by_key);
	hmap_free(&s->by_pid);
	object_free(s->vmlinux);
	free(s->vmlinux_path);
	free(s->release);
	free(s->kallsyms);
	free(s->vdso);
	free(s);
}

PEV_EXPORT int pev_syms_set_kernel(struct pev_syms *s, const char *kallsyms, size_t len)
{
	char *text = strndup(kallsyms, len);

	if (!text)
		return -ENOMEM;
	if (syms_object(s, PEV_SYM_KERNEL)->loaded) {
		free(text);
		return -EBUSY;
	}
	free(s->kallsyms);
	s->kallsyms = text;
	return 0;
}

PEV_EXPORT int pev_syms_set_vdso(struct pev_syms *s, const char *file)
{
	char *copy = strdup(file);

	if (!copy)
		return -ENOMEM;
	free(s->vdso);
	s->vdso = copy;
	return 0;
}

PEV_EXPORT int pev_syms_object(struct pev_syms *s, const char *path, const void *id,
			       size_t id_len)
{
	struct build_id b = { 0 };

	if (id) {
		b.len = (uint8_t)(id_len > sizeof(b.bytes) ? sizeof(b.bytes) : id_len);
		memcpy(b.bytes, id, b.len);
	}
	return syms_add(s, path, kind_of(path), &b);
}

PEV_EXPORT int pev_syms_code(struct pev_syms *s, uint32_t pid)
{
	static const struct build_id none;
	uint32_t known = hmap_get(&s->by_pid, pid);
	char path[32];
	int object;

	if (known != UINT32_MAX)
		return (int)known;
	snprintf(path, sizeof(path), "[jit %u]", pid);
	object = syms_add(s, path, PEV_SYM_KIND_CODE, &none);
	if (object < 0)
		return object;
	s->o.p[object]->pid = pid;
	return hmap_add(&s->by_pid, pid, (uint32_t)object) ? object : -ENOMEM;
}

PEV_EXPORT int pev_syms_jitdump(struct pev_syms *s, uint32_t pid, const char *path)
{
	int object = pev_syms_code(s, pid);
	struct object *o;
	char **slot, *copy;

	if (object < 0)
		return object;
	o = s->o.p[object];
	for (size_t i = 0; i < o->dumps.n; i++)
		if (!strcmp(o->dumps.p[i], path))
			return 0;
	if (o->loaded)
		return -EBUSY;
	copy = strdup(path);
	slot = copy ? VEC_PUSH(&o->dumps) : NULL;
	if (!slot) {
		free(copy);
		return -ENOMEM;
	}
	*slot = copy;
	return 0;
}

PEV_EXPORT void pev_syms_mapped_by(struct pev_syms *s, int object, uint32_t pid)
{
	struct object *o = syms_object(s, object);

	/* the latest one is the likeliest to live */
	if (o->kind == PEV_SYM_KIND_FILE)
		o->pid = pid;
}

PEV_EXPORT int pev_syms_count(const struct pev_syms *s)
{
	return (int)s->o.n;
}

PEV_EXPORT const char *pev_syms_path(const struct pev_syms *s, int object)
{
	return syms_object(s, object)->path;
}

PEV_EXPORT enum pev_sym_kind pev_syms_kind(const struct pev_syms *s, int object)
{
	return syms_object(s, object)->kind;
}

PEV_EXPORT const void *pev_syms_id(const struct pev_syms *s, int object, size_t *len)
{
	const struct object *o = syms_object(s, object);

	*len = o->id.len;
	return o->id.len ? o->id.bytes : NULL;
}

PEV_EXPORT const char *pev_syms_problem(const struct pev_syms *s, int object)
{
	return syms_object(s, object)->problem;
}

static void load_kernel(struct pev_syms *s)
{
	if (!s->kallsyms || !kallsyms_parse(s, s->kallsyms))
		object_problem(syms_object(s, PEV_SYM_KERNEL),
			       "the recording has no kernel symbols (kernel.kptr_restrict hid them, "
			       "or it was made without the right to see them)");
}

struct object *syms_loaded(struct pev_syms *s, int object)
{
	struct object *o = syms_object(s, object);

	if (o->loaded)
		return o;
	o->loaded = true;
	switch (o->kind) {
	case PEV_SYM_KIND_KERNEL:
		load_kernel(s);
		break;
	case PEV_SYM_KIND_FILE:
		elf_load(s, o);
		break;
	case PEV_SYM_KIND_VDSO:
		if (s->vdso)
			elf_load(s, o);
		else
			object_problem(o, "the recording has no copy of the vdso");
		break;
	case PEV_SYM_KIND_CODE:
		jit_load(o);
		break;
	default:
		break;
	}
	return o;
}

struct object *syms_named(struct pev_syms *s, int object)
{
	struct object *o = syms_loaded(s, object);

	if (!o->named && (o->kind == PEV_SYM_KIND_FILE || o->kind == PEV_SYM_KIND_VDSO))
		elf_names(o);
	o->named = true;
	return o;
}

uint64_t object_vaddr(const struct object *o, uint64_t offset)
{
	for (size_t i = 0; i < o->segs.n; i++) {
		const struct segment *s = &o->segs.p[i];

		if (offset >= s->offset && offset - s->offset < s->size)
			return offset - s->offset + s->vaddr;
	}
	return UINT64_MAX;
}

uint64_t object_offset(const struct object *o, uint64_t vaddr)
{
	for (size_t i = 0; i < o->segs.n; i++) {
		const struct segment *s = &o->segs.p[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->size)
			return vaddr - s->vaddr + s->offset;
	}
	return UINT64_MAX;
}

static struct symtab *table_of(struct pev_syms *s, int object)
{
	if (syms_object(s, object)->kind == PEV_SYM_KIND_MODULE)
		object = PEV_SYM_KERNEL;
	return &syms_named(s, object)->syms;
}

/* In what has no symbols, functions can still be told apart. */
static void start_by_tables(struct object *o, uint64_t vaddr, struct pev_sym *sym)
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
	struct object *o = syms_named(s, kernel ? PEV_SYM_KERNEL : object);
	bool file = o->kind == PEV_SYM_KIND_FILE || o->kind == PEV_SYM_KIND_VDSO;
	uint64_t addr = file ? object_vaddr(o, at) : at;
	const struct symbol *found;

	*sym = (struct pev_sym){ .object = object, .index = SYM_NONE, .start = at };
	if (file && addr == UINT64_MAX)
		return 0;
	sym->index = symtab_find(&o->syms, addr);
	if (sym->index == SYM_NONE) {
		if (file)
			start_by_tables(o, addr, sym);
		return 0;
	}
	found = &o->syms.s.p[sym->index];
	sym->size = found->end - found->start;
	sym->start = at - (addr - found->start);
	if (kernel)
		sym->object = found->owner;
	return 1;
}

PEV_EXPORT const char *pev_sym_name(struct pev_syms *s, int object, uint32_t index)
{
	struct symtab *t = table_of(s, object);

	return index < t->s.n ? symtab_name(t, index) : "";
}

PEV_EXPORT const char *pev_sym_raw_name(struct pev_syms *s, int object, uint32_t index)
{
	struct symtab *t = table_of(s, object);

	return index < t->s.n ? t->s.p[index].name : "";
}

PEV_EXPORT int pev_sym_lines(struct pev_syms *s, int object, uint64_t at,
			     struct pev_sym_line *lines, unsigned int room)
{
	struct object *o = object == PEV_SYM_KERNEL ? kernel_image(s) : syms_loaded(s, object);
	uint64_t vaddr, bias;
	void *dw;

	if (!o)
		return 0;
	vaddr = object == PEV_SYM_KERNEL ? at - s->slide : object_vaddr(o, at);
	if (!o->file || vaddr == UINT64_MAX)
		return 0;
	if (!o->lines_tried) {
		o->lines_tried = true;
		dw = elf_dwarf(s, o, &bias);
		o->lines = dw ? lines_new(dw, bias) : NULL;
	}
	return o->lines ? lines_find(o->lines, vaddr, lines, room) : 0;
}
