/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a store has been told of call chains and frames today, so that it is told once: in a batch
 * of a minute they are ten times what the rows are.
 */
#ifndef PERFCTL_FLEET_KNOWN_H
#define PERFCTL_FLEET_KNOWN_H

#include "store/insert.h"

/**
 * struct known - ids that a store has acknowledged
 * @day: that they are of
 */
struct known {
	uint32_t day;
	uint64_t *ids;
	size_t n, cap;
	struct htab h;
};

/* Takes out of a batch what the store has. */
void known_leave_out(struct known *k, struct store_batch *b);
/* The store has acknowledged a batch. */
void known_add(struct known *k, const struct store_batch *b);
/* It is not sure any more what the store has. */
void known_forget(struct known *k);
void known_free(struct known *k);

#endif
