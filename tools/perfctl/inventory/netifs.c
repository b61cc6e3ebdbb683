// SPDX-License-Identifier: GPL-2.0
/* Network interfaces of the recorder's namespace: /sys/class/net. */
#include "readers.h"
#include "rows.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static int read_netifs(struct gather *g)
{
	int fd = rows_open(g->sys, "class/net"), err = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	char name[300];

	if (!dir) {
		rows_unreadable(g, INVENTORY_NETIF, fd);
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (!err && (e = readdir(dir))) {
		int64_t index;

		/* the driver of bonds has a file beside the interfaces */
		snprintf(name, sizeof(name), "%s/ifindex", e->d_name);
		index = *e->d_name == '.' ? -1 : rows_number(fd, name, -1);
		if (index <= 0 || index > INT32_MAX)
			continue;
		err = rows_add(g, &(struct inventory_row){
					  .kind = INVENTORY_NETIF,
					  .n = { (uint64_t)index },
					  .s = { e->d_name },
				  });
	}
	closedir(dir);
	return err;
}

const struct inventory_reader inventory_netifs = { read_netifs };
