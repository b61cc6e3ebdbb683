// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Memory that is freed all at once.
 */
#include <stdlib.h>
#include <string.h>
#include "core/arena.h"
#include "core/compiler.h"

struct arena_block {
	struct arena_block	*next;
	_Alignas(16) unsigned char data[];
};

#define ARENA_BLOCK	16384

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *block;
	size_t room;

	size = align_up(size ? size : 1, 16);
	if (!arena->blocks || arena->room - arena->used < size) {
		room = size > ARENA_BLOCK ? size : ARENA_BLOCK;
		block = calloc(1, sizeof(*block) + room);
		if (!block)
			return NULL;
		block->next = arena->blocks;
		arena->blocks = block;
		arena->room = room;
		arena->used = 0;
	}
	arena->used += size;
	return arena->blocks->data + arena->used - size;
}

char *arena_strndup(struct arena *arena, const char *text, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	if (copy)
		memcpy(copy, text, len);
	return copy;
}

void arena_free(struct arena *arena)
{
	struct arena_block *block = arena->blocks, *next;

	for (; block; block = next) {
		next = block->next;
		free(block);
	}
	memset(arena, 0, sizeof(*arena));
}
