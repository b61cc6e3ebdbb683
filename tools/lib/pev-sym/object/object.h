/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Where code comes from: a file, the kernel, generated code.
 */
#ifndef _PEV_SYM_OBJECT_OBJECT_H
#define _PEV_SYM_OBJECT_OBJECT_H

#include <pev/sym.h>
#include <sys/types.h>
#include "names/symtab.h"
#include "util/elf_id.h"

struct segment {
	uint64_t	offset;
	uint64_t	size;
	uint64_t	vaddr;
};

struct elf_file;
struct line_table;

/**
 * struct sym_object - where code comes from
 * @pid:    a process that has it mapped, 0: none known
 * @loaded: it was looked for
 * @named:  so were its functions
 * @file:   NULL if there is none
 * @code_bytes: what names of generated code take, of the room of @code_uid
 * @lines:  of the source, NULL until they are asked for
 */
struct sym_object {
	char			*path;
	enum pev_sym_kind	kind;
	struct elf_id		id;
	uint32_t		pid;
	bool			loaded;
	bool			named;
	bool			lines_tried;
	char			*problem;
	uint64_t code_bytes;
	uid_t code_uid;
	struct symtab		syms;
	VEC(struct segment)	segs;
	struct elf_file		*file;
	struct line_table		*lines;
	VEC(char *)		dumps;	/* jitdump files */
};

/* Converts a file offset to the address that tables use, and back; UINT64_MAX: none. */
uint64_t sym_object_vaddr(const struct sym_object *o, uint64_t offset);
uint64_t sym_object_offset(const struct sym_object *o, uint64_t vaddr);
/* Notes why its functions have no names; the first sentence stays. */
void sym_object_problem(struct sym_object *o, const char *fmt, ...) PRINTF(2, 3);

#endif /* _PEV_SYM_OBJECT_OBJECT_H */
