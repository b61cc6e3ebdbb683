/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: a file that can do more from its beginning. */
#ifndef _PEV_OLDER_LINUX_ANON_INODES_H
#define _PEV_OLDER_LINUX_ANON_INODES_H

#include_next <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/fs.h>

static inline struct file *anon_inode_getfile_fmode(const char *name,
						    const struct file_operations *fops,
						    void *private, int flags, fmode_t mode)
{
	struct file *file = anon_inode_getfile(name, fops, private, flags);

	if (!IS_ERR(file))
		file->f_mode |= mode;
	return file;
}

#endif
