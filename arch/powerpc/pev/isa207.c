// SPDX-License-Identifier: GPL-2.0
/*
 * What an event code means, and what is wrong with one. The format is that of
 * the Performance Monitor Unit User's Guides, the same from POWER8 on:
 *
 *	0-7	PMCxSEL		 8	mark: of marked instructions only
 *	9	radix scope (P10)
 *	10-11	combine (P8: 11)	12-15	unit
 *	16-19	PMC, 0: any of 1-4
 *	20-23	cache selector (P10: 20-21, and 22-23 SDAR mode)
 *	24-28	sampling: mode, eligibility
 *	29-31	threshold event		32-39	its start and stop (P8: or fabric match)
 *	40-49	threshold (P10: 40-44 L2 or L3 event, 45-59 source)
 *	50-51	SDAR mode (P9)
 *
 * Two events on different counters go together unless they want different
 * things of what all counters share: see SHARE_*.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/pev_refuse.h>
#include <linux/types.h>
#include "isa207.h"
#include "power.h"

/* struct pev_pmu_code.share_mask, from a bit to how many */
#define SHARE_SAMPLING	0	/* 5: MMCRA[ES SM] */
#define SHARE_QUAD	8	/* 2: MMCR1[16:17] */
#define SHARE_RADIX	10	/* 1: MMCR1[18] */
#define SHARE_SDAR	11	/* 2: MMCRA[SDAR_MODE] */
#define SHARE_L2L3	16	/* 5: MMCR2[56:60] */
#define SHARE_CC56RUN	24	/* 1: MMCR0 */

/*
 * A thaw takes effect in the kernel, which then has to get out of the PMI. An
 * event that came again before that would leave no time for anything else.
 */
#define PERIOD_MIN	64

#define CODE_RUN_INSTRUCTIONS	0x500fa
#define CODE_RUN_CYCLES		0x600f4

#define CODE_THRESHOLD		(0x7ffULL << 29)
#define CODE_THRESHOLD_VALUE	(0x3ffULL << 40)

static void share(struct pev_pmu_code *code, unsigned int first, unsigned int bits,
		  unsigned int value)
{
	u64 mask = (1ULL << bits) - 1;

	code->share_mask |= mask << first;
	code->share_value |= (value & mask) << first;
}

static void share_fields(const struct ppc_pev_model *model, u64 raw,
			 struct pev_pmu_code *code)
{
	if (CODE_MARK(raw))
		share(code, SHARE_SAMPLING, 5, CODE_MODE(raw));
	if (code_has_quad(model, raw))
		share(code, SHARE_QUAD, 2, CODE_QUAD(raw));
	if (model->isa31 && CODE_UNIT(raw))
		share(code, SHARE_RADIX, 1, CODE_RADIX(raw));
	if (model->isa31 && CODE_UNIT(raw) == 6)
		share(code, SHARE_L2L3, 5, CODE_L2L3(raw));
	if (model->sdar_shift && code_field(raw, model->sdar_shift, 2))
		share(code, SHARE_SDAR, 2, code_field(raw, model->sdar_shift, 2));
}

/* ---- what can't be counted ---- */

static int check_bits(const struct ppc_pev_model *model, u64 raw, struct pev_refuse *r)
{
	u64 threshold = CODE_THRESHOLD | (model->isa31 ? 0 : CODE_THRESHOLD_VALUE);

	if (raw >> 60)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "bits 60 to 63 of a code ask perf for event-based branches or branch history, which pev does not have");
	if (raw & ~model->code)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "bits %#llx of code %#llx are reserved on %s",
				  raw & ~model->code, raw, model->name);
	if (raw & threshold)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "code %#llx counts by threshold or fabric response (bits %#llx), which pev does not offer",
				  raw, raw & threshold);
	return 0;
}

static int check_sampling(const struct ppc_pev_model *model, u64 raw, struct pev_refuse *r)
{
	if (CODE_MODE(raw) && !CODE_MARK(raw))
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "code %#llx says how to sample instructions (bits 24 to 28), but does not count marked ones (bit 8)",
				  raw);
	if (model->mode_bad >> CODE_MODE(raw) & 1)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "sampling %#x in bits 24 to 28 of code %#llx is reserved on %s",
				  CODE_MODE(raw), raw, model->name);
	return 0;
}

