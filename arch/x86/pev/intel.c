// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's architectural performance monitoring: which counters CPUID says there
 * are. SDM volume 3, 20.2 (Architectural Performance Monitoring); volume 2, CPUID
 * leaf 0AH. Section numbers are those of the edition of 2023; before, the chapter
 * was 18 or 19.
 *
 *	version 1	counters for any event, each with its own enable bit
 *	version 2	fixed counters, GLOBAL_CTRL, GLOBAL_STATUS, freeze on PMI, which
 *			clears GLOBAL_CTRL
 *	version 3	AnyThread, which is not used
 *	version 4	freeze on PMI sets GLOBAL_STATUS[59] and leaves GLOBAL_CTRL
 *	version 5	CPUID has a bit for each fixed counter
 */
#define pr_fmt(fmt) "pev: " fmt

#include <linux/cpufeature.h>
#include <linux/kernel.h>
#include <linux/processor.h>
#include <linux/sprintf.h>
#include <asm/msr-index.h>
#include <asm/perf_event.h>
#include "hw.h"
#include "intel.h"
#include "regs.h"

#define hw	(&x86_pev_hw)

#define CAP_FULL_WRITE	BIT_ULL(13)	/* PERF_CAPABILITIES. SDM volume 3, 20.2.8 */
#define TSX_COUNTER	3	/* that transactions overwrite */
#define STATUS_FROZEN	BIT_ULL(59)	/* GLOBAL_STATUS.CTR_FRZ. 20.2.4 */

/* Events in the order of CPUID.0AH:EBX. SDM volume 3, table 20-1. */
static const struct {
	u8	event;
	u16	code;
} arch_events[] = {
	{ PEV_HW_CYCLES,	0x003c },
	{ PEV_HW_INSTRUCTIONS,	0x00c0 },
	{ PEV_HW_BUS_CYCLES,	0x013c },
	{ PEV_HW_CACHE_REFS,	0x4f2e },
	{ PEV_HW_CACHE_MISSES,	0x412e },
	{ PEV_HW_BRANCHES,	0x00c4 },
	{ PEV_HW_BRANCH_MISSES,	0x00c5 },
};

static const struct x86_pev_model *__init find_model(void)
{
	const struct x86_pev_model *model;
	const u32 *m;

	for (model = x86_pev_intel_models; model->models; model++)
		for (m = model->models; *m; m++)
			if (*m == boot_cpu_data.x86_vfm)
				return model;
	return model;
}

static void __init find_events(u32 nr, u32 missing)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(arch_events); i++)
		if (i < nr && !(missing & BIT(i)))
			hw->arch[arch_events[i].event] = arch_events[i].code;
	/* a fixed counter needs no event */
	if (hw->present & BIT_ULL(X86_PEV_FIXED))
		hw->arch[PEV_HW_INSTRUCTIONS] = hw->arch[PEV_HW_INSTRUCTIONS] ?: 0x0100;
	if (hw->present & BIT_ULL(X86_PEV_FIXED + 1))
		hw->arch[PEV_HW_CYCLES] = hw->arch[PEV_HW_CYCLES] ?: 0x0200;
	/*
	 * The event for reference cycles and the fixed counter for them have
	 * different rates on most: one or the other, but not both for an event.
	 */
	if (hw->present & BIT_ULL(X86_PEV_FIXED + 2))
		hw->arch[PEV_HW_REF_CYCLES] = 0x0300;
	else
		hw->arch[PEV_HW_REF_CYCLES] = hw->arch[PEV_HW_BUS_CYCLES];
	if (hw->model->ref_tsc)
		hw->arch[PEV_HW_BUS_CYCLES] = 0;
}

/* CPUID.0AH. SDM volume 3, 20.2 */
struct leaf {
	u32 eax, ebx, ecx, edx;
};

static bool __init has_leaf(void)
{
	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU)) {
		pr_info("no hardware counters by pev's own driver: this processor has several kinds of cores, which perf's can count\n");
		return false;
	}
	if (!boot_cpu_has(X86_FEATURE_ARCH_PERFMON) || boot_cpu_data.cpuid_level < 10) {
		pr_info("no hardware counters: the processor has no architectural performance monitoring\n");
		return false;
	}
	return true;
}

