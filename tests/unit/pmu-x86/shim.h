/* SPDX-License-Identifier: GPL-2.0 */
/* What arch/x86/pev uses of the kernel, for user space. Registers are model.c's. */
#ifndef SHIM_H
#define SHIM_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;
typedef u32 __u32;
typedef u16 __u16;
typedef u8 __u8;
typedef s32 __s32;
typedef u64 __u64;
typedef s64 __s64;

struct pt_regs { int dummy; };

/* ---- language ---- */
#define __init
#define __user
#define __ro_after_init
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#define noinline		__attribute__((noinline))
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define barrier()		__asm__ __volatile__("" : : : "memory")
#define READ_ONCE(x)		(*(volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK_ULL(h, l)	((~0ULL << (l)) & (~0ULL >> (63 - (h))))
#define min(a, b)		((a) < (b) ? (a) : (b))
#define min_t(t, a, b)		((t)(a) < (t)(b) ? (t)(a) : (t)(b))
#define clamp(v, l, h)		((v) < (l) ? (l) : (v) > (h) ? (h) : (v))
#define __ffs64(x)		((unsigned int)__builtin_ctzll(x))
#define hweight64(x)		((unsigned int)__builtin_popcountll(x))
#define NSEC_PER_MSEC		1000000ULL
#define scnprintf		snprintf
#define vscnprintf		vsnprintf
#define strscpy(to, from)	snprintf(to, sizeof(to), "%s", from)
#define ERR_PTR(e)		((void *)(long)(e))
#define u64_to_user_ptr(a)	((void *)(uintptr_t)(a))
#define copy_to_user(to, from, n) (memcpy(to, from, n), 0)
#define pr_info(...)		((void)shim_say(__VA_ARGS__))
#define printk_deferred_once(...) ((void)shim_say(__VA_ARGS__))
__printf(1, 2) int shim_say(const char *fmt, ...);

/* ---- one CPU; no interrupts but the model's ---- */
#define DECLARE_PER_CPU(t, n)	extern t n
#define DEFINE_PER_CPU(t, n)	t n
#define this_cpu_ptr(p)		(p)
#define this_cpu_read(v)	(v)
#define this_cpu_or(v, bits)	((void)((v) |= (bits)))
#define smp_processor_id()	0
#define raw_local_irq_save(f) ((void)((f) = 0))
#define raw_local_irq_restore(f) ((void)(f))
#define local_irq_save(f)	((void)((f) = 0))
#define local_irq_restore(f)	((void)(f))
#define on_each_cpu(f, arg, w)	f(arg)
#define on_each_cpu_mask(m, f, arg, w) f(arg)
#define sched_clock()		shim_now
#define jiffies ((unsigned long)(shim_now / 4000000))
#define inc_irq_stat(x)		((void)0)
#define NOKPROBE_SYMBOL(x)	extern int shim_nothing
#define device_initcall(f)	int shim_init(void) { return f(); }
extern u64 shim_now;
int shim_init(void);

struct kernel_param;
struct kernel_param_ops {
	int flags;
	int (*set)(const char *value, const struct kernel_param *param);
	int (*get)(char *buffer, const struct kernel_param *param);
};
#define KERNEL_PARAM_OPS_FL_NOARG 0
#define module_param_cb(n, ops, var, mode) const struct kernel_param_ops *shim_param = ops
extern const struct kernel_param_ops *shim_param;
int param_set_bool(const char *value, const struct kernel_param *param);
int param_get_bool(char *buffer, const struct kernel_param *param);

/* ---- address spaces ---- */
typedef struct { int counter; } atomic_t;
struct mm_struct { struct { atomic_t perf_rdpmc_allowed; } context; };
struct task_struct { struct mm_struct *mm; };
#define atomic_set(a, n)	((a)->counter = (n))
#define atomic_inc_return(a)	(++(a)->counter)
#define atomic_dec_and_test(a)	(!--(a)->counter)
#define mm_cpumask(mm)		(mm)
void cr4_update_pce(void *unused);

