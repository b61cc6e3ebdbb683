/* SPDX-License-Identifier: GPL-2.0 */
/* Reads from /proc and /sys what the machine has, row by row. */
#ifndef PERFCTL_INVENTORY_GATHER_H
#define PERFCTL_INVENTORY_GATHER_H

#include "kinds.h"

/* Of a kind there are so many rows and bytes of text at most, and so many bytes in a text */
#define INVENTORY_ROWS 16384
#define INVENTORY_BYTES (2u << 20)
#define INVENTORY_TEXT 4096

/* Takes a row, which is valid during the call; what it returns other than 0 ends the reading. */
typedef int (*inventory_put)(void *arg, const struct inventory_row *row);

/**
 * struct gather - while it is read
 * @proc: "/proc", or what stands for it ...
 * @sys:  ... and "/sys"
 * @put:  is given all rows
 * @sums: by kind; of descriptors, unreadable ones are counted by process
 * @bytes: of texts
 */
struct gather {
	const char *proc;
	const char *sys;
	inventory_put put;
	void *arg;
	uint64_t sums[INVENTORY_KINDS][INVENTORY_SUMS];
	uint64_t bytes[INVENTORY_KINDS];
};

/* All but descriptors */
int gather_machine(struct gather *g);
/* How many there were; the last of all. */
int gather_sums(struct gather *g);

#endif
