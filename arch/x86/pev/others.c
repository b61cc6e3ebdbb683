// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what Linux's driver does while the counters are ours, as patches/linux-6.12/0022 and
 * 0023 tell.
 *
 * GLOBAL_CTRL has other writers than us:
 *
 * - Linux's handler of PMIs, for Intel PT and branch trace stores, which reserve no
 *   counter. It comes after ours in every NMI, stops all counters, and leaves it so
 *   or starts all;
 * - kvm_amd, which starts all when guests become possible on a CPU and when they no
 *   longer are. "The host only" is then written again, too.
 *
 * Both call us, which repairs it at once. What other code writes, by way of
 * /dev/cpu/N/msr, is noticed by the first update of each tick: reading a register in
 * all of them would be half of what they cost, and a hypervisor may have to be asked.
 *
 * Where there is no GLOBAL_CTRL both touch only counters of perf's events.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/pev_pmu.h>
#include "hw.h"
#include "others.h"
#include "pmu.h"
#include "regs.h"

#define hw	(&x86_pev_hw)

/* ---- GLOBAL_CTRL ---- */

/* An overflow has cleared GLOBAL_CTRL, and its PMI is on its way. */
static bool stopped_by_overflow(struct x86_pev_cpu *c, u64 ctrl)
{
	return !ctrl && c->freezes && !hw->frozen && reg_read(hw->status) & c->ours;
}

/* What nobody may see has counted meanwhile. */
static void foreign(struct x86_pev_cpu *c, u64 ctrl)
{
	unsigned int i;

	pev_pmu_report(PEV_PMU_FOREIGN);
	for_each_counter(i, c->hidden & ctrl)
		reg_write(hw->counters[i].msr, 0);
}

/*
 * Is GLOBAL_CTRL what the last thaw() wrote? If not, freeze() overwrites it. In an update: a
 * PMI since then has only stopped the counters.
 */
void x86_pev_check_running(struct x86_pev_cpu *c)
{
	u64 ctrl;
	bool own;

	c->checked = jiffies;
	if (!hw->ctrl)
		return;
	ctrl = reg_read(hw->ctrl);
	own = ctrl == c->running || stopped_by_overflow(c, ctrl);
	barrier();	/* a PMI that changed either before it was read is seen here */
	if (!own && !READ_ONCE(c->frozen))
		foreign(c, ctrl);
}

static void restore(struct x86_pev_cpu *c)
{
	u64 want = c->frozen ? 0 : c->running, ctrl = reg_read(hw->ctrl);

	if (ctrl == want || stopped_by_overflow(c, ctrl))
		return;
	/* thaw() is about to write it, or has */
	if (ctrl || !c->turning)
		foreign(c, ctrl);
	reg_write(hw->ctrl, want);
}

/**
 * x86_pev_after_perf() - Linux's driver may have written GLOBAL_CTRL
 *
 * An overflow that it has acknowledged is found by pmu/overflow.c as one that got lost.
 *
 * Context: On the CPU: NMI, after x86_pev_pmi(), or preemption disabled.
 */
void x86_pev_after_perf(void)
{
	struct x86_pev_cpu *c;
	unsigned long flags;

	raw_local_irq_save(flags);
	c = this_cpu_ptr(&x86_pev_cpu);
	if (c->started && hw->ctrl)
		restore(c);
	raw_local_irq_restore(flags);
}

/* ---- EFER.SVME ---- */

/* What belongs into the event select now. Without GLOBAL_CTRL it starts the counter, too. */
static u64 sel_now(struct x86_pev_cpu *c, unsigned int counter)
{
	bool on = hw->ctrl || (!READ_ONCE(c->frozen) && READ_ONCE(c->running) & BIT_ULL(counter));

	return x86_pev_sel(c, counter) | (on ? SEL_EN : 0);
}

/**
 * x86_pev_svm_update() - virtualization may have been switched on or off on this CPU
 * @c: of this CPU
 *
 * A PMI in between may have stopped a counter: then its event select is written once more.
 *
 * Context: On the CPU: interrupts disabled, or PMI.
 */
void x86_pev_svm_update(struct x86_pev_cpu *c)
{
	bool svm = reg_read(MSR_EFER) & EFER_SVME;
	unsigned int i;
	u64 sel;

	if (svm == c->svm)
		return;
	c->svm = svm;
	barrier();	/* what a PMI from here on writes is what sel_now() finds */
	for_each_counter(i, c->host) {
		do {
			sel = sel_now(c, i);
			reg_write(x86_pev_sel_msr(i), sel);
			barrier();
		} while (sel != sel_now(c, i));
	}
}

/**
 * x86_pev_after_virt() - kvm_amd has made guests possible on this CPU, or impossible
 *
 * Counters run meanwhile, and guests may before the next update.
 *
 * Context: On the CPU: preemption disabled.
 */
void x86_pev_after_virt(void)
{
	struct x86_pev_cpu *c;
	unsigned long flags;

	raw_local_irq_save(flags);
	c = this_cpu_ptr(&x86_pev_cpu);
	if (c->started && c->host)
		x86_pev_svm_update(c);
	raw_local_irq_restore(flags);
	x86_pev_after_perf();
}

/* ---- who may read counters ---- */

/**
 * x86_pev_rdpmc() - perf's PMU has a new value of the file rdpmc
 * @value: 0: nobody may read counters in user mode; 1: who has mapped a page; 2: everybody
 * @done:  it is in effect now; false: it will be
 *
 * What takes something away comes before, what gives comes after.
 *
 * Context: Process, perf's lock of that file held.
 */
void x86_pev_rdpmc(unsigned long value, bool done)
{
	bool by_all = value == 2;

	if (!!value == done)
		pev_pmu_reads_allowed(value);
	if (by_all != done)
		pev_pmu_reads_by_all(by_all);
}

/* In an NMI a probe would be one too many. */
NOKPROBE_SYMBOL(stopped_by_overflow);
NOKPROBE_SYMBOL(foreign);
NOKPROBE_SYMBOL(x86_pev_check_running);
NOKPROBE_SYMBOL(restore);
NOKPROBE_SYMBOL(x86_pev_after_perf);
NOKPROBE_SYMBOL(sel_now);
NOKPROBE_SYMBOL(x86_pev_svm_update);
