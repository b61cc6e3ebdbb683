// SPDX-License-Identifier: GPL-2.0
/* Owns the names of generic hardware events. Needs nothing of the kernel: tests compile it, too. */
#include "names.h"

const char * const pev_hardware_names[PEV_HW_MAX] = {
	[PEV_HW_CYCLES]		= "cycles",
	[PEV_HW_REF_CYCLES]	= "ref-cycles",
	[PEV_HW_INSTRUCTIONS]	= "instructions",
	[PEV_HW_BRANCHES]	= "branches",
	[PEV_HW_BRANCH_MISSES]	= "branch-misses",
	[PEV_HW_CACHE_REFS]	= "cache-references",
	[PEV_HW_CACHE_MISSES]	= "cache-misses",
	[PEV_HW_STALLED_FRONT]	= "stalled-cycles-frontend",
	[PEV_HW_STALLED_BACK]	= "stalled-cycles-backend",
	[PEV_HW_BUS_CYCLES]	= "bus-cycles",
	[PEV_HW_L1D_LOADS]	= "L1-dcache-loads",
	[PEV_HW_L1D_MISSES]	= "L1-dcache-load-misses",
	[PEV_HW_L1I_MISSES]	= "L1-icache-load-misses",
	[PEV_HW_LLC_LOADS]	= "LLC-loads",
	[PEV_HW_LLC_MISSES]	= "LLC-load-misses",
	[PEV_HW_DTLB_LOADS]	= "dTLB-loads",
	[PEV_HW_DTLB_MISSES]	= "dTLB-load-misses",
	[PEV_HW_ITLB_MISSES]	= "iTLB-load-misses",
};
