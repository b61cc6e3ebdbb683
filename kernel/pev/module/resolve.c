// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the ways to what Linux does not export: functions, data, tracepoints. All are found
 * by name when the module is loaded, and none may be missing: in place of a check of
 * permission there is no safe answer.
 *
 * The functions below have the names of Linux's, so that what calls them need not know.
 * They jump there directly: a function whose address Linux takes nowhere may have lost the
 * instruction that the processor wants to see behind a call by pointer.
 */
#define pr_fmt(fmt) "pev: " fmt

#include <linux/array_size.h>
#include <linux/buildid.h>
#include <linux/ftrace.h>
#include <linux/io_uring.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/perf_event.h>
#include <linux/perf_regs.h>
#include <linux/ptrace.h>
#include <linux/sched/debug.h>
#include <linux/sched/numa_balancing.h>
#include <linux/sched/user.h>
#include <linux/security.h>
#include <linux/sock_diag.h>
#include <linux/stacktrace.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/task_work.h>
#include <linux/uaccess.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>
#include <trace/events/sched.h>
#include <generated/utsrelease.h>
#include "glue/linux.h"
#include "resolve.h"

#ifdef CONFIG_X86
#include <asm/ibt.h>
#include <asm/tsc.h>
#endif

#ifdef CONFIG_ARM64
#include <clocksource/arm_arch_timer.h>
#endif

struct pev_linux pev_linux __ro_after_init;

/* ---- functions that are called: X(type, name, parameters, arguments) ---- */

#ifdef CONFIG_NUMA_BALANCING
#define FUNCTIONS_NUMA(X)								\
	X(pid_t, task_numa_group_id, (struct task_struct *task), (task))
#else
#define FUNCTIONS_NUMA(X)
#endif

#ifdef CONFIG_X86
#define FUNCTIONS_X86(X)								\
	X(bool, nmi_uaccess_okay, (void), ())
#else
#define FUNCTIONS_X86(X)
#endif

#ifdef CONFIG_ARM64
#define FUNCTIONS_ARM64(X)								\
	X(u32, arch_timer_get_rate, (void), ())						\
	X(unsigned long, regs_get_kernel_stack_nth,					\
	  (struct pt_regs *regs, unsigned int n), (regs, n))
#else
#define FUNCTIONS_ARM64(X)
#endif

#ifdef PEV_OLDER_SECURITY
#define FUNCTIONS_SECURITY(X)								\
	X(int, security_perf_event_open, (struct perf_event_attr *attr, int type), (attr, type))
#else
#define FUNCTIONS_SECURITY(X)								\
	X(int, security_perf_event_open, (int type), (type))
#endif

/* What has another name, or is called in another way. */
#ifdef PEV_LINUX_6_1
#define FUNCTIONS_VERSION(X)								\
	X(void *, __vmalloc_node_range,						\
	  (unsigned long size, unsigned long align, unsigned long start, unsigned long end,	\
	   gfp_t gfp, pgprot_t prot, unsigned long flags, int node, const void *caller),	\
	  (size, align, start, end, gfp, prot, flags, node, caller))			\
	X(int, module_kallsyms_on_each_symbol,						\
	  (int (*fn)(void *data, const char *symbol, struct module *module,		\
		     unsigned long addr),						\
	   void *data), (fn, data))							\
	X(unsigned int, stack_trace_save_tsk,						\
	  (struct task_struct *task, unsigned long *store, unsigned int size,		\
	   unsigned int skip), (task, store, size, skip))
#else
#define FUNCTIONS_VERSION(X)								\
	X(void *, __vmalloc_node_range_noprof,						\
	  (unsigned long size, unsigned long align, unsigned long start, unsigned long end,	\
	   gfp_t gfp, pgprot_t prot, unsigned long flags, int node, const void *caller),	\
	  (size, align, start, end, gfp, prot, flags, node, caller))			\
	X(int, build_id_parse_nofault,							\
	  (struct vm_area_struct *vma, unsigned char *id, __u32 *size), (vma, id, size))	\
	X(int, module_kallsyms_on_each_symbol,						\
	  (const char *modname, int (*fn)(void *data, const char *symbol, unsigned long addr),	\
	   void *data), (modname, fn, data))
#endif

