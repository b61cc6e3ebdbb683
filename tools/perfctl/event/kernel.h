/* SPDX-License-Identifier: GPL-2.0 */
/* Asks the running kernel whether it has pev and what it offers. */
#ifndef PERFCTL_EVENT_KERNEL_H
#define PERFCTL_EVENT_KERNEL_H

#include "base/util.h"

#include <pev/pev.h>

/* Gets what this kernel can do; returns -ENOSYS, with the remedy in @m, without pev. */
int kernel_info(struct pev_info *info, struct msg *m);
/* Reads the events that can be opened now; free it with pev_catalog_free(). */
int kernel_catalog(struct pev_catalog **catalog, struct msg *m);
/**
 * kernel_reason() - what the kernel says, in terms of the command line
 * @why: of a call that failed; the words of the interface in its text become
 *       those of the command line
 */
const char *kernel_reason(struct pev_error *why);
/* Sets one sentence about a refusal: ours, then the kernel's. */
int kernel_refused(struct msg *m, int err, const struct pev_error *why, const char *fmt, ...)
	PRINTF(4, 5);

/* Opens the channel that a part of the kernel writes to; -errno with a sentence. */
int kernel_channel(const char *name, struct msg *m);

#endif
