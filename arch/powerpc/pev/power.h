/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside the backend of POWER8 to POWER10:
 *
 *	pmu.c		which processor; reservation; tasks
 *	cpu.c		the registers of a CPU, PMIs
 *	mmcr.c		what MMCR0-3 and MMCRA must be for some counters
 *	isa207.c	what an event code means
 *	events.c	codes of events that have a name on all processors
 *	isa.h		registers, as the architecture has them
 *	regs.h		access to them
 *	prompt.h	for the interrupt entry
 *	guest_pmu.h	for KVM-HV, where guests begin and end
 *
 * All but pmu.c compile for any machine: see tests/unit/pmu-ppc.
 */
#ifndef _PPC_PEV_POWER_H
#define _PPC_PEV_POWER_H

#include <linux/pev_pmu.h>
#include "isa.h"

struct pt_regs;

/* Counter numbers are those of the PMCs less one. */
#define PMC_SET(n)		BIT_ULL((n) - 1)
#define PMC1_4			0x0fULL
#define PMC5_6			0x30ULL
#define PMC_ALL			0x3fULL

/* A way to count an event: a code, with alternatives; 0 ends them. */
#define PPC_PEV_CODES		2

/**
 * struct ppc_pev_model - a processor
 * @name:     for people
 * @pvr:      versions in the PVR; 0 ends them
 * @code:     bits of an event code that mean something
 * @mode_bad: mask of 1 << n: values of the sampling field that are reserved
 * @sdar_mode: what SDAR holds while no instruction is marked
 * @sdar_shift: of that field in an event code, 0: there is none
 * @combine2: PMCxCOMB has two bits
 * @isa31:    MMCR3, PMCCEXT and BHRBRD; event codes are of POWER10's format
 * @bus_banks: PMC4 chooses what the others see of the L2 and L3
 * @events:   codes, by enum pev_hardware; 0: there is none
 */
struct ppc_pev_model {
	const char	*name;
	u16		pvr[4];
	u64		code;
	u32		mode_bad;
	u8		sdar_mode;
	u8		sdar_shift;
	bool		combine2;
	bool		isa31;
	bool		bus_banks;
	u64		events[PEV_HW_MAX][PPC_PEV_CODES];
};

extern const struct ppc_pev_model ppc_pev_models[];
extern const unsigned int ppc_pev_nr_models;

/*
 * A counter's config: an event code and, in the bits that processors leave to
 * software, when it stands. Bit 59 is of the code on POWER10, but not of those
 * for PMC5 and PMC6; 30 and 31 are of thresholds, which are refused.
 */
#define CFG_CODE		((1ULL << 60) - 1)
#define CFG_NOT_HOST		BIT_ULL(30)
#define CFG_NOT_GUEST		BIT_ULL(31)
#define CFG_IDLE_TOO		BIT_ULL(59)	/* PMC5-6: whatever CTRL[RUN] is */
#define CFG_NOT_USER		BIT_ULL(60)
#define CFG_NOT_KERNEL	BIT_ULL(61)
#define CFG_NOT_HV		BIT_ULL(62)
#define CFG_MARKED		BIT_ULL(63)

/* Fields of event codes that mmcr.c moves into registers. */
static inline unsigned int code_field(u64 code, unsigned int first, unsigned int bits)
{
	return code >> first & ((1U << bits) - 1);
}

#define CODE_SELECT(c)		code_field(c, 0, 8)
#define CODE_MARK(c)		code_field(c, 8, 1)
#define CODE_RADIX(c)		code_field(c, 9, 1)
#define CODE_COMBINE(c)		code_field(c, 11, 1)
#define CODE_COMBINE2(c)	code_field(c, 10, 2)
#define CODE_UNIT(c)		code_field(c, 12, 4)
#define CODE_PMC(c)		code_field(c, 16, 4)
#define CODE_CACHE(c)		code_field(c, 20, 4)
#define CODE_QUAD(c)		code_field(c, 20, 2)
#define CODE_MODE(c)		code_field(c, 24, 5)
#define CODE_L2L3(c)		code_field(c, 40, 5)
#define CODE_SOURCE(c)		code_field(c, 45, 15)

/* Units 6 to 9 are buses from the L2 and the L3. */
static inline bool code_is_bus(u64 code)
{
	return CODE_UNIT(code) >= 6 && CODE_UNIT(code) <= 9;
}

/* Which part of a cache line counts, for events of the L1 caches. */
static inline bool code_has_quad(const struct ppc_pev_model *model, u64 code)
{
	if (model->combine2)
		return CODE_UNIT(code) && !code_is_bus(code);
	return CODE_CACHE(code) & 4;
}

#endif
