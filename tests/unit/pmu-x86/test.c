// SPDX-License-Identifier: GPL-2.0
/*
 * Drives the backend as the PMU core does, against modelled registers. Each case
 * runs in a process of its own.
 */
#include <linux/pev_pmu.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../../../kernel/pev/refuse.h"
#include "model.h"

static const struct pev_pmu *pmu;
static int failed;

#define CHECK(cond) do {							\
	if (!(cond)) {								\
		printf("# %s:%d: %s\n", __func__, __LINE__, #cond);		\
		failed = 1;							\
	}									\
} while (0)
#define CHECK_EQ(a, b) do {							\
	long long a_ = (a), b_ = (b);						\
	if (a_ != b_) {								\
		printf("# %s:%d: %s is %lld (%#llx), not %s, %lld\n", __func__,	\
		       __LINE__, #a, a_, a_, #b, b_);				\
		failed = 1;							\
	}									\
} while (0)

/* ---- a core, as small as can be ---- */

/**
 * struct mini - an event on a counter
 * @period: of samples, 0: only counts
 * @left:   to the next
 * @raw:    counter when it was folded last
 * @count:  all that was counted
 * @samples: taken
 */
struct mini {
	s64	period, left;
	u64	raw, count;
	int	samples;
};

static struct mini mini[PEV_PMU_MAX_COUNTERS];
static u64 active;
static bool updating, deferred;
static int incidents[PEV_PMU_INCIDENTS], overflows, empty;
static u64 last_overflow;
static int soon = -1;	/* counter that is to overflow on the way out of a PMI */

int pev_pmu_register(const struct pev_pmu *p)
{
	pmu = p;
	return 0;
}

void pev_pmu_report(enum pev_pmu_incident what)
{
	incidents[what]++;
}

#define for_each(i, set) \
	for (u64 s_ = (set); s_ && ((i) = __builtin_ctzll(s_), true); s_ &= s_ - 1)

static void fold(int i)
{
	struct mini *e = &mini[i];
	unsigned int unused = 64 - pmu->counters[i].bits;
	u64 raw = pmu->ops->read(i), delta = (raw - e->raw) << unused >> unused;

	CHECK(raw <= ~0ULL >> unused);
	e->raw = raw;
	e->count += delta;
	e->left -= delta;
}

static void load(int i)
{
	struct mini *e = &mini[i];
	u64 reach = (1ULL << (pmu->counters[i].bits - 1)) - 1, left = 2;

	if (e->period && e->left > 2)
		left = min((u64)e->left, reach);
	if (e->period)
		e->raw = -left & ~0ULL >> (64 - pmu->counters[i].bits);
	pmu->ops->write(i, e->raw);
}

static void sample_all(u64 set)
{
	int i;

	for_each(i, set) {
		struct mini *e = &mini[i];

		fold(i);
		for (; e->period && e->left <= 0; e->left += e->period)
			e->samples++;
		load(i);
	}
}

void pev_pmu_overflow(u64 counters, const struct pev_pmu_sample *sample)
{
	CHECK(!model_counting());
	overflows += hweight64(counters);
	empty += !counters;
	last_overflow = counters;
	if (updating) {
		deferred = true;
		return;
	}
	sample_all(counters & active);
	if (soon >= 0) {
		fold(soon);
		mini[soon].left = 5;
		load(soon);
		soon = -1;
	}
	pmu->ops->thaw(active, false);
}

static void update_begin(void)
{
	updating = true;
	pmu->ops->freeze();
	CHECK(!model_counting());
}

static void update_end(bool user)
{
	int tries = 0;

	do {
		updating = true;
		if (deferred) {
			deferred = false;
			CHECK(!model_counting());
			sample_all(active);
		}
		pmu->ops->thaw(active, user);
		updating = false;
		CHECK(++tries < 50);
	} while (deferred && tries < 50);
}

/* ---- set-up ---- */

static void intel(int version)
{
	m = (struct model){
		.version = version, .gp = 4, .fixed = version > 1 ? 3 : 0, .width = 48,
		.full_write = true, .family = 6, .number = 200,
	};
}

static void amd(int version)
{
	m = (struct model){
		.amd = true, .version = version, .gp = version ? 6 : 4, .width = 48,
		.family = version == 2 ? 0x19 : 0x17, .number = version == 2 ? 0x61 : 1,
	};
}

