/* SPDX-License-Identifier: GPL-2.0 */
/* Call chains of programs that have frame pointers. */
#ifndef _PEV_UCHAIN_H
#define _PEV_UCHAIN_H

#include <linux/kconfig.h>
#include <linux/perf_event.h>
#include <linux/uaccess.h>

struct pt_regs;

/*
 * A frame's return address is what the program left there. A zero is none: a slot that a leaf
 * never filled, or code without frame pointers. Nor is what no program can run, which would
 * pass for an address of the kernel; perf's own marks are among these. The first one is a
 * register, and may be on x86's page of vsyscalls; on POWER it may be that of an interrupt, where
 * the kernel's may be although it was not to count.
 */
static inline bool pev_uchain_is_frame(u64 ip, u32 at)
{
	if (IS_ENABLED(CONFIG_X86) && !at)
		return ip && ip < (u64)PERF_CONTEXT_MAX;
	return ip && ip < TASK_SIZE_MAX;
}

/**
 * pev_uchain_walk() - walk the current program's stack
 * @regs: of user mode
 * @to:   filled in, innermost frame first
 * @max:  frames in @to, at least 1
 *
 * Context: Any with preemption disabled, NMI included. Memory is not faulted in: the chain ends
 * at a page that is not there.
 * Return: frames in @to, or a negative value: the program is not one that is known here.
 */
int pev_uchain_walk(struct pt_regs *regs, u64 *to, u32 max);

#endif
