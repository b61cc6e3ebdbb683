/* SPDX-License-Identifier: GPL-2.0 */
/* The readers of /proc and /sys: a file each. */
#ifndef PERFCTL_INVENTORY_READERS_H
#define PERFCTL_INVENTORY_READERS_H

#include "gather.h"

/**
 * struct inventory_reader - reads one kind
 * @read: returns 0, also if there is nothing to read, or what gather.put did
 */
struct inventory_reader {
	int (*read)(struct gather *g);
};

/* In the order of the records */
#define INVENTORY_READERS(X) \
	X(cpus)              \
	X(irqs)              \
	X(netifs)            \
	X(blocks)            \
	X(mounts)            \
	X(cgroups)           \
	X(modules)

#define X(name) extern const struct inventory_reader inventory_##name;
INVENTORY_READERS(X)
#undef X

#endif
