/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * All objects, by number.
 */
#ifndef _PEV_SYM_SYMS_SYMS_H
#define _PEV_SYM_SYMS_SYMS_H

#include "names/symtab.h"
#include "object/find.h"
#include "util/vec.h"

/**
 * struct pev_syms - see pev/sym.h
 * @o:        objects by number
 * @spare:    numbers of those that were forgotten
 * @by_key:   their numbers by path, kind and build id
 * @by_pid:   the numbers of generated code
 * @code_room: of @finder
 * @kallsyms: parsed in place when it is needed
 * @stext:    address of _stext, from that
 * @later:    functions that the kernel got later, in that order, not sorted
 * @vmlinux:  the kernel's file, an object without a number
 * @slide:    what to subtract from addresses for those in vmlinux
 */
struct pev_syms {
	VEC(struct sym_object *)	o;
	VEC(int)		spare;
	struct hmap		by_key;
	struct hmap		by_pid;
	struct finder		finder;
	struct fetch		fetch;
	struct room code_room;
	char			*kallsyms;
	uint64_t		stext;
	struct symtab		later;
	struct sym_object		*vmlinux;
	bool			vmlinux_tried;
	uint64_t		slide;
};

/* Returns PEV_SYM_UNKNOWN's object for a number without one. */
struct sym_object *syms_object(const struct pev_syms *s, int object);
/* Returns an object with its file and functions loaded, as far as they exist. */
struct sym_object *syms_loaded(struct pev_syms *s, int object);
struct sym_object *syms_named(struct pev_syms *s, int object);

/* Set in the index of a function that the kernel got later */
#define SYMS_LATER	(1U << 31)

/* Returns the kernel's function at an address, and its index; NULL if there is none. */
const struct symbol *syms_kernel_function(struct pev_syms *s, uint64_t addr, uint32_t *index);

#endif /* _PEV_SYM_SYMS_SYMS_H */
