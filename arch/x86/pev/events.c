// SPDX-License-Identifier: GPL-2.0
/*
 * What each processor calls the events that CPUID does not vouch for, and which
 * counters can count what. Only data.
 *
 * Sources:
 *	Intel	the event lists that Intel publishes for each processor (perfmon,
 *		files <model>_core): columns EventCode, UMask, CounterMask, Invert,
 *		Counter and MSRIndex; SDM volume 3, chapter 20 for which processor
 *		has which
 *	Linux	its own driver's constraints, where a list is of the time when counters
 *		4 to 7 were not known of: with hyper-threading off there are eight
 *	AMD	Processor Programming Reference of the family and models, section
 *		"Core Performance Monitor Counters"; BKDG for families 10h to 16h
 *
 * Loads and their misses are those of instructions that retired, where a processor
 * can say so, and demand loads otherwise. The last level is what a core asks when
 * its own caches don't have it.
 */
#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>
#include "hw.h"

#define EV(event, umask)	((event) | (umask) << 8)
#define EVENT_HIGH(n)		((u64)(n) << 32)	/* AMD: bits 8 to 11 of the event */
#define CMASK(n)		((u64)(n) << 24)

#define ANY			(-1)
#define ONLY(mask)		(mask)
#define NEEDS_MORE		0	/* another register, MSRIndex of the lists */

/* ---- Intel ---- */

static const u32 nehalem_models[] = {
	INTEL_NEHALEM, INTEL_NEHALEM_G, INTEL_NEHALEM_EP, INTEL_NEHALEM_EX, 0
};

static const struct x86_pev_rule nehalem_rules[] = {
	{ 0x0b, 0x0b, 0x10, NEEDS_MORE },	/* MEM_INST_RETIRED.LATENCY_ABOVE_* */
	{ 0x40, 0x43, ANY, ONLY(0x3) },		/* L1D_CACHE_* */
	{ 0x48, 0x48, ANY, ONLY(0x3) },		/* L1D_PEND_MISS */
	{ 0x4c, 0x63, ANY, ONLY(0x3) },		/* L1D, LOAD_HIT_PRE, CACHE_LOCK_CYCLES */
	{ 0xb7, 0xb7, 0x01, NEEDS_MORE },	/* OFFCORE_RESPONSE_0 */
	{ 0xb7, 0xb7, ANY, ONLY(0x4) },
	{ 0xbb, 0xbb, 0x01, NEEDS_MORE },	/* OFFCORE_RESPONSE_1 */
	{ }
};

static const u32 westmere_models[] = {
	INTEL_WESTMERE, INTEL_WESTMERE_EP, INTEL_WESTMERE_EX, 0
};

static const struct x86_pev_rule westmere_rules[] = {
	{ 0x0b, 0x0b, 0x10, NEEDS_MORE },	/* MEM_INST_RETIRED.LATENCY_ABOVE_* */
	{ 0x40, 0x43, ANY, ONLY(0x3) },		/* L1D_CACHE_* */
	{ 0x60, 0x60, ANY, ONLY(0x1) },		/* OFFCORE_REQUESTS_OUTSTANDING */
	{ 0x4c, 0x63, ANY, ONLY(0x3) },		/* L1D, LOAD_HIT_PRE, CACHE_LOCK_CYCLES */
	{ 0xb3, 0xb3, ANY, ONLY(0x1) },		/* SNOOPQ_REQUESTS_OUTSTANDING */
	{ 0xb7, 0xb7, 0x01, NEEDS_MORE },	/* OFFCORE_RESPONSE_0 */
	{ 0xb7, 0xb7, ANY, ONLY(0x4) },
	{ 0xbb, 0xbb, 0x01, NEEDS_MORE },	/* OFFCORE_RESPONSE_1 */
	{ }
};

static const u32 sandybridge_models[] = { INTEL_SANDYBRIDGE, INTEL_SANDYBRIDGE_X, 0 };

