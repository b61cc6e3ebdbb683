// SPDX-License-Identifier: GPL-2.0
/* What processors, hypervisors and other owners are known to do wrong. */
#include "core.h"

/* A bit that comes back once is acknowledged again; one that stays ends its counter. */
static void stuck_status(void)
{
	make_kind();
	if (m.version < 2)
		return;
	up_with_two(1000, 400, 3, false);
	m.spurious = 1;
	model_run(1500);
	CHECK_EQ(mini[0].samples, 1);
	CHECK_EQ(incidents[PEV_PMU_STUCK], 0);
	m.stuck = 2;
	model_run(20000);
	CHECK_EQ(incidents[PEV_PMU_STUCK], 1);
	CHECK_EQ(mini[0].samples, 21);
	CHECK(m.nmis < 40);
	CHECK_EQ(m.sel[1], 0);
	/* it can be set up again, and still does not count */
	update_begin();
	attach(1, PEV_HW_INSTRUCTIONS, 400, 0);
	update_end(false);
	CHECK_EQ(m.sel[1], 0);
	stop_all();
	m.stuck = 0;
	m.status = 0;
	down();
}

static void stuck_at_start(void)
{
	make_kind();
	if (m.version < 2)
		return;
	m.stuck = m.status = 4;
	up();
	CHECK_EQ(incidents[PEV_PMU_STUCK], 1);
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, 1000, 0);
	attach(2, PEV_HW_INSTRUCTIONS, 1000, 0);
	update_end(false);
	model_run(10500);
	CHECK_EQ(mini[0].samples, 10);
	CHECK_EQ(mini[2].samples, 0);
	CHECK(!model_other_nmi());
	m.stuck = m.status = 0;
	down();
}

static void stuck_freeze(void)
{
	make_kind();
	if (m.version < 4 && !(m.amd && m.version == 2))
		return;
	up_with(1000);
	m.stuck = BIT_ULL(59);
	model_run(1000);
	CHECK_EQ(incidents[PEV_PMU_STUCK], 1);
	CHECK(!(m.debugctl & BIT(12)));
	m.stuck = 0;
	m.status = 0;
	model_run(5000);
	CHECK_EQ(mini[0].samples, 6);
	down();
}

/* Other code starts all counters behind our back. */
static void foreign_ctrl(void)
{
	int noticed;

	make_kind();
	if (m.version < 2)
		return;
	up_with_two(1000, 0, 1, false);
	model_run(500);
	m.ctrl = m.amd ? 0x3f : 0x70000000f;
	model_run(600);
	/* where the freeze clears it, its value cannot be known */
	noticed = m.amd || m.version >= 4;
	CHECK_EQ(incidents[PEV_PMU_FOREIGN], noticed);
	CHECK_EQ(m.ctrl, 1);
	model_run(1000);
	CHECK_EQ(incidents[PEV_PMU_FOREIGN], noticed);
	m.sel[0] ^= 0x100;
	down();
	CHECK_EQ(incidents[PEV_PMU_FOREIGN], noticed + 1);
}

/* Counter 0 samples; counter 1 is the core's, too, but not to run. */
static void up_with_idle(void)
{
	make_kind();
	up_with_two(1000, 0, 1, false);
}

/* Without samples nothing but the updates can notice, once in a tick. */
static void noticed_by_updates(void)
{
	u64 all;
	int found = 0;

	up_with_idle();
	if (m.version < 2)
		return;
	all = m.amd ? 0x3f : 0x70000000f;
	for (int i = 0; i < 4; i++) {
		m.ctrl = i & 1 ? all : 0;
		model_run(200);
		/* in this tick it was looked at */
		update_begin();
		update_end(false);
		CHECK_EQ(m.ctrl, 1);
		CHECK_EQ(incidents[PEV_PMU_FOREIGN], found);
		shim_now += 10 * NSEC_PER_MSEC;
		m.ctrl = i & 1 ? all : 0;
		model_run(20);
		update_begin();
		found++;
		CHECK_EQ(incidents[PEV_PMU_FOREIGN], found);
		CHECK(!model_counting());
		update_end(false);
		CHECK_EQ(m.ctrl, 1);
		shim_now += 10 * NSEC_PER_MSEC;
		update_begin();
		update_end(false);
		CHECK_EQ(incidents[PEV_PMU_FOREIGN], found);
	}
	down();
}

/* The PMI of an overflow, which may clear GLOBAL_CTRL, is no foreign hand, whenever it comes. */
static void own_stops(void)
{
	int i;

	make_kind();
	m.pmi_after = 1;
	up_with(100);
	for (i = 0; i < 3000; i++) {
		m.pmi_after = i % 17;
		shim_now += 5 * NSEC_PER_MSEC;
		model_run(90 + i % 13);
		update_begin();
		fold(0);
		update_end(false);
	}
	stop_all();
	model_settle();
	CHECK_EQ(incidents[PEV_PMU_FOREIGN], 0);
	down();
}

