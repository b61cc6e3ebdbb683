/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the control plane call of each other. */
#ifndef _PEV_CONTROL_H
#define _PEV_CONTROL_H

#include <linux/types.h>

struct pev_channel;

extern int sysctl_pev_paranoid;

/**
 * pev_copy_struct_to_user() - an extensible structure on its way out
 * @to:    the user's
 * @usize: bytes the user has room for
 * @from:  the kernel's
 * @ksize: bytes the kernel knows
 *
 * A longer user structure is filled up with zeroes, a shorter one gets what
 * it knows.
 *
 * Return: 0 or -EFAULT.
 */
int pev_copy_struct_to_user(void __user *to, size_t usize, const void *from, size_t ksize);

/* Wait until the memory of all events closed so far is given back. */
void pev_event_reap_sync(void);

/* An ioctl() that events have, on all events of @channel; -ENOTTY for others. */
long pev_event_control_channel(struct pev_channel *channel, unsigned int cmd,
			       unsigned long arg);

#endif