static const struct x86_pev_rule sandybridge_rules[] = {
	{ 0x48, 0x48, ANY, ONLY(0x4) },		/* L1D_PEND_MISS */
	{ 0xa3, 0xa3, 0x02, ONLY(0x4) },	/* CYCLE_ACTIVITY.CYCLES_L1D_PENDING */
	{ 0xa3, 0xa3, 0x04, ONLY(0xf) },	/* CYCLE_ACTIVITY.CYCLES_NO_DISPATCH */
	{ 0xa3, 0xa3, 0x05, ONLY(0xf) },	/* CYCLE_ACTIVITY.STALLS_L2_PENDING */
	{ 0xa3, 0xa3, 0x06, ONLY(0x4) },	/* CYCLE_ACTIVITY.STALLS_L1D_PENDING */
	{ 0xb7, 0xb7, 0x01, NEEDS_MORE },	/* OFFCORE_RESPONSE_0 */
	{ 0xbb, 0xbb, 0x01, NEEDS_MORE },	/* OFFCORE_RESPONSE_1 */
	{ 0xc0, 0xc0, 0x01, ONLY(0x2) },	/* INST_RETIRED.PREC_DIST */
	{ 0xcd, 0xcd, 0x01, NEEDS_MORE },	/* MEM_TRANS_RETIRED.LOAD_LATENCY */
	{ 0xcd, 0xcd, ANY, ONLY(0x8) },		/* MEM_TRANS_RETIRED.PRECISE_STORE */
	{ 0xd0, 0xd3, ANY, ONLY(0xf) },		/* MEM_UOPS_RETIRED, MEM_LOAD_UOPS_* */
	{ }
};

static const u32 ivybridge_models[] = { INTEL_IVYBRIDGE, INTEL_IVYBRIDGE_X, 0 };

static const u32 haswell_models[] = {
	INTEL_HASWELL, INTEL_HASWELL_X, INTEL_HASWELL_L, INTEL_HASWELL_G, 0
};

static const u32 broadwell_models[] = {
	INTEL_BROADWELL, INTEL_BROADWELL_G, INTEL_BROADWELL_X, INTEL_BROADWELL_D, 0
};

static const struct x86_pev_rule ivybridge_rules[] = {
	{ 0x48, 0x48, 0x01, ONLY(0x4) },	/* L1D_PEND_MISS.PENDING */
	{ 0x79, 0x79, 0x02, ONLY(0xf) },	/* IDQ.EMPTY */
	{ 0x9c, 0x9c, 0x01, ONLY(0xf) },	/* IDQ_UOPS_NOT_DELIVERED.CORE */
	{ 0xa3, 0xa3, 0x08, ONLY(0x4) },	/* CYCLE_ACTIVITY.CYCLES_L1D_PENDING */
	{ 0xa3, 0xa3, 0x0c, ONLY(0x4) },	/* CYCLE_ACTIVITY.STALLS_L1D_PENDING */
	{ 0xa3, 0xa3, 0x02, ONLY(0xf) },	/* CYCLE_ACTIVITY.CYCLES_LDM_PENDING */
	{ 0xa3, 0xa3, 0x04, ONLY(0xf) },	/* CYCLE_ACTIVITY.CYCLES_NO_EXECUTE */
	{ 0xa3, 0xa3, 0x05, ONLY(0xf) },	/* CYCLE_ACTIVITY.STALLS_L2_PENDING */
	{ 0xa3, 0xa3, 0x06, ONLY(0xf) },	/* CYCLE_ACTIVITY.STALLS_LDM_PENDING */
	{ 0xb7, 0xb7, 0x01, NEEDS_MORE },	/* OFFCORE_RESPONSE_0 */
	{ 0xbb, 0xbb, 0x01, NEEDS_MORE },	/* OFFCORE_RESPONSE_1 */
	{ 0xc0, 0xc0, 0x01, ONLY(0x2) },	/* INST_RETIRED.PREC_DIST */
	{ 0xcd, 0xcd, 0x01, NEEDS_MORE },	/* MEM_TRANS_RETIRED.LOAD_LATENCY */
	{ 0xcd, 0xcd, ANY, ONLY(0x8) },
	{ 0xd0, 0xd3, ANY, ONLY(0xf) },		/* MEM_UOPS_RETIRED, MEM_LOAD_UOPS_* */
	{ }
};

/* Haswell, Broadwell */
static const struct x86_pev_rule haswell_rules[] = {
	{ 0x48, 0x48, 0x01, ONLY(0x4) },	/* L1D_PEND_MISS.PENDING */
	{ 0xa3, 0xa3, 0x04, ONLY(0xf) },	/* CYCLE_ACTIVITY.CYCLES_NO_EXECUTE */
	{ 0xa3, 0xa3, 0x08, ONLY(0x4) },	/* CYCLE_ACTIVITY.CYCLES_L1D_PENDING */
	{ 0xa3, 0xa3, 0x0c, ONLY(0x4) },	/* CYCLE_ACTIVITY.STALLS_L1D_PENDING */
	{ 0xb7, 0xb7, 0x01, NEEDS_MORE },	/* OFFCORE_RESPONSE_0 */
	{ 0xbb, 0xbb, 0x01, NEEDS_MORE },	/* OFFCORE_RESPONSE_1 */
	/* INST_RETIRED.PREC_DIST; errata HSW11, BDM11 */
	{ 0xc0, 0xc0, 0x01, ONLY(0x2), .period_min = 128 },
	{ 0xcd, 0xcd, 0x01, NEEDS_MORE },	/* MEM_TRANS_RETIRED.LOAD_LATENCY */
	{ 0xcd, 0xcd, ANY, ONLY(0x8) },
	{ 0xd0, 0xd3, ANY, ONLY(0xf) },		/* MEM_UOPS_RETIRED, MEM_LOAD_UOPS_* */
	{ }
};

