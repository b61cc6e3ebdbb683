/* SPDX-License-Identifier: GPL-2.0 */
/* Records of system calls with PEV_F_TEXT, for the tests of it. */
#ifndef PEV_CALL_H
#define PEV_CALL_H

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "pev_util.h"

/**
 * struct pev_call - a record of a system call with texts, taken apart
 */
struct pev_call {
	uint64_t	id;
	int64_t		nr;
	uint64_t	words[6];
	uint8_t		copied;
	uint8_t		cut;
	uint8_t		kind[6];
	uint16_t	len[6];
	char		text[6][PEV_MAX_CALL_TEXT];
};

#define PEV_MAX_CALLS	64

/* What kinds add to the fixed part of a record, for PEV_WALK_TEXT(). */
#define PEV_WALK_KINDS	sizeof(((struct pev_call_structs *)0)->kind)

static inline int64_t pev_call_nr(const struct pev_record *record)
{
	int64_t nr;

	memcpy(&nr, record->payload, sizeof(nr));
	return nr;
}

/* Returns where the texts begin. */
static inline const uint8_t *pev_call_head(struct pev_call *call, const uint8_t *p,
					   unsigned int lens, bool structs)
{
	call->copied = *p++;
	call->cut = *p++;
	if (structs) {
		memcpy(call->kind, p, sizeof(call->kind));
		p += sizeof(call->kind);
	}
	memcpy(call->len, p, lens * sizeof(*call->len));
	return p + lens * sizeof(*call->len);
}

/* Returns false if the rest of the last word, which belongs to no text, is not 0. */
static inline bool pev_call_take(struct pev_call *call, const struct pev_record *record, int size,
				 bool structs)
{
	unsigned int fixed = (size & 0xffff) - (structs ? PEV_WALK_KINDS : 0);
	unsigned int lens = size >> 16;
	const uint8_t *at;

	memset(call, 0, sizeof(*call));
	call->id = record->id;
	call->nr = pev_call_nr(record);
	memcpy(call->words, record->payload + 8, fixed - 8);
	at = pev_call_head(call, record->payload + fixed, lens, structs);
	for (unsigned int i = 0; i < lens; i++) {
		memcpy(call->text[i], at, call->len[i]);
		at += call->len[i];
	}
	while ((at - record->payload) % 8)
		if (*at++)
			return false;
	return true;
}

/**
 * pev_take_calls() - take all records of a system call out of the rings
 * @sizes:   as for a walk
 * @structs: the events have PEV_F_STRUCTS
 * @calls:   room for PEV_MAX_CALLS of them
 *
 * Return: how many, -1: they are damaged, or too many.
 */
static inline int pev_take_calls(struct pev_map *map, const int *sizes, unsigned int nr_sizes,
				 long nr, bool structs, struct pev_call *calls)
{
	struct pev_record record;
	int more, n = 0;

	for (unsigned int cpu = 0; cpu < map->nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(map, cpu, sizes, nr_sizes);

		while ((more = pev_walk_next(&walk, &record)) > 0) {
			if (pev_call_nr(&record) != nr)
				continue;
			if (!pev_call_take(&calls[n], &record, sizes[record.id], structs) ||
			    ++n == PEV_MAX_CALLS)
				return -1;
		}
		if (more)
			return -1;
		pev_walk_release(&walk);
	}
	return n;
}

/* Maps a page with @bytes that this process has not touched, so that it is not there. */
static inline void *pev_map_absent(const void *bytes, size_t len)
{
	int fd = memfd_create("text", 0);
	void *p = MAP_FAILED;

	if (write(fd, bytes, len) == (ssize_t)len)
		p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	return p;
}

#endif
