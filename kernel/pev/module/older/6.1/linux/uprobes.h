/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: what is called at places in files, as 6.12 has it. */
#ifndef _PEV_OLDER_LINUX_UPROBES_H
#define _PEV_OLDER_LINUX_UPROBES_H

#include_next <linux/uprobes.h>

/**
 * struct pev_uprobe_consumer - what 6.12 calls struct uprobe_consumer
 * @handler:     at the place
 * @ret_handler: where a function returns; or NULL
 * @filter:      should @mm have the breakpoint?
 * @real:        what Linux calls
 * @inode:       of the file
 * @offset:      in it
 */
struct pev_uprobe_consumer {
	int	(*handler)(struct pev_uprobe_consumer *uc, struct pt_regs *regs);
	int	(*ret_handler)(struct pev_uprobe_consumer *uc, unsigned long func,
			       struct pt_regs *regs);
	bool	(*filter)(struct pev_uprobe_consumer *uc, struct mm_struct *mm);

	struct uprobe_consumer	real;
	struct inode		*inode;
	loff_t			offset;
};

struct uprobe *pev_older_uprobe_register(struct inode *inode, loff_t offset, loff_t semaphore,
					 struct pev_uprobe_consumer *uc);
void pev_older_uprobe_unregister(struct pev_uprobe_consumer *uc);

#ifndef PEV_OLDER
#define uprobe_consumer		pev_uprobe_consumer
#define uprobe_register(inode, offset, semaphore, uc)	\
	pev_older_uprobe_register(inode, offset, semaphore, uc)
/* No handler runs any more when it returns. */
#define uprobe_unregister_nosync(uprobe, uc)		\
	((void)(uprobe), pev_older_uprobe_unregister(uc))
#define uprobe_unregister_sync()			do { } while (0)
#endif

#endif