/* ---- the processor ---- */
enum { X86_VENDOR_INTEL, X86_VENDOR_AMD, X86_VENDOR_HYGON, X86_VENDOR_OTHER };
enum {
	X86_FEATURE_APIC,
	X86_FEATURE_HYBRID_CPU,
	X86_FEATURE_ARCH_PERFMON,
	X86_FEATURE_HYPERVISOR,
	X86_FEATURE_PDCM,
	X86_FEATURE_PEBS,
	X86_FEATURE_VMX,
	X86_FEATURE_SVM,
	X86_FEATURE_PERFCTR_CORE,
	X86_FEATURE_PERFMON_V2,
	X86_FEATURE_AMD_LBR_PMC_FREEZE,
	X86_FEATURE_TSX_FORCE_ABORT,
	X86_FEATURE_RTM_ALWAYS_ABORT,
	X86_FEATURE_XENPV,
	X86_FEATURE_PERFCTR_NB,
	X86_FEATURE_PERFCTR_LLC,
};
struct shim_cpu { int x86_vendor, x86, x86_model, cpuid_level; u32 x86_vfm; };
extern struct shim_cpu boot_cpu_data;
extern u64 shim_features;
#define boot_cpu_has(f)		(shim_features >> (f) & 1)
void cpuid(u32 leaf, u32 *eax, u32 *ebx, u32 *ecx, u32 *edx);
u32 cpuid_ebx(u32 leaf);
struct x86_pmu_capability { int num_counters_gp; };
void perf_get_x86_pmu_capability(struct x86_pmu_capability *cap);
void perf_clear_dirty_counters(void);

#define IFM(family, model)	((family) << 8 | (model))
#define INTEL_NEHALEM		IFM(6, 0x1e)
#define INTEL_NEHALEM_G		IFM(6, 0x1f)
#define INTEL_NEHALEM_EP	IFM(6, 0x1a)
#define INTEL_NEHALEM_EX	IFM(6, 0x2e)
#define INTEL_WESTMERE		IFM(6, 0x25)
#define INTEL_WESTMERE_EP	IFM(6, 0x2c)
#define INTEL_WESTMERE_EX	IFM(6, 0x2f)
#define INTEL_SANDYBRIDGE	IFM(6, 0x2a)
#define INTEL_SANDYBRIDGE_X	IFM(6, 0x2d)
#define INTEL_IVYBRIDGE		IFM(6, 0x3a)
#define INTEL_IVYBRIDGE_X	IFM(6, 0x3e)
#define INTEL_HASWELL		IFM(6, 0x3c)
#define INTEL_HASWELL_X		IFM(6, 0x3f)
#define INTEL_HASWELL_L		IFM(6, 0x45)
#define INTEL_HASWELL_G		IFM(6, 0x46)
#define INTEL_BROADWELL		IFM(6, 0x3d)
#define INTEL_BROADWELL_G	IFM(6, 0x47)
#define INTEL_BROADWELL_X	IFM(6, 0x4f)
#define INTEL_BROADWELL_D	IFM(6, 0x56)
#define INTEL_SKYLAKE_L		IFM(6, 0x4e)
#define INTEL_SKYLAKE		IFM(6, 0x5e)
#define INTEL_SKYLAKE_X		IFM(6, 0x55)
#define INTEL_KABYLAKE_L	IFM(6, 0x8e)
#define INTEL_KABYLAKE		IFM(6, 0x9e)
#define INTEL_COMETLAKE		IFM(6, 0xa5)
#define INTEL_COMETLAKE_L	IFM(6, 0xa6)
#define INTEL_ICELAKE_X		IFM(6, 0x6a)
#define INTEL_ICELAKE_D		IFM(6, 0x6c)
#define INTEL_ICELAKE		IFM(6, 0x7d)
#define INTEL_ICELAKE_L		IFM(6, 0x7e)
#define INTEL_ICELAKE_NNPI	IFM(6, 0x9d)
#define INTEL_ROCKETLAKE	IFM(6, 0xa7)
#define INTEL_TIGERLAKE_L	IFM(6, 0x8c)
#define INTEL_TIGERLAKE		IFM(6, 0x8d)
#define INTEL_SAPPHIRERAPIDS_X	IFM(6, 0x8f)
#define INTEL_EMERALDRAPIDS_X	IFM(6, 0xcf)
#define INTEL_GRANITERAPIDS_X	IFM(6, 0xad)
#define INTEL_GRANITERAPIDS_D	IFM(6, 0xae)
#define INTEL_ATOM_GOLDMONT	IFM(6, 0x5c)
#define INTEL_ATOM_GOLDMONT_D	IFM(6, 0x5f)
#define INTEL_ATOM_GOLDMONT_PLUS IFM(6, 0x7a)
#define INTEL_ATOM_SILVERMONT IFM(6, 0x37)
#define INTEL_ATOM_SILVERMONT_D IFM(6, 0x4d)
#define INTEL_ATOM_SILVERMONT_MID IFM(6, 0x4a)
#define INTEL_ATOM_AIRMONT IFM(6, 0x4c)
#define INTEL_ATOM_AIRMONT_MID IFM(6, 0x5a)
#define INTEL_ATOM_TREMONT_D IFM(6, 0x86)
#define INTEL_ATOM_TREMONT IFM(6, 0x96)
#define INTEL_ATOM_TREMONT_L IFM(6, 0x9c)
#define INTEL_ATOM_GRACEMONT IFM(6, 0xbe)
#define INTEL_ATOM_CRESTMONT_X IFM(6, 0xaf)
#define INTEL_ATOM_CRESTMONT IFM(6, 0xb6)

