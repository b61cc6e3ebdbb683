/* SPDX-License-Identifier: GPL-2.0 */
/* The functions that a program has by its symbols, or by those of its separate debug file. */
#ifndef PERFCTL_PROGRAM_FUNCTIONS_H
#define PERFCTL_PROGRAM_FUNCTIONS_H

#include "program.h"

/**
 * struct function - a function
 * @name:    without a version
 * @address: of its first instruction
 * @offset:  the same in the file
 * @size:    bytes, 0: not known
 */
struct function {
	char *name;
	uint64_t address;
	uint64_t offset;
	uint64_t size;
};

/**
 * struct functions - all of a program, by their names
 */
struct functions {
	struct function *v;
	size_t n;
	size_t cap;
};

/* @debug: the path of the separate debug file, or NULL */
void functions_read(const struct program *p, const char *debug, struct functions *to);
/* The path of a file with debug information of @path, to be freed; NULL: there is none. */
char *functions_debug_file(const char *path);
/* The function at an offset in the file, or NULL */
const struct function *functions_at(const struct functions *all, uint64_t offset);
void functions_free(struct functions *all);

#endif
