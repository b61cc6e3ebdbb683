// SPDX-License-Identifier: GPL-2.0
/* Event codes, and when a counter counts: the two parts that touch no register. */
#include <stdlib.h>
#include "../../../arch/powerpc/pev/cpu.h"
#include "../../../arch/powerpc/pev/isa207.h"
#include "../../../arch/powerpc/pev/mmcr.h"
#include "../../../arch/powerpc/pev/power.h"
#include <linux/pev_refuse.h>
#include "check.h"
#include "core.h"
#include "model.h"

int failed;

static const struct ppc_pev_model *p8, *p9, *p10;
/* can counters go on in guests? */
static bool guests;

static struct pev_pmu_code encode(const struct ppc_pev_model *m, u32 type, u64 config,
				  u64 flags, int want)
{
	struct pev_pmu_request req = { .type = type, .config = config, .flags = flags,
				       .name = "the event" };
	struct pev_refuse r = { };
	struct pev_pmu_code code;
	int got;

	refusal[0] = 0;
	got = ppc_pev_encode(m, false, guests, &req, &code, &r);
	if (got != want) {
		printf("# %s code %#llx: %d, not %d: %s\n", m->name,
		       (unsigned long long)config, got, want, refusal);
		failed = 1;
	}
	return code;
}

static void refuse(const struct ppc_pev_model *m, u64 raw, int error, const char *text)
{
	encode(m, PEV_TYPE_RAW, raw, 0, -error);
	if (!strstr(refusal, text)) {
		printf("# code %#llx: \"%s\" lacks \"%s\"\n", (unsigned long long)raw, refusal,
		       text);
		failed = 1;
	}
}

static bool agree(const struct pev_pmu_code *a, const struct pev_pmu_code *b)
{
	return !((a->share_value ^ b->share_value) & a->share_mask & b->share_mask);
}

static void generic_events(void)
{
	const struct ppc_pev_model *models[] = { p8, p9, p10 };
	unsigned int m, i;

	for (m = 0; m < 3; m++) {
		struct pev_pmu_code c = encode(models[m], PEV_TYPE_HARDWARE, PEV_HW_INSTRUCTIONS,
					       0, 0);

		EQ(c.alt[0].counters, 0x10);
		EQ(c.alt[1].counters, 0x0f);
		EQ(c.alt[2].counters, 0);
		c = encode(models[m], PEV_TYPE_HARDWARE, PEV_HW_CYCLES, 0, 0);
		EQ(c.alt[0].counters, 0x20);
		EQ(c.alt[1].counters, 0x0f);
		for (i = 0; i < PEV_HW_MAX; i++) {
			u64 all = 0;
			unsigned int a;

			if (!models[m]->events[i][0]) {
				encode(models[m], PEV_TYPE_HARDWARE, i, 0, -EOPNOTSUPP);
				TRUE(strstr(refusal, models[m]->name));
				continue;
			}
			c = encode(models[m], PEV_TYPE_HARDWARE, i, 0, 0);
			for (a = 0; a < PEV_PMU_MAX_ALTS && c.alt[a].counters; a++) {
				EQ(all & c.alt[a].counters, 0);
				all |= c.alt[a].counters;
			}
			TRUE(all && !(all & ~0x3fULL));
			TRUE(c.period_min >= 1);
		}
	}
}

/* Each code of the tables is one that the format's own checks accept. */
static void tables_are_valid(void)
{
	unsigned int m, i, a;

	for (m = 0; m < ppc_pev_nr_models; m++)
		for (i = 0; i < PEV_HW_MAX; i++)
			for (a = 0; a < PPC_PEV_CODES && ppc_pev_models[m].events[i][a]; a++) {
				u64 raw = ppc_pev_models[m].events[i][a];

				if (raw & CFG_IDLE_TOO)
					raw &= ~CFG_IDLE_TOO;
				encode(&ppc_pev_models[m], PEV_TYPE_RAW, raw, 0, 0);
			}
}