/* A user may read: what others let run shows nothing after the next update. */
static void opened_is_hidden(void)
{
	make_kind();
	if (m.version < 2)
		return;
	up_with_two(0, 0, 1, true);
	CHECK_EQ(m.ctr[1], 0);
	m.ctrl = 3;
	model_run(777);
	CHECK_EQ(m.ctr[1], 777);
	shim_now += 10 * NSEC_PER_MSEC;
	update_begin();
	CHECK_EQ(m.ctr[1], 0);
	update_end(true);
	CHECK_EQ(incidents[PEV_PMU_FOREIGN], 1);
	down();
}

/*
 * Intel PT is in use: perf's handler comes after ours in each NMI, stops all, and leaves it so or
 * starts all. Nothing stands for longer than that, and nothing runs that should not.
 */
static void perf_comes_after(void)
{
	int all;
	u64 stood;

	for (all = 0; all <= 1; all++) {
		memset(incidents, 0, sizeof(incidents));
		up_with_idle();
		if (m.version < 2)
			return;
		m.perf = true;
		m.perf_all = all;
		stood = m.ctr[1];
		model_run(10500);
		CHECK_EQ(mini[0].samples, 10);
		CHECK_EQ(m.ctrl, 1);
		CHECK_EQ(incidents[PEV_PMU_FOREIGN], 10);
		/* NMIs of others, as for backtraces */
		CHECK(!model_other_nmi());
		CHECK_EQ(m.ctrl, 1);
		model_run(1000);
		CHECK_EQ(mini[0].samples, 11);
		update_begin();
		CHECK(!model_other_nmi());
		CHECK(!model_counting());
		update_end(false);
		CHECK(model_counting());
		CHECK_EQ(m.ctr[1], stood);
		m.perf = false;
		stop_all();
		down();
		pmu = NULL;
	}
}

/* What takes many tries to acknowledge is acknowledged in the end. */
static void recurring_status(void)
{
	up_with_idle();
	if (m.version < 2)
		return;
	m.spurious = 1;
	m.recurring = 40;
	model_run(10500);
	CHECK_EQ(mini[0].samples, 10);
	CHECK_EQ(incidents[PEV_PMU_STUCK], 0);
	CHECK_EQ(lost, 0);
	down();
}

/* A bit that stays until its counter is reset does not end the counter, nor others' values. */
static void wedged_status(void)
{
	int fixed;

	for (fixed = 0; fixed <= 1; fixed++) {
		int i = fixed ? 32 : 1;

		memset(mini, 0, sizeof(mini));
		incidents[PEV_PMU_STUCK] = 0;
		active = 0;
		make_kind();
		if (m.version < 2 || (fixed && !m.fixed))
			return;
		up();
		update_begin();
		attach(0, PEV_HW_INSTRUCTIONS, 0, 0);
		attach(i, PEV_HW_INSTRUCTIONS, 400, 0);
		update_end(false);
		m.wedged = BIT_ULL(i);
		model_run(400);
		CHECK_EQ(incidents[PEV_PMU_STUCK], 1);
		CHECK_EQ(mini[i].samples, 1);
		m.wedged = 0;
		model_run(4100);
		CHECK_EQ(mini[i].samples, 11);
		fold(i);
		fold(0);
		CHECK_EQ(mini[i].count, 4500);
		CHECK_EQ(mini[0].count, 4500);
		CHECK_EQ(lost, 0);
		down();
		pmu = NULL;
	}
}

/* The core is told which counters are no more. */
static void lost_counters(void)
{
	make_kind();
	m.dead = 2;
	up();
	CHECK_EQ(lost, 2);
	CHECK(strstr(m.said, "counter 1"));
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, 1000, 0);
	attach(1, PEV_HW_INSTRUCTIONS, 1000, 0);
	update_end(false);
	model_run(10500);
	CHECK_EQ(mini[0].samples, 10);
	CHECK_EQ(m.sel[1], 0);
	down();
}

/* kvm.ignore_msrs=1: registers can be written, and rdpmc is an error. */
static void ignored_msrs(void)
{
	struct pev_refuse r = {};

	make_kind();
	boot();
	CHECK_EQ(pmu->ops->reserve(&r), 0);
	m.ignored = true;
	CHECK_EQ(pmu->ops->cpu_start(), -ENODEV);
	pmu->ops->cpu_stop();
	m.ignored = false;
	CHECK_EQ(pmu->ops->cpu_start(), 0);
	down();
}

/*
 * The NMI of an overflow that an update has dealt with comes late. Until then LVTPC is masked,
 * and the PMI of another overflow is dropped.
 */