static void boot(void)
{
	model_boot();
	CHECK_EQ(shim_init(), 0);
	if (!pmu) {
		printf("# no PMU: %s\n", m.said);
		exit(1);
	}
}

static void up(void)
{
	struct pev_refuse r = { };

	boot();
	CHECK_EQ(pmu->ops->reserve(&r), 0);
	CHECK_EQ(pmu->ops->cpu_start(), 0);
	CHECK(!model_counting());
}

static void down(void)
{
	pmu->ops->freeze();
	pmu->ops->cpu_stop();
	CHECK(!model_counting());
	model_settle();
	pmu->ops->release();
	CHECK_EQ(m.unknown, 0);
	CHECK_EQ(m.faults, 0);
	CHECK_EQ(m.reserved_ctr | m.reserved_sel, 0);
	CHECK(!(m.lvtpc & APIC_LVT_MASKED));
}

static int encode(u32 type, u64 config, u64 flags, struct pev_pmu_code *code,
		  struct pev_refuse *r)
{
	struct pev_pmu_request req = { .type = type, .config = config, .flags = flags };

	memset(r, 0, sizeof(*r));
	return pmu->ops->encode(&req, code, r);
}

/* Count @what on @counter; in an update. */
static void attach(int counter, u64 what, s64 period, u64 flags)
{
	struct pev_pmu_code code;
	struct pev_refuse r;
	int i;

	CHECK_EQ(encode(PEV_TYPE_HARDWARE, what, flags, &code, &r), 0);
	for (i = 0; i < PEV_PMU_MAX_ALTS; i++)
		if (code.alt[i].counters & BIT_ULL(counter))
			break;
	CHECK(i < PEV_PMU_MAX_ALTS);
	mini[counter] = (struct mini){ .period = period, .left = period };
	pmu->ops->set(counter, code.alt[i].config);
	load(counter);
	active |= BIT_ULL(counter);
}

static const struct { bool amd; int version; const char *name; } kinds[] = {
	{ false, 1, "Intel 1" }, { false, 2, "Intel 2" }, { false, 3, "Intel 3" },
	{ false, 4, "Intel 4" }, { false, 5, "Intel 5" }, { true, 0, "AMD K7" },
	{ true, 1, "AMD core" }, { true, 2, "AMD V2" },
};

static int kind;

static void make_kind(void)
{
	if (kinds[kind].amd)
		amd(kinds[kind].version);
	else
		intel(kinds[kind].version);
}

/* ---- cases for each kind of PMU ---- */

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

static void counts(void)
{
	make_kind();
	up();
	update_begin();
	attach(1, PEV_HW_INSTRUCTIONS, 0, 0);
	attach(0, PEV_HW_CYCLES, 0, PEV_F_EXCLUDE_KERNEL);
	update_end(false);
	model_run(1000);
	m.kernel = true;
	model_run(500);
	update_begin();
	model_run(300);
	fold(0);
	fold(1);
	CHECK_EQ(mini[1].count, 1500);
	CHECK_EQ(mini[0].count, 1000);
	active = 0;
	update_end(false);
	model_run(100);
	CHECK_EQ(pmu->ops->read(1), 1500);
	down();
}

static void samples(void)
{
	make_kind();
	up();
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, 1000, 0);
	attach(1, PEV_HW_INSTRUCTIONS, 700, 0);
	attach(2, PEV_HW_INSTRUCTIONS, 0, 0);
	update_end(false);
	model_run(100000);
	update_begin();
	fold(0);
	fold(1);
	fold(2);
	CHECK_EQ(mini[0].count, 100000);
	CHECK_EQ(mini[1].count, 100000);
	CHECK_EQ(mini[2].count, 100000);
	/* the last one may be due but its PMI not taken */
	CHECK(mini[0].samples == 100 || mini[0].left <= 0);
	CHECK_EQ(mini[1].samples, 142);
	/* 7000, 14000, ... are overflows of both: one PMI */
	CHECK(m.nmis <= 100 + 142 - 14 + 14);
	active = 0;
	update_end(false);
	down();
	CHECK_EQ(incidents[PEV_PMU_FOREIGN] + incidents[PEV_PMU_STUCK], 0);
}

/*
 * PMIs that are late by any number of accesses, with changes going on all the
 * time: nothing is lost, nothing is left over, whatever is interrupted where.
 */
