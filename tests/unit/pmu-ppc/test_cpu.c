// SPDX-License-Identifier: GPL-2.0
/*
 * The registers of a CPU and its PMIs, on a modelled processor that can also be
 * odd. What a PMC counted is known from the model: nothing may be lost, and
 * nothing that others wrote may be counted.
 */
#include <stdlib.h>
#include "../../../arch/powerpc/pev/prompt.h"
#include "cpu_util.h"

static void counting(void)
{
	unsigned int i;

	begin(p9);
	open_event(4, USER_INSTRUCTIONS, 0);
	open_event(5, USER_CYCLES, 0);
	open_event(2, USER_ANY, 0);
	model_run(USER, false, 1000);
	model_run(KERNEL, false, 300);
	fold_running(4);
	EQ(events[4].count, 1000);
	close_event(2);
	model_run(USER, false, 500);
	open_event(2, USER_ANY, 0);
	model_run(USER, false, 7);
	for (i = 2; i < 6; i++)
		if (events[i].on)
			close_event(i);
	EQ(events[4].count, 1507);
	EQ(events[5].count, 1507);
	EQ(events[2].count, 7);
	quiet();
	end();
}

/* Periods from the shortest to the longest, exactly, with nothing from the handler. */
static void sampling(void)
{
	static const u64 periods[] = { 1, 2, 3, 64, 1000, 12345 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		begin(p9);
		open_event(4, USER_INSTRUCTIONS, periods[i]);
		open_event(1, USER_ANY, 0);
		model_run(USER, false, 30000);
		EQ(events[4].samples, 30000 / periods[i]);
		fold_running(4);
		fold_running(1);
		EQ(events[4].count, 30000);
		EQ(events[1].count, 30000);
		EQ(overflows, events[4].samples);
		quiet();
		end();
	}
}

/* A counter beyond its width, from any value. */
static void wrapping(void)
{
	u64 i;

	begin(p9);
	open_event(4, USER_INSTRUCTIONS, 0);
	for (i = 0; i < 10; i++) {
		/* as if so many had been counted */
		machine.pmc[4] += 0x3fffff00;
		machine.total[4] += 0x3fffff00;
		model_run(USER, false, 999);
		fold_running(4);
		EQ(events[4].count, machine.total[4]);
	}
	TRUE(overflows >= 4);
	quiet();
	end();
}

static void wide_counters(void)
{
	unsigned int i;

	begin(p9);
	machine.wide = true;
	open_event(4, USER_INSTRUCTIONS, 100);
	open_event(0, USER_ANY, 0);
	for (i = 0; i < 6; i++)
		machine.pmc[i] |= 0xabcd00000000ULL;
	model_run(USER, false, 1000);
	fold_running(4);
	fold_running(0);
	EQ(events[4].samples, 10);
	EQ(events[4].count, 1000);
	EQ(events[0].count, 1000);
	quiet();
	end();
}

/* The alert comes late: counters overshoot, and it belongs to the count. */
static void late_alerts(void)
{
	unsigned int late;

	for (late = 1; late < 40; late++) {
		begin(p9);
		machine.late = late;
		open_event(4, USER_INSTRUCTIONS, 100);
		open_event(0, USER_ANY, 0);
		model_run(USER, false, 10000);
		fold_running(4);
		fold_running(0);
		EQ(events[4].count, machine.total[4]);
		EQ(events[0].count, machine.total[0]);
		EQ(events[4].count, 10000);
		TRUE(events[4].samples >= 10000 / (100 + late) - 1 && events[4].samples <= 100);
		quiet();
		end();
	}
}

/* Many run at once, with MSR[EE] off for a while. */
static void no_external_interrupts(void)
{
	begin(p9);
	open_event(4, USER_INSTRUCTIONS, 100);
	model_run(USER, false, 99);
	machine.ee = false;
	model_run(USER, false, 500);
	EQ(events[4].samples, 0);
	machine.ee = true;
	model_run(USER, false, 1);
	EQ(events[4].samples, 1);
	/* frozen by the overflow: what came after it in the dark is not counted */
	fold_running(4);
	EQ(events[4].count, 101);
	quiet();
	end();
}