static void raw_codes(void)
{
	struct pev_pmu_code a, b;

	EQ(encode(p9, PEV_TYPE_RAW, 0x10002, 0, 0).alt[0].counters, 0x01);
	EQ(encode(p9, PEV_TYPE_RAW, 0x4d05e, 0, 0).alt[0].counters, 0x08);
	EQ(encode(p9, PEV_TYPE_RAW, 0x0001e, 0, 0).alt[0].counters, 0x0f);
	EQ(encode(p9, PEV_TYPE_RAW, 0x500fa, 0, 0).alt[0].counters, 0x10);
	EQ(encode(p9, PEV_TYPE_RAW, 0x600f4, 0, 0).alt[0].counters, 0x20);
	EQ(encode(p9, PEV_TYPE_RAW, 0x10002, 0, 0).alt[1].counters, 0);
	/* PMC5 counts run instructions or all, not both at once */
	a = encode(p9, PEV_TYPE_RAW, 0x500fa, 0, 0);
	b = encode(p9, PEV_TYPE_HARDWARE, PEV_HW_CYCLES, 0, 0);
	TRUE(!agree(&a, &b));
	b = encode(p9, PEV_TYPE_RAW, 0x600f4, 0, 0);
	TRUE(agree(&a, &b));
	b = encode(p9, PEV_TYPE_RAW, 0x4d05e, 0, 0);
	TRUE(agree(&a, &b));
	/* one way of random sampling: PM_MRK_INST_CMPL with two of them */
	a = encode(p9, PEV_TYPE_RAW, 0x401e0, 0, 0);
	b = encode(p9, PEV_TYPE_RAW, 0x040101e0, 0, 0);
	TRUE(!agree(&a, &b));
	b = encode(p9, PEV_TYPE_RAW, 0x101e0, 0, 0);
	TRUE(agree(&a, &b));
	/* POWER10's L2 and L3 events share a selector */
	a = encode(p10, PEV_TYPE_RAW, 0x010000046080, 0, 0);
	b = encode(p10, PEV_TYPE_RAW, 0x000000026880, 0, 0);
	TRUE(!agree(&a, &b));
	b = encode(p10, PEV_TYPE_RAW, 0x010000016080, 0, 0);
	TRUE(agree(&a, &b));
	/* ... and its sources are each counter's own */
	encode(p10, PEV_TYPE_RAW, 0x03f00000001c040, 0, 0);
}

static void refused_codes(void)
{
	refuse(p9, 0x70002, EINVAL, "PMC7");
	refuse(p9, 0xf0002, EINVAL, "PMC15");
	refuse(p9, 0x50002, EINVAL, "PMC5 counts nothing but instructions");
	refuse(p9, 0x600fa, EINVAL, "PMC6 counts nothing but cycles");
	refuse(p9, 0x501fa, EINVAL, "PMC5");
	refuse(p9, 0, EINVAL, "select no event");
	refuse(p9, 0x10000, EINVAL, "select no event");
	refuse(p9, 1ULL << 63 | 0x10002, EOPNOTSUPP, "event-based branches");
	refuse(p9, 1ULL << 62 | 0x10002, EOPNOTSUPP, "branch history");
	refuse(p9, 1ULL << 60 | 0x10002, EOPNOTSUPP, "60 to 63");
	refuse(p9, 1ULL << 52 | 0x10002, EINVAL, "0x10000000000000");
	refuse(p8, 1ULL << 50 | 0x10002, EINVAL, "reserved on POWER8");
	refuse(p8, 0x10402, EINVAL, "0x400");
	refuse(p9, 0x10202, EINVAL, "0x200");
	encode(p9, PEV_TYPE_RAW, 0x10402, 0, 0);
	encode(p10, PEV_TYPE_RAW, 0x10202, 0, 0);
	refuse(p9, 0x34340401e0, EOPNOTSUPP, "threshold");
	refuse(p8, 0x00003004056, EINVAL, "bits 24 to 28");
	refuse(p9, 0x030401e0, EINVAL, "reserved");
	refuse(p9, 0x0c0401e0, EINVAL, "reserved");
	encode(p10, PEV_TYPE_RAW, 0x0c0401e0, 0, 0);
	refuse(p10, 0x100401e0, EINVAL, "reserved");
	refuse(p9, 0x04010002, EINVAL, "marked");
	refuse(p9, 0x16880, EOPNOTSUPP, "PMC4");
	encode(p9, PEV_TYPE_RAW, 0x46880, 0, 0);
	refuse(p8, 0x317080, EOPNOTSUPP, "hypervisor");
	encode(p8, PEV_TYPE_RAW, 0x17080, 0, 0);
}