static const u32 skylake_models[] = {
	INTEL_SKYLAKE_L, INTEL_SKYLAKE, INTEL_SKYLAKE_X, INTEL_KABYLAKE_L, INTEL_KABYLAKE,
	INTEL_COMETLAKE, INTEL_COMETLAKE_L, 0
};

static const struct x86_pev_rule skylake_rules[] = {
	{ 0xb7, 0xb7, 0x01, NEEDS_MORE },	/* OFFCORE_RESPONSE_0 */
	{ 0xbb, 0xbb, 0x01, NEEDS_MORE },	/* OFFCORE_RESPONSE_1 */
	{ 0xc0, 0xc0, 0x01, ONLY(0x2) },	/* INST_RETIRED.PREC_DIST */
	{ 0xc6, 0xc6, 0x01, NEEDS_MORE },	/* FRONTEND_RETIRED */
	{ 0xc6, 0xc6, ANY, ONLY(0xf) },
	{ 0xcd, 0xcd, 0x01, NEEDS_MORE },	/* MEM_TRANS_RETIRED.LOAD_LATENCY */
	{ 0xcd, 0xcd, ANY, ONLY(0xf) },
	{ 0xd0, 0xd2, ANY, ONLY(0xf) },		/* MEM_INST_RETIRED, MEM_LOAD_* */
	{ }
};

static const u32 icelake_models[] = {
	INTEL_ICELAKE_X, INTEL_ICELAKE_D, INTEL_ICELAKE, INTEL_ICELAKE_L, INTEL_ICELAKE_NNPI,
	INTEL_ROCKETLAKE, INTEL_TIGERLAKE_L, INTEL_TIGERLAKE, 0
};

/* Eight counters; what the memory pipeline says, only the first four hear. */
static const struct x86_pev_rule icelake_rules[] = {
	{ 0x03, 0x0a, ANY, ONLY(0xf) },
	{ 0x1f, 0x32, ANY, ONLY(0xf) },
	{ 0x48, 0x56, ANY, ONLY(0xf) },
	{ 0x60, 0x8b, ANY, ONLY(0xf) },
	{ 0xa3, 0xa3, 0x04, ONLY(0xff) },	/* CYCLE_ACTIVITY.STALLS_TOTAL */
	{ 0xa3, 0xa3, 0x10, ONLY(0xff) },	/* CYCLE_ACTIVITY.CYCLES_MEM_ANY */
	{ 0xa3, 0xa3, 0x14, ONLY(0xff) },	/* CYCLE_ACTIVITY.STALLS_MEM_ANY */
	{ 0xa3, 0xa3, ANY, ONLY(0xf) },
	{ 0xa8, 0xb0, ANY, ONLY(0xf) },
	{ 0xb7, 0xb7, 0x01, NEEDS_MORE },	/* OFFCORE_RESPONSE_0 */
	{ 0xbb, 0xbb, 0x01, NEEDS_MORE },	/* OFFCORE_RESPONSE_1 */
	{ 0xb7, 0xbd, ANY, ONLY(0xf) },
	{ 0xc6, 0xc6, 0x01, NEEDS_MORE },	/* FRONTEND_RETIRED */
	{ 0xcd, 0xcd, 0x01, NEEDS_MORE },	/* MEM_TRANS_RETIRED.LOAD_LATENCY */
	{ 0xd0, 0xe6, ANY, ONLY(0xf) },
	{ 0xef, 0xf4, ANY, ONLY(0xf) },
	{ }
};

static const u32 goldencove_models[] = {
	INTEL_SAPPHIRERAPIDS_X, INTEL_EMERALDRAPIDS_X, INTEL_GRANITERAPIDS_X,
	INTEL_GRANITERAPIDS_D, 0
};