static void soft_masked_on(bool edge)
{
	begin(p9);
	machine.edge = edge;
	open_event(4, ALL_INSTRUCTIONS, 1000);
	model_soft_mask(true);
	model_run(KERNEL, false, 2000);
	TRUE(machine.kept);
	EQ(overflows, 0);
	/* still due after an update that does not touch it */
	open_event(0, ALL_ANY, 0);
	EQ(overflows, 0);
	model_soft_mask(false);
	EQ(events[4].samples, 1);
	EQ(incidents[PEV_PMU_LATE], 0);
	/* not due any more: its event has gone */
	model_soft_mask(true);
	model_run(KERNEL, false, 2000);
	TRUE(machine.kept);
	close_event(4);
	TRUE(!machine.kept);
	open_event(4, ALL_INSTRUCTIONS, 1000000);
	overflows = 0;
	model_soft_mask(false);
	EQ(overflows, 0);
	EQ(events[4].samples, 0);
	quiet();
	end();
}

static void soft_masked(void)
{
	soft_masked_on(false);
	soft_masked_on(true);
}

/* MSR[EE] off, and an update that does not touch the counter: it remains due. */
static void due_after_an_update(void)
{
	unsigned int edge;

	for (edge = 0; edge < 2; edge++) {
		begin(p9);
		machine.edge = edge;
		open_event(4, USER_INSTRUCTIONS, 100);
		machine.ee = false;
		model_run(USER, false, 300);
		open_event(1, USER_ANY, 0);
		close_event(1);
		EQ(events[4].samples, 0);
		machine.ee = true;
		model_run(USER, false, 50);
		EQ(events[4].samples, 1);
		fold_running(4);
		EQ(events[4].count, 150);
		quiet();
		end();
	}
}

/* What the contract allows, though this core always reads what it stops. */
static void stopped_without_reading(void)
{
	begin(p9);
	ppc_pev_set(4, USER_INSTRUCTIONS);
	ppc_pev_write(4, 1000);
	ppc_pev_thaw(PMC_SET(5), false);
	model_run(USER, false, 10);
	ppc_pev_freeze();
	EQ(ppc_pev_read(4), 1010);
	ppc_pev_thaw(PMC_SET(5), false);
	model_run(USER, false, 10);
	ppc_pev_freeze();
	ppc_pev_thaw(0, false);
	EQ(machine.pmc[4], 0);
	model_run(USER, false, 10);
	ppc_pev_freeze();
	ppc_pev_thaw(PMC_SET(5), false);
	model_run(USER, false, 10);
	EQ(ppc_pev_read(4), 1030);
	ppc_pev_freeze();
	ppc_pev_thaw(0, false);
	quiet();
	end();
}

/* As a counter of 31 bits: past an overflow that was reported it is at 0. */
static void acknowledged(void)
{
	struct pt_regs regs = { };

	begin(p9);
	open_event(4, USER_INSTRUCTIONS, 1000);
	machine.ee = false;
	model_run(USER, false, 2000);
	/* in an update, which leaves it for later: a PMI that was kept */
	update_begin();
	EQ(machine.pmc[4] >> 31, 1);
	ppc_pev_pmi(&regs);
	EQ(machine.pmc[4] >> 31, 0);
	EQ(overflows, 1);
	update_end();
	machine.ee = true;
	model_run(USER, false, 1);
	EQ(events[4].count, 1001);
	EQ(events[4].samples, 1);
	quiet();
	end();
}

/* A PMI at each instruction that the backend executes, and its kernel's time. */
static void interruptions(void)
{
	u64 period, n;

	for (period = 1; period < 200; period++) {
		begin(p9);
		/* shorter ones would never leave the handler */
		open_event(4, ALL_INSTRUCTIONS, 30 + period);
		for (n = 0; n < 12; n++) {
			open_event(1, ALL_ANY, 0);
			fold_running(4);
			model_run(USER, false, 31);
			fold_running(1);
			close_event(1);
		}
		close_event(4);
		EQ(events[4].count, machine.total[4]);
		TRUE(events[4].samples > 0);
		EQ(incidents[PEV_PMU_FOREIGN], 0);
		EQ(incidents[PEV_PMU_STUCK], 0);
		end();
	}
}

static unsigned int seed;

