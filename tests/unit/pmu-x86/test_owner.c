// SPDX-License-Identifier: GPL-2.0
/* Registers change hands: what is found in them, what is left, who holds them. */
#include "core.h"

static void restored(void)
{
	u64 debugctl = 0xc0;

	make_kind();
	m.debugctl = debugctl;
	up();
	CHECK_EQ(m.dirty_cleared, 1);
	CHECK_EQ(!!(m.debugctl & BIT(12)), m.version >= 2);
	m.debugctl |= 2;	/* a debugger single-steps branches */
	down();
	CHECK_EQ(m.debugctl, debugctl | 2);
	CHECK_EQ(m.sel[0] | m.fctrl | m.ctr[0] | m.fctr[0], 0);
	CHECK_EQ(m.lvtpc, APIC_DM_NMI);
}

/* Firmware or another owner left everything running and overflowed. */
static void dirty(void)
{
	struct pev_refuse r = { };
	int i;

	make_kind();
	model_boot();
	for (i = 0; i < m.gp; i++) {
		m.sel[i] = 0x5300c0;
		m.ctr[i] = 0xfffffffffff0 + i;
	}
	m.fctrl = m.fixed ? 0xbbb : 0;
	m.fctr[1] = 0xffffffffff00;
	m.ctrl = m.amd ? 0x3f : 0x70000000f;
	m.status = m.version >= 2 ? 3 : 0;
	shim_init();
	m.lvtpc = APIC_DM_NMI | APIC_LVT_MASKED;
	CHECK_EQ(pmu->ops->reserve(&r), 0);
	CHECK_EQ(pmu->ops->cpu_start(), 0);
	CHECK(!model_counting());
	CHECK_EQ(incidents[PEV_PMU_FOREIGN], 1);
	CHECK_EQ(m.status, 0);
	CHECK_EQ(m.lvtpc, APIC_DM_NMI);
	for (i = 0; i < m.gp; i++)
		CHECK_EQ(m.ctr[i] | m.sel[i], 0);
	m.lvtpc = APIC_DM_NMI;
	pmu->ops->cpu_stop();
	/* a PMI of the other owner masked it, and left it for good */
	CHECK_EQ(m.lvtpc, APIC_DM_NMI);
	down();
}

static void gone(void)
{
	struct pev_refuse r = { };

	make_kind();
	boot();
	CHECK_EQ(pmu->ops->reserve(&r), 0);
	m.gone = true;
	CHECK_EQ(pmu->ops->cpu_start(), -ENODEV);
	pmu->ops->cpu_stop();
	m.gone = false;
	CHECK_EQ(pmu->ops->cpu_start(), 0);
	down();
}

static void narrower(void)
{
	struct pev_refuse r = { };

	make_kind();
	m.real_width = 40;
	boot();
	CHECK_EQ(pmu->ops->reserve(&r), 0);
	/* full-width writes of bits that are not there fault on Intel, too */
	if (m.amd)
		CHECK_EQ(pmu->ops->cpu_start(), -ENODEV);
	pmu->ops->cpu_stop();
	pmu->ops->release();
}

static void busy(void)
{
	struct pev_refuse r = { };

	make_kind();
	m.foreign_owner = true;
	boot();
	CHECK_EQ(pmu->ops->reserve(&r), -EBUSY);
	CHECK(strstr(r.text, "perf holds"));
	CHECK(!strcmp(pmu->ops->holder(0), "perf"));
	watchdog_enabled = 1;
	CHECK_EQ(pmu->ops->reserve(&r), -EBUSY);
	CHECK(strstr(r.text, "hard lockup detector") && strstr(r.text, "nmi_watchdog=0"));
	CHECK(strstr(pmu->ops->holder(1), "hard lockup detector"));
	m.foreign_owner = false;
	/* one of them only: all are given back */
	m.reserved_sel = 4;
	CHECK_EQ(pmu->ops->reserve(&r), -EBUSY);
	CHECK_EQ(m.reserved_ctr, 0);
	CHECK_EQ(m.reserved_sel, 4);
	m.reserved_sel = 0;
	CHECK(!pmu->ops->holder(0));
	CHECK_EQ(pmu->ops->reserve(&r), 0);
	CHECK(!pmu->ops->holder(0));
	/* it may have been switched on meanwhile, and finds them free */
	CHECK_EQ(m.watchdog_starts, 0);
	pmu->ops->release();
	CHECK_EQ(m.reserved_ctr | m.reserved_sel, 0);
	CHECK_EQ(m.watchdog_starts, 1);
	watchdog_enabled = 0;
	CHECK_EQ(pmu->ops->reserve(&r), 0);
	pmu->ops->release();
	CHECK_EQ(m.watchdog_starts, 1);
}

const struct test_case owner_cases[] = {
	{ "registers are given back as found", restored, true },
	{ "registers dirty by another owner", dirty, true },
	{ "counters that have gone", gone, true },
	{ "counters narrower than expected", narrower, true },
	{ "counters that perf or the watchdog holds", busy, true },
	{ }
};
