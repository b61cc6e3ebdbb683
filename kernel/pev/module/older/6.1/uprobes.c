// SPDX-License-Identifier: GPL-2.0
/*
 * Owns places in files for Linux 6.1, whose probes are found by file and offset. Handlers run
 * with a lock held that taking a probe away waits for.
 */
#define PEV_OLDER
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/uprobes.h>

static struct pev_uprobe_consumer *ours(struct uprobe_consumer *real)
{
	return container_of(real, struct pev_uprobe_consumer, real);
}

static int handler(struct uprobe_consumer *real, struct pt_regs *regs)
{
	return ours(real)->handler(ours(real), regs);
}

static int ret_handler(struct uprobe_consumer *real, unsigned long func, struct pt_regs *regs)
{
	return ours(real)->ret_handler(ours(real), func, regs);
}

static bool filter(struct uprobe_consumer *real, enum uprobe_filter_ctx why, struct mm_struct *mm)
{
	return ours(real)->filter(ours(real), mm);
}

struct uprobe *pev_older_uprobe_register(struct inode *inode, loff_t offset, loff_t semaphore,
					 struct pev_uprobe_consumer *uc)
{
	int err;

	uc->inode = inode;
	uc->offset = offset;
	uc->real = (struct uprobe_consumer){
		.handler = handler,
		.ret_handler = uc->ret_handler ? ret_handler : NULL,
		.filter = filter,
	};
	err = uprobe_register_refctr(inode, offset, semaphore, &uc->real);
	/* nothing looks into it: it says that the place is taken */
	return err ? ERR_PTR(err) : (struct uprobe *)uc;
}

void pev_older_uprobe_unregister(struct pev_uprobe_consumer *uc)
{
	uprobe_unregister(uc->inode, uc->offset, &uc->real);
}