static void late_pmis(void)
{
	int i, round;

	make_kind();
	m.pmi_after = 1;
	up();
	for (round = 0; round < 3000; round++) {
		m.pmi_after = round % 61;
		update_begin();
		for (i = 0; i < 3; i++)
			if (active >> i & 1)
				fold(i);
		/* a PMI that got lost would leave its counter behind */
		for (i = 0; i < 3; i++)
			CHECK(mini[i].left > -200);
		/* who goes, who comes, in all ways */
		active = 0;
		for (i = 0; i < 3; i++) {
			if (!(round >> i & 1))
				continue;
			if (!mini[i].period)
				attach(i, PEV_HW_INSTRUCTIONS, 50 + 17 * i, 0);
			else
				load(i);
			active |= BIT_ULL(i);
		}
		update_end(false);
		CHECK(!active || model_counting() || m.pmi_in != NEVER);
		model_run(100 + round % 13);
	}
	update_begin();
	active = 0;
	update_end(false);
	model_settle();
	CHECK(mini[0].samples > 1000);
	for (i = 0; i < 3; i++)
		CHECK((s64)(mini[i].count / mini[i].period) - mini[i].samples <= 4);
	CHECK_EQ(incidents[PEV_PMU_FOREIGN] + incidents[PEV_PMU_STUCK], 0);
	down();
}

/* An NMI that is somebody else's stays his, before, between and after ours. */
static void others_nmis(void)
{
	make_kind();
	up();
	CHECK(!model_other_nmi());
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, 1000, 0);
	update_end(false);
	CHECK(!model_other_nmi());
	model_run(10500);
	CHECK_EQ(mini[0].samples, 10);
	CHECK(!model_other_nmi());
	CHECK(model_counting());
	update_begin();
	CHECK(!model_other_nmi());
	CHECK(!model_counting());
	active = 0;
	update_end(false);
	down();
	CHECK_EQ(incidents[PEV_PMU_LATE], 0);
}

/* An overflow is undone by loading the counter before its PMI has come. */
static void undone(void)
{
	make_kind();
	m.pmi_after = 10000;
	up();
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, 1000, 0);
	update_end(false);
	model_run(1003);
	update_begin();
	fold(0);
	CHECK_EQ(mini[0].left <= 0, true);
	mini[0].left = 5000;
	load(0);
	update_end(false);
	model_settle();
	CHECK_EQ(overflows, 0);
	CHECK_EQ(incidents[PEV_PMU_LATE], 1);
	CHECK_EQ(m.unknown, 0);
	/* and the next is real */
	m.pmi_after = 0;
	model_run(5001);
	CHECK_EQ(overflows, 1);
	/* only that one was forgiven */
	CHECK(!model_other_nmi());
	down();
}

/* The same, but the counter is given to somebody who only counts, from 0. */
static void undone_for_good(void)
{
	int round;

	make_kind();
	m.pmi_after = 10000;
	up();
	for (round = 0; round < 2; round++) {
		update_begin();
		attach(0, PEV_HW_INSTRUCTIONS, 1000, 0);
		update_end(false);
		model_run(1001);
		update_begin();
		fold(0);
		attach(0, PEV_HW_INSTRUCTIONS, 0, 0);
		CHECK_EQ(m.ctr[0], 0);
		update_end(false);
		model_settle();
		CHECK_EQ(overflows, 0);
		CHECK_EQ(m.unknown, 0);
		CHECK(model_counting());
		CHECK(!model_other_nmi());
		/* and once more without freezing */
		shim_param->set("0", NULL);
	}
	CHECK_EQ(incidents[PEV_PMU_LATE], 2);
	down();
}

/* Counters go on in the PMI, as long as they are let, and overflow there. */
static void counted_handler(void)
{
	s64 late;
	int i;

	make_kind();
	for (m.drag = 1; m.drag < 12; m.drag++) {
		int drag = m.drag;

		up();
		shim_param->set("0", NULL);
		memset(mini, 0, sizeof(mini));
		update_begin();
		attach(0, PEV_HW_INSTRUCTIONS, 500, 0);
		attach(1, PEV_HW_INSTRUCTIONS, 503, 0);
		attach(2, PEV_HW_INSTRUCTIONS, 510 + drag, 0);
		update_end(false);
		/* without updates; or with, which are the kernel and counted */
		if (drag & 1)
			model_run(300000);
		m.drag_all = true;
		for (i = 0; i < 3000 && !(drag & 1); i++) {
			model_run(100);
			update_begin();
			update_end(false);
		}
		m.drag_all = false;
		update_begin();
		for (i = 0; i < 3; i++) {
			fold(i);
			late = -mini[i].left;
			CHECK(late < 200);
			CHECK(mini[i].count >= 300000);
		}
		active = 0;
		update_end(false);
		m.drag = 0;
		down();
		m.drag = drag;
	}
	CHECK_EQ(incidents[PEV_PMU_FOREIGN] + incidents[PEV_PMU_STUCK], 0);
}

