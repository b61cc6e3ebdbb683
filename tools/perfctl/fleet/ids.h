/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers for what all machines have to call the same: hashes of 64 bits. With 10^7 of a kind, two
 * share one with a probability of 3 in a million.
 */
#ifndef PERFCTL_FLEET_IDS_H
#define PERFCTL_FLEET_IDS_H

#include "base/util.h"

/* Goes on with @h, 0 at the beginning; what was added is told from what follows by its length. */
uint64_t id_bytes(uint64_t h, const void *data, size_t len);
uint64_t id_u64(uint64_t h, uint64_t v);

static inline uint64_t id_text(uint64_t h, const char *s)
{
	return id_bytes(h, s, strlen(s));
}

#endif
