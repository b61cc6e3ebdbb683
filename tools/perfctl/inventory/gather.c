// SPDX-License-Identifier: GPL-2.0
/* Reads what the machine has. See gather.h. */
#include "gather.h"
#include "readers.h"

int gather_machine(struct gather *g)
{
#define X(name) &inventory_##name,
	static const struct inventory_reader *const readers[] = { INVENTORY_READERS(X) };
#undef X
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(readers) && !err; i++)
		err = readers[i]->read(g);
	return err;
}

int gather_sums(struct gather *g)
{
	int err = 0;

	for (int k = 0; k < INVENTORY_SUM && !err; k++) {
		struct inventory_row row = { .kind = INVENTORY_SUM,
					     .s = { inventory_kinds[k].name } };

		memcpy(row.n, g->sums[k], sizeof(g->sums[k]));
		err = g->put(g->arg, &row);
	}
	return err;
}