#define FUNCTIONS(X)									\
	X(struct module *, __module_text_address, (unsigned long addr), (addr))		\
	X(struct user_struct *, alloc_uid, (kuid_t uid), (uid))				\
	X(const char *, arch_vma_name, (struct vm_area_struct *vma), (vma))		\
	X(int, build_id_parse,								\
	  (struct vm_area_struct *vma, unsigned char *id, __u32 *size), (vma, id, size))	\
	X(int, cap_capable,								\
	  (const struct cred *cred, struct user_namespace *ns, int cap, unsigned int opts),	\
	  (cred, ns, cap, opts))							\
	X(unsigned long, ftrace_location, (unsigned long ip), (ip))			\
	X(int, in_sched_functions, (unsigned long addr), (addr))			\
	X(unsigned long, kallsyms_lookup_name, (const char *name), (name))		\
	X(int, kallsyms_lookup_size_offset,						\
	  (unsigned long addr, unsigned long *size, unsigned long *offset),		\
	  (addr, size, offset))								\
	X(void, perf_callchain_user,							\
	  (struct perf_callchain_entry_ctx *entry, struct pt_regs *regs), (entry, regs))	\
	X(int, perf_event_read_local,							\
	  (struct perf_event *event, u64 *value, u64 *enabled, u64 *running),		\
	  (event, value, enabled, running))						\
	X(void, perf_pmu_disable, (struct pmu *pmu), (pmu))				\
	X(void, perf_pmu_enable, (struct pmu *pmu), (pmu))				\
	X(int, perf_reg_validate, (u64 mask), (mask))					\
	X(u64, perf_reg_value, (struct pt_regs *regs, int idx), (regs, idx))		\
	X(bool, ptrace_may_access, (struct task_struct *task, unsigned int mode), (task, mode))	\
	X(int, remap_vmalloc_range_partial,						\
	  (struct vm_area_struct *vma, unsigned long uaddr, void *kaddr, unsigned long pgoff,	\
	   unsigned long size), (vma, uaddr, kaddr, pgoff, size))			\
	X(unsigned int, stack_trace_save_regs,						\
	  (struct pt_regs *regs, unsigned long *store, unsigned int size,		\
	   unsigned int skip), (regs, store, size, skip))				\
	X(bool, task_work_cancel,							\
	  (struct task_struct *task, struct callback_head *cb), (task, cb))		\
	X(long, strncpy_from_kernel_nofault,						\
	  (char *dst, const void *from, long count), (dst, from, count))		\
	X(long, strncpy_from_user_nofault,						\
	  (char *dst, const void __user *from, long count), (dst, from, count))		\
	/* for probes */								\
	X(u64, __sock_gen_cookie, (struct sock *sk), (sk))				\
	X(const char *, io_uring_get_opcode, (u8 opcode), (opcode))			\
	X(const char *, netdev_drivername, (const struct net_device *dev), (dev))	\
	FUNCTIONS_ARM64(X)								\
	FUNCTIONS_NUMA(X)								\
	FUNCTIONS_SECURITY(X)								\
	FUNCTIONS_VERSION(X)								\
	FUNCTIONS_X86(X)

