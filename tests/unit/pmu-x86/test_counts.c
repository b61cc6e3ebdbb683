// SPDX-License-Identifier: GPL-2.0
/*
 * What counters count: by mode, past their ends, written 32 bits at a time, and who may
 * read them.
 */
#include "core.h"
#include "others.h"

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
	CHECK_EQ(pmu->ops->read(1), fresh(1) + 1500);
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
	up_with(0);
	/* no read for a lap and a half: the overflow must cause one */
	model_run(1ULL << 47);
	fold(0);
	model_run(1ULL << 47);
	model_run(1ULL << 46);
	fold(0);
	CHECK_EQ(mini[0].count, (1ULL << 48) + (1ULL << 46));
	CHECK_EQ(overflows, 1);
	down();
}

/* Nor for days: nothing but the PMI says that it overflowed. */
static void laps_unread(void)
{
	u64 period = (1ULL << 40) + 12345, all = 12 * (1ULL << 46);
	int i;

	make_kind();
	up_with(0);
	update_begin();
	attach(1, PEV_HW_CYCLES, period, 0);
	update_end(false);
	for (i = 0; i < 12; i++)
		model_run(1ULL << 46);
	update_begin();
	fold(0);
	CHECK_EQ(mini[0].count, all);
	CHECK_EQ(mini[1].samples, all / period);
	active = 0;
	update_end(false);
	CHECK_EQ(overflows, all / period + 3);
	CHECK_EQ(incidents[PEV_PMU_LATE], 0);
	/* the day after it, nobody's NMI is taken for its */
	CHECK(!model_other_nmi());
	down();
}

/* A user may read all counters: none shows what is not the user's. */
static void hidden(void)
{
	int i;

	make_kind();
	up_with_two(0, 300, 3, false);
	model_run(1234);
	update_begin();
	fold(0);
	fold(1);
	active = 1;
	update_end(true);
	for (i = 1; i < m.gp; i++)
		CHECK_EQ(m.ctr[i], 0);
	CHECK_EQ(m.ctr[0], fresh(0) + 1234);
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

/* A guest may read all counters: is there nothing but its own? */
static void alone(void)
{
	make_kind();
	up_with_two(0, 300, 3, true);
	CHECK_EQ(!!pmu->ops->alone, m.amd);
	if (pmu->ops->alone) {
		CHECK(pmu->ops->alone(3));
		CHECK(!pmu->ops->alone(1));
		CHECK(!pmu->ops->alone(7));
		CHECK(!pmu->ops->alone(0));
		model_run(1234);
		CHECK(pmu->ops->alone(3));
		update_begin();
		CHECK(!pmu->ops->alone(3));
		fold(1);
		active = 1;
		update_end(false);
		/* the other one stands, and is not 0 */
		CHECK(m.ctr[1]);
		CHECK(!pmu->ops->alone(1));
		CHECK(!pmu->ops->alone(3));
		update_begin();
		update_end(true);
		CHECK(!m.ctr[1]);
		CHECK(pmu->ops->alone(1));
	}
	stop_all();
	down();
}

/* Counters of others, of which nothing is known, would be read as well. */
static void alone_with_others(void)
{
	static const int features[] = { X86_FEATURE_PERFCTR_NB, X86_FEATURE_PERFCTR_LLC };

	amd(2);
	shim_features |= 1ULL << features[kind & 1];
	up();
	CHECK(!pmu->ops->alone);
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

/* The administrator: a right is taken before it has gone, and given once it is there. */
static void reads_revoked(void)
{
	static const struct {
		int value, done, allowed, all;
	} steps[] = {
		{ 0, 0, false, false }, { 0, 1, false, false }, { 2, 0, false, true },
		{ 2, 1, true, true },	{ 0, 0, false, true },	{ 0, 1, false, false },
		{ 1, 0, false, false }, { 1, 1, true, false },	{ 2, 0, true, true },
		{ 2, 1, true, true },	{ 1, 0, true, true },	{ 1, 1, true, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		x86_pev_rdpmc(steps[i].value, steps[i].done);
		CHECK_EQ(reads.allowed, steps[i].allowed);
		CHECK_EQ(reads.all, steps[i].all);
	}
}

const struct test_case count_cases[] = {
	{ "counts by mode", counts, true },
	{ "samples", samples, true },
	{ "a task switch costs two writes", switch_cost, true },
	{ "users see no values of others", hidden, true },
	{ "guests see no values of others", alone, true },
	{ "counters of others than the cores'", alone_with_others, true },
	{ "rights to read are counted", reads_granted, true },
	{ "rights to read are taken before they go", reads_revoked },
	{ "fixed counters", fixed_counters, true },
	{ "32-bit writes", narrow_writes, true },
	{ "a lap without samples", lap, true },
	{ "laps that nobody reads", laps_unread, true },
	{}
};
