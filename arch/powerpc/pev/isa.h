/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The performance monitor of Power ISA 2.07 (POWER8), 3.0 (POWER9) and 3.1
 * (POWER10): book III, "Performance Monitor Facility", in its own names and its
 * own numbering of bits, 0 being the most significant. No code, and nothing of
 * Linux: tests on other machines include it.
 */
#ifndef _ASM_POWERPC_PEV_ISA_H
#define _ASM_POWERPC_PEV_ISA_H

#include <linux/bits.h>
#include <linux/types.h>

#define PPC_PEV_PMCS		6

/* Bit @n of a register, and @v in a field whose last bit is @n. */
#define ISA_BIT(n)		BIT_ULL(63 - (n))
#define ISA_FIELD(n, v)		((u64)(v) << (63 - (n)))

/* A PMC has 32 bits. With this one it is negative, which is its overflow. */
#define PMC_NEGATIVE		BIT_ULL(31)
#define PMC_VALUE		(PMC_NEGATIVE - 1)

/* MMCR0, the upper half of which is reserved */
#define M0_FC			ISA_BIT(32)	/* all PMCs stand */
#define M0_FCM0			ISA_BIT(36)	/* ... while MSR[PMM] is 0 */
#define M0_PMAE			ISA_BIT(37)	/* alerts come; cleared by one */
#define M0_FCECE		ISA_BIT(38)	/* an enabled condition sets FC */
#define M0_BHRBA		ISA_BIT(42)
#define M0_EBE			ISA_BIT(43)
#define M0_PMCC			ISA_FIELD(45, 3)
#define M0_PMCC_NONE		ISA_FIELD(45, 1) /* no access from problem state */
#define M0_PMC1CE		ISA_BIT(48)	/* condition: PMC1 is negative */
#define M0_PMCJCE		ISA_BIT(49)	/* condition: one of PMC2-6 is */
#define M0_PMCCEXT		ISA_BIT(54)	/* 3.1: PMCC 0b00 hides SIAR, SDAR, SIER */
#define M0_CC56RUN		ISA_BIT(55)	/* PMC5-6 count while CTRL[RUN] is 0, too */
#define M0_PMAO			ISA_BIT(56)	/* an alert came; the interrupt's level */
#define M0_FC14			ISA_BIT(58)	/* PMC1-4 stand */
#define M0_FC56			ISA_BIT(59)	/* PMC5-6 stand */

/* What the processor changes in MMCR0 when there is an alert. */
#define M0_ALERT		(M0_FC | M0_PMAE | M0_PMAO)

/* MMCR1: what PMC1-4 (@i: 0-3) count */
#define M1_UNIT(i, v)		ISA_FIELD(3 + 4 * (i), v)
#define M1_QUAD(v)		ISA_FIELD(17, v)
#define M1_RADIX(v)		ISA_FIELD(18, v)	/* 3.1 */
#define M1_COMBINE(i, v)	ISA_FIELD(28 + (i), v)
#define M1_COMBINE2(i, v)	ISA_FIELD(25 + 2 * (i), v)	/* two bits from 3.0 on */
#define M1_SELECT(i, v)		ISA_FIELD(39 + 8 * (i), v)

/* MMCR2: when each of PMC1-6 (@i: 0-5) stands, in nine bits. By MSR[HV PR]: */
#define M2_FCS(i)		ISA_BIT(0 + 9 * (i))	/* 0b00 */
#define M2_FCP0(i)		ISA_BIT(1 + 9 * (i))	/* 0b01 */
#define M2_FCP1(i)		ISA_BIT(2 + 9 * (i))	/* 0b11 */
#define M2_FCM0(i)		ISA_BIT(4 + 9 * (i))	/* MSR[PMM] = 0 */
#define M2_FCH(i)		ISA_BIT(6 + 9 * (i))	/* 0b10 */
#define M2_L2L3(v)		ISA_FIELD(60, v)	/* POWER10 */

/* MMCR3 (3.1): the source of PMC1-4 (@i: 0-3) */
#define M3_SOURCE(i, v)		ISA_FIELD(14 + 15 * (i), v)

/* MMCRA: sampling of instructions */
#define MA_SDAR_MODE(v)		ISA_FIELD(21, v)
#define MA_BHRBRD		ISA_BIT(26)	/* 3.1: no branch history */
#define MA_SAMPLE_ELIGIBLE(v)	ISA_FIELD(59, v)
#define MA_SAMPLE_MODE(v)	ISA_FIELD(62, v)
#define MA_SAMPLE		ISA_BIT(63)

/* SIER: the sampled instruction */
#define SI_PR			ISA_BIT(38)	/* MSR[PR] ... */
#define SI_HV			ISA_BIT(39)	/* ... and MSR[HV] with it */
#define SI_SIAR_VALID		ISA_BIT(41)
#define SI_SDAR_VALID		ISA_BIT(42)

/* MSR[PMM], the mark: copied by rfid and rfscv, 0 after an interrupt */
#define PPC_PEV_MSR_MARK	ISA_BIT(61)

#endif