static unsigned int any(unsigned int n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* Attaches an event, or detaches it and adds up what it counted. */
static void toggle(u64 *sum, unsigned int c)
{
	u64 period;

	update_begin();
	if (events[c].on) {
		detach(c);
		sum[c] += events[c].count;
	} else {
		period = any(2) ? 0 : 300 + any(900);
		attach(c,
		       (c == 4 ? 0x500fa | CFG_IDLE_TOO :
			c == 5 ? 0x600f4 | CFG_IDLE_TOO :
				 2) |
			       (any(2) ? CFG_NOT_USER : 0),
		       period);
	}
	update_end();
}

static void random_update(u64 *sum)
{
	unsigned int c = any(6);

	switch (any(9)) {
	case 0 ... 3:
		toggle(sum, c);
		break;
	case 4:
		if (events[c].on)
			fold_running(c);
		break;
	case 5:
		model_soft_mask(!machine.masked);
		break;
	default:
		model_run(any(2) ? USER : KERNEL, any(2), any(500));
	}
}

static void compare_with_counters(u64 *sum, unsigned int run)
{
	unsigned int c;

	update_begin();
	for (c = 0; c < 6; c++) {
		if (events[c].on) {
			detach(c);
			sum[c] += events[c].count;
		}
		if (sum[c] != machine.total[c]) {
			printf("# run %u PMC%u: %llu, not %llu\n", run, c + 1,
			       (unsigned long long)sum[c], (unsigned long long)machine.total[c]);
			failed = 1;
		}
	}
	update_end();
}

/* All sorts of things in any order: each counter's sum is what its PMC counted. */
static void random_updates(void)
{
	unsigned int run, n;

	for (run = 0; run < 400 && !failed; run++) {
		u64 sum[6] = {};

		seed = run;
		begin(any(2) ? p9 : p10);
		machine.late = any(3) ? 0 : any(20);
		machine.wide = any(2);
		readable = any(2);
		for (n = 0; n < 300; n++)
			random_update(sum);
		model_soft_mask(false);
		compare_with_counters(sum, run);
		EQ(incidents[PEV_PMU_FOREIGN], 0);
		EQ(incidents[PEV_PMU_STUCK], 0);
		end();
	}
}

static void stuck_alert(void)
{
	begin(p9);
	open_event(4, USER_INSTRUCTIONS, 100);
	machine.stuck = 3;
	model_run(USER, false, 1000);
	fold_running(4);
	EQ(events[4].samples, 10);
	EQ(events[4].count, 1000);
	TRUE(incidents[PEV_PMU_STUCK] > 0);
	EQ(incidents[PEV_PMU_FOREIGN], 0);
	end();
}

/* PMIs with nothing to do: by another's PMAO, or late. */
static void nothing_to_do(void)
{
	begin(p9);
	open_event(4, USER_INSTRUCTIONS, 1000000);
	model_run(USER, false, 10);
	machine.mmcr0 |= M0_PMAO;
	model_run(USER, false, 10);
	EQ(machine.pmis, 1);
	EQ(incidents[PEV_PMU_LATE], 1);
	fold_running(4);
	EQ(events[4].count, 20);
	EQ(events[4].samples, 0);
	/* one while nothing counts */
	close_event(4);
	machine.mmcr0 |= M0_PMAO;
	model_run(USER, false, 10);
	EQ(machine.pmis, 2);
	EQ(machine.mmcr0 & M0_PMAO, 0);
	end();
}

/* Another owner left all registers dirty, counting, with an alert due. */
static void dirty_start(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		model_reset();
		core_reset();
		machine.handler = NULL;
		machine.isa31 = i;
		machine.mmcr0 = M0_PMAE | M0_PMC1CE | M0_PMCJCE | (i ? M0_FC : 0);
		machine.mmcr1 = 0x1234567802020202ULL;
		machine.mmcr2 = ~0ULL;
		machine.mmcr3 = ~0ULL;
		machine.mmcra = ~0ULL;
		machine.siar = 0xc000000000001234ULL;
		machine.pmc[0] = 0xfffffff0;
		machine.pmc[3] = 0x80000000;
		machine.pmc[5] = 0xffffffffff;
		machine.masked = true;
		machine.ee = true;
		model_run(KERNEL, false, 3);
		TRUE(machine.kept);
		machine.handler = ppc_pev_pmi;
		ppc_pev_model_is(i ? p10 : p9);
		EQ(ppc_pev_cpu_start(), 0);
		EQ(incidents[PEV_PMU_FOREIGN], !i);
		TRUE(machine.enabled && machine.inuse);
		model_soft_mask(false);
		model_run(USER, false, 100);
		EQ(machine.pmis, 0);
		EQ(overflows, 0);
		EQ(machine.mmcr3, i ? 0 : ~0ULL);
		EQ(machine.siar, 0);
		open_event(0, USER_ANY, 0);
		open_event(5, USER_CYCLES, 50);
		model_run(USER, false, 1000);
		fold_running(0);
		EQ(events[0].count, 1000);
		EQ(events[5].samples, 20);
		end();
		EQ(machine.mmcr0 & M0_FC, M0_FC);
		EQ(machine.mmcr0 & (M0_PMAE | M0_PMAO | M0_PMCC), 0);
		EQ(machine.mmcr1, 0);
		EQ(machine.mmcr2, 0);
		for (unsigned int c = 0; c < 6; c++)
			EQ(machine.pmc[c], 0);
		TRUE(!machine.inuse);
		TRUE(!ppc_pev_prompt);
	}
}

