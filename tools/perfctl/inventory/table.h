/* SPDX-License-Identifier: GPL-2.0 */
/* What a recording says that the machine had. */
#ifndef PERFCTL_INVENTORY_TABLE_H
#define PERFCTL_INVENTORY_TABLE_H

#include "kinds.h"

/**
 * struct inventory - rows of a recording
 * @rows:  in the order of the recording
 * @count: of each kind
 * @sums:  what the recorder says of each kind ...
 * @ended: ... if the recording has that
 * @by_key: rows by kind and keys
 * @texts: of the rows
 */
struct inventory {
	struct inventory_row *rows;
	size_t n;
	size_t cap;
	size_t count[INVENTORY_KINDS];
	uint64_t sums[INVENTORY_KINDS][INVENTORY_SUMS];
	bool ended[INVENTORY_KINDS];
	struct htab by_key;
	struct strtab texts;
};

/* Reads all of a recording's; those without any have none. */
void inventory_load(struct inventory *v, const struct pev_trace *trace);
/* Takes the row of an event whose class has a kind. */
void inventory_take(struct inventory *v, const struct pev_event *ev);
/*
 * Returns the first row with these keys; @b is 0 where there is one key. @before: the last one that
 * was returned for them, NULL: none
 */
const struct inventory_row *inventory_find(const struct inventory *v, enum inventory_kind kind,
					   uint64_t a, uint64_t b,
					   const struct inventory_row *before);
void inventory_free(struct inventory *v);

#endif
