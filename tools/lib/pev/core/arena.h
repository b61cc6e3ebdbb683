/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Memory that is freed all at once.
 */
#ifndef _PEV_CORE_ARENA_H
#define _PEV_CORE_ARENA_H

#include <stddef.h>

struct arena_block;

/**
 * struct arena - memory that is freed all at once
 * @blocks: the newest first
 * @used:   bytes of the newest
 * @room:   bytes that the newest has
 */
struct arena {
	struct arena_block	*blocks;
	size_t			used;
	size_t			room;
};

/* Returns zeroed memory, aligned to 16 bytes; NULL if there is none. */
void *arena_alloc(struct arena *arena, size_t size);
char *arena_strndup(struct arena *arena, const char *text, size_t len);
void arena_free(struct arena *arena);

#endif /* _PEV_CORE_ARENA_H */