/* Before the handler has returned the next one overflows: no PMI is masked away. */
static void overflow_on_the_way_out(void)
{
	make_kind();
	m.drag = 8;
	up();
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, 1000000, 0);
	attach(1, PEV_HW_INSTRUCTIONS, 2000000, 0);
	mini[0].left = 1000;
	load(0);
	update_end(false);
	soon = 1;
	model_run(2000);
	CHECK_EQ(mini[0].samples, 1);
	CHECK_EQ(mini[1].samples, 1);
	m.drag = 0;
	down();
}

static void stopped_with_pmi_on_its_way(void)
{
	make_kind();
	m.pmi_after = 200;
	up();
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, 1000, 0);
	update_end(false);
	model_run(1001);
	CHECK(m.pmi_in != NEVER);
	update_begin();
	fold(0);
	active = 0;
	update_end(false);
	pmu->ops->cpu_stop();
	model_settle();
	CHECK_EQ(m.nmis, 1);
	CHECK_EQ(m.unknown, 0);
	CHECK(!model_other_nmi());
	pmu->ops->release();
}

/* What a task switch costs. */
static void switch_cost(void)
{
	int i, n;

	make_kind();
	up();
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, 0, 0);
	attach(1, PEV_HW_CYCLES, 0, 0);
	update_end(false);
	m.reads = 0;
	m.writes = 0;
	for (i = 0; i < 1000; i++) {
		update_begin();
		update_end(false);
	}
	n = m.version >= 2 ? 2 : 4;
	CHECK_EQ(m.reads, 0);
	CHECK_EQ(m.writes, 1000 * n);
	down();
}

static void restored(void)
{
	u64 debugctl = 0xc0;

	make_kind();
	m.debugctl = debugctl;
	up();
	CHECK_EQ(m.dirty_cleared, 1);
	CHECK_EQ(!!(m.debugctl & BIT(12)), m.version >= 2);
	m.debugctl |= 2;	/* somebody single-steps branches */
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
	CHECK(m.lvtpc & APIC_LVT_MASKED);	/* as it was found */
	m.lvtpc = APIC_DM_NMI;
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
	pmu->ops->release();
	CHECK_EQ(m.reserved_ctr | m.reserved_sel, 0);
}

/* A user may read all counters: none shows what is not the user's. */
static void hidden(void)
{
	int i;

	make_kind();
	up();
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, 0, 0);
	attach(1, PEV_HW_INSTRUCTIONS, 300, 0);
	update_end(false);
	model_run(1234);
	update_begin();
	fold(0);
	fold(1);
	active = 1;
	update_end(true);
	for (i = 1; i < m.gp; i++)
		CHECK_EQ(m.ctr[i], 0);
	CHECK_EQ(m.ctr[0], 1234);
	CHECK_EQ(pmu->ops->read(1), mini[1].raw);
	model_run(100);
	update_begin();
	active = 3;
	update_end(false);
	model_run(10);
	update_begin();
	fold(0);
	fold(1);
	CHECK_EQ(mini[0].count, 1344);
	CHECK_EQ(mini[1].count, 1244);
	active = 0;
	update_end(false);
	down();
}

static void reads_granted(void)
{
	struct mm_struct mm = { };

	make_kind();
	up();
	pmu->ops->grant(PEV_PMU_GRANT_READS, NULL, &mm, true);
	pmu->ops->grant(PEV_PMU_GRANT_READS, NULL, &mm, true);
	CHECK_EQ(mm.context.perf_rdpmc_allowed.counter, 2);
	pmu->ops->grant(PEV_PMU_GRANT_READS, NULL, &mm, false);
	CHECK_EQ(m.pce_updates, 1);
	pmu->ops->grant(PEV_PMU_GRANT_READS, NULL, &mm, false);
	CHECK_EQ(m.pce_updates, 2);
	down();
}

/* ---- cases for some of them ---- */

