// SPDX-License-Identifier: GPL-2.0
/*
 * Counters where a guest begins and ends, on a modelled processor: what is the guest's and what the
 * host's is counted and sampled as that, whatever either has left in the registers.
 */
#include "../../../arch/powerpc/pev/guest_pmu.h"
#include "cpu_util.h"

/* What the processor does of a guest, of @n instructions. */
static void execute_guest(enum model_mode mode, bool pmm, u64 n)
{
	machine.guest = true;
	model_run(mode, pmm, n);
	machine.guest = false;
}

/* @vcpu begins, executes @n instructions, and ends; with MSR[EE] off around it. */
static void visit_vcpu(struct pev_vcpu *vcpu, enum model_mode mode, bool pmm, u64 n)
{
	enum ppc_pev_guest_pmu whose;

	machine.ee = false;
	whose = __ppc_pev_guest_begins(vcpu, false);
	EQ(whose, PPC_PEV_GUEST_HERE);
	execute_guest(mode, pmm, n);
	TRUE(ppc_pev_guest_ended(whose));
	machine.ee = true;
}

static void visit(enum model_mode mode, bool pmm, u64 n)
{
	visit_vcpu(NULL, mode, pmm, n);
}

/* ... and the interrupts are let in that came meanwhile. */
static void stay(enum model_mode mode, u64 n)
{
	visit(mode, false, n);
	model_run(KERNEL, false, 1);
}

/*
 * Of MMCR0, which stops the counters behind a guest, a read and a write count as the guest's
 * where the kernel has no MSR[HV], either.
 */
#define WAY_OUT 2

static void guests_count_on(bool hv, bool pairs)
{
	u64 out = hv ? 0 : 3 * WAY_OUT;
	unsigned int i;

	begin(p9);
	machine.hypervisor = hv;
	machine.pairs = pairs;
	update_begin();
	attach(0, ALL_ANY | CFG_NOT_HOST, 0);
	attach(1, ALL_ANY | CFG_NOT_GUEST, 0);
	attach(2, ALL_ANY, 0);
	attach(3, ALL_ANY | CFG_NOT_HOST | CFG_NOT_USER, 0);
	attach(4, ALL_INSTRUCTIONS | CFG_NOT_HOST | CFG_NOT_KERNEL, 0);
	attach(5, USER_CYCLES | (hv ? CFG_NOT_HV : 0), 0);
	update_end();
	model_run(USER, false, 1000);
	stay(USER, 70000);
	stay(KERNEL, 5000);
	model_run(USER, false, 300);
	stay(USER, 1);
	for (i = 0; i < 6; i++)
		fold_running(i);
	EQ(events[0].count, 75001 + out);
	EQ(events[3].count, 5000 + out);
	EQ(events[4].count, 70001);
	EQ(events[5].count, 71301);
	EQ(machine.leaked, 0);
	quiet();
	end();
	/* these go on in the kernel as the others are folded */
	EQ(events[1].count, machine.total[1]);
	EQ(events[2].count, machine.total[2]);
	TRUE(events[1].count >= 1300 && events[1].count < 1500);
	TRUE(events[2].count >= events[0].count + 1300);
	TRUE(events[2].count < events[0].count + 1500);
}

/* Whom, and in which mode; by every reading of MMCR2. */
static void guests_count(void)
{
	for (unsigned int i = 0; i < 4; i++)
		guests_count_on(i & 1, i & 2);
}

/* Marked tasks are none of a guest's, whatever its MSR[PMM]; nothing is switched for them. */
static void guests_without_events(void)
{
	u64 accesses;

	begin(p9);
	open_event(4, USER_INSTRUCTIONS | CFG_MARKED, 0);
	open_event(0, USER_ANY | CFG_NOT_GUEST, 0);
	model_run(USER, true, 100);
	accesses = machine.accesses;
	visit(USER, true, 1000);
	TRUE(machine.accesses - accesses <= 4);
	model_run(USER, true, 100);
	fold_running(4);
	fold_running(0);
	EQ(events[4].count, 200);
	EQ(events[0].count, 200);
	close_event(4);
	close_event(0);
	EQ(__ppc_pev_guest_begins(NULL, false), PPC_PEV_GUEST_NONE);
	quiet();
	end();
	EQ(__ppc_pev_guest_begins(NULL, false), PPC_PEV_GUEST_NONE);
}

