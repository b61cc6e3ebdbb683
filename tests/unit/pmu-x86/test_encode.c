// SPDX-License-Identifier: GPL-2.0
/* Which counters there are, and from an event to what is written to a register. */
#include "core.h"
#include "others.h"

static bool refused(u32 type, u64 config, u64 flags, int error, const char *text)
{
	struct pev_pmu_code code;
	struct pev_refuse r;
	int err = encode(type, config, flags, &code, &r);

	if (err == -error && strstr(r.text, text))
		return true;
	printf("# %#llx: %d, %s\n", (long long)config, err, r.text);
	return false;
}

static void detection(void)
{
	int i;

	make_kind();
	m.ctrl = 3;
	m.sel[0] = 0x5300c0;	/* perf counts: pev must not disturb it */
	m.lvtpc = APIC_DM_NMI;
	boot();
	CHECK_EQ(m.ctrl, 3);
	CHECK_EQ(m.sel[0], 0x5300c0);
	CHECK_EQ(m.debugctl, 0);
	CHECK_EQ(hweight64(pmu->present), m.gp + (m.amd ? 0 : m.fixed));
	for_each(i, pmu->present)
		CHECK_EQ(pmu->counters[i].bits, 48);
	CHECK_EQ(!!(pmu->features & PEV_PMU_FREEZES), m.version >= 2);
	CHECK(pmu->features & PEV_PMU_USER_READS);
	CHECK_EQ(pmu->counters[2].user, 2);
	if (!m.amd && m.fixed)
		CHECK_EQ(pmu->counters[33].user, (1 << 30) | 1);
}

static void raw_codes(void)
{
	struct pev_pmu_code code;
	struct pev_refuse r;

	make_kind();
	boot();
	CHECK_EQ(encode(PEV_TYPE_RAW, 0x1ff84010e, 0, &code, &r), m.amd ? 0 : -EINVAL);
	CHECK_EQ(encode(PEV_TYPE_RAW, 0xff84010e, 0, &code, &r), 0);
	CHECK_EQ(code.alt[0].counters, (1 << m.gp) - 1);
	CHECK_EQ(code.alt[0].config, 0xff97010e);
	CHECK_EQ(code.alt[1].counters, 0);
	CHECK(refused(PEV_TYPE_RAW, 0x0100c0 | BIT(22), 0, EINVAL, "PEV_F_EXCLUDE_USER"));
	CHECK(refused(PEV_TYPE_RAW, 0x4000c0, 0, EINVAL, "bits 0x400000"));
	CHECK(refused(PEV_TYPE_RAW, 0x0800c0, 0, EINVAL, "pin"));
	CHECK(refused(PEV_TYPE_RAW, 0x2000c0, 0, EINVAL, "thread"));
	CHECK(refused(PEV_TYPE_RAW, 1ULL << 50, 0, EINVAL, "allowed"));
	CHECK(refused(PEV_TYPE_HARDWARE, PEV_HW_CYCLES, PEV_F_MARKED, EOPNOTSUPP, "mark"));
	CHECK(refused(PEV_TYPE_HARDWARE, PEV_HW_CYCLES,
		      PEV_F_EXCLUDE_USER | PEV_F_EXCLUDE_KERNEL, EINVAL, "excludes all"));
	CHECK_EQ(encode(PEV_TYPE_HARDWARE, PEV_HW_CYCLES, PEV_F_EXCLUDE_HV, &code, &r), 0);
	CHECK_EQ(encode(PEV_TYPE_HARDWARE, PEV_HW_CYCLES, PEV_F_EXCLUDE_GUEST, &code, &r), 0);
	CHECK(refused(PEV_TYPE_HARDWARE, PEV_HW_CYCLES, PEV_F_EXCLUDE_HOST, EOPNOTSUPP,
		      "can't run guests"));
	if (!m.amd && m.fixed) {
		CHECK_EQ(encode(PEV_TYPE_RAW, 0x00c0, PEV_F_EXCLUDE_USER, &code, &r), 0);
		CHECK_EQ(code.alt[0].counters, 1ULL << 32);
		CHECK_EQ(code.alt[0].config, 9);
		CHECK_EQ(code.alt[1].counters, 15);
		CHECK_EQ(code.alt[1].config, 0x1200c0);
		CHECK_EQ(encode(PEV_TYPE_RAW, 0x0300, 0, &code, &r), 0);
		CHECK_EQ(code.alt[0].counters, 1ULL << 34);
		CHECK_EQ(code.alt[1].counters, 0);
		CHECK(refused(PEV_TYPE_RAW, 0x0400, 0, EOPNOTSUPP, "no counter"));
	}
}

