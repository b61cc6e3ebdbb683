// SPDX-License-Identifier: GPL-2.0
/* Block devices and their partitions: /proc/partitions. */
#include "readers.h"
#include "rows.h"

#include <inttypes.h>
#include <stdlib.h>

/* " 254        0  268435456 vda"; the title has no numbers */
static int add_block(struct gather *g, char *line)
{
	struct inventory_row row = { .kind = INVENTORY_BLOCK };
	int at = 0;

	if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %n", &row.n[0], &row.n[1], &row.n[2],
		   &at) != 3 ||
	    !at || !line[at] || row.n[0] > UINT32_MAX || row.n[1] > UINT32_MAX)
		return 0;
	row.s[0] = line + at;
	return rows_add(g, &row);
}

static int read_blocks(struct gather *g)
{
	char *text = rows_file(g, INVENTORY_BLOCK, g->proc, "partitions");
	int err = rows_lines(g, text, add_block);

	free(text);
	return err;
}

const struct inventory_reader inventory_blocks = { read_blocks };