/* What cpuN/mmcr0 and the like in sysfs can do, at the worst time. */
static void foreign_writes(void)
{
	static const u64 zeros[] = { 0, 0x80000000, 0x44000000, 0xffffffff };
	unsigned int i, masked;

	for (masked = 0; masked < 2; masked++)
	for (i = 0; i < ARRAY_SIZE(zeros) + 4; i++) {
		u64 before;

		begin(p9);
		open_event(4, USER_INSTRUCTIONS, 0);
		open_event(0, USER_ANY, 1000);
		model_run(USER, false, 700);
		fold_running(4);
		fold_running(0);
		before = events[4].count;
		EQ(before, 700);
		if (masked)
			model_soft_mask(true);
		if (i < ARRAY_SIZE(zeros))
			machine.mmcr0 = zeros[i];
		else if (i == ARRAY_SIZE(zeros))
			machine.mmcr1 = 0x1e1e1e1e;
		else if (i == ARRAY_SIZE(zeros) + 1)
			machine.mmcr1 = 0;
		else if (i == ARRAY_SIZE(zeros) + 2)
			machine.mmcr0 ^= M0_FC56 | M0_FC14;
		else
			machine.pmc[4] = 5;
		model_run(KERNEL, false, 50);
		model_run(USER, false, 200);
		if (masked)
			model_soft_mask(false);
		/* an update finds it */
		open_event(1, USER_ANY, 0);
		if (i == ARRAY_SIZE(zeros) + 3)
			fold_running(4);
		if (incidents[PEV_PMU_FOREIGN] != 1) {
			printf("# case %u: noticed %llu times\n", i,
			       (unsigned long long)incidents[PEV_PMU_FOREIGN]);
			failed = 1;
		}
		TRUE(events[4].count <= 900 && events[4].count >= before);
		TRUE(events[0].count <= 900);
		/* and from here on all is right again */
		fold_running(4);
		TRUE(events[4].count <= 900);
		before = events[4].count;
		model_run(USER, false, 100);
		fold_running(4);
		fold_running(1);
		EQ(events[4].count, before + 100);
		EQ(events[1].count, 100);
		end();
	}
}

/* Reads while nothing counts. */
static void foreign_writes_at_rest(void)
{
	begin(p9);
	open_event(4, USER_INSTRUCTIONS, 0);
	model_run(USER, false, 100);
	close_event(4);
	machine.mmcr0 = 0;
	machine.mmcr1 = 0x02020202;
	machine.pmc[0] = 77;
	machine.pmc[4] = 99;
	model_run(USER, false, 100);
	open_event(4, USER_INSTRUCTIONS, 0);
	EQ(incidents[PEV_PMU_FOREIGN], 1);
	open_event(0, USER_ANY, 0);
	model_run(USER, false, 10);
	fold_running(4);
	fold_running(0);
	EQ(events[4].count, 10);
	EQ(events[0].count, 10);
	EQ(incidents[PEV_PMU_FOREIGN], 1);
	end();
}

