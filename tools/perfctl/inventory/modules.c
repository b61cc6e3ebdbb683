// SPDX-License-Identifier: GPL-2.0
/* Modules of the kernel: /proc/modules. */
#include "readers.h"
#include "rows.h"

#include <inttypes.h>
#include <stdlib.h>

/* "loop 32768 0 - Live 0xffffffffc0440000"; without rights, the address is 0 */
static int add_module(struct gather *g, char *line)
{
	struct inventory_row row = { .kind = INVENTORY_MODULE };
	char *address = strstr(line, " 0x"), *blank = strchr(line, ' ');

	if (!address || !blank || blank == line || sscanf(blank, " %" SCNu64, &row.n[1]) != 1)
		return 0;
	*blank = '\0';
	row.n[0] = strtoull(address, NULL, 16);
	row.s[0] = line;
	return rows_add(g, &row);
}

static int read_modules(struct gather *g)
{
	char *text = rows_file(g, INVENTORY_MODULE, g->proc, "modules");
	int err = rows_lines(g, text, add_module);

	free(text);
	return err;
}

const struct inventory_reader inventory_modules = { read_modules };
