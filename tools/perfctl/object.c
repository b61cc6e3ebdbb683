// SPDX-License-Identifier: GPL-2.0
/* Objects by path and build id, their functions on demand. See object.h. */
#include "object.h"
#include "text.h"

#include <stdlib.h>

static enum object_kind kind_of(const char *path)
{
	if (!strcmp(path, "[vdso]"))
		return OBJECT_VDSO;
	if (path[0] == '/' && strncmp(path, "//anon", 6) && strncmp(path, "/memfd:", 7) &&
	    strncmp(path, "/dev/zero", 9) && strncmp(path, "/SYSV", 5))
		return OBJECT_FILE;
	return OBJECT_ANON;
}

static uint32_t add(struct objects *os, const char *path, enum object_kind kind,
		    const struct build_id *id)
{
	struct object *o = ARRAY_PUSH(os->o, os->n, os->cap);
	const char *base = strrchr(path, '/');
	struct strbuf name = { 0 };

	o->path = xstrdup(path);
	o->kind = kind;
	if (id)
		o->id = *id;
	text_name(&name, kind == OBJECT_FILE && base && base[1] ? base + 1 : path);
	o->name = name.s;
	return (uint32_t)(os->n - 1);
}

void objects_init(struct objects *os)
{
	*os = (struct objects){ 0 };
	add(os, "[unknown]", OBJECT_UNKNOWN, NULL);
	add(os, "[kernel]", OBJECT_KERNEL, NULL);
}

void objects_free(struct objects *os)
{
	for (size_t i = 0; i < os->n; i++) {
		free(os->o[i].path);
		free(os->o[i].name);
		free(os->o[i].problem);
		free(os->o[i].segments);
		free(os->o[i].starts);
		symtab_free(&os->o[i].syms);
	}
	free(os->o);
	free(os->vdso);
	free(os->kallsyms);
	htab_free(&os->h);
	*os = (struct objects){ 0 };
}

static bool same_id(const struct build_id *a, const struct build_id *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

uint32_t objects_get(struct objects *os, const char *path, const struct build_id *id)
{
	static const struct build_id none;
	uint32_t hash, pos, ref;

	if (!id)
		id = &none;
	hash = hash_bytes(path, strlen(path)) ^ hash_bytes(id->bytes, id->len);
	for (ref = htab_first(&os->h, hash, &pos); ref; ref = htab_next(&os->h, hash, &pos))
		if (!strcmp(os->o[ref - 1].path, path) && same_id(&os->o[ref - 1].id, id))
			return ref - 1;
	ref = add(os, path, kind_of(path), id);
	htab_add(&os->h, hash, ref);
	return ref;
}

static void load(struct objects *os, struct object *o)
{
	o->loaded = true;
	switch (o->kind) {
	case OBJECT_KERNEL:
		if (!os->kallsyms || !kallsyms_parse(os, os->kallsyms))
			os->o[OBJECT_ID_KERNEL].problem =
				xstrdup("the recording has no kernel symbols (kernel.kptr_restrict "
					"hid them, or it was made without the right to see them)");
		break;
	case OBJECT_FILE:
		object_load_elf(o, o->path, true);
		break;
	case OBJECT_VDSO:
		if (os->vdso)
			object_load_elf(o, os->vdso, false);
		else
			o->problem = xstrdup("the recording has no copy of the vdso");
		break;
	default:
		break;
	}
}

uint64_t object_vaddr(const struct object *o, uint64_t offset)
{
	for (size_t i = 0; i < o->n_segments; i++) {
		const struct segment *s = &o->segments[i];

		if (offset >= s->offset && offset - s->offset < s->size)
			return offset - s->offset + s->vaddr;
	}
	return UINT64_MAX;
}

/* In what has no symbols, functions can still be told apart. */
static uint32_t resolve_file(struct object *o, uint64_t *at)
{
	uint64_t vaddr = object_vaddr(o, *at), start;
	uint32_t sym;

	if (vaddr == UINT64_MAX)
		return SYM_NONE;
	sym = symtab_find(&o->syms, vaddr);
	if (sym == SYM_NONE && object_function_start(o, vaddr, &start) && vaddr - start <= *at)
		*at -= vaddr - start;
	return sym;
}

uint32_t objects_resolve(struct objects *os, uint32_t *object, uint64_t *at)
{
	struct object *o = &os->o[*object];
	uint32_t sym;

	if (!o->loaded)
		load(os, o);
	o = &os->o[*object]; /* the kernel's modules were added */
	if (o->kind != OBJECT_KERNEL)
		return resolve_file(o, at);
	sym = symtab_find(&o->syms, *at);
	if (sym != SYM_NONE)
		*object = o->syms.s[sym].owner;
	return sym;
}

struct symtab *objects_symtab(struct objects *os, uint32_t object)
{
	if (os->o[object].kind == OBJECT_MODULE)
		object = OBJECT_ID_KERNEL;
	return &os->o[object].syms;
}

void build_id_text(const struct build_id *id, char buf[41])
{
	for (unsigned int i = 0; i < id->len && i < 20; i++)
		snprintf(buf + 2 * i, 3, "%02x", id->bytes[i]);
	buf[2 * (id->len < 20 ? id->len : 20)] = 0;
}
