// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's core performance counters: which there are. APM volume 2, 13.2 (Performance
 * Monitoring Counters); volume 3, appendix E (CPUID 8000_0001, 8000_0022).
 *
 *	before		four counters
 *	PerfCtrExtCore	six, with registers of their own
 *	PerfMonV2	global control and status, freeze on PMI
 *
 * LVTPC is not masked by a PMI, but by some hypervisors: KVM had Intel's way for all
 * guests for a time.
 */
#define pr_fmt(fmt) "pev: " fmt

#include <linux/cpufeature.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/processor.h>
#include <linux/sprintf.h>
#include <asm/msr-index.h>
#include <asm/perf_event.h>
#include "amd.h"
#include "hw.h"
#include "regs.h"

#define hw	(&x86_pev_hw)

#define STATUS_FROZEN	BIT_ULL(59)	/* PerfCntrGlobalStatus.PmcFreeze */
#define LEGACY_COUNTERS	4
#define CORE_COUNTERS	6

static const struct x86_pev_model *__init find_model(void)
{
	const struct x86_pev_model *model;

	for (model = x86_pev_amd_models; model->family; model++)
		if (model->family == boot_cpu_data.x86 &&
		    boot_cpu_data.x86_model >= model->first &&
		    boot_cpu_data.x86_model <= model->last)
			return model;
	return model;
}

/*
 * Does an event select keep what it is told of guests? KVM drops these bits of a guest's: what is
 * to count guests of that guest alone would count all that it does, and so would what is lent to
 * them. Asked of a counter that is off, which it stays.
 */
static bool __init guest_bits_stay(void)
{
	unsigned long flags;
	bool stay = false;
	unsigned int i;
	u64 was, now;

	if (!hw->guests || !boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return true;
	local_irq_save(flags);
	for_each_counter(i, hw->present) {
		u32 sel = hw->sel + hw->stride * i;

		if (reg_read_safe(sel, &was) || was & SEL_EN)
			continue;
		stay = !reg_write_safe(sel, was | SEL_GUEST) && !reg_read_safe(sel, &now) &&
		       now & SEL_GUEST;
		reg_write_safe(sel, was);
		break;
	}
	local_irq_restore(flags);
	return stay;
}

int __init x86_pev_amd_detect(void)
{
	struct x86_pmu_capability cap;
	const char *kind = "4 counters";
	unsigned int nr = LEGACY_COUNTERS;

	/* CPUID does not mention the oldest counters; perf has tried whether they work */
	perf_get_x86_pmu_capability(&cap);
	if (boot_cpu_data.x86 < 0xf || !cap.num_counters_gp) {
		pr_info("no hardware counters: there are none that work\n");
		return -ENODEV;
	}
	hw->model = find_model();
	hw->sel = MSR_K7_EVNTSEL0;
	hw->ctr = MSR_K7_PERFCTR0;
	hw->stride = 1;
	if (boot_cpu_has(X86_FEATURE_PERFCTR_CORE)) {
		kind = "core counters";
		nr = CORE_COUNTERS;
		hw->sel = MSR_F15H_PERF_CTL;
		hw->ctr = MSR_F15H_PERF_CTR;
		hw->stride = 2;
	}
	if (boot_cpu_has(X86_FEATURE_PERFMON_V2)) {
		kind = "PerfMonV2";
		/* rdpmc knows six core counters by these numbers */
		nr = clamp(cpuid_ebx(0x80000022) & 0xf, 1u, (u32)CORE_COUNTERS);
		hw->ctrl = MSR_AMD64_PERF_CNTR_GLOBAL_CTL;
		hw->status = MSR_AMD64_PERF_CNTR_GLOBAL_STATUS;
		hw->ack = MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_CLR;
		hw->freeze = boot_cpu_has(X86_FEATURE_AMD_LBR_PMC_FREEZE);
		hw->frozen = hw->freeze ? STATUS_FROZEN : 0;
	}
	hw->present = GENMASK_ULL(nr - 1, 0);
	hw->ctr_write = hw->ctr;
	hw->bits = 48;
	hw->may_mask = boot_cpu_has(X86_FEATURE_HYPERVISOR);
	hw->raw = 0xffffffff & ~(SEL_USR | SEL_OS | SEL_PC | SEL_INT | SEL_ANY | SEL_EN);
	hw->raw |= GENMASK_ULL(35, 32);		/* bits 8 to 11 of the event */
	hw->guests = boot_cpu_has(X86_FEATURE_SVM);
	hw->tells_guests = boot_cpu_data.x86 >= 0x10 && guest_bits_stay();
	snprintf(hw->name, sizeof(hw->name), "AMD %s%s%s", kind, hw->model->name ? ", " : "",
		 hw->model->name ?: "");
	return 0;
}
