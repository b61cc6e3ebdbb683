// SPDX-License-Identifier: GPL-2.0
/*
 * Which processors there are, and their codes of events that have a name on all:
 * POWER8, POWER9 and POWER10 Performance Monitor Unit User's Guides.
 *
 * PEV_HW_CACHE_REFS and PEV_HW_CACHE_MISSES are those of the last level by all
 * that asks for them; these processors only count loads there. There is no
 * clock of constant rate among the events but for the timebase's.
 */
#include <linux/kernel.h>
#include <linux/types.h>
#include "power.h"

/* PM_CYC and PM_INST_CMPL on PMC6 and PMC5, which then also count in idle. */
#define CYCLES		(0x600f4 | CFG_IDLE_TOO)
#define INSTRUCTIONS	(0x500fa | CFG_IDLE_TOO)

const struct ppc_pev_model ppc_pev_models[] = { {
	.name		= "POWER8",
	.pvr		= { 0x4d, 0x4b, 0x4c },
	.code		= 0x0003ffffffffffffULL & ~0x600ULL,
	.mode_bad	= 0x88888888,	/* mode 3 */
	.sdar_mode	= 1,		/* data TLB misses */
	.events		= {
		[PEV_HW_CYCLES]		= { CYCLES, 0x0001e },
		[PEV_HW_INSTRUCTIONS]	= { INSTRUCTIONS, 0x00002 },
		[PEV_HW_BRANCHES]	= { 0x40060 },		/* PM_BR_CMPL */
		[PEV_HW_BRANCH_MISSES]	= { 0x400f6 },		/* PM_BR_MPRED_CMPL */
		[PEV_HW_STALLED_FRONT]	= { 0x100f8 },		/* PM_GCT_NOSLOT_CYC */
		[PEV_HW_STALLED_BACK]	= { 0x4000a, 0x1e054 },	/* PM_CMPLU_STALL */
		[PEV_HW_L1D_LOADS]	= { 0x100ee },		/* PM_LD_REF_L1 */
		[PEV_HW_L1D_MISSES]	= { 0x3e054, 0x400f0 },	/* PM_LD_MISS_L1 */
		[PEV_HW_L1I_MISSES]	= { 0x200fd },		/* PM_L1_ICACHE_MISS */
		[PEV_HW_LLC_LOADS]	= { 0x200fe },		/* PM_DATA_FROM_L2MISS */
		[PEV_HW_LLC_MISSES]	= { 0x300fe },		/* PM_DATA_FROM_L3MISS */
		[PEV_HW_DTLB_MISSES]	= { 0x300fc },		/* PM_DTLB_MISS */
		[PEV_HW_ITLB_MISSES]	= { 0x400fc },		/* PM_ITLB_MISS */
	},
}, {
	.name		= "POWER9",
	.pvr		= { 0x4e },
	.code		= 0x000fffffffffffffULL & ~0x200ULL,
	.mode_bad	= 0x88888888 | 1U << 0x05 | 1U << 0x09 | 1U << 0x0c | 1U << 0x0d |
			  1U << 0x19 | 1U << 0x1a | 1U << 0x1d | 1U << 0x1e,
	.sdar_mode	= 2,		/* data cache misses */
	.sdar_shift	= 50,
	.combine2	= true,
	.bus_banks	= true,
	.events		= {
		[PEV_HW_CYCLES]		= { CYCLES, 0x0001e },
		[PEV_HW_INSTRUCTIONS]	= { INSTRUCTIONS, 0x00002 },
		[PEV_HW_BRANCHES]	= { 0x4d05e },		/* PM_BR_CMPL */
		[PEV_HW_BRANCH_MISSES]	= { 0x400f6 },		/* PM_BR_MPRED_CMPL */
		[PEV_HW_STALLED_FRONT]	= { 0x100f8 },		/* PM_ICT_NOSLOT_CYC */
		[PEV_HW_STALLED_BACK]	= { 0x1e054 },		/* PM_CMPLU_STALL */
		[PEV_HW_L1D_LOADS]	= { 0x100fc },		/* PM_LD_REF_L1 */
		[PEV_HW_L1D_MISSES]	= { 0x3e054, 0x400f0 },	/* PM_LD_MISS_L1 */
		[PEV_HW_L1I_MISSES]	= { 0x200fd },		/* PM_L1_ICACHE_MISS */
		[PEV_HW_LLC_LOADS]	= { 0x200fe },		/* PM_DATA_FROM_L2MISS */
		[PEV_HW_LLC_MISSES]	= { 0x300fe },		/* PM_DATA_FROM_L3MISS */
		[PEV_HW_DTLB_MISSES]	= { 0x300fc },		/* PM_DTLB_MISS */
		[PEV_HW_ITLB_MISSES]	= { 0x400fc },		/* PM_ITLB_MISS */
	},
}, {
	.name		= "POWER10",
	.pvr		= { 0x80, 0x82 },	/* and POWER11 */
	.code		= 0x0fffffffffffffffULL,
	.mode_bad	= 0x88888888 | 1U << 0x05 | 1U << 0x09 | 1U << 0x0d | 1U << 0x10 |
			  1U << 0x19 | 1U << 0x1a | 1U << 0x1d | 1U << 0x1e,
	.sdar_mode	= 2,
	.sdar_shift	= 22,
	.combine2	= true,
	.isa31		= true,
	.events		= {
		[PEV_HW_CYCLES]		= { CYCLES, 0x0001e },
		[PEV_HW_INSTRUCTIONS]	= { INSTRUCTIONS, 0x00002 },
		[PEV_HW_BRANCHES]	= { 0x4d05e },		/* PM_BR_CMPL */
		[PEV_HW_BRANCH_MISSES]	= { 0x400f6 },		/* PM_BR_MPRED_CMPL */
		[PEV_HW_STALLED_FRONT]	= { 0x100f8 },		/* PM_DISP_STALL_CYC */
		[PEV_HW_STALLED_BACK]	= { 0x30008 },		/* PM_EXEC_STALL */
		[PEV_HW_L1D_LOADS]	= { 0x100fc },		/* PM_LD_REF_L1 */
		[PEV_HW_L1D_MISSES]	= { 0x400f0 },		/* PM_LD_DEMAND_MISS_L1_FIN */
		[PEV_HW_L1I_MISSES]	= { 0x200fd },		/* PM_L1_ICACHE_MISS */
		[PEV_HW_LLC_LOADS]	= { 0x200fe },		/* PM_DATA_FROM_L2MISS */
		[PEV_HW_LLC_MISSES]	= { 0x300fe },		/* PM_DATA_FROM_L3MISS */
		[PEV_HW_DTLB_MISSES]	= { 0x300fc },		/* PM_DTLB_MISS */
		[PEV_HW_ITLB_MISSES]	= { 0x400fc },		/* PM_ITLB_MISS */
	},
} };

const unsigned int ppc_pev_nr_models = ARRAY_SIZE(ppc_pev_models);
