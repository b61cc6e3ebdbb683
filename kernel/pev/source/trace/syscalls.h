/* SPDX-License-Identifier: GPL-2.0 */
/* Events of the system "syscalls", and those of "raw_syscalls" of who may not watch everybody. */
#ifndef _PEV_SYSCALLS_H
#define _PEV_SYSCALLS_H

#include <linux/errno.h>
#include <linux/types.h>

struct pev_event;
struct pev_event_cpu;

#ifdef CONFIG_FTRACE_SYSCALLS
bool pev_syscall_serves(const struct pev_event *event);
int pev_syscall_hook(struct pev_event *event, void *probe);
void pev_syscall_unhook(struct pev_event *event);
void pev_syscall_start(struct pev_event_cpu *ec);
void pev_syscall_stop(struct pev_event_cpu *ec);
#else
static inline bool pev_syscall_serves(const struct pev_event *event)
{
	return false;
}

static inline int pev_syscall_hook(struct pev_event *event, void *probe)
{
	return -EOPNOTSUPP;
}

static inline void pev_syscall_start(struct pev_event_cpu *ec)
{
}

static inline void pev_syscall_stop(struct pev_event_cpu *ec)
{
}

static inline void pev_syscall_unhook(struct pev_event *event)
{
}
#endif

#endif