static const struct x86_pev_rule goldencove_rules[] = {
	{ 0x2a, 0x2b, 0x01, NEEDS_MORE },	/* OCR */
	{ 0x2e, 0x2e, ANY, ONLY(0xff) },	/* LONGEST_LAT_CACHE */
	{ 0x3c, 0x3c, ANY, ONLY(0xff) },	/* CPU_CLK_UNHALTED */
	{ 0x01, 0x8f, ANY, ONLY(0xf) },
	{ 0xa3, 0xa3, 0x04, ONLY(0xff) },	/* CYCLE_ACTIVITY.STALLS_TOTAL */
	{ 0xa3, 0xa3, 0x10, ONLY(0xff) },	/* CYCLE_ACTIVITY.CYCLES_MEM_ANY */
	{ 0xa3, 0xa3, ANY, ONLY(0xf) },
	{ 0xa4, 0xa4, 0x04, ONLY(0x1) },	/* TOPDOWN.BAD_SPEC_SLOTS */
	{ 0xa4, 0xa4, 0x08, ONLY(0x1) },	/* TOPDOWN.BR_MISPREDICT_SLOTS */
	{ 0xad, 0xad, 0x40, NEEDS_MORE },	/* INT_MISC.UNKNOWN_BRANCH_CYCLES */
	{ 0xc2, 0xc2, 0x04, NEEDS_MORE },	/* UOPS_RETIRED.MS */
	{ 0xc6, 0xc6, ANY, NEEDS_MORE },	/* FRONTEND_RETIRED */
	{ 0xcd, 0xcd, 0x01, NEEDS_MORE },	/* MEM_TRANS_RETIRED.LOAD_LATENCY */
	{ 0xcd, 0xcd, 0x02, ONLY(0x1) },	/* MEM_TRANS_RETIRED.STORE_SAMPLE */
	{ 0xce, 0xce, ANY, ONLY(0x1) },
	{ 0xd0, 0xdf, ANY, ONLY(0xf) },
	{ }
};

/* The small cores: their counters are alike, and the L2 is the last level up to Goldmont Plus. */
static const u32 silvermont_models[] = {
	INTEL_ATOM_SILVERMONT, INTEL_ATOM_SILVERMONT_D, INTEL_ATOM_SILVERMONT_MID,
	INTEL_ATOM_AIRMONT, INTEL_ATOM_AIRMONT_MID, 0
};

/*
 * Freezing came with these, and did not work in all of their microcode: Linux 5.8
 * had a list of revisions.
 */
static const u32 goldmont_models[] = {
	INTEL_ATOM_GOLDMONT, INTEL_ATOM_GOLDMONT_D, INTEL_ATOM_GOLDMONT_PLUS, 0
};

static const u32 tremont_models[] = {
	INTEL_ATOM_TREMONT, INTEL_ATOM_TREMONT_D, INTEL_ATOM_TREMONT_L, 0
};

static const struct x86_pev_rule silvermont_rules[] = {
	{ 0xb7, 0xb7, 0x01, NEEDS_MORE },	/* OFFCORE_RESPONSE_0 */
	{ 0xb7, 0xb7, 0x02, NEEDS_MORE },	/* OFFCORE_RESPONSE_1 */
	{ }
};

/* Without the big cores that others have beside them. */
static const u32 gracemont_models[] = { INTEL_ATOM_GRACEMONT, 0 };

static const u32 crestmont_models[] = {
	INTEL_ATOM_CRESTMONT, INTEL_ATOM_CRESTMONT_X, 0
};

static const struct x86_pev_rule gracemont_rules[] = {
	{ 0xb7, 0xb7, 0x01, NEEDS_MORE },	/* OCR */
	{ 0xb7, 0xb7, 0x02, NEEDS_MORE },
	{ 0xd0, 0xd0, 0x05, NEEDS_MORE },	/* MEM_UOPS_RETIRED.LOAD_LATENCY_GT_* */
	{ }
};

static const struct x86_pev_rule crestmont_rules[] = {
	{ 0x27, 0x27, 0x01, NEEDS_MORE },	/* snoop responses */
	{ 0x27, 0x27, 0x02, NEEDS_MORE },
	{ 0xb7, 0xb7, 0x01, NEEDS_MORE },	/* OCR */
	{ 0xb7, 0xb7, 0x02, NEEDS_MORE },
	{ 0xd0, 0xd0, 0x05, NEEDS_MORE },	/* MEM_UOPS_RETIRED.LOAD_LATENCY_GT_* */
	{ }
};