/* Guests that stay for @length. */
static void sample_guests(u64 length, unsigned int late)
{
	u64 n, host = 0;

	begin(p9);
	machine.late = late;
	open_event(0, USER_ANY | CFG_NOT_HOST, 1000);
	open_event(3, USER_ANY | CFG_NOT_GUEST, 1000);
	open_event(4, USER_INSTRUCTIONS, 0);
	for (n = 0; n < 40000; n += length) {
		u64 before = events[0].samples;

		stay(USER, length);
		if (events[0].samples != before)
			EQ(events[0].last.guest & PMC_SET(1), PMC_SET(1));
		before = events[3].samples;
		model_run(USER, false, 900);
		host += 900;
		if (events[3].samples != before)
			EQ(events[3].last.guest & PMC_SET(4), 0);
	}
	for (unsigned int c = 0; c < 6; c++)
		if (events[c].on)
			fold_running(c);
	EQ(events[0].count, n);
	EQ(events[3].count, machine.total[3]);
	EQ(events[4].count, n + events[3].count);
	TRUE(events[3].count <= host && events[3].count + 4 * overflows >= host);
	/* a period that passes in one stay is not made up for */
	if (length <= 1000)
		EQ(events[0].samples, n / 1000);
	EQ(machine.leaked, 0);
	quiet();
	end();
}

/* Each sample says who it was, and the guest is given none of the PMIs. */
static void guests_are_sampled(void)
{
	static const u64 stays[] = { 1, 7, 300, 999, 1000, 1001, 7777 };

	for (unsigned int i = 0; i < 3 * ARRAY_SIZE(stays); i++)
		sample_guests(stays[i / 3], i % 3);
}

/* A stay of @n instructions, of which the first are the way in, which is none of user mode's. */
#define WAY_IN 40

static u64 stay_in_user_mode(u64 n)
{
	enum ppc_pev_guest_pmu whose;

	machine.ee = false;
	whose = __ppc_pev_guest_begins(NULL, false);
	execute_guest(KERNEL, false, WAY_IN);
	execute_guest(USER, false, n - WAY_IN);
	TRUE(ppc_pev_guest_ended(whose));
	machine.ee = true;
	model_run(KERNEL, false, 1);
	return n - WAY_IN;
}

/*
 * A guest is ended about when the counter overflows, by what it counted before. Its own exits, many of
 * them and soon, as at the beginning of a period, must not make it seem slow.
 */
static void end_guests_in_time(unsigned int exits)
{
	u64 n = 0, stays = 0, worst = 0, before;

	begin(p9);
	open_event(0, USER_ANY | CFG_NOT_HOST, 100000);
	open_event(4, USER_INSTRUCTIONS, 0);
	while (n < 5000000) {
		u64 until = __ppc_pev_guest_until(machine.tb, machine.tb + 10000000);
		u64 most = until - machine.tb;

		TRUE(until > machine.tb && most < 10000000);
		before = events[0].samples;
		n += stay_in_user_mode(most);
		stays++;
		if (events[0].samples == before)
			continue;
		if (events[0].count % 100000 > worst)
			worst = events[0].count % 100000;
		for (unsigned int i = 0; i < exits; i++)
			n += stay_in_user_mode(200);
	}
	EQ(events[0].samples, n / 100000);
	TRUE(stays <= 4 * events[0].samples);
	printf("# %u exits: %llu stays, %llu late\n", exits, (unsigned long long)stays,
	       (unsigned long long)worst);
	/* what is added to the time, and one hundredth of the period */
	TRUE(worst <= 2048 + 1000);
	/* counters that only count end none */
	close_event(0);
	EQ(__ppc_pev_guest_until(machine.tb, machine.tb + 10000000), machine.tb + 10000000);
	quiet();
	end();
}

/* One that is about to overflow, but does not count there, ends no guest for long. */
static void end_guests_in_vain(void)
{
	u64 stays = 0, end_at;

	begin(p9);
	open_event(0, USER_ANY | CFG_NOT_HOST, 2000);
	end_at = machine.tb + 50000000;
	while (machine.tb < end_at) {
		u64 until = __ppc_pev_guest_until(machine.tb, machine.tb + 5000000);

		stay(KERNEL, until - machine.tb);
		stays++;
	}
	printf("# %llu stays in vain\n", (unsigned long long)stays);
	TRUE(stays < 3000);
	quiet();
	end();
}

