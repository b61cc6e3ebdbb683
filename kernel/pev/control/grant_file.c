// SPDX-License-Identifier: GPL-2.0
/* Owns the files of grants: read(), poll(), and that closing one takes all back. */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/pev_refuse.h>
#include <linux/uaccess.h>
#include "guest/grant.h"
#include "grant_file.h"

/* Whole, and as of now, at each call: as much of it as fits. */
static ssize_t grant_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct pev_grant stat = { .size = sizeof(stat) };

	if (count < sizeof(stat.size))
		return -EINVAL;
	pev_grant_stat(file->private_data, &stat);
	count = min(count, sizeof(stat));
	return copy_to_user(buf, &stat, count) ? -EFAULT : count;
}

static __poll_t grant_poll(struct file *file, struct poll_table_struct *wait)
{
	return pev_grant_ended(file->private_data, file, wait) ? EPOLLHUP : 0;
}

static int grant_release(struct inode *inode, struct file *file)
{
	pev_grant_close(file->private_data);
	return 0;
}

static const struct file_operations pev_grant_fops = {
	.owner		= THIS_MODULE,
	.read		= grant_read,
	.poll		= grant_poll,
	.release	= grant_release,
};

struct file *pev_grant_file(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct pev_guest_grant *grant;
	struct file *file;
	int err = 0;

	if (!IS_ENABLED(CONFIG_PEV_GRANT))
		err = pev_refuse(r, EOPNOTSUPP, PEV_FIELD(type),
				 "counters are lent by a kernel with pev and KVM, on x86 and by KVM-HV on POWER: the KVM of this one knows nothing of pev");
	if (err)
		return ERR_PTR(err);
	grant = pev_grant_open(attr, r);
	if (IS_ERR(grant))
		return ERR_CAST(grant);
	file = anon_inode_getfile("[pev-grant]", &pev_grant_fops, grant, O_RDONLY);
	if (IS_ERR(file))
		pev_grant_close(grant);
	return file;
}
