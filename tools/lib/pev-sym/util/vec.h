/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Arrays that grow, numbers by key, many small strings. Without memory these return
 * NULL or false; nothing here ends the program.
 */
#ifndef _PEV_SYM_UTIL_VEC_H
#define _PEV_SYM_UTIL_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/compiler.h"

#define VEC(type)	struct { type *p; size_t n, cap; }

/* Appends a zeroed element; NULL without memory, which leaves the array as it was */
void *vec_more(void **p, size_t *n, size_t *cap, size_t elem);
#define VEC_PUSH(v) ((__typeof__((v)->p))vec_more((void **)&(v)->p, &(v)->n, &(v)->cap, \
						  sizeof(*(v)->p)))

/**
 * struct hmap - numbers by a 64-bit key
 * @keys: open addressing
 * @refs: value + 1, 0: free
 */
struct hmap {
	uint64_t	*keys;
	uint32_t	*refs;
	size_t		size;
	size_t		used;
};

/* Returns the value of a key, UINT32_MAX if it has none. */
uint32_t hmap_get(const struct hmap *h, uint64_t key);
/* Adds a key, which must be new; false if there is no memory. */
bool hmap_add(struct hmap *h, uint64_t key, uint32_t value);
void hmap_free(struct hmap *h);

static inline uint64_t mix(uint64_t v)
{
	v ^= v >> 32;
	v *= 0x9e3779b97f4a7c15ULL;
	return v ^ v >> 29;
}

/**
 * struct texts - memory of strings, freed all at once
 */
struct texts {
	VEC(char *)	chunks;
	size_t		used;
	size_t		room;
};

const char *texts_add(struct texts *t, const char *s, size_t len);
void texts_free(struct texts *t);

/* Returns a string to be freed, or NULL. */
char *text_make(const char *fmt, ...) PRINTF(1, 2);

#endif /* _PEV_SYM_UTIL_VEC_H */