static void freeze_stops_the_others(void)
{
	make_kind();
	if (m.version < 2)
		return;
	m.pmi_after = 5;
	up();
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, 1000, 0);
	attach(1, PEV_HW_INSTRUCTIONS, 0, 0);
	update_end(false);
	model_run(1004);
	CHECK_EQ(m.ctr[1], 1000);
	model_settle();
	CHECK_EQ(mini[0].samples, 1);
	CHECK(model_counting());
	/* switched off: it runs on until the PMI is taken */
	shim_param->set("0", NULL);
	m.pmi_after = 20;
	model_run(1008);
	CHECK_EQ(m.ctr[1], 2008);
	model_settle();
	down();
}

static void freeze_that_is_forgotten(void)
{
	make_kind();
	m.no_freeze = true;
	up();
	CHECK(!(pmu->features & PEV_PMU_FREEZES));
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, 1000, 0);
	update_end(false);
	model_run(10500);
	CHECK_EQ(mini[0].samples, 10);
	down();
}

/* A bit that comes back once is acknowledged again; one that stays ends its counter. */
static void stuck_status(void)
{
	make_kind();
	if (m.version < 2)
		return;
	up();
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, 1000, 0);
	attach(1, PEV_HW_INSTRUCTIONS, 400, 0);
	update_end(false);
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
	active = 0;
	update_begin();
	update_end(false);
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
	up();
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, 1000, 0);
	update_end(false);
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

/* Somebody starts all counters behind our back. */
static void foreign_ctrl(void)
{
	int noticed;

	make_kind();
	if (m.version < 2)
		return;
	up();
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, 1000, 0);
	attach(1, PEV_HW_INSTRUCTIONS, 0, 0);
	active = 1;
	update_end(false);
	model_run(500);
	m.ctrl = m.amd ? 0x3f : 0x70000000f;
	model_run(600);
	/* where the freeze clears it, nobody can tell what it was */
	noticed = m.amd || m.version >= 4;
	CHECK_EQ(incidents[PEV_PMU_FOREIGN], noticed);
	CHECK_EQ(m.ctrl, 1);
	model_run(1000);
	CHECK_EQ(incidents[PEV_PMU_FOREIGN], noticed);
	m.sel[0] ^= 0x100;
	down();
	CHECK_EQ(incidents[PEV_PMU_FOREIGN], noticed + 1);
}

/* Fixed counters come first, and share one register that is written once. */
static void fixed_counters(void)
{
	make_kind();
	if (m.amd || m.version < 2)
		return;
	up();
	update_begin();
	attach(32, PEV_HW_INSTRUCTIONS, 1000, PEV_F_EXCLUDE_USER);
	attach(33, PEV_HW_CYCLES, 0, PEV_F_EXCLUDE_KERNEL);
	attach(34, PEV_HW_REF_CYCLES, 0, 0);
	m.writes = 0;
	update_end(false);
	CHECK_EQ(m.writes, 2);
	CHECK_EQ(m.fctrl, 0xba9);
	m.kernel = true;
	model_run(2500);
	m.kernel = false;
	model_run(100);
	update_begin();
	fold(32);
	fold(33);
	fold(34);
	CHECK_EQ(mini[32].samples, 2);
	CHECK_EQ(mini[32].count, 2500);
	CHECK_EQ(mini[33].count, 100);
	CHECK_EQ(mini[34].count, 2600);
	active = 0;
	update_end(false);
	down();
}

/* 32-bit writes: periods of all lengths, and counting past 2^32. */
static void narrow_writes(void)
{
	static const u64 periods[] = { 1000, 0x7fffffff, 0x80000000, 0x80000001,
				       0x100000000, 0x123456789a, 0x3fffffffffff };
	unsigned int i;

	make_kind();
	if (m.amd)
		return;
	m.full_write = false;
	m.width = 40;
	up();
	CHECK(!(pmu->features & PEV_PMU_USER_READS));
	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		u64 period = min(periods[i], (1ULL << 39) - 1);

		overflows = 0;
		update_begin();
		active = 0;
		attach(0, PEV_HW_INSTRUCTIONS, period, 0);
		attach(1, PEV_HW_INSTRUCTIONS, 0, 0);
		update_end(false);
		model_run(period - 1);
		CHECK_EQ(mini[0].samples, 0);
		CHECK_EQ(overflows, 0);
		fold(0);
		CHECK_EQ(mini[0].count, period - 1);
		model_run(1);
		CHECK_EQ(mini[0].samples, 1);
		CHECK_EQ(overflows, 1);
		update_begin();
		fold(0);
		fold(1);
		CHECK_EQ(mini[0].count, period);
		CHECK_EQ(mini[1].count, period);
		update_end(false);
	}
	CHECK_EQ(incidents[PEV_PMU_LATE], 0);
	down();
}

