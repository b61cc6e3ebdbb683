// SPDX-License-Identifier: LGPL-2.1-only
/* Keeps objects by path and build id; loads what they hold on demand. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "names/kallsyms.h"
#include "object/elf.h"
#include "object/load.h"
#include "syms/syms.h"

static enum pev_sym_kind kind_of(const char *path)
{
	if (!strcmp(path, "[vdso]"))
		return PEV_SYM_KIND_VDSO;
	if (path[0] == '/' && strncmp(path, "//anon", 6) && strncmp(path, "/memfd:", 7) &&
	    strncmp(path, "/dev/zero", 9) && strncmp(path, "/SYSV", 5))
		return PEV_SYM_KIND_FILE;
	return PEV_SYM_KIND_ANON;
}

struct sym_object *syms_object(const struct pev_syms *s, int object)
{
	return s->o.p[object >= 0 && (size_t)object < s->o.n ? object : PEV_SYM_UNKNOWN];
}

static uint64_t hash_text(uint64_t h, const void *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ ((const uint8_t *)data)[i]) * 0x100000001b3ULL;
	return h;
}

static uint64_t key_of(const char *path, enum pev_sym_kind kind, const struct elf_id *id)
{
	return hash_text(hash_text(0xcbf29ce484222325ULL + kind, path, strlen(path)), id->bytes,
			 id->len);
}

/* Gives @o a number: that of a forgotten object, if the caller knows that these are used again. */
static int give_number(struct pev_syms *s, struct sym_object *o)
{
	struct sym_object **slot;

	if (s->spare.n && o->kind != PEV_SYM_KIND_MODULE) {
		int number = s->spare.p[--s->spare.n];

		sym_object_free(s->o.p[number]);
		s->o.p[number] = o;
		return number;
	}
	slot = s->o.n < INT32_MAX ? VEC_PUSH(&s->o) : NULL;
	if (!slot)
		return -ENOMEM;
	*slot = o;
	return (int)s->o.n - 1;
}

static int add(struct pev_syms *s, const char *path, enum pev_sym_kind kind,
	       const struct elf_id *id)
{
	uint64_t key = key_of(path, kind, id);
	struct sym_object *o;
	uint32_t known;
	int number;

	for (; (known = hmap_get(&s->by_key, key)) != UINT32_MAX; key++) {
		o = s->o.p[known];
		if (o->kind == kind && !strcmp(o->path, path) && elf_id_equal(&o->id, id))
			return (int)known;
	}
	o = sym_object_new(path, kind, id);
	number = o ? give_number(s, o) : -ENOMEM;
	if (number < 0)
		sym_object_free(o);
	/* one that is not found by its name gets another number when it is asked for again */
	else if (!hmap_add(&s->by_key, key, (uint32_t)number))
		return -ENOMEM;
	return number;
}

