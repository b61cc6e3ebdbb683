/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Makes, loads and frees objects.
 */
#ifndef _PEV_SYM_OBJECT_LOAD_H
#define _PEV_SYM_OBJECT_LOAD_H

#include "object/find.h"

/* Returns NULL if there is no memory. */
struct sym_object *sym_object_new(const char *path, enum pev_sym_kind kind, const struct elf_id *id);
void sym_object_free(struct sym_object *o);
/* Opens the object's file or the vdso's image, or reads the names of generated code. */
void sym_object_load(struct sym_object *o, const struct finder *finder);
/* Reads a file's functions. */
void sym_object_name(struct sym_object *o);

#endif /* _PEV_SYM_OBJECT_LOAD_H */
