/* SPDX-License-Identifier: GPL-2.0 */
/* A table of functions, sorted by address. Knows nothing of files. */
#ifndef PERFCTL_SYMTAB_H
#define PERFCTL_SYMTAB_H

#include "util.h"

#define SYM_NONE UINT32_MAX

/**
 * struct symbol - a function
 * @start: address
 * @end:   one past its last byte
 * @name:  as in the object; made readable by symtab_name()
 * @owner: a number that the builder chose (the kernel's module)
 * @rank:  of two at the same address the higher one stays
 * @shown: the name was demangled
 */
struct symbol {
	uint64_t start;
	uint64_t end;
	const char *name;
	uint32_t owner;
	uint8_t rank;
	bool shown;
};

/**
 * struct symtab - functions by address
 * @s:      sorted by symtab_finish()
 * @n:      their number
 * @cap:    allocated
 * @chunks: memory of the names
 * @at:     bytes used in the last chunk
 */
struct symtab {
	struct symbol *s;
	size_t n;
	size_t cap;
	char **chunks;
	size_t n_chunks;
	size_t cap_chunks;
	size_t at;
};

/* @end 0: up to the next function. The name is copied unless @keep. */
void symtab_add(struct symtab *t, uint64_t start, uint64_t end, const char *name, uint8_t rank,
		uint32_t owner, bool keep);
/* Sorts, leaves one symbol at each address, closes open ends. */
void symtab_finish(struct symtab *t);
/* Index of the function at an address, SYM_NONE if there is none. */
uint32_t symtab_find(const struct symtab *t, uint64_t addr);
/* The name for people: demangled. */
const char *symtab_name(struct symtab *t, uint32_t index);
void symtab_free(struct symtab *t);

/* A readable C++ name (to be freed), or NULL if @name is not mangled. */
char *demangle(const char *name);

#endif