static void guests_end_in_time(void)
{
	end_guests_in_time(0);
	end_guests_in_time(10);
	end_guests_in_vain();
}

/* The guest has ended: the first event counts all that the host does in user mode. */
static void host_goes_on(void)
{
	machine.ee = true;
	stay(USER, 100);
	fold_running(0);
	EQ(events[0].count, 100);
	quiet();
	end();
}

/* The guest has the PMU: what would count there stands, and says so. */
static void guests_have_the_pmu(void)
{
	begin(p9);
	open_event(0, USER_ANY | CFG_NOT_HOST, 0);
	open_event(1, USER_ANY | CFG_NOT_GUEST, 0);
	open_event(4, USER_INSTRUCTIONS, 0);
	machine.ee = false;
	EQ(__ppc_pev_guest_begins(NULL, true), PPC_PEV_GUEST_STANDS);
	EQ(standing, PMC_SET(1) | PMC_SET(5));
	TRUE(!ppc_pev_guest_ended(PPC_PEV_GUEST_STANDS));
	ppc_pev_guest_saved(PPC_PEV_GUEST_STANDS);
	EQ(standing, 0);
	host_goes_on();
}

/*
 * The guest has the PMU count all modes, until KVM has saved it: as it ends, @left instructions
 * before an overflow, so it finds it later, with no address of the host's.
 */
static void end_guest_with_the_pmu(bool hv, u64 left)
{
	struct model host;
	u64 pmc;

	begin(p9);
	machine.hypervisor = hv;
	open_event(0, USER_ANY | CFG_NOT_HOST, 0);
	open_event(4, ALL_INSTRUCTIONS, 0);
	machine.ee = false;
	EQ(__ppc_pev_guest_begins(NULL, true), PPC_PEV_GUEST_STANDS);
	host = machine;
	machine.pmc[4] = PMC_NEGATIVE - left - 100;
	machine.siar = 0;
	machine.mmcr2 = 0;
	machine.mmcr0 = M0_PMAE | M0_FCECE | M0_PMCJCE;
	execute_guest(KERNEL, false, 100);
	TRUE(!ppc_pev_guest_ended(PPC_PEV_GUEST_STANDS));
	pmc = machine.pmc[4];
	machine.mmcr0 |= M0_FC;
	ppc_pev_guest_saved(PPC_PEV_GUEST_STANDS);
	EQ(pmc, PMC_NEGATIVE - left);
	EQ(machine.pmc[4], pmc);
	EQ(machine.siar, 0);
	EQ(machine.alerts, host.alerts);
	EQ(standing, 0);
	host.tb = machine.tb;
	machine = host;
	host_goes_on();
}

static void guests_count_none_of_ours(void)
{
	for (u64 left = 1; left < 20; left++) {
		end_guest_with_the_pmu(false, left);
		end_guest_with_the_pmu(true, left);
	}
}

/* An overflow of the host's whose PMI has not come yet as a guest begins. */
static void guests_after_an_overflow(void)
{
	begin(p9);
	open_event(0, USER_ANY | CFG_NOT_GUEST, 1000);
	open_event(4, USER_INSTRUCTIONS | CFG_NOT_HOST, 1000);
	machine.ee = false;
	model_run(USER, false, 1000);
	TRUE(machine.mmcr0 & M0_PMAO);
	stay(USER, 500);
	EQ(events[0].samples, 1);
	EQ(events[0].last.guest, 0);
	EQ(machine.leaked, 0);
	stay(USER, 500);
	EQ(events[4].samples, 1);
	EQ(events[4].last.guest, PMC_SET(5));
	EQ(events[4].count, 1000);
	EQ(events[0].count, 1000);
	quiet();
	end();
}

/*
 * A guest is owed an interrupt: it alone is given one, and what counts is not disturbed. It could take
 * that before each instruction, and behind the last one.
 */