static void bits_that_are_not_there(void)
{
	begin(p9);
	end();
	model_reset();
	core_reset();
	machine.handler = ppc_pev_pmi;
	machine.unkept = M0_FC14 | M0_FC56 | M0_CC56RUN;
	machine.own_fcece = true;
	ppc_pev_cpu_start();
	open_event(4, USER_INSTRUCTIONS, 100);
	open_event(0, USER_ANY, 0);
	model_run(USER, false, 1000);
	fold_running(0);
	EQ(events[4].samples, 10);
	EQ(events[0].count, 1000);
	close_event(0);
	model_run(USER, false, 1000);
	EQ(events[4].samples, 20);
	quiet();
	end();
}

static void marked_tasks(void)
{
	begin(p9);
	open_event(4, USER_INSTRUCTIONS | CFG_MARKED, 0);
	open_event(5, USER_CYCLES, 0);
	open_event(0, USER_ANY | CFG_MARKED, 50);
	model_run(USER, true, 500);
	model_run(USER, false, 300);
	model_run(KERNEL, false, 300);
	model_run(USER, true, 500);
	fold_running(4);
	fold_running(5);
	EQ(events[4].count, 1000);
	EQ(events[5].count, 1300);
	EQ(events[0].samples, 20);
	quiet();
	end();
}

static void user_reads(void)
{
	unsigned int c;

	begin(p9);
	open_event(0, USER_ANY, 0);
	open_event(4, USER_INSTRUCTIONS, 0);
	model_run(USER, false, 1000);
	EQ(machine.mmcr0 & M0_PMCC, M0_PMCC_NONE);
	/* another task: it may read, and has PMC6 only */
	machine.siar = 0xc000000000001234ULL;
	machine.sdar = 0xc000000000005678ULL;
	update_begin();
	detach(0);
	detach(4);
	attach(5, USER_CYCLES, 0);
	readable = true;
	update_end();
	EQ(machine.mmcr0 & M0_PMCC, 0);
	EQ(machine.siar, 0);
	EQ(machine.sdar, 0);
	model_run(USER, false, 10);
	for (c = 0; c < 5; c++)
		EQ(machine.pmc[c], 0);
	EQ(machine.pmc[5], 10);
	/* its address space has the right while other tasks run */
	ppc_pev_readers(true);
	readable = false;
	open_event(4, USER_INSTRUCTIONS, 0);
	EQ(machine.mmcr0 & M0_PMCC, 0);
	close_event(5);
	ppc_pev_readers(false);
	open_event(0, USER_ANY, 0);
	EQ(machine.mmcr0 & M0_PMCC, M0_PMCC_NONE);
	model_run(USER, false, 11);
	fold_running(4);
	EQ(events[4].count, 11);
	quiet();
	end();
}

static void where(void)
{
	begin(p9);
	open_event(4, USER_INSTRUCTIONS, 100);
	model_run(USER, false, 100);
	EQ(events[4].samples, 1);
	EQ(events[4].last.ip, 0x10000000 + 99 * 4);
	TRUE(events[4].last.user);
	/* the PMI in the kernel, the overflow in user mode */
	machine.ee = false;
	model_run(USER, false, 100);
	machine.ee = true;
	model_run(KERNEL, false, 1);
	EQ(events[4].samples, 2);
	EQ(events[4].last.ip, 0x10000000 + 199 * 4);
	TRUE(events[4].last.user);
	end();
}

