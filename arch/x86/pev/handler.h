/* SPDX-License-Identifier: GPL-2.0 */
/* How a driver is asked about NMIs. */
#ifndef _X86_PEV_HANDLER_H
#define _X86_PEV_HANDLER_H

#include <linux/list.h>

#include "asm/nmi.h" /* linux/nmi.h has it only at times */

/* First of those who are asked: others acknowledge all that they find. */
#define X86_PEV_NMI_ACTION(action, asked)                                  \
	{                                                                  \
		.list = LIST_HEAD_INIT((action).list), .handler = (asked), \
		.flags = NMI_FLAG_FIRST, .name = "pev",                    \
	}

/**
 * x86_pev_handle_nmis() - have a driver's handler asked about NMIs from now on
 * @action:	the handler
 *
 * It stays: to take it away again takes a grace period, with a lock held that others wait for, as
 * often as a user opens and closes events. PMIs that are late find it, too.
 *
 * Context: Process, one at a time. Return: 0, or what __register_nmi_handler() says.
 */
static inline int x86_pev_handle_nmis(struct nmiaction *action)
{
	return list_empty(&action->list) ? __register_nmi_handler(NMI_LOCAL, action) : 0;
}

#endif