static void guests_are_owed_an_interrupt(void)
{
	struct pev_vcpu vcpu = { .due = true };
	unsigned int which;

	/* counters of guests, of the host, none */
	for (which = 0; which < 3; which++) {
		begin(p9);
		if (which == 0)
			open_event(4, USER_INSTRUCTIONS | CFG_NOT_HOST, 0);
		if (which == 1)
			open_event(4, USER_INSTRUCTIONS | CFG_NOT_GUEST, 0);
		visit_vcpu(&vcpu, USER, false, 100);
		EQ(machine.leaked, 100 + 1);
		/* it stays so until it has asked */
		visit_vcpu(&vcpu, USER, false, 100);
		EQ(machine.leaked, 2 * (100 + 1));
		TRUE(!(machine.mmcr0 & M0_PMAO));
		model_run(USER, false, 10);
		vcpu.due = false;
		if (which < 2) {
			visit_vcpu(&vcpu, USER, false, 100);
			fold_running(4);
			EQ(events[4].count, which ? 10 : 300);
		} else {
			EQ(__ppc_pev_guest_begins(&vcpu, false), PPC_PEV_GUEST_NONE);
		}
		EQ(machine.leaked, 2 * (100 + 1));
		vcpu.due = true;
		/* the PMU is its own: so are interrupts */
		machine.ee = false;
		EQ(__ppc_pev_guest_begins(&vcpu, true), PPC_PEV_GUEST_STANDS);
		TRUE(!ppc_pev_guest_ended(PPC_PEV_GUEST_STANDS));
		ppc_pev_guest_saved(PPC_PEV_GUEST_STANDS);
		machine.ee = true;
		TRUE(!vcpu.due);
		vcpu.due = true;
		machine.leaked = 0;
		quiet();
		end();
	}
}

/* An overflow of the host's is due as well: each gets its own. */
static void both_are_owed_an_interrupt(void)
{
	struct pev_vcpu vcpu = { .due = true };

	begin(p9);
	open_event(4, USER_INSTRUCTIONS | CFG_NOT_GUEST, 1000);
	machine.ee = false;
	model_run(USER, false, 1000);
	TRUE(machine.mmcr0 & M0_PMAO);
	visit_vcpu(&vcpu, USER, false, 50);
	EQ(machine.leaked, 50 + 1);
	EQ(events[4].samples, 0);
	model_run(KERNEL, false, 1);
	EQ(events[4].samples, 1);
	EQ(events[4].last.guest, 0);
	EQ(events[4].count, 1000);
	machine.leaked = 0;
	quiet();
	end();
}

/* Registers that are not as they were left: by the guest, or in the host before it. */
static void guests_and_foreign_writes(void)
{
	unsigned int where;

	for (where = 0; where < 2; where++) {
		begin(p9);
		open_event(4, USER_INSTRUCTIONS | CFG_NOT_HOST, 0);
		stay(USER, 100);
		fold_running(4);
		if (!where)
			machine.mmcr0 = M0_FC14;
		machine.ee = false;
		EQ(__ppc_pev_guest_begins(NULL, false), PPC_PEV_GUEST_HERE);
		if (where)
			machine.mmcr0 = M0_FC14;
		execute_guest(USER, false, 50);
		TRUE(ppc_pev_guest_ended(PPC_PEV_GUEST_HERE));
		machine.ee = true;
		EQ(incidents[PEV_PMU_FOREIGN], 1);
		stay(USER, 100);
		fold_running(4);
		EQ(events[4].count, where ? 200 : 250);
		EQ(incidents[PEV_PMU_FOREIGN], 1);
		end();
	}
}

static const struct test tests[] = {
	{ "guests, the host, or both are counted exactly", guests_count },
	{ "guests that nothing counts are cheap", guests_without_events },
	{ "samples say whether the guest or the host was hit", guests_are_sampled },
	{ "guests end when a sample is due", guests_end_in_time },
	{ "counters stand while a guest has the PMU", guests_have_the_pmu },
	{ "... and it counts, and is told, none of pev's own", guests_count_none_of_ours },
	{ "an overflow that is due as a guest begins", guests_after_an_overflow },
	{ "a guest is owed an interrupt by counters it is lent", guests_are_owed_an_interrupt },
	{ "... and the host one by its own", both_are_owed_an_interrupt },
	{ "others write registers before a guest, or in it", guests_and_foreign_writes },
};

int main(void)
{
	find_models();
	return run_tests(tests, ARRAY_SIZE(tests));
}
