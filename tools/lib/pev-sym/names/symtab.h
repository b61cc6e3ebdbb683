/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Functions by address.
 */
#ifndef _PEV_SYM_NAMES_SYMTAB_H
#define _PEV_SYM_NAMES_SYMTAB_H

#include "util/vec.h"

#define SYM_NONE	UINT32_MAX

/**
 * struct symbol - a function
 * @end:   one past its last byte
 * @name:  as in the object
 * @shown: demangled, made when it is asked for
 * @owner: object, for the kernel's modules
 * @rank:  of two at the same address the higher one stays
 */
struct symbol {
	uint64_t	start;
	uint64_t	end;
	const char	*name;
	const char	*shown;
	int		owner;
	uint32_t	rank;
};

struct symtab {
	VEC(struct symbol) s;
	struct texts	names;
};

/*
 * Of several names of an address, the one with the greatest rank is shown. It is the one that
 * perf shows: one with a size, one that is not weak, a global one, then the one with the fewest
 * underscores in front, then the longest, its version included.
 */
uint32_t symtab_rank(const char *name, bool sized, bool weak, bool global);
/* @end 0: up to the next function. Copies the name unless @keep. False: no memory. */
bool symtab_add(struct symtab *t, uint64_t start, uint64_t end, const char *name, size_t len,
		uint32_t rank, int owner, bool keep);
/* Sorts, leaves one symbol at each address, closes open ends. */
void symtab_finish(struct symtab *t);
uint32_t symtab_find(const struct symtab *t, uint64_t addr);
const char *symtab_name(struct symtab *t, uint32_t index);
void symtab_free(struct symtab *t);

#endif /* _PEV_SYM_NAMES_SYMTAB_H */