static void guests_intel(void)
{
	intel(4);
	shim_features |= BIT_ULL(X86_FEATURE_VMX);
	boot();
	CHECK(refused(PEV_TYPE_HARDWARE, 0, PEV_F_EXCLUDE_GUEST, EOPNOTSUPP, "apart"));
	CHECK(refused(PEV_TYPE_HARDWARE, 0, PEV_F_EXCLUDE_HOST, EOPNOTSUPP, "apart"));
	CHECK(refused(PEV_TYPE_HARDWARE, 0, PEV_F_EXCLUDE_HOST, EOPNOTSUPP, "pev_pmu=perf"));
}

/* It is noticed at once, in the middle of what runs. */
static void guests_amd_at_once(void)
{
	int version;

	for (version = 1; version <= 2; version++) {
		amd(version);
		shim_features |= BIT_ULL(X86_FEATURE_SVM);
		up();
		update_begin();
		active = 0;
		attach(0, PEV_HW_INSTRUCTIONS, 0, PEV_F_EXCLUDE_GUEST);
		attach(1, PEV_HW_INSTRUCTIONS, 0, 0);
		update_end(false);
		model_run(100);
		m.efer = EFER_SVME;
		x86_pev_after_virt();
		CHECK(m.sel[0] & BIT_ULL(41));
		CHECK(!(m.sel[1] & BIT_ULL(41)));
		model_run(100);
		m.efer = 0;
		x86_pev_after_virt();
		CHECK(!(m.sel[0] & BIT_ULL(41)));
		model_run(100);
		/* while they stand, nothing is started */
		update_begin();
		m.efer = EFER_SVME;
		x86_pev_after_virt();
		CHECK(!model_counting());
		update_end(false);
		model_run(100);
		fold(0);
		fold(1);
		CHECK_EQ(mini[0].count, 400);
		CHECK_EQ(mini[1].count, 400);
		down();
	}
}

/* In a guest whose hypervisor does not pass on what leaves out the host, and where it does. */
static void guests_of_amd_guests(void)
{
	struct pev_pmu_code code;
	struct pev_refuse r;
	int version, forgets;

	for (version = 0; version <= 2; version++) {
		for (forgets = 0; forgets < 2; forgets++) {
			amd(version);
			m.hv_masks = true;
			m.hv_forgets = forgets;
			/* perf has two, and the watchdog had another one */
			m.sel[0] = 0x5300c0;
			m.sel[1] = 0x5300c2;
			m.sel[2] = 0x130076;
			shim_features = BIT_ULL(X86_FEATURE_SVM);
			boot();
			CHECK_EQ(m.sel[0], 0x5300c0);
			CHECK_EQ(m.sel[1], 0x5300c2);
			CHECK_EQ(m.sel[2], 0x130076);
			CHECK_EQ(encode(PEV_TYPE_HARDWARE, 0, 0, &code, &r), 0);
			if (forgets) {
				CHECK(refused(PEV_TYPE_HARDWARE, 0, PEV_F_EXCLUDE_HOST, EOPNOTSUPP,
					      "apart"));
				CHECK(refused(PEV_TYPE_HARDWARE, 0, PEV_F_EXCLUDE_GUEST, EOPNOTSUPP,
					      "apart"));
				continue;
			}
			CHECK_EQ(encode(PEV_TYPE_HARDWARE, 0, PEV_F_EXCLUDE_HOST, &code, &r), 0);
			CHECK_EQ(encode(PEV_TYPE_HARDWARE, 0, PEV_F_EXCLUDE_GUEST, &code, &r), 0);
		}
	}
}

/* The host only: whether guests can run, the hypervisor changes at any time. */
static void guests_amd(void)
{
	int version;

	guests_amd_at_once();
	amd(2);
	shim_features |= BIT_ULL(X86_FEATURE_SVM);
	up();
	for (version = 0; version < 2; version++) {
		update_begin();
		active = 0;
		attach(0, PEV_HW_INSTRUCTIONS, 0, PEV_F_EXCLUDE_GUEST);
		attach(1, PEV_HW_INSTRUCTIONS, 0, PEV_F_EXCLUDE_HOST);
		update_end(false);
		model_run(100);
		m.efer = EFER_SVME;
		update_begin();
		update_end(false);
		CHECK(m.sel[0] & BIT_ULL(41));
		model_run(100);
		m.efer = 0;
		update_begin();
		update_end(false);
		model_run(100);
		fold(0);
		fold(1);
		CHECK_EQ(mini[0].count, 300);
		CHECK_EQ(mini[1].count, 0);
	}
	down();
	guests_of_amd_guests();
}

