// SPDX-License-Identifier: GPL-2.0
/*
 * From the counters in use to the control registers. A function of its
 * arguments: no hardware, no state.
 *
 * Power ISA 3.1 book III, "Performance Monitor Facility Registers"; fields of
 * MMCR1, MMCR3 and MMCRA are those of the processors, POWER8, POWER9 and POWER10
 * Performance Monitor Unit User's Guides.
 */
#include <linux/types.h>
#include "mmcr.h"
#include "power.h"

/* A code's fields in MMCR1 and MMCR3, for PMC1-4. */
static void select_event(const struct ppc_pev_model *model, unsigned int i, u64 code,
			 struct ppc_pev_mmcr *m)
{
	m->mmcr1 |= M1_SELECT(i, CODE_SELECT(code)) | M1_UNIT(i, CODE_UNIT(code));
	if (model->combine2)
		m->mmcr1 |= M1_COMBINE2(i, CODE_COMBINE2(code));
	else
		m->mmcr1 |= M1_COMBINE(i, CODE_COMBINE(code));
	if (code_has_quad(model, code))
		m->mmcr1 |= M1_QUAD(CODE_QUAD(code));
	if (!model->isa31)
		return;
	m->mmcr1 |= M1_RADIX(CODE_RADIX(code));
	m->mmcr3 |= M3_SOURCE(i, CODE_SOURCE(code));
	if (CODE_UNIT(code) == 6)
		m->mmcr2 |= M2_L2L3(CODE_L2L3(code));
}

/* Random sampling of instructions, for events of those that are marked. */
static void select_sampling(u64 code, struct ppc_pev_mmcr *m)
{
	m->mmcra |= MA_SAMPLE | MA_SAMPLE_MODE(CODE_MODE(code) & 3) |
		    MA_SAMPLE_ELIGIBLE(CODE_MODE(code) >> 2);
}

/*
 * User mode is 0b01 in MSR[HV PR], or 0b11 if this kernel is the hypervisor. FCnP0
 * and FCnP1 may be read as a bit for each, or as FCP and FCPC of MMCR0 are: the
 * second then says that the first is about 0b11. This is right in both ways.
 */
static u64 not_user(unsigned int i, bool hv)
{
	return M2_FCP0(i) | (hv ? M2_FCP1(i) : 0);
}

static u64 never(unsigned int i, bool hv)
{
	return M2_FCS(i) | not_user(i, hv) | M2_FCH(i);
}

static u64 stands_when(unsigned int i, bool hv, u64 config)
{
	if (config & CFG_NOT_HOST)
		return never(i, hv);
	return (config & CFG_NOT_USER ? not_user(i, hv) : 0) |
	       (config & CFG_NOT_KERNEL ? M2_FCS(i) : 0) |
	       (config & CFG_NOT_HV ? M2_FCH(i) : 0) |
	       (config & CFG_MARKED ? M2_FCM0(i) : 0);
}

/*
 * The same for a guest, which never has MSR[HV]: what of the hypervisor's way in and out has
 * it is none of the guest's. Its MSR[PMM] marks nothing of ours.
 */
static u64 stands_in_guest(unsigned int i, u64 config)
{
	if (config & (CFG_NOT_GUEST | CFG_MARKED))
		return never(i, false);
	return M2_FCH(i) | (config & CFG_NOT_USER ? M2_FCP0(i) : 0) |
	       (config & CFG_NOT_KERNEL ? M2_FCS(i) : 0);
}

u64 ppc_pev_frozen(const struct ppc_pev_model *model)
{
	return M0_FC | (model->isa31 ? M0_PMCCEXT : 0);
}

void ppc_pev_compute(const struct ppc_pev_model *model, bool hv, const u64 *config,
		     u64 active, struct ppc_pev_mmcr *m)
{
	unsigned int sdar = 0, i;

	*m = (struct ppc_pev_mmcr) {
		.mmcr0 = M0_PMAE | M0_FCECE | (ppc_pev_frozen(model) & ~M0_FC),
		.mmcra = model->isa31 ? MA_BHRBRD : 0,
	};
	/* a condition of PMCs that stand would be one of stale values */
	m->mmcr0 |= active & PMC_SET(1) ? M0_PMC1CE : 0;
	m->mmcr0 |= active & ~PMC_SET(1) ? M0_PMCJCE : 0;
	m->mmcr0 |= active & PMC1_4 ? 0 : M0_FC14;
	m->mmcr0 |= active & PMC5_6 ? 0 : M0_FC56;

	for (i = 0; i < PPC_PEV_PMCS; i++) {
		u64 code = config[i];

		if (!(active >> i & 1)) {
			/* the others of FC14 and FC56 may count */
			m->mmcr2 |= never(i, hv);
			m->guest2 |= never(i, false);
			continue;
		}
		m->mmcr2 |= stands_when(i, hv, code);
		m->guest2 |= stands_in_guest(i, code);
		m->guests |= code & (CFG_NOT_GUEST | CFG_MARKED) ? 0 : BIT_ULL(i);
		if (i >= 4) {
			m->mmcr0 |= code & CFG_IDLE_TOO ? M0_CC56RUN : 0;
			continue;
		}
		code &= CFG_CODE;
		select_event(model, i, code, m);
		if (CODE_MARK(code))
			select_sampling(code, m);
		else if (model->sdar_shift)
			sdar |= code_field(code, model->sdar_shift, 2);
	}
	m->guest2 |= m->mmcr2 & M2_L2L3(0x1f);
	/* POWER9's guide: with marked instructions SDAR must be left to them */
	if (m->mmcra & MA_SAMPLE && model->combine2)
		return;
	m->mmcra |= MA_SDAR_MODE(sdar ?: model->sdar_mode);
}
