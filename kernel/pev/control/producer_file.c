// SPDX-License-Identifier: GPL-2.0
/* Owns the files of producers: what processes map of them. */
#include <linux/anon_inodes.h>
#include <linux/fs.h>
#include "source/producer/map.h"
#include "source/producer/producer.h"
#include "producer_file.h"

static int producer_mmap(struct file *file, struct vm_area_struct *vma)
{
	return pev_producer_mmap(file->private_data, vma);
}

/* No mapping is left. */
static int producer_release(struct inode *inode, struct file *file)
{
	pev_family_put(file->private_data);
	return 0;
}

static const struct file_operations pev_producer_fops = {
	.owner		= THIS_MODULE,
	.mmap		= producer_mmap,
	.release	= producer_release,
};

struct file *pev_producer_file(struct pev_family *family)
{
	return anon_inode_getfile("[pev-producer]", &pev_producer_fops, family, O_RDWR);
}
