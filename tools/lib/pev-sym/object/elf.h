/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reads ELF files.
 */
#ifndef _PEV_SYM_OBJECT_ELF_H
#define _PEV_SYM_OBJECT_ELF_H

#include "dwarf/cfi.h"
#include "object/find.h"

void elf_load(const struct finder *finder, struct sym_object *o);
/* Reads the object's functions. */
void elf_names(struct sym_object *o);
void elf_free(struct elf_file *f);
unsigned int elf_machine(const struct elf_file *f);
/* Returns the unwind tables: @which 0 is .eh_frame, 1 .debug_frame; NULL if none. */
const struct cfi *elf_cfi(struct sym_object *o, unsigned int which);
/* Reads bytes of the file as they are loaded. */
bool elf_read(const struct sym_object *o, uint64_t offset, void *to, size_t len);
/* Reads code at an address of the tables. 0, -ENODATA, -ENOEXEC; see pev_sym_bytes() */
int elf_code(const struct sym_object *o, uint64_t vaddr, void *buf, size_t len,
	     struct pev_sym_bytes *what);
/* Gets the value of a symbol; false if .symtab has none of that name. */
bool elf_symbol(const struct sym_object *o, const char *name, uint64_t *value);
/* Gets the address of a function by its name. 0, -ENOENT, -ENOTUNIQ: several have it, -ENODATA */
int elf_function(struct sym_object *o, const char *name, uint64_t *vaddr);
/* Returns the path that it was opened by, NULL if it was not. */
const char *elf_name(const struct sym_object *o);
/* Returns the path of the file with its debug information, NULL if there is none; free it. */
char *elf_debug_name(struct sym_object *o);
/* Gets the offset in the file and the size of .eh_frame_hdr. */
bool elf_hdr(const struct sym_object *o, uint64_t *offset, uint64_t *size);
/* Returns the struct Dwarf of elfutils, NULL if none; @bias is to add to its addresses. */
void *elf_dwarf(struct sym_object *o, uint64_t *bias);

#endif /* _PEV_SYM_OBJECT_ELF_H */
