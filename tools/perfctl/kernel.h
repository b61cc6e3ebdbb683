/* SPDX-License-Identifier: GPL-2.0 */
/* The running kernel: whether it has pev, what it offers. */
#ifndef PERFCTL_KERNEL_H
#define PERFCTL_KERNEL_H

#include "util.h"

#include <pev/pev.h>

/* What this kernel can do; -ENOSYS with the way out in @m. */
int kernel_info(struct pev_info *info, struct msg *m);
/* The events that can be opened now; free with pev_catalog_free(). */
int kernel_catalog(struct pev_catalog **catalog, struct msg *m);
/**
 * kernel_reason() - what the kernel says, for somebody who typed a command
 * @why: of a call that failed; the words of the interface in its text become
 *       those of the command line
 */
const char *kernel_reason(struct pev_why *why);
/* One sentence about a refusal: ours, then the kernel's. */
int kernel_refused(struct msg *m, int err, const struct pev_why *why, const char *fmt, ...)
	PRINTF(4, 5);

#endif
