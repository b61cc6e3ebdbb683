/* SPDX-License-Identifier: LGPL-2.1-only */
/* Rows of a table, added up by key. */
#ifndef _PEV_SYS_TABLE_H
#define _PEV_SYS_TABLE_H

#include <stdbool.h>
#include <pev/table.h>

/**
 * struct rows - rows by key
 * @size:  bytes of one
 * @sign:  values have one
 * @nr:    rows
 * @room:  for so many
 * @data:  they
 * @slots: twice as many as @room, a power of two: number of the row plus 1, 0: free
 */
struct rows {
	size_t		size;
	bool		sign;
	size_t		nr;
	size_t		room;
	char		*data;
	uint32_t	*slots;
};

/* Room for @more rows. Returns 0 or -ENOMEM, with the rows as they were. */
int table_reserve(struct rows *rows, size_t more);
/* There is room. */
void table_add(struct rows *rows, const struct pev_table_row *row);
void table_clear(struct rows *rows);
void table_free(struct rows *rows);

#endif /* _PEV_SYS_TABLE_H */