static void models(void)
{
	struct pev_pmu_code code;
	struct pev_refuse r;

	if (kind > 4)
		return;
	intel(5);
	m.gp = 8;
	m.number = (const int[]){ 0x1a, 0x5e, 0x6a, 0x8f, 0x5c }[kind];
	boot();
	switch (m.number) {
	case 0x1a:
		CHECK_EQ(encode(PEV_TYPE_RAW, 0x0151, 0, &code, &r), 0);
		CHECK_EQ(code.alt[0].counters, 3);
		CHECK_EQ(code.period_min, 32);
		CHECK(refused(PEV_TYPE_RAW, 0x01b7, 0, EOPNOTSUPP, "needs a register"));
		break;
	case 0x5e:
		CHECK_EQ(encode(PEV_TYPE_RAW, 0x01c0, 0, &code, &r), 0);
		CHECK_EQ(code.alt[0].counters, 2);
		CHECK_EQ(encode(PEV_TYPE_HARDWARE, PEV_HW_L1D_MISSES, 0, &code, &r), 0);
		CHECK_EQ(code.alt[0].config & 0xffff, 0x08d1);
		break;
	case 0x6a:
		CHECK_EQ(encode(PEV_TYPE_HARDWARE, PEV_HW_L1D_MISSES, 0, &code, &r), 0);
		CHECK_EQ(code.alt[0].counters, 15);
		CHECK_EQ(encode(PEV_TYPE_RAW, 0x04a3, 0, &code, &r), 0);
		CHECK_EQ(code.alt[0].counters, 255);
		CHECK_EQ(encode(PEV_TYPE_RAW, 0x01a3, 0, &code, &r), 0);
		CHECK_EQ(code.alt[0].counters, 15);
		break;
	case 0x8f:
		CHECK_EQ(encode(PEV_TYPE_HARDWARE, PEV_HW_REF_CYCLES, 0, &code, &r), 0);
		CHECK_EQ(code.alt[0].counters, 1ULL << 34);
		CHECK_EQ(code.alt[1].counters, 255);
		CHECK_EQ(code.alt[1].config & 0xffff, 0x013c);
		CHECK(refused(PEV_TYPE_HARDWARE, PEV_HW_BUS_CYCLES, 0, EOPNOTSUPP,
			      "Golden Cove"));
		break;
	case 0x5c:
		CHECK(!(pmu->features & PEV_PMU_FREEZES));
		break;
	}
}

/* The counters of @code and the shortest period, on a processor with eight. */
static void is_counted(int number, u64 raw, u64 counters, u64 period_min)
{
	struct pev_pmu_code code;
	struct pev_refuse r;

	if (!m.gp) {
		intel(4);
		m.gp = 8;
		m.number = number;
		boot();
	}
	CHECK_EQ(encode(PEV_TYPE_RAW, raw, 0, &code, &r), 0);
	CHECK_EQ(code.alt[0].counters, counters);
	CHECK_EQ(code.period_min, period_min);
}

/* Without hyper-threading a core has eight, of which four know the memory pipeline. */
static void lower_four(void)
{
	const struct { int number; u64 raw, counters; } of[] = {
		{ 0x2a, 0x81d0, 0xf }, { 0x2a, 0x01d3, 0xf }, { 0x3a, 0x08d1, 0xf },
		{ 0x3c, 0x81d0, 0xf }, { 0x3d, 0x20d1, 0xf }, { 0x5e, 0x81d0, 0xf },
		{ 0x5e, 0x02c6, 0xf },
	};

	is_counted(of[kind % 7].number, of[kind % 7].raw, of[kind % 7].counters,
		   of[kind % 7].number == 0x3c ? 32 : 2);
	is_counted(of[kind % 7].number, 0x00c4, 0xff, of[kind % 7].number == 0x3c ? 32 : 2);
}

/* Errata HSW11 and BDM11 */
static void periods(void)
{
	is_counted(kind ? 0x3d : 0x3c, 0x01c0, 0x2, 128);
	is_counted(kind ? 0x3d : 0x3c, 0x02c0, 0xff, kind ? 2 : 32);
}

/* The counters of two threads are one for these: errata BJ122, BV98, HSD29. */
static void other_thread(void)
{
	struct pev_pmu_code code;
	struct pev_refuse r;

	intel(4);
	m.number = (const int[]){ 0x2a, 0x3a, 0x3c, 0x3d }[kind & 3];
	boot();
	if (m.number == 0x3d) {
		CHECK_EQ(encode(PEV_TYPE_RAW, 0x81d0, 0, &code, &r), 0);
		return;
	}
	CHECK(refused(PEV_TYPE_RAW, 0x81d0, 0, EOPNOTSUPP, "hyper-threading"));
	CHECK(refused(PEV_TYPE_RAW, 0x01d3, 0, EOPNOTSUPP, "hyper-threading"));
	CHECK(refused(PEV_TYPE_HARDWARE, PEV_HW_L1D_LOADS, 0, EOPNOTSUPP, "hyper-threading"));
	CHECK_EQ(encode(PEV_TYPE_RAW, 0x01d4, 0, &code, &r), 0);
}

