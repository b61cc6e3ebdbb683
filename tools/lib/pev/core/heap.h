/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A heap with the least key on top, to merge sequences that are in order. Of equal
 * keys the one of the lower index comes first.
 */
#ifndef _PEV_CORE_HEAP_H
#define _PEV_CORE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct heap_node - element of a heap
 * @key:   time, or what else the sequences are ordered by
 * @index: number of the sequence
 */
struct heap_node {
	uint64_t	key;
	unsigned int	index;
};

static inline bool heap_before(const struct heap_node *a, const struct heap_node *b)
{
	return a->key < b->key || (a->key == b->key && a->index < b->index);
}

static inline void heap_sift_down(struct heap_node *heap, unsigned int nr, unsigned int at)
{
	struct heap_node node = heap[at];
	unsigned int child;

	while ((child = 2 * at + 1) < nr) {
		if (child + 1 < nr && heap_before(&heap[child + 1], &heap[child]))
			child++;
		if (!heap_before(&heap[child], &node))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = node;
}

static inline void heap_make(struct heap_node *heap, unsigned int nr)
{
	for (unsigned int i = nr / 2; i-- > 0;)
		heap_sift_down(heap, nr, i);
}

#endif /* _PEV_CORE_HEAP_H */