static void refused_domains(void)
{
	u64 eu = PEV_F_EXCLUDE_USER, ek = PEV_F_EXCLUDE_KERNEL, eh = PEV_F_EXCLUDE_HV,
	    gh = PEV_F_EXCLUDE_HOST, gg = PEV_F_EXCLUDE_GUEST;

	encode(p9, PEV_TYPE_HARDWARE, PEV_HW_CYCLES, PEV_F_MARKED, -EINVAL);
	TRUE(strstr(refusal, "MSR[PMM]"));
	encode(p9, PEV_TYPE_HARDWARE, PEV_HW_CYCLES, PEV_F_MARKED | ek, 0);
	encode(p9, PEV_TYPE_HARDWARE, PEV_HW_CYCLES, gh, -EOPNOTSUPP);
	TRUE(strstr(refusal, "KVM-HV"));
	encode(p9, PEV_TYPE_HARDWARE, PEV_HW_CYCLES, gg, 0);
	guests = true;
	encode(p9, PEV_TYPE_HARDWARE, PEV_HW_CYCLES, gh, 0);
	encode(p9, PEV_TYPE_HARDWARE, PEV_HW_CYCLES, gh | gg, -EINVAL);
	encode(p9, PEV_TYPE_HARDWARE, PEV_HW_CYCLES, gh | ek | PEV_F_MARKED, -EINVAL);
	TRUE(strstr(refusal, "marked"));
	guests = false;
	encode(p9, PEV_TYPE_HARDWARE, PEV_HW_CYCLES, eu | ek, 0);
	encode(p9, PEV_TYPE_HARDWARE, PEV_HW_CYCLES, eu | ek | eh, -EINVAL);
}

/* Every counter, every domain, every mode of the machine: does it count there? */
static void domains(void)
{
	static const enum model_mode modes[] = { USER, KERNEL, HYPERVISOR };
	unsigned int hv, pairs, flags, mode, pmm, c;

	for (hv = 0; hv < 2; hv++)
	for (pairs = 0; pairs < 2; pairs++)
	for (flags = 0; flags < 16; flags++)
	for (mode = 0; mode < 3; mode++)
	for (pmm = 0; pmm < 2; pmm++)
	for (c = 0; c < 6; c++) {
		struct pev_pmu_request req = {
			.type = PEV_TYPE_RAW,
			.config = c == 4 ? 0x500fa : c == 5 ? 0x600f4 : 0x00002,
			.flags = (flags & 1 ? PEV_F_EXCLUDE_USER : 0) |
				 (flags & 2 ? PEV_F_EXCLUDE_KERNEL : 0) |
				 (flags & 4 ? PEV_F_EXCLUDE_HV : 0) |
				 (flags & 8 ? PEV_F_MARKED : 0),
		};
		/* the kernel is the hypervisor if there is no other */
		bool kernel = modes[mode] == KERNEL || (hv && modes[mode] == HYPERVISOR);
		bool user = modes[mode] == USER, want;
		struct ppc_pev_mmcr m;
		struct pev_pmu_code code;
		u64 config[6] = { };
		unsigned int i;

		if (ppc_pev_encode(p9, hv, true, &req, &code, NULL))
			continue;
		/* only user mode has the mark */
		if (pmm && !user)
			continue;
		want = !(user && flags & 1) && !(kernel && flags & 2) &&
		       !(!user && !kernel && flags & 4) && !(!pmm && flags & 8);

		model_reset();
		machine.hypervisor = hv;
		machine.pairs = pairs;
		config[c] = code.alt[0].config;
		/* another that runs: its bits must not touch this one's */
		config[c ^ 1] = (c ^ 1) == 4 ? 0x500fa : (c ^ 1) == 5 ? 0x600f4 : 0x0001e;
		ppc_pev_compute(p9, hv, config, BIT_ULL(c) | BIT_ULL(c ^ 1), &m);
		machine.mmcr0 = m.mmcr0;
		machine.mmcr1 = m.mmcr1;
		machine.mmcr2 = m.mmcr2;
		model_run(modes[mode], pmm, 10);
		for (i = 0; i < 6; i++) {
			u64 expect = i == c ? (want ? 10 : 0) : i == (c ^ 1) ? 10 : 0;

			if (machine.total[i] == expect)
				continue;
			printf("# PMC%u hv %u flags %x mode %u pmm %u: PMC%u counted %llu, not %llu\n",
			       c + 1, hv, flags, mode, pmm, i + 1,
			       (unsigned long long)machine.total[i], (unsigned long long)expect);
			failed = 1;
		}
	}
}

static void idle(void)
{
	u64 config[6] = { 0x1e, 0x200f4, 0, 0x400fa, 0x500fa, 0x600f4 | CFG_IDLE_TOO };
	struct ppc_pev_mmcr m;

	model_reset();
	machine.run = false;
	ppc_pev_compute(p9, false, config, 0x2b, &m);
	machine.mmcr0 = m.mmcr0;
	machine.mmcr1 = m.mmcr1;
	machine.mmcr2 = m.mmcr2;
	model_run(KERNEL, false, 10);
	EQ(machine.total[0], 10);
	EQ(machine.total[1], 0);
	EQ(machine.total[3], 0);
	EQ(machine.total[5], 10);
	config[5] = 0x600f4;
	ppc_pev_compute(p9, false, config, 0x3b, &m);
	EQ(m.mmcr0 & M0_CC56RUN, 0);
}

