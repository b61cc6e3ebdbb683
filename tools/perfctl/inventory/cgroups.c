// SPDX-License-Identifier: GPL-2.0
/* Cgroups of the second version, with the numbers that records have. */
#include "readers.h"
#include "rows.h"
#include "event/cgroups.h"

static int read_cgroups(struct gather *g)
{
	struct cgroup_names names = { 0 };
	int err = 0;

	cgroup_names_look(&names);
	for (size_t i = 0; i < names.n && !err; i++)
		err = rows_add(g, &(struct inventory_row){
					  .kind = INVENTORY_CGROUP,
					  .n = { names.v[i].id },
					  .s = { names.v[i].path },
				  });
	cgroup_names_free(&names);
	return err;
}

const struct inventory_reader inventory_cgroups = { read_cgroups };
