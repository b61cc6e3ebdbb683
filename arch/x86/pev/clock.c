// SPDX-License-Identifier: GPL-2.0
/* Says whether the TSC can be a trace clock. */
#include <linux/clocksource.h>
#include <linux/cpufeature.h>
#include <linux/pev_clock.h>
#include <linux/types.h>
#include <asm/tsc.h>

u64 pev_clock_cycles_hz(void)
{
	/*
	 * The kernel watches the TSC against other clocks and between CPUs;
	 * what it does not trust for its own time is not good enough for us.
	 */
	if (check_tsc_unstable())
		return 0;
	/* a hypervisor that vouches for it need not show both */
	if (!(boot_cpu_has(X86_FEATURE_CONSTANT_TSC) && boot_cpu_has(X86_FEATURE_NONSTOP_TSC)) &&
	    !tsc_clocksource_reliable)
		return 0;
	return (u64)tsc_khz * 1000;
}
