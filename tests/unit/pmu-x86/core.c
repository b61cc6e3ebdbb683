// SPDX-License-Identifier: GPL-2.0
/* The core, and the processors that are there to be tested. */
#include "core.h"

const struct pev_pmu *pmu;
int failed;

struct mini mini[PEV_PMU_MAX_COUNTERS];
u64 active;
static bool updating, deferred;
u64 lost;
struct reads reads = { .allowed = true };
int incidents[PEV_PMU_INCIDENTS], overflows;
int soon = -1;

int pev_pmu_register(const struct pev_pmu *p)
{
	pmu = p;
	return 0;
}

void pev_pmu_report(enum pev_pmu_incident what)
{
	incidents[what]++;
}

void pev_pmu_reads_allowed(bool allowed)
{
	reads.allowed = allowed;
	reads.changes++;
}

void pev_pmu_reads_by_all(bool all)
{
	reads.all = all;
	reads.changes++;
}

void pev_pmu_lose(u64 counters)
{
	lost |= counters;
}

void fold(int i)
{
	struct mini *e = &mini[i];
	unsigned int unused = 64 - pmu->counters[i].bits;
	u64 raw = pmu->ops->read(i), delta = (raw - e->raw) << unused >> unused;

	CHECK(raw <= ~0ULL >> unused);
	e->raw = raw;
	e->count += delta;
	e->left -= delta;
}

u64 fresh(int i)
{
	return 1ULL << (pmu->counters[i].bits - 3);
}

void load(int i)
{
	struct mini *e = &mini[i];
	u64 reach = (1ULL << (pmu->counters[i].bits - 1)) - 1, left = 2;

	if (e->period && e->left > 2)
		left = min((u64)e->left, reach);
	e->raw = e->period ? (-left & ~0ULL >> (64 - pmu->counters[i].bits)) & ~e->low : fresh(i);
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

void update_begin(void)
{
	updating = true;
	pmu->ops->freeze();
	CHECK(!model_counting());
}

void update_end(bool user)
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

void intel(int version)
{
	m = (struct model){
		.version = version, .gp = 4, .fixed = version > 1 ? 3 : 0, .width = 48,
		.full_write = true, .family = 6, .number = 200,
	};
}

void amd(int version)
{
	m = (struct model){
		.amd = true, .version = version, .gp = version ? 6 : 4, .width = 48,
		.family = version == 2 ? 0x19 : 0x17, .number = version == 2 ? 0x61 : 1,
	};
}

void boot(void)
{
	model_boot();
	CHECK_EQ(shim_init(), 0);
	if (!pmu) {
		printf("# no PMU: %s\n", m.said);
		exit(1);
	}
}

void up(void)
{
	struct pev_refuse r = { };

	boot();
	CHECK_EQ(pmu->ops->reserve(&r), 0);
	CHECK_EQ(pmu->ops->cpu_start(), 0);
	CHECK(!model_counting());
}

void up_with(s64 period)
{
	up();
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, period, 0);
	update_end(false);
}

void up_with_two(s64 first, s64 second, u64 run, bool user)
{
	up();
	update_begin();
	attach(0, PEV_HW_INSTRUCTIONS, first, 0);
	attach(1, PEV_HW_INSTRUCTIONS, second, 0);
	active = run;
	update_end(user);
}

void stop_all(void)
{
	update_begin();
	active = 0;
	update_end(false);
}

void down(void)
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

int encode(u32 type, u64 config, u64 flags, struct pev_pmu_code *code, struct pev_refuse *r)
{
	struct pev_pmu_request req = { .type = type, .config = config, .flags = flags,
				       .name = "the event" };

	memset(r, 0, sizeof(*r));
	return pmu->ops->encode(&req, code, r);
}

void attach(int counter, u64 what, s64 period, u64 flags)
{
	struct pev_pmu_code code;
	struct pev_refuse r;
	int i;

	CHECK_EQ(encode(PEV_TYPE_HARDWARE, what, flags, &code, &r), 0);
	for (i = 0; i < PEV_PMU_MAX_ALTS; i++)
		if (code.alt[i].counters & BIT_ULL(counter))
			break;
	CHECK(i < PEV_PMU_MAX_ALTS);
	mini[counter] = (struct mini){ .period = period, .left = period, .low = code.period_low };
	pmu->ops->set(counter, code.alt[i].config);
	load(counter);
	active |= BIT_ULL(counter);
}

const struct test_kind kinds[8] = {
	{ false, 1, "Intel 1" }, { false, 2, "Intel 2" }, { false, 3, "Intel 3" },
	{ false, 4, "Intel 4" }, { false, 5, "Intel 5" }, { true, 0, "AMD K7" },
	{ true, 1, "AMD core" }, { true, 2, "AMD V2" },
};

int kind;

void make_kind(void)
{
	if (kinds[kind].amd)
		amd(kinds[kind].version);
	else
		intel(kinds[kind].version);
}