static void lap(void)
{
	make_kind();
	up();
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, 0, 0);
	update_end(false);
	/* nobody looks for a lap and a half: the overflow must make somebody */
	model_run(1ULL << 47);
	fold(0);
	model_run(1ULL << 47);
	model_run(1ULL << 46);
	fold(0);
	CHECK_EQ(mini[0].count, (1ULL << 48) + (1ULL << 46));
	CHECK_EQ(overflows, 1);
	down();
}

/* ---- encoding ---- */

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
	CHECK(refused(PEV_TYPE_HARDWARE, PEV_HW_MAX, 0, EINVAL, "no hardware event"));
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
}

/* The host only: whether guests can run, the hypervisor changes at any time. */
static void guests_amd(void)
{
	int version;

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

static void missing_events(void)
{
	struct pev_pmu_code code;
	struct pev_refuse r;

	if (kind > 4)
		return;
	intel(kind + 1);
	m.missing = 0x7f;
	boot();
	CHECK(refused(PEV_TYPE_HARDWARE, PEV_HW_BRANCHES, 0, EOPNOTSUPP, "branches"));
	CHECK(refused(PEV_TYPE_HARDWARE, PEV_HW_CACHE_MISSES, 0, EOPNOTSUPP, "cache-misses"));
	if (!m.fixed) {
		CHECK(refused(PEV_TYPE_HARDWARE, PEV_HW_CYCLES, 0, EOPNOTSUPP, "cycles"));
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
	CHECK(!pmu && strstr(m.said, "differ"));
	shim_features &= ~BIT_ULL(X86_FEATURE_APIC);
	shim_init();
	CHECK(!pmu && strstr(m.said, "APIC"));
}

/* ---- */

static const struct {
	const char	*name;
	void		(*run)(void);
	bool		each;	/* kind of PMU */
} cases[] = {
	{ "detection leaves perf alone", detection, true },
	{ "counts by mode", counts, true },
	{ "samples", samples, true },
	{ "PMIs late by anything, in changes", late_pmis, true },
	{ "NMIs of others stay theirs", others_nmis, true },
	{ "an overflow that is undone", undone, true },
	{ "an overflow that is undone for good", undone_for_good, true },
	{ "the handler itself is counted", counted_handler, true },
	{ "an overflow on the way out of a PMI", overflow_on_the_way_out, true },
	{ "a PMI on its way when all stops", stopped_with_pmi_on_its_way, true },
	{ "a task switch costs two writes", switch_cost, true },
	{ "registers are given back as found", restored, true },
	{ "registers dirty by another owner", dirty, true },
	{ "counters that have gone", gone, true },
	{ "counters narrower than expected", narrower, true },
	{ "counters that perf or the watchdog holds", busy, true },
	{ "users see no values of others", hidden, true },
	{ "rights to read are counted", reads_granted, true },
	{ "the other counters stop at the overflow", freeze_stops_the_others, true },
	{ "a freeze bit that is forgotten", freeze_that_is_forgotten, true },
	{ "status bits that stay", stuck_status, true },
	{ "a status bit set from the start", stuck_at_start, true },
	{ "a freeze bit that stays", stuck_freeze, true },
	{ "somebody writes GLOBAL_CTRL", foreign_ctrl, true },
	{ "fixed counters", fixed_counters, true },
	{ "32-bit writes", narrow_writes, true },
	{ "a lap without samples", lap, true },
	{ "codes and domains", raw_codes, true },
	{ "tables of models", models, true },
	{ "events that CPUID denies", missing_events, true },
	{ "guests, Intel", guests_intel },
	{ "guests, AMD", guests_amd },
	{ "no PMU", no_pmu },
};

static int run(unsigned int i)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		failed = 0;
		alarm(60);
		cases[i].run();
		fflush(stdout);
		_exit(failed);
	}
	waitpid(pid, &status, 0);
	failed |= !!status;
	printf("%sok - %s%s%s\n", status ? "not " : "", cases[i].name,
	       cases[i].each ? ", " : "", cases[i].each ? kinds[kind].name : "");
	return status;
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!cases[i].each) {
			run(i);
			continue;
		}
		for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
			run(i);
	}
	return failed;
}