/* What SIAR, SDAR and SIER may not be believed. */
static void siar_quirks(void)
{
	static const struct {
		u64 siar, sier, sdar;
		bool hv, user_regs, sample;
		u64 ip, addr;
	} cases[] = {
		{ 0, SI_SIAR_VALID | SI_PR, 0, 0, 1, 0, 0, 0 },
		{ 0x1000, SI_SIAR_VALID | SI_PR, 0, 0, 1, 0, 0x1000, 0 },
		{ 0x1000, SI_SIAR_VALID, 0, 0, 0, 0, 0, 0 },
		{ 0xc000000000001000ULL, SI_SIAR_VALID | SI_PR, 0, 0, 0, 0, 0, 0 },
		{ 0xc000000000001000ULL, SI_SIAR_VALID, 0, 0, 0, 0, 0xc000000000001000ULL, 0 },
		{ 0xc000000000001000ULL, 0, 0, 0, 0, 0, 0xc000000000001000ULL, 0 },
		{ 0xc000000000001000ULL, SI_HV, 0, 0, 0, 0, 0, 0 },
		{ 0xc000000000001000ULL, SI_HV, 0, 1, 0, 0, 0xc000000000001000ULL, 0 },
		{ 0x1000, SI_PR, 0, 0, 1, 0, 0, 0 },
		{ 0x1000, SI_PR, 0, 0, 0, 0, 0x1000, 0 },
		{ 0x1000, SI_PR, 0, 0, 0, 1, 0, 0 },
		{ 0x1000, SI_PR | SI_SIAR_VALID, 0, 0, 0, 1, 0x1000, 0 },
		{ 0, SI_SDAR_VALID, 0x2000, 0, 1, 0, 0, 0x2000 },
		{ 0, 0, 0x2000, 0, 1, 0, 0, 0 },
		{ 0, SI_SDAR_VALID, 0xc000000000002000ULL, 0, 1, 0, 0, 0 },
		{ 0, SI_SDAR_VALID, 0xc000000000002000ULL, 0, 0, 0, 0, 0xc000000000002000ULL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pt_regs regs = { .msr = cases[i].user_regs ? 1ULL << 14 : 0 };

		begin(p9);
		machine.hypervisor = cases[i].hv;
		open_event(3, cases[i].sample ? 0x401e0 : 0x400f6, 1000);
		machine.pmc[3] = 0x80000001;
		machine.mmcr0 &= ~M0_PMAE;
		machine.mmcr0 |= M0_FC;
		machine.siar = cases[i].siar;
		machine.sier = cases[i].sier;
		machine.sdar = cases[i].sdar;
		machine.ee = false;
		ppc_pev_pmi(&regs);
		machine.ee = true;
		EQ(events[3].samples, 1);
		if (events[3].last.ip != cases[i].ip || events[3].last.addr != cases[i].addr) {
			printf("# case %u: ip %#llx, addr %#llx\n", i,
			       (unsigned long long)events[3].last.ip,
			       (unsigned long long)events[3].last.addr);
			failed = 1;
		}
		end();
	}
}

/* A task switch that changes nothing writes MMCR0 twice and no other register. */
static void cheap_switches(void)
{
	u64 accesses;

	begin(p9);
	open_event(4, USER_INSTRUCTIONS, 0);
	accesses = machine.accesses;
	update_begin();
	update_end();
	printf("# %llu accesses\n", (unsigned long long)(machine.accesses - accesses));
	TRUE(machine.accesses - accesses <= 4);
	TRUE(ppc_pev_prompt);
	close_event(4);
	TRUE(!ppc_pev_prompt);
	end();
}

static const struct test tests[] = {
	{ "counts are exact", counting },
	{ "samples come at each period, and nothing is counted in the handler", sampling },
	{ "counters wrap", wrapping },
	{ "counters that show more than 32 bits", wide_counters },
	{ "alerts that come late", late_alerts },
	{ "overflows while MSR[EE] is off", no_external_interrupts },
	{ "soft-masked PMIs are delivered if they are due, and else forgotten", soft_masked },
	{ "overflows outlast updates that don't touch them", due_after_an_update },
	{ "counters that are stopped and not read", stopped_without_reading },
	{ "an overflow that was reported leaves nothing", acknowledged },
	{ "a PMI at any instruction", interruptions },
	{ "anything in any order loses nothing", random_updates },
	{ "an alert that can't be acknowledged", stuck_alert },
	{ "PMIs with nothing to do", nothing_to_do },
	{ "registers that were left dirty", dirty_start },
	{ "others write registers while counters run", foreign_writes },
	{ "others write registers while none runs", foreign_writes_at_rest },
	{ "a processor that lacks bits of MMCR0", bits_that_are_not_there },
	{ "marked tasks alone are counted", marked_tasks },
	{ "user space reads its own counters and no others", user_reads },
	{ "samples are where the overflow was", where },
	{ "addresses that say nothing are not shown", siar_quirks },
	{ "a switch that changes nothing is cheap", cheap_switches },
};

int main(void)
{
	find_models();
	return run_tests(tests, ARRAY_SIZE(tests));
}
