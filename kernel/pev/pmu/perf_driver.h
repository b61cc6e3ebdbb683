/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf's drivers need beyond their callbacks when the next overflow is moved. perf itself
 * calls these so only to change a frequency's period, where an error goes unseen.
 */
#ifndef _PEV_PMU_PERF_DRIVER_H
#define _PEV_PMU_PERF_DRIVER_H

#include <linux/perf_event.h>
#include <linux/types.h>

#ifdef CONFIG_X86
#include <linux/cpufeature.h>
#include <linux/processor.h>

/*
 * AMD's handler for processors without PerfMonV2 takes the PMU for stopped while it runs: what
 * is started there is not enabled, and nothing enables it later.
 */
static inline bool pev_perf_starts_in_pmi(void)
{
	return (boot_cpu_data.x86_vendor != X86_VENDOR_AMD &&
		boot_cpu_data.x86_vendor != X86_VENDOR_HYGON) ||
	       boot_cpu_has(X86_FEATURE_PERFMON_V2);
}

/*
 * Is the host left out for certain? Intel's driver takes the counter off the hardware while no
 * guest runs. AMD's has two bits of the event select for it, which KVM drops where this machine is
 * itself a guest; and other drivers have never heard of it.
 */
static inline bool pev_perf_leaves_out_host(void)
{
	switch (boot_cpu_data.x86_vendor) {
	case X86_VENDOR_INTEL:
		return boot_cpu_has(X86_FEATURE_ARCH_PERFMON);
	case X86_VENDOR_AMD:
	case X86_VENDOR_HYGON:
		return boot_cpu_data.x86 >= 0x10 && !boot_cpu_has(X86_FEATURE_HYPERVISOR);
	default:
		return false;
	}
}
#else
static inline bool pev_perf_starts_in_pmi(void) { return true; }
static inline bool pev_perf_leaves_out_host(void) { return true; }
#endif

#ifdef CONFIG_PPC
/* A PMC overflows when this bit is set. */
#define PEV_PPC_PMC_OVER	0x80000000LL

/*
 * start() writes the PMC, but not that it did: the next reading would take the distance from
 * where it was stopped for occurrences.
 *
 * The event is stopped, and no PMI looks at it.
 */
static inline void pev_perf_before_start(struct perf_event *event, s64 left)
{
	s64 pmc = left < PEV_PPC_PMC_OVER ? PEV_PPC_PMC_OVER - left : 0;

	local64_set(&event->hw.prev_count, pmc);
}
#else
static inline void pev_perf_before_start(struct perf_event *event, s64 left) { }
#endif

#endif