static void dropped_pmi(void)
{
	make_kind();
	if (m.amd || m.version < 2)
		return;
	m.pmi_after = 10000;
	up_with(1000);
	shim_param->set("0", NULL);
	model_run(1001);
	update_begin();
	fold(0);
	mini[0].left = 50;
	load(0);
	update_end(false);
	/* each access in the NMI takes 10 instructions: it comes while the status is read */
	CHECK(m.lvtpc & APIC_LVT_MASKED);
	m.pmi_in = 45;
	m.pmi_after = 20;
	m.drag = 10;
	model_run(45);
	m.drag = 0;
	CHECK_EQ(m.lost, 1);
	model_settle();
	CHECK_EQ(mini[0].samples, 1);
	CHECK_EQ(m.unknown, 0);
	model_run(3000);
	CHECK(mini[0].samples >= 3);
	CHECK(!model_other_nmi());
	down();
}

/* Nehalem: counters do not start after a change of events. Values and overflows stay. */
static void sticking(void)
{
	int full;

	for (full = 0; full <= 1; full++) {
		intel(3);
		m.number = 0x1a;
		m.sticky = true;
		m.full_write = full;
		memset(mini, 0, sizeof(mini));
		active = 0;
		up();
		update_begin();
		attach(0, PEV_HW_INSTRUCTIONS, 1000, 0);
		attach(2, PEV_HW_CYCLES, 0, 0);
		update_end(false);
		CHECK_EQ(m.asleep, 0);
		model_run(700);
		update_begin();
		attach(3, PEV_HW_BRANCHES, 0, 0);
		attach(32, PEV_HW_INSTRUCTIONS, 0, 0);
		update_end(false);
		CHECK_EQ(m.asleep, 0);
		CHECK_EQ(m.sel[1], 0);
		CHECK_EQ(m.ctr[1], 0);
		model_run(800);
		fold(0);
		fold(2);
		fold(3);
		fold(32);
		CHECK_EQ(mini[0].samples, 1);
		CHECK_EQ(mini[0].count, 1500);
		CHECK_EQ(mini[2].count, 1500);
		CHECK_EQ(mini[3].count, 800);
		CHECK_EQ(mini[32].count, 800);
		/* nothing is written where nothing has changed */
		m.writes = 0;
		update_begin();
		update_end(false);
		CHECK_EQ(m.writes, 2);
		/* a change between an overflow and its PMI */
		m.pmi_after = 30;
		model_run(501);
		CHECK_EQ(mini[0].samples, 1);
		update_begin();
		attach(1, PEV_HW_CYCLES, 0, 0);
		update_end(false);
		model_settle();
		model_run(100);
		CHECK_EQ(mini[0].samples, 2);
		m.pmi_after = 0;
		down();
		pmu = NULL;
	}
}

/* Broadwell, BDM11 and BDM55: INST_RETIRED.PREC_DIST by 64, 128 at least. */
static void granular_periods(void)
{
	struct pev_pmu_code code;
	struct pev_refuse r;

	intel(3);
	m.number = 0x3d;
	boot();
	CHECK_EQ(encode(PEV_TYPE_RAW, 0x01c0, 0, &code, &r), 0);
	CHECK_EQ(code.period_min, 128);
	CHECK_EQ(code.period_low, 63);
	CHECK_EQ(encode(PEV_TYPE_RAW, 0x00c0, 0, &code, &r), 0);
	CHECK_EQ(code.period_low, 0);
	m.number = 0x3c;
	boot_cpu_data.x86_vfm = IFM(6, 0x3c);
	shim_init();
	CHECK_EQ(encode(PEV_TYPE_RAW, 0x01c0, 0, &code, &r), 0);
	CHECK_EQ(code.period_min, 128);
	CHECK_EQ(code.period_low, 0);
}

const struct test_case errata_cases[] = {
	{ "status bits that stay", stuck_status, true },
	{ "a status bit set from the start", stuck_at_start, true },
	{ "a freeze bit that stays", stuck_freeze, true },
	{ "status bits that take many acknowledgements", recurring_status, true },
	{ "status bits that go when the counter is reset", wedged_status, true },
	{ "a foreign write to GLOBAL_CTRL", foreign_ctrl, true },
	{ "a foreign write that an update finds", noticed_by_updates, true },
	{ "overflows are no foreign writes", own_stops, true },
	{ "what others let run is hidden again", opened_is_hidden, true },
	{ "perf's handler comes after ours", perf_comes_after, true },
	{ "a counter that stays 0", lost_counters, true },
	{ "a hypervisor that ignores registers", ignored_msrs, true },
	{ "a PMI dropped while its entry is masked", dropped_pmi, true },
	{ "Nehalem's counters start", sticking },
	{ "Broadwell's periods", granular_periods },
	{}
};