PEV_EXPORT int pev_syms_new(unsigned int flags, struct pev_syms **syms)
{
	static const struct elf_id none;
	struct pev_syms *s;

	if (flags & ~(PEV_SYMS_CACHE | PEV_SYMS_DEBUGINFOD))
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->finder.flags = flags;
	s->finder.fetch = &s->fetch;
	s->code_room.most = CODE_ROOM;
	s->finder.code_room = &s->code_room;
	if (add(s, "[unknown]", PEV_SYM_KIND_NONE, &none) != PEV_SYM_UNKNOWN ||
	    add(s, "[kernel]", PEV_SYM_KIND_KERNEL, &none) != PEV_SYM_KERNEL) {
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
		sym_object_free(s->o.p[i]);
	free(s->o.p);
	free(s->spare.p);
	hmap_free(&s->by_key);
	hmap_free(&s->by_pid);
	sym_object_free(s->vmlinux);
	for (size_t i = 0; i < s->finder.roots.n; i++)
		free(s->finder.roots.p[i]);
	free(s->finder.roots.p);
	free(s->finder.vmlinux);
	free(s->finder.release);
	free(s->kallsyms);
	symtab_free(&s->later);
	free(s->finder.vdso);
	room_free(&s->code_room);
	free(s);
}

PEV_EXPORT void pev_syms_set_fetch(struct pev_syms *s, pev_syms_fetch_fn fn, void *arg)
{
	s->fetch = (struct fetch){ .fn = fn, .arg = arg };
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

PEV_EXPORT int pev_syms_add_root(struct pev_syms *s, const char *dir)
{
	char *copy = strdup(dir), **slot = copy ? VEC_PUSH(&s->finder.roots) : NULL;

	if (!slot) {
		free(copy);
		return -ENOMEM;
	}
	*slot = copy;
	return 0;
}

PEV_EXPORT int pev_syms_file(struct pev_syms *s, int object, bool debug, char **path)
{
	struct sym_object *o = syms_object(s, object);
	const char *name;

	if (o->kind != PEV_SYM_KIND_FILE)
		return -ENOENT;
	o = syms_loaded(s, object);
	name = elf_name(o);
	if (!name)
		return -ENOENT;
	*path = debug ? elf_debug_name(o) : strdup(name);
	if (*path && debug && !strcmp(*path, name)) {
		free(*path);
		*path = NULL;
	}
	if (*path)
		return 0;
	return debug ? -ENOENT : -ENOMEM;
}

PEV_EXPORT int pev_syms_set_vdso(struct pev_syms *s, const char *file)
{
	char *copy = strdup(file);

	if (!copy)
		return -ENOMEM;
	free(s->finder.vdso);
	s->finder.vdso = copy;
	return 0;
}

PEV_EXPORT void pev_syms_set_end(struct pev_syms *s, int64_t ns)
{
	s->finder.end = ns;
}

PEV_EXPORT int pev_syms_object(struct pev_syms *s, const char *path, const void *id,
			       size_t id_len)
{
	struct elf_id b = elf_id_make(id, id ? id_len : 0);

	return add(s, path, kind_of(path), &b);
}

PEV_EXPORT int pev_syms_code(struct pev_syms *s, uint32_t pid)
{
	static const struct elf_id none;
	uint32_t known = hmap_get(&s->by_pid, pid);
	char path[32];
	int object;

	if (known != UINT32_MAX)
		return (int)known;
	snprintf(path, sizeof(path), "[jit %u]", pid);
	object = add(s, path, PEV_SYM_KIND_CODE, &none);
	if (object < 0)
		return object;
	s->o.p[object]->pid = pid;
	return hmap_add(&s->by_pid, pid, (uint32_t)object) ? object : -ENOMEM;
}

static bool may_forget(const struct sym_object *o)
{
	return o->kind == PEV_SYM_KIND_FILE || o->kind == PEV_SYM_KIND_ANON ||
	       o->kind == PEV_SYM_KIND_CODE;
}

/* Puts an empty object in the place of one, so that its number means nothing until it is given away. */
static void forget(struct pev_syms *s, int number)
{
	static const struct elf_id none;
	struct sym_object *empty = sym_object_new("[unknown]", PEV_SYM_KIND_NONE, &none);
	int *spare = empty ? VEC_PUSH(&s->spare) : NULL;

	if (!spare) {
		sym_object_free(empty);
		return;
	}
	empty->loaded = empty->named = true;
	room_give(&s->code_room, s->o.p[number]->code_uid, s->o.p[number]->code_bytes);
	sym_object_free(s->o.p[number]);
	s->o.p[number] = empty;
	*spare = number;
}

PEV_EXPORT void pev_syms_keep(struct pev_syms *s, const bool *keep, size_t n)
{
	for (size_t i = 0; i < s->o.n && i < n; i++)
		if (!keep[i] && may_forget(s->o.p[i]))
			forget(s, (int)i);
	hmap_free(&s->by_key);
	hmap_free(&s->by_pid);
	for (size_t i = 0; i < s->o.n; i++) {
		const struct sym_object *o = s->o.p[i];
		uint64_t key = key_of(o->path, o->kind, &o->id);

		if (o->kind == PEV_SYM_KIND_NONE && i != PEV_SYM_UNKNOWN)
			continue;
		while (hmap_get(&s->by_key, key) != UINT32_MAX)
			key++;
		hmap_add(&s->by_key, key, (uint32_t)i);
		if (o->kind == PEV_SYM_KIND_CODE)
			hmap_add(&s->by_pid, o->pid, (uint32_t)i);
	}
}

PEV_EXPORT int pev_syms_jitdump(struct pev_syms *s, uint32_t pid, const char *path)
{
	int object = pev_syms_code(s, pid);
	struct sym_object *o;
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
	struct sym_object *o = syms_object(s, object);

	/* the latest one is the likeliest to be alive */
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
	const struct sym_object *o = syms_object(s, object);

	*len = o->id.len;
	return o->id.len ? o->id.bytes : NULL;
}

PEV_EXPORT const char *pev_syms_problem(const struct pev_syms *s, int object)
{
	return syms_object(s, object)->problem;
}

/* Adds the object of a module: kallsyms has its functions. */
static int add_module(void *arg, const char *name)
{
	static const struct elf_id none;
	struct pev_syms *s = arg;
	char path[300];
	int object;

	snprintf(path, sizeof(path), "[%s]", name);
	object = add(s, path, PEV_SYM_KIND_MODULE, &none);
	if (object < 0)
		return PEV_SYM_KERNEL;
	syms_object(s, object)->loaded = true;
	return object;
}

PEV_EXPORT int pev_syms_kernel_function(struct pev_syms *s, uint64_t start, uint64_t len,
					const char *name, const char *module)
{
	int owner = module ? add_module(s, module) : PEV_SYM_KERNEL;

	if (!len || start + len < start || s->later.s.n >= SYMS_LATER)
		return -EINVAL;
	return symtab_add(&s->later, start, start + len, name, strlen(name), 0, owner, false) ?
		       0 : -ENOMEM;
}

const struct symbol *syms_kernel_function(struct pev_syms *s, uint64_t addr, uint32_t *index)
{
	const struct symtab *t = &syms_named(s, PEV_SYM_KERNEL)->syms;

	/* what came last lies over what was there before */
	for (size_t i = s->later.s.n; i-- > 0;) {
		const struct symbol *sym = &s->later.s.p[i];

		if (addr < sym->start || addr >= sym->end)
			continue;
		*index = (uint32_t)i | SYMS_LATER;
		return sym;
	}
	*index = symtab_find(t, addr);
	return *index == SYM_NONE ? NULL : &t->s.p[*index];
}

static void load_kernel(struct pev_syms *s)
{
	struct symtab table = { 0 };
	struct sym_object *kernel;

	if (s->kallsyms)
		kallsyms_parse(s->kallsyms, &table, PEV_SYM_KERNEL, &s->stext, add_module, s);
	/* the number stays, the array of objects may have moved */
	kernel = syms_object(s, PEV_SYM_KERNEL);
	kernel->syms = table;
	if (!table.s.n)
		sym_object_problem(kernel, "the recording has no kernel symbols (kernel.kptr_restrict "
			       "hid them, or it was made without the right to see them)");
}

struct sym_object *syms_loaded(struct pev_syms *s, int object)
{
	struct sym_object *o = syms_object(s, object);

	if (o->loaded)
		return o;
	o->loaded = true;
	if (o->kind == PEV_SYM_KIND_KERNEL)
		load_kernel(s);
	else
		sym_object_load(o, &s->finder);
	return o;
}

struct sym_object *syms_named(struct pev_syms *s, int object)
{
	struct sym_object *o = syms_loaded(s, object);

	if (!o->named)
		sym_object_name(o);
	o->named = true;
	return o;
}

PEV_EXPORT int pev_syms_set_kernel_id(struct pev_syms *s, const char *release, const void *id,
				      size_t id_len)
{
	char *copy = release ? strdup(release) : NULL;

	if (release && !copy)
		return -ENOMEM;
	free(s->finder.release);
	s->finder.release = copy;
	s->finder.kernel_id = elf_id_make(id, id ? id_len : 0);
	return 0;
}

PEV_EXPORT int pev_syms_set_vmlinux(struct pev_syms *s, const char *file)
{
	struct elf_id id;
	int err = elf_id_of(file, &id);
	char *copy;

	if (err)
		return err;
	if (s->finder.kernel_id.len && !elf_id_equal(&id, &s->finder.kernel_id))
		return -ESTALE;
	copy = strdup(file);
	if (!copy)
		return -ENOMEM;
	free(s->finder.vmlinux);
	s->finder.vmlinux = copy;
	return 0;
}

PEV_EXPORT int pev_syms_build_id(const char *file, uint8_t id[20])
{
	struct elf_id found;
	int err = elf_id_of(file, &found);

	if (err)
		return err;
	memcpy(id, found.bytes, sizeof(found.bytes));
	return found.len;
}
