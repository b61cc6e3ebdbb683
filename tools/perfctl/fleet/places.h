/* SPDX-License-Identifier: GPL-2.0 */
/* Addresses for the frames of a store, which knows files and functions alone. */
#ifndef PERFCTL_FLEET_PLACES_H
#define PERFCTL_FLEET_PLACES_H

#include "store/answer.h"

/* An address at which nothing is ever mapped */
#define PLACE_NOWHERE 1u

/* A file, mapped from its begin; @path: NUL-terminated, as in the answer */
struct place_file {
	const char *path;
	const char *build_id;
	uint64_t base;
	uint64_t size;
};

struct place_function {
	const char *name;
	const char *module;
};

/* Code without a file that could be found */
enum place_code {
	PLACE_VDSO,
	PLACE_JIT,
	PLACE_CODES,
};

/**
 * struct place_names - code that has names alone: the file that is made for it, and its address
 * @names: of functions, in the order of their addresses
 * @base:  where the file is mapped
 * @first: offset of the first function
 * @id:    build id of the file
 */
struct place_names {
	const char **names;
	size_t n, cap;
	struct strbuf file;
	uint64_t base;
	uint64_t first;
	uint8_t id[20];
};

/**
 * struct places - addresses of frames
 * @functions: of the kernel, in the order of their addresses
 * @code:      functions that have names alone
 * @frames:    for each frame of the answer, its file or function
 */
struct places {
	const struct answer *a;
	struct place_file *files;
	size_t n_files, cap_files;
	struct htab h_files;
	struct place_function *functions;
	size_t n_functions, cap_functions;
	struct htab h_functions;
	struct place_names code[PLACE_CODES];
	uint32_t *frames;
};

void places_make(struct places *p, const struct answer *a);
void places_free(struct places *p);
/* Returns the address of a frame, in the upper half for the kernel's; 0 if it has none. */
uint64_t places_find(const struct places *p, uint64_t frame);
/* Appends the functions of the kernel as /proc/kallsyms lists them. */
void places_kallsyms(const struct places *p, struct strbuf *b);

#endif
