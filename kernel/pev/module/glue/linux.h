/* SPDX-License-Identifier: GPL-2.0 */
/*
 * glue/linux.h for a module: what Linux does not export is found by name when the module
 * is loaded, see module/resolve.c, which refuses to go on without any of it.
 */
#ifndef _PEV_LINUX_H
#define _PEV_LINUX_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/perf_regs.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include <linux/spinlock.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

/* The tracepoints that pev calls by name, X(name). */
#define PEV_TRACEPOINTS(X)	\
	X(cgroup_attach_task)	\
	X(sched_migrate_task)	\
	X(sched_prepare_exec)	\
	X(sched_process_exec)	\
	X(sched_process_exit)	\
	X(sched_switch)		\
	X(sched_waking)		\
	X(sched_wakeup)		\
	X(sys_enter)		\
	X(sys_exit)		\
	X(task_newtask)		\
	X(task_rename)

#ifdef CONFIG_GUEST_PERF_EVENTS
#define PEV_DATA_GUEST(X)	X(struct perf_guest_info_callbacks __rcu **, perf_guest_cbs)
#else
#define PEV_DATA_GUEST(X)
#endif

#ifdef CONFIG_PPC
#define PEV_DATA_ARCH(X)	X(u64 *, PERF_REG_EXTENDED_MASK)
#define pev_perf_extended_regs()	(*pev_linux.PERF_REG_EXTENDED_MASK_at)
#else
#define PEV_DATA_ARCH(X)
#define pev_perf_extended_regs()	PERF_REG_EXTENDED_MASK
#endif

/* The data, X(pointer to its type, name). */
#define PEV_DATA(X)						\
	X(rwlock_t *, tasklist_lock)				\
	X(int *, sysctl_perf_event_paranoid)			\
	X(struct mutex *, event_mutex)				\
	X(struct list_head *, ftrace_events)			\
	X(struct trace_event_class *, event_class_syscall_enter)	\
	X(struct trace_event_class *, event_class_syscall_exit)	\
	PEV_DATA_ARCH(X)					\
	PEV_DATA_GUEST(X)

/* Data that pev does without, X(pointer to its type, name): NULL if it is not found. */
#if defined(CONFIG_UNWINDER_ORC) && !defined(PEV_LINUX_6_1)
struct orc_entry;
#define PEV_SPARE_DATA(X)					\
	X(const char *, _stext)					\
	X(const char *, _etext)					\
	X(const int *, __start_orc_unwind_ip)			\
	X(const int *, __stop_orc_unwind_ip)			\
	X(const struct orc_entry *, __start_orc_unwind)

#define pev_orc_addresses	(pev_linux.__start_orc_unwind_ip_at)
#define pev_orc_entries		(pev_linux.__start_orc_unwind_at)
#define pev_orc_nr		(pev_linux.__stop_orc_unwind_ip_at - pev_orc_addresses)
#define pev_kernel_text(at)						\
	((at) >= (unsigned long)pev_linux._stext_at &&			\
	 (at) < (unsigned long)pev_linux._etext_at)
#else
#define PEV_SPARE_DATA(X)
#endif

#define PEV_TRACEPOINT_MEMBER(name)	struct tracepoint *tp_##name;
#define PEV_DATA_MEMBER(type, name)	type name##_at;

/* Where they are; written once. */
struct pev_linux {
	PEV_TRACEPOINTS(PEV_TRACEPOINT_MEMBER)
	PEV_DATA(PEV_DATA_MEMBER)
	PEV_SPARE_DATA(PEV_DATA_MEMBER)
};

extern struct pev_linux pev_linux;

#ifdef CONFIG_X86
/* Headers keep it from modules. */
bool nmi_uaccess_okay(void);
#else
#include <asm/tlb.h>
#endif

static inline bool pev_user_memory_is(const struct mm_struct *mm)
{
	return nmi_uaccess_okay();
}

#define pev_tracepoint_hook(name, probe)					\
({										\
	check_trace_callback_type_##name(probe);				\
	tracepoint_probe_register(pev_linux.tp_##name, probe, NULL);		\
})

#define pev_tracepoint_hook_last(name, probe)					\
({										\
	check_trace_callback_type_##name(probe);				\
	tracepoint_probe_register_prio(pev_linux.tp_##name, probe, NULL, 0);	\
})

#define pev_tracepoint_unhook(name, probe)					\
	tracepoint_probe_unregister(pev_linux.tp_##name, probe, NULL)

#define pev_tasklist_lock	(*pev_linux.tasklist_lock_at)

#define pev_perf_paranoid()	READ_ONCE(*pev_linux.sysctl_perf_event_paranoid_at)

/* 6.12.y of before asks with attributes of perf's, which no check of Linux's looks at. */
static inline int pev_security_perf(int type)
{
#ifdef PEV_OLDER_SECURITY
	struct perf_event_attr attr = { .size = sizeof(attr) };

	return security_perf_event_open(&attr, type);
#else
	return security_perf_event_open(type);
#endif
}

#ifdef PEV_LINUX_6_1
/* it has no memory that outlives a crash */
#define PEV_PERSISTS_ON		", on Linux 6.12"
#else
#define PEV_PERSISTS_ON		""
#define pev_perf_scope(pmu)	((pmu)->scope)
#endif

static inline bool pev_task_is_queued(const struct task_struct *task)
{
#ifdef PEV_LINUX_6_1
	/* what goes to sleep leaves its queue at once */
	return READ_ONCE(task->on_rq);
#else
	return READ_ONCE(task->on_rq) && !READ_ONCE(task->se.sched_delayed);
#endif
}

#define PEV_NO_PMU		"this machine shows no hardware counters that perf could lend"

#endif