/* Transactions write PMC3: nothing must count there. */
static void transactions(void)
{
	struct pev_pmu_code code;
	struct pev_refuse r;
	int i;

	intel(4);
	m.number = 0x5e;
	shim_features |= BIT_ULL(X86_FEATURE_TSX_FORCE_ABORT);
	up();
	CHECK_EQ(pmu->present, 0x700000007ULL);
	CHECK_EQ(encode(PEV_TYPE_RAW, 0x00c4, 0, &code, &r), 0);
	CHECK_EQ(code.alt[0].counters, 7);
	update_begin();
	for (i = 0; i < 3; i++)
		attach(i, PEV_HW_BRANCHES, 0, 0);
	update_end(false);
	m.ctr[3] = 12345;
	model_run(100);
	for (i = 0; i < 3; i++) {
		fold(i);
		CHECK_EQ(mini[i].count, 100);
	}
	CHECK_EQ(m.ctr[3], 12345);
	down();
}

/* Microcode that aborts all of them leaves it alone. */
static void no_transactions(void)
{
	intel(4);
	m.number = 0x5e;
	shim_features |= BIT_ULL(X86_FEATURE_TSX_FORCE_ABORT) |
			 BIT_ULL(X86_FEATURE_RTM_ALWAYS_ABORT);
	boot();
	CHECK_EQ(pmu->present, 0x70000000fULL);
}

static void events_of_amd(void)
{
	struct pev_pmu_code code;
	struct pev_refuse r;

	amd(2);
	boot();
	/* in one counter, increments of more than 15 a cycle would be lost */
	CHECK(refused(PEV_TYPE_RAW, 0xff03, 0, EOPNOTSUPP, "besides its own"));
	CHECK_EQ(encode(PEV_TYPE_RAW, 0xff04, 0, &code, &r), 0);
	CHECK_EQ(encode(PEV_TYPE_HARDWARE, PEV_HW_L1D_MISSES, 0, &code, &r), 0);
	CHECK_EQ(code.alt[0].config & 0xffff, 0x3f41);
}

static void missing_events(void)
{
	struct pev_pmu_code code;
	struct pev_refuse r;

	if (kind > 4)
		return;
	intel(kind + 1);
	m.missing = 0x7f;
	boot();
	CHECK(refused(PEV_TYPE_HARDWARE, PEV_HW_BRANCHES, 0, EOPNOTSUPP, "the event"));
	CHECK(refused(PEV_TYPE_HARDWARE, PEV_HW_CACHE_MISSES, 0, EOPNOTSUPP, "the event"));
	if (!m.fixed) {
		CHECK(refused(PEV_TYPE_HARDWARE, PEV_HW_CYCLES, 0, EOPNOTSUPP, "the event"));
		return;
	}
	CHECK_EQ(encode(PEV_TYPE_HARDWARE, PEV_HW_CYCLES, 0, &code, &r), 0);
	CHECK_EQ(code.alt[0].counters, 1ULL << 33);
	CHECK_EQ(code.alt[1].counters, 0);
}

static void no_pmu(void)
{
	intel(4);
	model_boot();
	shim_features &= ~BIT_ULL(X86_FEATURE_ARCH_PERFMON);
	CHECK_EQ(shim_init(), 0);
	CHECK(!pmu && strstr(m.said, "architectural"));
	shim_features |= BIT_ULL(X86_FEATURE_ARCH_PERFMON) | BIT_ULL(X86_FEATURE_HYBRID_CPU);
	shim_init();
	CHECK(!pmu && strstr(m.said, "several kinds of cores"));
	shim_features |= BIT_ULL(X86_FEATURE_XENPV);
	CHECK_EQ(shim_init(), 0);
	CHECK(!pmu && strstr(m.said, "Xen"));
	shim_features &= ~BIT_ULL(X86_FEATURE_APIC);
	shim_init();
	CHECK(!pmu && strstr(m.said, "APIC"));
}

const struct test_case encode_cases[] = {
	{ "detection leaves perf alone", detection, true },
	{ "codes and domains", raw_codes, true },
	{ "tables of models", models, true },
	{ "events for half of the counters", lower_four, true },
	{ "shortest periods", periods, true },
	{ "events that leak into the core's other thread", other_thread, true },
	{ "transactions overwrite a counter", transactions },
	{ "transactions that all abort", no_transactions },
	{ "events of AMD", events_of_amd },
	{ "events that CPUID denies", missing_events, true },
	{ "guests, Intel", guests_intel },
	{ "guests, AMD", guests_amd },
	{ "no PMU", no_pmu },
	{ }
};