/* The buses of the L2 and the L3 have selectors that are not for each counter. */
static int check_bus(const struct ppc_pev_model *model, u64 raw, struct pev_refuse *r)
{
	if (!code_is_bus(raw))
		return 0;
	if (!model->combine2 && CODE_CACHE(raw) & 7)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "cache selector %u of code %#llx would have to be set by the hypervisor (MMCRC)",
				  CODE_CACHE(raw) & 7, raw);
	if (model->bus_banks && CODE_PMC(raw) != 4)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "on %s the L2 and L3 events of all counters are chosen by PMC4; pev counts them there only, and code %#llx is for PMC%u",
				  model->name, raw, CODE_PMC(raw));
	return 0;
}

static int check_pmc(u64 raw, struct pev_refuse *r)
{
	unsigned int pmc = CODE_PMC(raw);

	if (pmc > PPC_PEV_PMCS)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "code %#llx is for PMC%u (bits 16 to 19); there are 6", raw, pmc);
	if ((pmc == 5 && raw != CODE_RUN_INSTRUCTIONS) ||
	    (pmc == 6 && raw != CODE_RUN_CYCLES))
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "PMC%u counts nothing but %s, code %#x", pmc,
				  pmc == 5 ? "instructions" : "cycles",
				  pmc == 5 ? CODE_RUN_INSTRUCTIONS : CODE_RUN_CYCLES);
	if (!CODE_SELECT(raw))
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "code %#llx counts nothing: bits 0 to 7 select no event", raw);
	return 0;
}

static int check_guests(bool guests, u64 flags, struct pev_refuse *r)
{
	if (!(flags & PEV_F_EXCLUDE_HOST))
		return 0;
	if (flags & PEV_F_EXCLUDE_GUEST)
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "excluding host and guests leaves nothing to count");
	if (flags & PEV_F_MARKED)
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "PEV_F_MARKED: guests have none of the marked tasks, and the host is excluded");
	if (!guests)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "PEV_F_EXCLUDE_HOST: counters stand while guests run, as it is not KVM-HV on POWER9 or later that switches them, or as the hypervisor below does it");
	return 0;
}

static int check_domains(bool hv, u64 flags, struct pev_refuse *r)
{
	if (flags & PEV_F_MARKED && !(flags & PEV_F_EXCLUDE_KERNEL))
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "marked tasks are known by a bit of their user state, MSR[PMM], that each interrupt clears: in kernel mode nothing would count; exclude it");
	if (flags & PEV_F_EXCLUDE_USER && flags & PEV_F_EXCLUDE_KERNEL &&
	    (hv || flags & PEV_F_EXCLUDE_HV))
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "user and kernel mode are excluded, %s: nothing is left to count",
				  hv ? "and this kernel is the hypervisor" :
				       "and the hypervisor is, too");
	return 0;
}

/* ---- what can ---- */

/* Where this kernel is the hypervisor, there is none that EXCLUDE_HV could mean. */
static u64 config_flags(bool hv, u64 flags)
{
	u64 config = 0;

	if (flags & PEV_F_EXCLUDE_USER)
		config |= CFG_NOT_USER;
	if (flags & PEV_F_EXCLUDE_KERNEL)
		config |= CFG_NOT_KERNEL | (hv ? CFG_NOT_HV : 0);
	if (flags & PEV_F_EXCLUDE_HV && !hv)
		config |= CFG_NOT_HV;
	if (flags & PEV_F_MARKED)
		config |= CFG_MARKED;
	if (flags & PEV_F_EXCLUDE_HOST)
		config |= CFG_NOT_HOST;
	if (flags & PEV_F_EXCLUDE_GUEST)
		config |= CFG_NOT_GUEST;
	return config;
}

/* @raw may have CFG_IDLE_TOO. */
static void add_way(const struct ppc_pev_model *model, u64 raw, u64 flags,
		    struct pev_pmu_code *code)
{
	unsigned int pmc = CODE_PMC(raw), i = 0;

	while (code->alt[i].counters)
		i++;
	code->alt[i] = (struct pev_pmu_alt) {
		.counters = pmc ? PMC_SET(pmc) : PMC1_4,
		.config = raw | flags,
	};
	if (pmc >= 5)
		share(code, SHARE_CC56RUN, 1, !!(raw & CFG_IDLE_TOO));
	else
		share_fields(model, raw, code);
}

static int encode_raw(const struct ppc_pev_model *model, u64 raw, u64 flags,
		      struct pev_pmu_code *code, struct pev_refuse *r)
{
	int err;

