/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: the next open file with a reference. */
#ifndef _PEV_OLDER_LINUX_FDTABLE_H
#define _PEV_OLDER_LINUX_FDTABLE_H

#include_next <linux/fdtable.h>

/* Held by the caller: RCU. What is closed at this moment is passed over. */
static inline struct file *task_lookup_next_fdget_rcu(struct task_struct *task, unsigned int *fd)
{
	struct file *file;

	while ((file = task_lookup_next_fd_rcu(task, fd)) && !get_file_rcu(file))
		++*fd;
	return file;
}

#endif
