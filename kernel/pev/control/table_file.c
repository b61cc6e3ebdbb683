// SPDX-License-Identifier: GPL-2.0
/* Owns the files of tables: what they are asked by ioctl(). */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include "channel/channel.h"
#include "table/table.h"
#include "table_file.h"

/**
 * struct table_file - what a file of a table has references on
 * @table:   the table
 * @channel: of its records; NULL without
 */
struct table_file {
	struct pev_table_set	*table;
	struct pev_channel	*channel;
};

static struct table_file *of(struct file *file)
{
	return file->private_data;
}

static long table_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (cmd != PEV_IOC_TABLE_SWAP)
		return -ENOTTY;
	return pev_table_swap(of(file)->table, (void __user *)arg);
}

static int table_release(struct inode *inode, struct file *file)
{
	pev_table_put(of(file)->table);
	if (of(file)->channel)
		pev_channel_put(of(file)->channel);
	kfree(of(file));
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
	return file->f_op == &pev_table_fops ? of(file)->table : NULL;
}

struct pev_channel *pev_table_file_channel(struct file *file)
{
	return of(file)->channel;
}

struct file *pev_table_file(struct pev_table_set *table, struct pev_channel *channel)
{
	struct table_file *own = kmalloc(sizeof(*own), GFP_KERNEL_ACCOUNT);
	struct file *file;

	if (!own)
		return ERR_PTR(-ENOMEM);
	own->table = table;
	own->channel = channel;
	file = anon_inode_getfile("[pev-table]", &pev_table_fops, own, O_RDWR);
	if (IS_ERR(file))
		kfree(own);
	return file;
}
