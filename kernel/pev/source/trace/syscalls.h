/* SPDX-License-Identifier: GPL-2.0 */
/* Events of the system "syscalls". */
#ifndef _PEV_SYSCALLS_H
#define _PEV_SYSCALLS_H

#include <linux/errno.h>

struct pev_event;

#ifdef CONFIG_FTRACE_SYSCALLS
int pev_syscall_hook(struct pev_event *event);
void pev_syscall_unhook(struct pev_event *event);
#else
static inline int pev_syscall_hook(struct pev_event *event)
{
	return -EOPNOTSUPP;
}

static inline void pev_syscall_unhook(struct pev_event *event)
{
}
#endif

#endif
