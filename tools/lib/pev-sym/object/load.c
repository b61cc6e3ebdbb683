// SPDX-License-Identifier: LGPL-2.1-only
/* Makes, loads and frees objects. */
#include <stdlib.h>
#include <string.h>
#include "dwarf/lines.h"
#include "object/elf.h"
#include "object/jit.h"
#include "object/load.h"

void sym_object_free(struct sym_object *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->dumps.n; i++)
		free(o->dumps.p[i]);
	free(o->dumps.p);
	line_table_free(o->lines);
	elf_free(o->file);
	symtab_free(&o->syms);
	free(o->segs.p);
	free(o->problem);
	free(o->path);
	free(o);
}

struct sym_object *sym_object_new(const char *path, enum pev_sym_kind kind, const struct elf_id *id)
{
	struct sym_object *o = calloc(1, sizeof(*o));

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

void sym_object_load(struct sym_object *o, const struct finder *finder)
{
	switch (o->kind) {
	case PEV_SYM_KIND_FILE:
		elf_load(finder, o);
		break;
	case PEV_SYM_KIND_VDSO:
		if (finder->vdso)
			elf_load(finder, o);
		else
			sym_object_problem(o, "the recording has no copy of the vdso");
		break;
	case PEV_SYM_KIND_CODE:
		jit_load(o, finder);
		break;
	default:
		break;
	}
}

void sym_object_name(struct sym_object *o)
{
	if (o->kind == PEV_SYM_KIND_FILE || o->kind == PEV_SYM_KIND_VDSO)
		elf_names(o);
}