/* ---- registers ---- */
#define MSR_CORE_PERF_FIXED_CTR0	0x309
#define MSR_CORE_PERF_FIXED_CTR_CTRL	0x38d
#define MSR_CORE_PERF_GLOBAL_STATUS	0x38e
#define MSR_CORE_PERF_GLOBAL_CTRL	0x38f
#define MSR_CORE_PERF_GLOBAL_OVF_CTRL	0x390
#define MSR_ARCH_PERFMON_PERFCTR0	0xc1
#define MSR_ARCH_PERFMON_EVENTSEL0	0x186
#define MSR_IA32_PMC0			0x4c1
#define MSR_IA32_PERF_CAPABILITIES	0x345
#define MSR_IA32_PEBS_ENABLE		0x3f1
#define MSR_IA32_DEBUGCTLMSR		0x1d9
#define DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI (1UL << 12)
#define MSR_EFER			0xc0000080
#define EFER_SVME			(1UL << 12)
#define MSR_K7_EVNTSEL0			0xc0010000
#define MSR_K7_PERFCTR0			0xc0010004
#define MSR_F15H_PERF_CTL		0xc0010200
#define MSR_F15H_PERF_CTR		0xc0010201
#define MSR_AMD64_PERF_CNTR_GLOBAL_STATUS 0xc0000300
#define MSR_AMD64_PERF_CNTR_GLOBAL_CTL	0xc0000301
#define MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_CLR 0xc0000302
int model_read(u32 msr, u64 *value);
int model_write(u32 msr, u64 value);
u64 model_rdpmc(u32 index);
void model_fault(u32 msr);
#define rdmsrl_safe		model_read
#define wrmsrl_safe		model_write
#define __rdmsr(msr)	model_rdmsr(msr)
#define __wrmsr(msr, low, high)	wrmsrl(msr, (low) | (u64)(high) << 32)
#define rdmsrl(msr, v) do { if (model_read(msr, &(v))) model_fault(msr); } while (0)
#define wrmsrl(msr, v) do { if (model_write(msr, v)) model_fault(msr); } while (0)
static inline u64 model_rdmsr(u32 msr)
{
	u64 value;

	rdmsrl(msr, value);
	return value;
}

#define rdpmcl(i, v)		((v) = model_rdpmc(i))

#define APIC_LVTPC		0x340
#define APIC_DM_NMI		0x400
#define APIC_LVT_MASKED		0x10000
extern bool apic_is_disabled;
int lapic_get_maxlvt(void);
u32 apic_read(u32 reg);
void apic_write(u32 reg, u32 value);

/* ---- owners ---- */
#define CONFIG_PEV 1
#define CONFIG_HARDLOCKUP_DETECTOR_PERF	1
#define WATCHDOG_HARDLOCKUP_ENABLED	1
extern unsigned long watchdog_enabled;
extern int watchdog_thresh;
void lockup_detector_reconfigure(void);

struct work_struct {
	void (*func)(struct work_struct *work);
};

#define DECLARE_WORK(name, function)	struct work_struct name = { function }

static inline void schedule_work(struct work_struct *work)
{
	work->func(work);
}

int reserve_perfctr_nmi(u32 msr);
int reserve_evntsel_nmi(u32 msr);
void release_perfctr_nmi(u32 msr);
void release_evntsel_nmi(u32 msr);

enum { NMI_LOCAL };
#define NMI_DONE	0
#define NMI_HANDLED	1
#define NMI_FLAG_FIRST	1
typedef int (*nmi_handler_t)(unsigned int cmd, struct pt_regs *regs);
struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD_INIT(list)     \
	{                        \
		&(list), &(list) \
	}
#define list_empty(list) ((list)->next == (list))
struct nmiaction {
	struct list_head list;
	nmi_handler_t handler;
	unsigned long flags;
	const char *name;
};

int __register_nmi_handler(unsigned int type, struct nmiaction *action);

#endif