const struct x86_pev_model x86_pev_intel_models[] = {
	{
		.name = "Nehalem",
		.models = nehalem_models,
		.rules = nehalem_rules,
		/* shorter ones lose PMIs. Nehalem's specification update, AAK */
		.period_min = 32,
		.sticks = true,
#define NEHALEM_EVENTS							\
			[PEV_HW_STALLED_FRONT]	= EV(0x0e, 0x01) | SEL_INV | CMASK(1), \
			[PEV_HW_STALLED_BACK]	= EV(0xb1, 0x3f) | SEL_INV | CMASK(1), \
			[PEV_HW_L1D_LOADS]	= EV(0x0b, 0x01),	\
			[PEV_HW_L1I_MISSES]	= EV(0x80, 0x02),	\
			[PEV_HW_LLC_MISSES]	= EV(0xcb, 0x10),	\
			[PEV_HW_DTLB_LOADS]	= EV(0x0b, 0x01),	\
			[PEV_HW_DTLB_MISSES]	= EV(0x08, 0x01),	\
			[PEV_HW_ITLB_MISSES]	= EV(0x85, 0x01)
		.events = { NEHALEM_EVENTS },
	}, {
		.name = "Westmere",
		.models = westmere_models,
		.rules = westmere_rules,
		.period_min = 32,
		.sticks = true,
		.events = { NEHALEM_EVENTS },
	}, {
		.name = "Sandy Bridge",
		.models = sandybridge_models,
		.rules = sandybridge_rules,
		.smt_leak = true,	/* erratum BJ122 */
		.events = {
			[PEV_HW_STALLED_FRONT]	= EV(0x9c, 0x01) | CMASK(4),
			[PEV_HW_STALLED_BACK]	= EV(0xa2, 0x01),
			[PEV_HW_L1D_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_L1D_MISSES]	= EV(0x51, 0x01),
			[PEV_HW_L1I_MISSES]	= EV(0x80, 0x02),
			[PEV_HW_LLC_LOADS]	= EV(0xb0, 0x01),
			[PEV_HW_LLC_MISSES]	= EV(0xd4, 0x02),
			[PEV_HW_DTLB_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_DTLB_MISSES]	= EV(0x08, 0x02),
			[PEV_HW_ITLB_MISSES]	= EV(0x85, 0x02),
		},
	}, {
		.name = "Ivy Bridge",
		.models = ivybridge_models,
		.rules = ivybridge_rules,
		.smt_leak = true,	/* erratum BV98 */
		.events = {
			[PEV_HW_STALLED_FRONT]	= EV(0x9c, 0x01) | CMASK(4),
			[PEV_HW_STALLED_BACK]	= EV(0xa2, 0x01),
			[PEV_HW_L1D_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_L1D_MISSES]	= EV(0xd1, 0x08),
			[PEV_HW_L1I_MISSES]	= EV(0x80, 0x02),
			[PEV_HW_LLC_LOADS]	= EV(0xb0, 0x01),
			[PEV_HW_LLC_MISSES]	= EV(0xd1, 0x20),
			[PEV_HW_DTLB_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_DTLB_MISSES]	= EV(0x08, 0x82),
			[PEV_HW_ITLB_MISSES]	= EV(0x85, 0x02),
		},
	}, {
		.name = "Haswell",
		.models = haswell_models,
		.rules = haswell_rules,
		.smt_leak = true,	/* erratum HSD29 */
		/* PMIs would follow each other without an end */
		.period_min = 32,
		.events = {
			[PEV_HW_STALLED_FRONT]	= EV(0x9c, 0x01) | CMASK(4),
			[PEV_HW_STALLED_BACK]	= EV(0xa2, 0x01),
			[PEV_HW_L1D_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_L1D_MISSES]	= EV(0xd1, 0x08),
			[PEV_HW_L1I_MISSES]	= EV(0x80, 0x02),
			[PEV_HW_LLC_LOADS]	= EV(0xb0, 0x01),
			[PEV_HW_LLC_MISSES]	= EV(0xd1, 0x20),
			[PEV_HW_DTLB_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_DTLB_MISSES]	= EV(0x08, 0x0e),
			[PEV_HW_ITLB_MISSES]	= EV(0x85, 0x0e),
		},
	}, {
		.name = "Broadwell",
		.models = broadwell_models,
		.rules = haswell_rules,
		.period_low = 63,	/* erratum BDM55 */
		.events = {
			[PEV_HW_STALLED_FRONT]	= EV(0x9c, 0x01) | CMASK(4),
			[PEV_HW_STALLED_BACK]	= EV(0xa2, 0x01),
			[PEV_HW_L1D_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_L1D_MISSES]	= EV(0xd1, 0x08),
			[PEV_HW_L1I_MISSES]	= EV(0x80, 0x02),
			[PEV_HW_LLC_LOADS]	= EV(0xb0, 0x01),
			[PEV_HW_LLC_MISSES]	= EV(0xd1, 0x20),
			[PEV_HW_DTLB_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_DTLB_MISSES]	= EV(0x08, 0x0e),
			[PEV_HW_ITLB_MISSES]	= EV(0x85, 0x0e),
		},
	}, {
		.name = "Skylake",
		.models = skylake_models,
		.rules = skylake_rules,
		.events = {
			[PEV_HW_STALLED_FRONT]	= EV(0x9c, 0x01) | CMASK(4),
			[PEV_HW_STALLED_BACK]	= EV(0xa3, 0x04) | CMASK(4),
			[PEV_HW_L1D_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_L1D_MISSES]	= EV(0xd1, 0x08),
			[PEV_HW_L1I_MISSES]	= EV(0x83, 0x02),
			[PEV_HW_LLC_LOADS]	= EV(0xb0, 0x01),
			[PEV_HW_LLC_MISSES]	= EV(0xb0, 0x10),
			[PEV_HW_DTLB_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_DTLB_MISSES]	= EV(0x08, 0x0e),
			[PEV_HW_ITLB_MISSES]	= EV(0x85, 0x0e),
		},
	}, {
		.name = "Ice Lake",
		.models = icelake_models,
		.rules = icelake_rules,
		.events = {
			[PEV_HW_STALLED_FRONT]	= EV(0x9c, 0x01) | CMASK(5),
			[PEV_HW_STALLED_BACK]	= EV(0xa3, 0x04) | CMASK(4),
			[PEV_HW_L1D_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_L1D_MISSES]	= EV(0xd1, 0x08),
			[PEV_HW_L1I_MISSES]	= EV(0x83, 0x02),
			[PEV_HW_LLC_LOADS]	= EV(0xb0, 0x01),
			[PEV_HW_LLC_MISSES]	= EV(0xb0, 0x10),
			[PEV_HW_DTLB_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_DTLB_MISSES]	= EV(0x08, 0x0e),
			[PEV_HW_ITLB_MISSES]	= EV(0x85, 0x0e),
		},
	}, {
		.name = "Golden Cove",
		.models = goldencove_models,
		.rules = goldencove_rules,
		.ref_tsc = true,
		.events = {
			[PEV_HW_STALLED_FRONT]	= EV(0x9c, 0x01) | CMASK(6),
			[PEV_HW_STALLED_BACK]	= EV(0xa3, 0x04) | CMASK(4),
			[PEV_HW_L1D_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_L1D_MISSES]	= EV(0xd1, 0x08),
			[PEV_HW_LLC_LOADS]	= EV(0x21, 0x01),
			[PEV_HW_LLC_MISSES]	= EV(0x21, 0x10),
			[PEV_HW_DTLB_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_DTLB_MISSES]	= EV(0x12, 0x0e),
			[PEV_HW_ITLB_MISSES]	= EV(0x11, 0x0e),
		},
	}, {
		.name = "Silvermont",
		.models = silvermont_models,
		.rules = silvermont_rules,
		.events = {
			[PEV_HW_L1D_LOADS]	= EV(0x04, 0x40),
			[PEV_HW_L1D_MISSES]	= EV(0x04, 0x01),
			[PEV_HW_L1I_MISSES]	= EV(0x80, 0x02),
			[PEV_HW_DTLB_LOADS]	= EV(0x04, 0x40),
			[PEV_HW_DTLB_MISSES]	= EV(0x04, 0x08),
			[PEV_HW_ITLB_MISSES]	= EV(0x05, 0x02) | SEL_EDGE,
		},
	}, {
		.name = "Goldmont",
		.models = goldmont_models,
		.rules = silvermont_rules,
		.no_freeze = true,
		.events = {
			[PEV_HW_L1D_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_L1D_MISSES]	= EV(0xd1, 0x08),
			[PEV_HW_L1I_MISSES]	= EV(0x80, 0x02),
			[PEV_HW_DTLB_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_DTLB_MISSES]	= EV(0xd0, 0x11),
			[PEV_HW_ITLB_MISSES]	= EV(0x81, 0x04),
		},
	}, {
		.name = "Tremont",
		.models = tremont_models,
		.rules = silvermont_rules,
		.events = {
			[PEV_HW_L1D_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_L1D_MISSES]	= EV(0xd1, 0x08),
			[PEV_HW_L1I_MISSES]	= EV(0x80, 0x02),
			[PEV_HW_LLC_LOADS]	= EV(0xd1, 0x10),
			[PEV_HW_DTLB_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_DTLB_MISSES]	= EV(0x08, 0x0e),
			[PEV_HW_ITLB_MISSES]	= EV(0x85, 0x0e),
		},
	}, {
		.name = "Gracemont",
		.models = gracemont_models,
		.rules = gracemont_rules,
		.ref_tsc = true,
		.events = {
			[PEV_HW_L1D_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_L1I_MISSES]	= EV(0x80, 0x02),
			[PEV_HW_DTLB_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_DTLB_MISSES]	= EV(0x08, 0x0e),
			[PEV_HW_ITLB_MISSES]	= EV(0x85, 0x0e),
		},
	}, {
		.name = "Crestmont",
		.models = crestmont_models,
		.rules = crestmont_rules,
		.ref_tsc = true,
		.events = {
			[PEV_HW_L1D_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_L1D_MISSES]	= EV(0xd1, 0x40),
			[PEV_HW_L1I_MISSES]	= EV(0x80, 0x02),
			[PEV_HW_LLC_LOADS]	= EV(0xd1, 0x80),
			[PEV_HW_DTLB_LOADS]	= EV(0xd0, 0x81),
			[PEV_HW_DTLB_MISSES]	= EV(0x08, 0x0e),
			[PEV_HW_ITLB_MISSES]	= EV(0x85, 0x0e),
		},
	},
	{ }
};