static void __init find_counters(const struct leaf *leaf)
{
	u32 gp = min(leaf->eax >> 8 & 0xff, X86_PEV_FIXED);

	hw->bits = leaf->eax >> 16 & 0xff;
	hw->present = GENMASK_ULL(gp - 1, 0);
	/* Intel 604224, "Performance Monitoring Impact of TSX Memory Ordering Issue" */
	if (boot_cpu_has(X86_FEATURE_TSX_FORCE_ABORT) &&
	    !boot_cpu_has(X86_FEATURE_RTM_ALWAYS_ABORT)) {
		pr_info("PMC%u is left alone: transactions overwrite it\n", TSX_COUNTER);
		hw->present &= ~BIT_ULL(TSX_COUNTER);
	}
}

/* What version 2 brought: fixed counters, and registers for all counters at once. */
static void __init find_global(const struct leaf *leaf, u32 version)
{
	u32 fixed = min(leaf->edx & 0x1f, 16);

	/* some of the first processors with fixed counters don't mention them */
	if (version == 2 && fixed < 3 && !boot_cpu_has(X86_FEATURE_HYPERVISOR))
		fixed = 3;
	hw->fixed_bits = leaf->edx >> 5 & 0xff ?: hw->bits;
	if (fixed)
		hw->present |= GENMASK_ULL(X86_PEV_FIXED + fixed - 1, X86_PEV_FIXED);
	if (version >= 5)
		hw->present |= (u64)(leaf->ecx & 0xffff) << X86_PEV_FIXED;
	hw->ctrl = MSR_CORE_PERF_GLOBAL_CTRL;
	hw->status = MSR_CORE_PERF_GLOBAL_STATUS;
	hw->ack = MSR_CORE_PERF_GLOBAL_OVF_CTRL;
}

static void __init find_registers(u32 version)
{
	u64 cap = 0;

	if (boot_cpu_has(X86_FEATURE_PDCM))
		reg_read_safe(MSR_IA32_PERF_CAPABILITIES, &cap);
	hw->sel = MSR_ARCH_PERFMON_EVENTSEL0;
	hw->ctr = MSR_ARCH_PERFMON_PERFCTR0;
	hw->narrow = !(cap & CAP_FULL_WRITE);
	hw->ctr_write = hw->narrow ? hw->ctr : MSR_IA32_PMC0;
	hw->stride = 1;
	/* PERF_CAPABILITIES is part of the condition. SDM volume 4, IA32_DEBUGCTL */
	hw->freeze = version >= 2 && boot_cpu_has(X86_FEATURE_PDCM) && !hw->model->no_freeze;
	hw->frozen = hw->freeze && version >= 4 ? STATUS_FROZEN : 0;
	hw->masks = true;
	hw->pebs = boot_cpu_has(X86_FEATURE_PEBS);
	hw->raw = 0xffffffff & ~(SEL_USR | SEL_OS | SEL_PC | SEL_INT | SEL_ANY | SEL_EN);
	hw->guests = boot_cpu_has(X86_FEATURE_VMX);
	hw->kvm_switches = true;
}

int __init x86_pev_intel_detect(void)
{
	struct leaf leaf;
	u32 version;

	if (!has_leaf())
		return -ENODEV;
	cpuid(10, &leaf.eax, &leaf.ebx, &leaf.ecx, &leaf.edx);
	version = leaf.eax & 0xff;
	hw->model = find_model();
	find_counters(&leaf);
	if (version >= 2)
		find_global(&leaf, version);
	find_registers(version);
	find_events(leaf.eax >> 24, leaf.ebx);
	if (hw->bits < 32 || hw->bits > 63 || (version >= 2 && hw->fixed_bits < 32) ||
	    hw->fixed_bits > 63) {
		pr_info("no hardware counters: they can't be %u or %u bits wide\n", hw->bits,
			hw->fixed_bits);
		return -ENODEV;
	}
	snprintf(hw->name, sizeof(hw->name), "Intel architectural perfmon %u%s%s", version,
		 hw->model->name ? ", " : "", hw->model->name ?: "");
	if (version == 1)
		pr_info("%s: counters start and stop one after the other, run on after an overflow, and have fewer events\n",
			hw->name);
	return 0;
}
