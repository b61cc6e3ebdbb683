// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the file of what an earlier boot left: read() and lseek(). Nothing changes it, and no
 * lock is held while memory of the user's is touched.
 */
#include <linux/anon_inodes.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include "channel/persist_old.h"
#include "crash_file.h"

static ssize_t crash_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	size_t done = 0, size, left;
	const void *from;

	if (*pos < 0)
		return -EINVAL;
	while (done < count && !fatal_signal_pending(current)) {
		from = pev_persist_old_at(file->private_data, *pos, &size);
		size = min3(size, count - done, (size_t)PAGE_SIZE);
		if (!size)
			break;
		left = copy_to_user(buf + done, from, size);
		*pos += size - left;
		done += size - left;
		if (left)
			return done ?: -EFAULT;
		cond_resched();
	}
	return done;
}

static loff_t crash_llseek(struct file *file, loff_t offset, int whence)
{
	return fixed_size_llseek(file, offset, whence, pev_persist_old_size(file->private_data));
}

static int crash_release(struct inode *inode, struct file *file)
{
	pev_persist_old_close(file->private_data);
	return 0;
}

static const struct file_operations crash_fops = {
	.owner		= THIS_MODULE,
	.read		= crash_read,
	.llseek		= crash_llseek,
	.release	= crash_release,
};

/**
 * pev_crash_file() - a file of what an earlier boot left
 * @r: says why not
 *
 * Return: the file or an ERR_PTR().
 */
struct file *pev_crash_file(struct pev_refuse *r)
{
	struct pev_persist_old *old = pev_persist_old_open(r);
	struct file *file;

	if (IS_ERR(old))
		return ERR_CAST(old);
	file = anon_inode_getfile("[pev-crash]", &crash_fops, old, O_RDONLY);
	if (IS_ERR(file)) {
		pev_persist_old_close(old);
		return file;
	}
	file->f_mode |= FMODE_LSEEK | FMODE_PREAD;
	return file;
}
