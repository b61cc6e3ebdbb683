/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1, where a table has an end: it is added to a copy. */
#ifndef _PEV_OLDER_LINUX_SYSCTL_H
#define _PEV_OLDER_LINUX_SYSCTL_H

#include_next <linux/sysctl.h>

struct ctl_table_header *pev_older_register_sysctl(const char *path,
						   const struct ctl_table *table, size_t nr);
void pev_older_unregister_sysctl(struct ctl_table_header *header);

#ifndef PEV_OLDER
#define register_sysctl(path, table)	\
	pev_older_register_sysctl(path, table, ARRAY_SIZE(table))
#define unregister_sysctl_table(header)	pev_older_unregister_sysctl(header)
#endif

#endif