#define DEFINE_FUNCTION(type, name, parameters, arguments)		\
	DEFINE_STATIC_CALL_NULL(pev_to_##name, name);			\
	type name parameters						\
	{								\
		return static_call(pev_to_##name) arguments;		\
	}

FUNCTIONS(DEFINE_FUNCTION)

/* ---- functions that are traced ---- */

#ifdef PEV_LINUX_6_1
#define TRACED_VERSION(X)	X(security_bprm_creds_from_file)
#else
#define TRACED_VERSION(X)
#endif

#define TRACED(X)		\
	X(attach_pid)		\
	X(exit_mm_release)	\
	X(perf_event_mmap)	\
	TRACED_VERSION(X)

#define DEFINE_TRACED(name)				\
	static unsigned long name##_at __ro_after_init;	\
	unsigned long pev_address_of_##name(void)	\
	{						\
		return name##_at;			\
	}

TRACED(DEFINE_TRACED)

/* ---- finding them ---- */

static unsigned int missing __initdata;

static unsigned long lookup_nothing(const char *name);
DEFINE_STATIC_CALL(pev_lookup, lookup_nothing);

static unsigned long lookup_nothing(const char *name)
{
	return 0;
}

/* A probe is behind what a function begins with for calls by pointer, or by other modules. */
static void *__init beginning_of(const void *in)
{
	char name[KSYM_SYMBOL_LEN];
	const char *plus;
	unsigned long offset;

	sprint_symbol(name, (unsigned long)in);
	plus = strrchr(name, '+');
	return plus && sscanf(plus, "+0x%lx/", &offset) == 1 ? (void *)in - offset : NULL;
}

/* kprobes find a function by name; that of the table of all names is the first. */
static int __init find_lookup(void)
{
	struct kprobe kp = { .symbol_name = "kallsyms_lookup_name" };
	int err = register_kprobe(&kp);
	void *at = NULL;

	if (!err) {
		at = beginning_of(kp.addr);
		unregister_kprobe(&kp);
	}
	if (!at) {
		pr_err("kallsyms_lookup_name cannot be found (%d): pev cannot be loaded\n", err);
		return -EOPNOTSUPP;
	}
	static_call_update(pev_lookup, (typeof(lookup_nothing) *)at);
	return 0;
}

static void __init miss(const char *kind, const char *name)
{
	pr_err("this kernel has no %s %s\n", kind, name);
	missing++;
}

/* Names of the module's own are not what is looked for. */
static void *__init find(const char *kind, const char *name)
{
	unsigned long at = static_call(pev_lookup)(name);

	if (at && !within_module(at, THIS_MODULE))
		return (void *)at;
	miss(kind, name);
	return NULL;
}

/* Are the bytes there what a function begins with? */
static bool __init begins_function(const void *at)
{
#ifdef CONFIG_X86_KERNEL_IBT
	u32 code;

	return !copy_from_kernel_nofault(&code, at, sizeof(code)) && is_endbr(code);
#elif defined(CONFIG_PPC64) || defined(CONFIG_ARM64)
	/* it is called by pointer: on PowerPC at the entry that sets r2 by r12 */
	return IS_ALIGNED((unsigned long)at, sizeof(u32)) && beginning_of(at) == at;
#else
	return true;
#endif
}

/* Only the beginning of a function is called. */
static void *__init find_function(const char *name)
{
	void *at = find("function", name);

	if (!at || begins_function(at))
		return at;
	miss("beginning of a function at", name);
	return NULL;
}

static void __init find_functions(void)
{
	void *at;

#define FIND_FUNCTION(type, name, parameters, arguments)		\
	at = find_function(#name);					\
	if (at)								\
		static_call_update(pev_to_##name, (typeof(name) *)at);
	FUNCTIONS(FIND_FUNCTION)
#define FIND_TRACED(name)	name##_at = (unsigned long)find_function(#name);
	TRACED(FIND_TRACED)
}

/* All or nothing: what is found of it belongs together. */
static void __init find_spare_data(void)
{
	bool all = true;

#define FIND_SPARE(type, name)							\
	pev_linux.name##_at = (type)static_call(pev_lookup)(#name);		\
	all = all && pev_linux.name##_at;
	PEV_SPARE_DATA(FIND_SPARE)
#define CLEAR_SPARE(type, name)		pev_linux.name##_at = NULL;
	if (all)
		return;
	PEV_SPARE_DATA(CLEAR_SPARE)
}

#ifdef CONFIG_X86
/* Linux's, as it is when the module is loaded: it is set while the machine boots. */
int tsc_clocksource_reliable __ro_after_init;

static void __init copy_data(void)
{
	const int *reliable = find("variable", "tsc_clocksource_reliable");

	if (reliable)
		tsc_clocksource_reliable = *reliable;
}
#else
static void __init copy_data(void)
{
}
#endif

static void __init find_data(void)
{
#define FIND_DATA(type, name)	pev_linux.name##_at = find("variable", #name);
	PEV_DATA(FIND_DATA)
	find_spare_data();
	copy_data();
}

static void take_tracepoint(struct tracepoint *tp, void *unused)
{
#define TAKE_TRACEPOINT(x)			\
	if (!strcmp(tp->name, #x))		\
		pev_linux.tp_##x = tp;
	PEV_TRACEPOINTS(TAKE_TRACEPOINT)
}

static void __init find_tracepoints(void)
{
	for_each_kernel_tracepoint(take_tracepoint, NULL);
#ifdef PEV_LINUX_6_1
	/* the module's own, and no other: what is called there is what 6.12 says of it */
	pev_linux.tp_sched_prepare_exec = &__tracepoint_sched_prepare_exec;
#endif
#define CHECK_TRACEPOINT(x)			\
	if (!pev_linux.tp_##x)			\
		miss("tracepoint", #x);
	PEV_TRACEPOINTS(CHECK_TRACEPOINT)
}

static const char built_for[] __initconst = UTS_RELEASE;

/*
 * Where Linux has versions of what it exports, it compares these, and no release. What is
 * found here by name has no versions: another kernel may have other parameters.
 */
static int __init check_release(void)
{
	const char *release = init_utsname()->release;

	/* or the compiler makes numbers of the text, in which a test writes another one */
	OPTIMIZER_HIDE_VAR(release);
	if (!strcmp(release, built_for))
		return 0;
	pr_err("this module is for Linux %s, and this is %s: build it for this kernel\n",
	       built_for, release);
	return -ENOEXEC;
}

int __init pev_resolve(void)
{
	int err = check_release();

	if (!err)
		err = find_lookup();
	if (err)
		return err;
	if (static_call(pev_lookup)("__se_sys_pev_open")) {
		pr_err("this kernel has pev built in: the module is not needed\n");
		return -EEXIST;
	}
	find_functions();
	find_data();
	find_tracepoints();
	if (!missing)
		return 0;
	pr_err("pev does without none of these %u: it cannot be loaded on this kernel\n", missing);
	return -EOPNOTSUPP;
}
