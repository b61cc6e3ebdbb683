/* SPDX-License-Identifier: GPL-2.0 */
/* Records of system calls with PEV_F_TEXT, for the tests of it. */
#ifndef PEV_CALL_H
#define PEV_CALL_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "pev_child.h"
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

#define PEV_CALL_ENTER "raw_syscalls:sys_enter"
#define PEV_CALL_EXIT "raw_syscalls:sys_exit"

/* Opens a tracepoint of system calls with @flags, PEV_F_TEXT and the like. */
static inline int pev_open_call(const char *name, const char *filter, uint64_t flags, int channel,
				uint64_t limit)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.target = PEV_TARGET_TASK,
		.flags = PEV_F_DISABLED | flags,
		.config = limit,
		.name = (uintptr_t)name,
		.filter = (uintptr_t)filter,
		.channel_fd = channel,
		.group_fd = -1,
		.period = 1,
		.sample = PEV_SAMPLE_TID,
	};

	return pev_open(&attr);
}

/**
 * struct pev_calls - the system calls of this task, on one CPU
 * @channel: where their records go
 * @enter:   the event of their beginnings, number 0 in the channel
 * @exit:    of their ends, number 1
 * @map:     of @channel
 * @calls:   room for PEV_MAX_CALLS of them
 */
struct pev_calls {
	int channel;
	int enter;
	int exit;
	struct pev_map map;
	struct pev_call *calls;
};

/* Returns false if something is missing; pev_reason() tells of what the kernel refused. */
static inline bool pev_calls_open(struct pev_calls *c, uint64_t flags)
{
	/* records are taken ring by ring */
	if (pev_pin(0))
		return false;
	c->channel = pev_open_channel(1 << 18, 0, 0);
	if (c->channel < 0 || pev_map_channel(c->channel, &c->map))
		return false;
	c->enter = pev_open_call(PEV_CALL_ENTER, NULL, flags, c->channel, 0);
	c->exit = pev_open_call(PEV_CALL_EXIT, NULL, flags, c->channel, 0);
	c->calls = calloc(PEV_MAX_CALLS, sizeof(*c->calls));
	return c->enter >= 0 && c->exit >= 0 && c->calls;
}

static inline void pev_calls_close(struct pev_calls *c)
{
	pev_unmap_channel(&c->map);
	close(c->channel);
	close(c->enter);
	close(c->exit);
	free(c->calls);
}

static inline void pev_calls_on(const struct pev_calls *c)
{
	pev_on(c->enter);
	pev_on(c->exit);
}

static inline void pev_calls_off(const struct pev_calls *c)
{
	pev_off(c->enter);
	pev_off(c->exit);
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

/* A page full of 'x', behind which there is no memory; MAP_FAILED: it can't be had. */
static inline char *pev_map_last_page(long page)
{
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return p;
	memset(p, 'x', page);
	munmap(p + page, page);
	return p;
}

#endif
