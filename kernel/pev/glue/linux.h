/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What Linux has for its own code, and exports to no module: tracepoints by their names, a
 * lock, a setting. Functions that are not exported are called by their own names.
 */
#ifndef _PEV_LINUX_H
#define _PEV_LINUX_H

#include <linux/perf_event.h>
#include <linux/perf_regs.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include <linux/tracepoint.h>
#include <asm/tlb.h>

/**
 * pev_tracepoint_hook() - call a function at a tracepoint
 * @name:  of the tracepoint, whose header is included
 * @probe: the function, as register_trace_NAME() takes it
 *
 * Return: 0 or an error.
 */
#define pev_tracepoint_hook(name, probe)	register_trace_##name(probe, NULL)

/* The same, after all others that are called there. */
#define pev_tracepoint_hook_last(name, probe)	register_trace_prio_##name(probe, NULL, 0)

/* Undo either; the function may be called until a grace period is over. */
#define pev_tracepoint_unhook(name, probe)	unregister_trace_##name(probe, NULL)

/* Guards the tree of tasks. */
#define pev_tasklist_lock	tasklist_lock

/* kernel.perf_event_paranoid */
#define pev_perf_paranoid()	READ_ONCE(sysctl_perf_event_paranoid)

/**
 * pev_security_perf() - ask the security modules
 * @type: of access, PERF_SECURITY_*
 *
 * Return: 0, or an error if they refuse it.
 */
static inline int pev_security_perf(int type)
{
	return security_perf_event_open(type);
}

/* Does it wait for a CPU, or have one? What has gone to sleep may be in a queue for a while. */
static inline bool pev_task_is_queued(const struct task_struct *task)
{
	return READ_ONCE(task->on_rq) && !READ_ONCE(task->se.sched_delayed);
}

/* Registers of perf's that are no part of struct pt_regs, a bit each. */
#define pev_perf_extended_regs()	PERF_REG_EXTENDED_MASK

/**
 * pev_user_memory_is() - can user space's memory be read, and is it that of @mm?
 * @mm: of the current task
 *
 * In an NMI, and in the scheduler, it may still or already be another's.
 */
static __always_inline bool pev_user_memory_is(const struct mm_struct *mm)
{
#ifdef CONFIG_X86
	/* the question that nmi_uaccess_okay() asks, without a call */
	return this_cpu_read(cpu_tlbstate.loaded_mm) == mm;
#else
	return nmi_uaccess_okay();
#endif
}

#ifdef CONFIG_UNWINDER_ORC
#include <asm/orc_types.h>

extern int __start_orc_unwind_ip[];
extern int __stop_orc_unwind_ip[];
extern struct orc_entry __start_orc_unwind[];

/* The unwinder's entries for the kernel's own code: their addresses, themselves, how many. */
#define pev_orc_addresses	__start_orc_unwind_ip
#define pev_orc_entries		__start_orc_unwind
#define pev_orc_nr		(__stop_orc_unwind_ip - __start_orc_unwind_ip)
#endif

#if defined(CONFIG_UNWINDER_ORC) || defined(CONFIG_UNWINDER_FRAME_POINTER)
#include <asm/sections.h>

/* Is it in the kernel's own code, and does it stay? */
#define pev_kernel_text(at)	__is_kernel_text(at)
#endif

/* Those that older kernels have otherwise: module/glue/linux.h. */
#define PEV_PERSISTS_ON		""
#define pev_perf_scope(pmu)	((pmu)->scope)

/* Why there are no counters, where there is no backend. */
#define PEV_NO_PMU		"this machine shows no hardware counters"

#endif
