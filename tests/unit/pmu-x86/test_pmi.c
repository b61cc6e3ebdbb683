// SPDX-License-Identifier: GPL-2.0
/* Overflows and their PMIs, at whatever time they come and whatever interferes. */
#include "core.h"

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
	stop_all();
	model_settle();
	CHECK(mini[0].samples > 1000);
	for (i = 0; i < 3; i++)
		CHECK((s64)(mini[i].count / mini[i].period) - mini[i].samples <= 4);
	CHECK_EQ(incidents[PEV_PMU_FOREIGN] + incidents[PEV_PMU_STUCK], 0);
	down();
}

/* NMIs of another source are left to it, before, between and after ours. */
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
	up_with(1000);
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

/* The same, but the counter is given to an event that only counts, from 0. */
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
		CHECK_EQ(m.ctr[0], fresh(0));
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

/*
 * AMD: overflows at once raise a PMI each, and an update undoes some of them before
 * the first has come. As many PMIs find nothing, and no more are forgiven.
 */
static void undone_among_several(void)
{
	int i, undone;

	make_kind();
	if (!m.amd)
		return;
	m.apart = true;
	up();
	for (undone = 0; undone <= 3; undone++) {
		active = 0;
		m.pmi_after = 1000;
		update_begin();
		for (i = 0; i < 3; i++)
			attach(i, PEV_HW_INSTRUCTIONS, 5000, 0);
		update_end(false);
		model_run(5000);
		CHECK(m.pmi_in != NEVER);
		update_begin();
		for (i = 0; i < undone; i++) {
			fold(i);
			mini[i].left = 50000;
			load(i);
		}
		update_end(false);
		m.pmi_after = 20;
		model_settle();
		CHECK_EQ(m.more, 0);
		CHECK_EQ(m.unknown, 0);
		CHECK_EQ(mini[2].samples, undone < 3);
		CHECK(!model_other_nmi());
	}
	down();
}

/* KVM masked LVTPC at a PMI for guests on AMD, too, and no PMI came after the first. */
static void masked_by_hypervisor(void)
{
	make_kind();
	if (!m.amd)
		return;
	m.hv_masks = true;
	up_with(1000);
	model_run(10500);
	CHECK_EQ(mini[0].samples, 10);
	CHECK_EQ(m.lost, 0);
	CHECK(!model_other_nmi());
	down();
}

static void stopped_with_pmi_on_its_way(void)
{
	make_kind();
	m.pmi_after = 200;
	up_with(1000);
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

static void freeze_stops_the_others(void)
{
	make_kind();
	if (m.version < 2)
		return;
	m.pmi_after = 5;
	up_with_two(1000, 0, 3, false);
	model_run(1004);
	CHECK_EQ(m.ctr[1], fresh(1) + 1000);
	model_settle();
	CHECK_EQ(mini[0].samples, 1);
	CHECK(model_counting());
	/* switched off: it runs on until the PMI is taken */
	shim_param->set("0", NULL);
	m.pmi_after = 20;
	model_run(1008);
	CHECK_EQ(m.ctr[1], fresh(1) + 2008);
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

/*
 * What an overflow costs where there is a status register: its counter is read and
 * written once. Only after an update it is looked at, too.
 */
static void overflow_cost(void)
{
	int updated;

	make_kind();
	if (m.version < 2)
		return;
	up_with(1000);
	for (updated = 1; updated >= 0; updated--) {
		m.reads = m.writes = m.counts = 0;
		model_run(1000);
		CHECK_EQ(m.counts, 1 + updated);
		/* the status twice and GLOBAL_CTRL; stop, acknowledge, load, start */
		CHECK_EQ(m.reads, 3);
		CHECK_EQ(m.writes, 4);
	}
	CHECK_EQ(mini[0].samples, 2);
	/* a PMI of another counter ends the doubt, too */
	update_begin();
	attach(1, PEV_HW_INSTRUCTIONS, 500, 0);
	fold(0);
	load(0);
	update_end(false);
	model_run(500);
	m.counts = 0;
	model_run(500);
	CHECK_EQ(m.counts, 2);
	CHECK_EQ(mini[0].samples, 3);
	CHECK_EQ(mini[1].samples, 2);
	down();
}

const struct test_case pmi_cases[] = {
	{ "an overflow reads its counter once", overflow_cost, true },
	{ "PMIs late by anything, in changes", late_pmis, true },
	{ "NMIs of others stay theirs", others_nmis, true },
	{ "an overflow that is undone", undone, true },
	{ "an overflow that is undone for good", undone_for_good, true },
	{ "the handler itself is counted", counted_handler, true },
	{ "an overflow on the way out of a PMI", overflow_on_the_way_out, true },
	{ "overflows undone among several", undone_among_several, true },
	{ "a hypervisor that masks the entry", masked_by_hypervisor, true },
	{ "a PMI on its way when all stops", stopped_with_pmi_on_its_way, true },
	{ "the other counters stop at the overflow", freeze_stops_the_others, true },
	{ "a freeze bit that is forgotten", freeze_that_is_forgotten, true },
	{}
};
