// SPDX-License-Identifier: GPL-2.0
/* Owns tables of sysctls for Linux 6.1, which looks for the end of a table. */
#define PEV_OLDER
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysctl.h>

struct ctl_table_header *pev_older_register_sysctl(const char *path,
						   const struct ctl_table *table, size_t nr)
{
	struct ctl_table *copy = kcalloc(nr + 1, sizeof(*copy), GFP_KERNEL);
	struct ctl_table_header *header;

	if (!copy)
		return NULL;
	memcpy(copy, table, nr * sizeof(*copy));
	header = register_sysctl(path, copy);
	if (!header)
		kfree(copy);
	return header;
}

void pev_older_unregister_sysctl(struct ctl_table_header *header)
{
	struct ctl_table *copy;

	if (!header)
		return;
	copy = header->ctl_table_arg;
	unregister_sysctl_table(header);
	kfree(copy);
}