	err = check_bits(model, raw, r);
	if (!err)
		err = check_pmc(raw, r);
	if (!err)
		err = check_sampling(model, raw, r);
	if (!err)
		err = check_bus(model, raw, r);
	if (!err)
		add_way(model, raw, flags, code);
	return err;
}

int ppc_pev_encode(const struct ppc_pev_model *model, bool hv, bool guests,
		   const struct pev_pmu_request *req, struct pev_pmu_code *code,
		   struct pev_refuse *r)
{
	u64 flags = config_flags(hv, req->flags);
	unsigned int i;
	int err;

	*code = (struct pev_pmu_code) { .period_min = PERIOD_MIN };
	err = check_guests(guests, req->flags, r) ?: check_domains(hv, req->flags, r);
	if (err)
		return err;
	if (req->type == PEV_TYPE_RAW)
		return encode_raw(model, req->config, flags, code, r);
	if (!model->events[req->config][0])
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "%s: the %s has no event for it", req->name, model->name);
	for (i = 0; i < PPC_PEV_CODES && model->events[req->config][i]; i++)
		add_way(model, model->events[req->config][i], flags, code);
	return 0;
}

/* ---- codes that count wrongly on some revisions; Linux's own driver refuses the same ---- */

static const u32 power9_dd21[] = {
	0x10134,	/* PM_MRK_ST_DONE_L2 */
	0x1f056,	/* PM_RADIX_PWC_L1_HIT */
	0x100f4,	/* PM_FLOP_CMPL */
	0x20112,	/* PM_MRK_NTF_FIN */
	0x2d024,	/* PM_RADIX_PWC_L2_HIT */
	0x3405e,	/* PM_IFETCH_THROTTLE */
	0x3e15c,	/* PM_MRK_L2_TM_ST_ABORT_SISTER */
	0x3f056,	/* PM_RADIX_PWC_L3_HIT */
	0x3006c,	/* PM_RUN_CYC_SMT2_MODE */
	0x4e014,	/* PM_TM_TX_PASS_RUN_INST */
	0x4003c,	/* PM_DISP_HELD_SYNC_HOLD */
	0
};

static const u32 power9_dd22[] = {
	0x1c058,	/* PM_DTLB_MISS_16G */
	0x1c05a,	/* PM_DERAT_MISS_2M */
	0x1c05c,	/* PM_DTLB_MISS_2M */
	0x1d15c,	/* PM_MRK_DTLB_MISS_1G */
	0x2c056,	/* PM_DTLB_MISS_4K */
	0x2c05a,	/* PM_DERAT_MISS_1G */
	0x2d152,	/* PM_MRK_DERAT_MISS_2M */
	0x2d156,	/* PM_MRK_DTLB_MISS_4K */
	0x2d15e,	/* PM_MRK_DTLB_MISS_16G */
	0x3c056,	/* PM_DTLB_MISS_64K */
	0x3d152,	/* PM_MRK_DERAT_MISS_1G */
	0x3d156,	/* PM_MRK_DTLB_MISS_64K */
	0x4003c,	/* PM_DISP_HELD_SYNC_HOLD */
	0x4c056,	/* PM_DTLB_MISS_16M */
	0x4c05a,	/* PM_DTLB_MISS_1G */
	0x4c15e,	/* PM_MRK_DTLB_MISS_16M */
	0
};

#define PVR_POWER9	0x4e
#define PVR_CUMULUS	0x2000		/* POWER9 of the other chip, without these faults */

static const u32 *faulty_codes(u32 pvr)
{
	if (pvr >> 16 != PVR_POWER9 || pvr & PVR_CUMULUS)
		return NULL;
	switch (pvr & 0xf0f) {
	case 0x201:
		return power9_dd21;
	case 0x202:
		return power9_dd22;
	}
	return NULL;
}

int ppc_pev_check_faulty(u32 pvr, const struct pev_pmu_request *req, struct pev_refuse *r)
{
	const u32 *faulty = faulty_codes(pvr);

	for (; faulty && *faulty; faulty++)
		if (req->type == PEV_TYPE_RAW && req->config == *faulty)
			return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
					  "code %#llx counts wrongly on processors of this revision (DD%u.%u)",
					  req->config, pvr >> 8 & 0xf, pvr & 0xf);
	return 0;
}
