// SPDX-License-Identifier: GPL-2.0
/* Owns the files of tables: what they are asked by ioctl(). */
#include <linux/anon_inodes.h>
#include <linux/fs.h>
#include "table/table.h"
#include "table_file.h"

static long table_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (cmd != PEV_IOC_TABLE_SWAP)
		return -ENOTTY;
	return pev_table_swap(file->private_data, (void __user *)arg);
}

static int table_release(struct inode *inode, struct file *file)
{
	pev_table_put(file->private_data);
	return 0;
}

static const struct file_operations pev_table_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= table_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.release	= table_release,
};

struct pev_table_set *pev_table_from_file(struct file *file)
{
	return file->f_op == &pev_table_fops ? file->private_data : NULL;
}

struct file *pev_table_file(struct pev_table_set *table)
{
	return anon_inode_getfile("[pev-table]", &pev_table_fops, table, O_RDWR);
}