/* ---- AMD ---- */

/*
 * The L3 is not the core's: requests that the L2 could not answer stand for its
 * use, demand fills from beyond the complex for its misses. The latter are of data
 * alone.
 */
#define ZEN_L2_MISSES		EV(0x64, 0x09)
#define ZEN_L2_DATA_MISSES	EV(0x64, 0x08)

/* Increments of more than 15 a cycle overflow into the next counter, by event FFF. */
static const struct x86_pev_rule zen_rules[] = {
	{ 0x003, 0x003, ANY, NEEDS_MORE },	/* FpRetSseAvxOps */
	{ }
};

const struct x86_pev_model x86_pev_amd_models[] = {
	{
		.name = "Zen",
		.family = 0x17,
		.first = 0x00,
		.last = 0x2f,
		.rules = zen_rules,
#define ZEN_EVENTS							\
			[PEV_HW_CYCLES]		= EV(0x76, 0),		\
			[PEV_HW_INSTRUCTIONS]	= EV(0xc0, 0),		\
			[PEV_HW_BRANCHES]	= EV(0xc2, 0),		\
			[PEV_HW_BRANCH_MISSES]	= EV(0xc3, 0),		\
			[PEV_HW_CACHE_REFS]	= ZEN_L2_MISSES,	\
			[PEV_HW_L1D_LOADS]	= EV(0x29, 0x01),	\
			[PEV_HW_L1D_MISSES]	= EV(0x41, 0x01),	\
			[PEV_HW_L1I_MISSES]	= EV(0x81, 0),		\
			[PEV_HW_LLC_LOADS]	= ZEN_L2_DATA_MISSES,	\
			[PEV_HW_DTLB_LOADS]	= EV(0x29, 0x01),	\
			[PEV_HW_DTLB_MISSES]	= EV(0x45, 0xf0),	\
			[PEV_HW_ITLB_MISSES]	= EV(0x85, 0)
		.events = { ZEN_EVENTS },
	}, {
		.name = "Zen",
		.family = 0x17,
		.first = 0x50,
		.last = 0x5f,
		.rules = zen_rules,
		.events = { ZEN_EVENTS },
	}, {
		.name = "Zen 2",
		.family = 0x17,
		.first = 0x30,
		.last = 0xff,
		.rules = zen_rules,
		.events = {
			[PEV_HW_CYCLES]		= EV(0x76, 0),
			[PEV_HW_INSTRUCTIONS]	= EV(0xc0, 0),
			[PEV_HW_BRANCHES]	= EV(0xc2, 0),
			[PEV_HW_BRANCH_MISSES]	= EV(0xc3, 0),
			[PEV_HW_CACHE_REFS]	= ZEN_L2_MISSES,
			[PEV_HW_CACHE_MISSES]	= EV(0x43, 0x58),
			[PEV_HW_STALLED_FRONT]	= EV(0xa9, 0),
			[PEV_HW_L1D_LOADS]	= EV(0x29, 0x01),
			[PEV_HW_L1D_MISSES]	= EV(0x41, 0x01),
			[PEV_HW_L1I_MISSES]	= EV(0x81, 0),
			[PEV_HW_LLC_LOADS]	= ZEN_L2_DATA_MISSES,
			[PEV_HW_LLC_MISSES]	= EV(0x43, 0x58),
			[PEV_HW_DTLB_LOADS]	= EV(0x29, 0x01),
			[PEV_HW_DTLB_MISSES]	= EV(0x45, 0xf0),
			[PEV_HW_ITLB_MISSES]	= EV(0x85, 0xff),
		},
	}, {
		.name = "Zen 3",
		.family = 0x19,
		.first = 0x00,
		.last = 0x0f,
		.rules = zen_rules,
#define ZEN3_EVENTS							\
			[PEV_HW_CYCLES]		= EV(0x76, 0),		\
			[PEV_HW_INSTRUCTIONS]	= EV(0xc0, 0),		\
			[PEV_HW_BRANCHES]	= EV(0xc2, 0),		\
			[PEV_HW_BRANCH_MISSES]	= EV(0xc3, 0),		\
			[PEV_HW_CACHE_REFS]	= ZEN_L2_MISSES,	\
			[PEV_HW_CACHE_MISSES]	= EV(0x43, 0x5c),	\
			[PEV_HW_STALLED_FRONT]	= EV(0xa9, 0),		\
			[PEV_HW_L1D_LOADS]	= EV(0x29, 0x01),	\
			[PEV_HW_L1D_MISSES]	= EV(0x41, 0x01),	\
			[PEV_HW_L1I_MISSES]	= EV(0x8e, 0x18) | EVENT_HIGH(1), \
			[PEV_HW_LLC_LOADS]	= ZEN_L2_DATA_MISSES,	\
			[PEV_HW_LLC_MISSES]	= EV(0x43, 0x5c),	\
			[PEV_HW_DTLB_LOADS]	= EV(0x29, 0x01),	\
			[PEV_HW_DTLB_MISSES]	= EV(0x45, 0xf0),	\
			[PEV_HW_ITLB_MISSES]	= EV(0x85, 0x0f)
		.events = { ZEN3_EVENTS },
	}, {
		.name = "Zen 3",
		.family = 0x19,
		.first = 0x20,
		.last = 0x5f,
		.rules = zen_rules,
		.events = { ZEN3_EVENTS },
	}, {
		.name = "Zen 4",
		.family = 0x19,
		.first = 0x10,
		.last = 0xff,
		.rules = zen_rules,
#define ZEN4_EVENTS							\
			[PEV_HW_CYCLES]		= EV(0x76, 0),		\
			[PEV_HW_REF_CYCLES]	= EV(0x20, 0x01) | EVENT_HIGH(1), \
			[PEV_HW_INSTRUCTIONS]	= EV(0xc0, 0),		\
			[PEV_HW_BRANCHES]	= EV(0xc2, 0),		\
			[PEV_HW_BRANCH_MISSES]	= EV(0xc3, 0),		\
			[PEV_HW_CACHE_REFS]	= ZEN_L2_MISSES,	\
			[PEV_HW_CACHE_MISSES]	= EV(0x43, 0xdc),	\
			[PEV_HW_L1D_LOADS]	= EV(0x29, 0x01),	\
			[PEV_HW_L1I_MISSES]	= EV(0x8e, 0x18) | EVENT_HIGH(1), \
			[PEV_HW_LLC_LOADS]	= ZEN_L2_DATA_MISSES,	\
			[PEV_HW_LLC_MISSES]	= EV(0x43, 0xdc),	\
			[PEV_HW_DTLB_LOADS]	= EV(0x29, 0x01),	\
			[PEV_HW_DTLB_MISSES]	= EV(0x45, 0xf0),	\
			[PEV_HW_ITLB_MISSES]	= EV(0x85, 0x0f)
		.events = {
			ZEN4_EVENTS,
			/* of loads and stores: which bits are loads is no longer said */
			[PEV_HW_L1D_MISSES]	= EV(0x41, 0x3f),
		},
	}, {
		.name = "Zen 5",
		.family = 0x1a,
		.first = 0x00,
		.last = 0xff,
		.rules = zen_rules,
		.events = {
			ZEN4_EVENTS,
			[PEV_HW_L1D_MISSES]	= EV(0x41, 0x07),
		},
	}, {
		/* Each event of these has counters of its own. BKDG, D18F3 and following */
		.name = "family 15h",
		.family = 0x15,
		.first = 0x00,
		.last = 0xff,
		.no_raw = true,
		.events = {
			[PEV_HW_CYCLES]		= EV(0x76, 0),
			[PEV_HW_INSTRUCTIONS]	= EV(0xc0, 0),
			[PEV_HW_BRANCHES]	= EV(0xc2, 0),
			[PEV_HW_BRANCH_MISSES]	= EV(0xc3, 0),
		},
	},
	/* These four have been the same from K7 on. */
	{
		.events = {
			[PEV_HW_CYCLES]		= EV(0x76, 0),
			[PEV_HW_INSTRUCTIONS]	= EV(0xc0, 0),
			[PEV_HW_BRANCHES]	= EV(0xc2, 0),
			[PEV_HW_BRANCH_MISSES]	= EV(0xc3, 0),
		},
	},
};
