/* SPDX-License-Identifier: LGPL-2.1-only */
/* A ring of a program, which its reader can't trust. */
#ifndef _PEV_USER_RING_H
#define _PEV_USER_RING_H

#include <linux/pev_user.h>
#include <stdbool.h>
#include <stdint.h>

#define PACKET_UNITS (PEV_USER_PACKET / 8)

/**
 * struct user_ring - how far a ring was read
 * @head:  where it begins, in memory that the program changes at any time; NULL: not there
 * @data:  likewise
 * @units: of @data, a power of two
 * @unit:  position of the next record
 * @count: of the records before it
 * @lost:  as claimed
 * @damaged: places where no record was
 */
struct user_ring {
	const uint64_t *head;
	const uint64_t *data;
	uint32_t units;
	uint32_t unit;
	uint32_t count;
	uint64_t lost;
	uint64_t damaged;
};

/* Takes a record of @units words, in memory of the reader's. Returns 0 or an error. */
typedef int (*user_ring_fn)(void *arg, const uint64_t *words, uint32_t units);

/*
 * Reads what was written since the last call, once: a program that goes on writing does not
 * keep the reader. Returns 0, or what @fn returned.
 */
int user_ring_read(struct user_ring *r, user_ring_fn fn, void *arg);

#endif
