/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: files, by the names of 6.12. */
#ifndef _PEV_OLDER_LINUX_FS_H
#define _PEV_OLDER_LINUX_FS_H

#include_next <linux/fs.h>

/* What the user opened: the path of a mapped file is that already. */
static inline const struct path *file_user_path(struct file *file)
{
	return &file->f_path;
}

/* Files are freed after a grace period, and are not used again before it. */
static inline struct file *get_file_active(struct file **at)
{
	struct file *file;

	guard(rcu)();
	file = READ_ONCE(*at);
	return file && get_file_rcu(file) ? file : NULL;
}

#endif