/* Fields against values worked out by hand from the guides. */
static void fields(void)
{
	struct ppc_pev_mmcr m;
	u64 config[6] = { 0x1f056, 0x2c04e, 0x3e054, 0x4d05e };

	ppc_pev_compute(p9, false, config, 0xf, &m);
	EQ(m.mmcr1 >> 32 & ~0xffULL, 0xfced000000000000ULL >> 32 & ~0xffULL);
	EQ(m.mmcr1 & 0xffffffff, 0x564e545e);
	EQ(m.mmcr0 & M0_FC14, 0);
	EQ(m.mmcr0 & M0_FC56, M0_FC56);
	EQ(m.mmcr3, 0);
	/* combine: bits 24-31 from 3.0 on, 28-31 before */
	config[0] = 0x10c02;
	config[1] = 0x20402;
	ppc_pev_compute(p9, false, config, 0x3, &m);
	EQ(m.mmcr1, 0x000000d002020000ULL);
	config[0] = 0x10802;
	config[1] = 0x20002;
	ppc_pev_compute(p8, false, config, 0x3, &m);
	EQ(m.mmcr1, 0x0000000802020000ULL);
	/* POWER10: PM_INST_FROM_L1MISS on PMC1, the source in MMCR3 */
	config[0] = 0x03f00000001c040;
	ppc_pev_compute(p10, false, config, 0x1, &m);
	EQ(m.mmcr1, 0xc000000040000000ULL);
	EQ(m.mmcr3, (0x03f00000001c040ULL >> 45 & 0x7fff) << 49);
	EQ(m.mmcra & MA_BHRBRD, MA_BHRBRD);
	EQ(m.mmcr0 & M0_PMCCEXT, M0_PMCCEXT);
	/* random sampling of loads: eligibility 0b001, mode 0b00 */
	config[0] = 0x040101e0;
	ppc_pev_compute(p9, false, config, 0x1, &m);
	EQ(m.mmcra, 0x11);
	config[0] = 0x101e2;
	ppc_pev_compute(p8, false, config, 0x1, &m);
	EQ(m.mmcra, 1ULL << 42 | 1);
}

/* Only on the revisions that Linux's driver names, and under no generic name. */
static void faulty_codes(void)
{
	static const struct {
		u32 pvr;
		u64 code;
		const char *dd;
	} tries[] = {
		{ 0x004e0201, 0x100f4, "DD2.1" }, { 0x004e0201, 0x4003c, "DD2.1" },
		{ 0x004e0201, 0x2c056, NULL },	  { 0x004e0202, 0x2c056, "DD2.2" },
		{ 0x004e1202, 0x4c15e, "DD2.2" }, { 0x004e0202, 0x100f4, NULL },
		{ 0x004e0203, 0x2c056, NULL },	  { 0x004e2202, 0x2c056, NULL },
		{ 0x004d0202, 0x2c056, NULL },	  { 0x00800202, 0x2c056, NULL },
	};
	unsigned int i;

	for (i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		struct pev_pmu_request req = { .type = PEV_TYPE_RAW, .config = tries[i].code };
		struct pev_refuse r = {};

		refusal[0] = 0;
		EQ(ppc_pev_check_faulty(tries[i].pvr, &req, &r), tries[i].dd ? -EOPNOTSUPP : 0);
		EQ(!!strstr(refusal, tries[i].dd ?: "DD"), !!tries[i].dd);
		req.type = PEV_TYPE_HARDWARE;
		EQ(ppc_pev_check_faulty(tries[i].pvr, &req, &r), 0);
	}
}

static const struct test tests[] = {
	{ "events that all processors have", generic_events },
	{ "the tables hold valid codes", tables_are_valid },
	{ "raw codes, and what goes together", raw_codes },
	{ "codes that can't be counted are refused with a reason", refused_codes },
	{ "codes that count wrongly on some revisions", faulty_codes },
	{ "domains that can't be distinguished are refused with a reason", refused_domains },
	{ "each counter counts in the domains asked for and no other", domains },
	{ "idle: the run latch", idle },
	{ "fields are where the guides have them", fields },
};

int main(void)
{
	unsigned int i;

	for (i = 0; i < ppc_pev_nr_models; i++) {
		p8 = ppc_pev_models[i].pvr[0] == 0x4d ? &ppc_pev_models[i] : p8;
		p9 = ppc_pev_models[i].pvr[0] == 0x4e ? &ppc_pev_models[i] : p9;
		p10 = ppc_pev_models[i].pvr[0] == 0x80 ? &ppc_pev_models[i] : p10;
	}
	ppc_pev_model_is(p9);
	return run_tests(tests, ARRAY_SIZE(tests));
}
