// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what is done about counters and status bits that do otherwise than the manuals
 * say. What tables can do is in events.c.
 */
#include <linux/bitops.h>
#include <linux/kprobes.h>
#include <asm/msr-index.h>
#include <asm/perf_event.h>
#include "errata.h"
#include "hw.h"
#include "pmu.h"
#include "regs.h"

#define hw	(&x86_pev_hw)

/* ---- overflows that can't be acknowledged ---- */

static void restore_sel(struct x86_pev_cpu *c, unsigned int counter)
{
	u64 sel = x86_pev_sel(c, counter);

	reg_write(x86_pev_sel_msr(counter), sel ? sel | SEL_EN : 0);
}

static void set_fixed(u64 value)
{
	reg_write(MSR_CORE_PERF_FIXED_CTR_CTRL, value);
}

/* Stop @counters, make them 0, acknowledge, go on. Return: those that it did not help. */
static u64 reset_counters(struct x86_pev_cpu *c, u64 counters)
{
	u64 fixed = c->fixed_now;
	unsigned int i;

	for_each_counter(i, counters & X86_PEV_GP_MASK)
		reg_write(x86_pev_sel_msr(i), 0);
	for_each_counter(i, counters >> X86_PEV_FIXED)
		fixed &= ~FIXED_FIELD(i, 15ULL);
	if (fixed != c->fixed_now)
		set_fixed(fixed);
	for_each_counter(i, counters)
		x86_pev_load(c, i, 0);
	reg_write(hw->ack, counters);
	for_each_counter(i, counters & X86_PEV_GP_MASK)
		restore_sel(c, i);
	if (fixed != c->fixed_now)
		set_fixed(c->fixed_now);
	return reg_read(hw->status) & counters;
}

/**
 * x86_pev_reset() - bits of the status come back however often they are acknowledged
 * @c:    this CPU; stopped
 * @bits: which
 *
 * A counter that was reset is 0, as one that just overflowed. One that is no better for it
 * is used no longer.
 *
 * Context: NMI.
 * Return: counters that are used no longer, and what else of @bits.
 */
u64 x86_pev_reset(struct x86_pev_cpu *c, u64 bits)
{
	u64 counters = bits & hw->present, lost = 0;

	pev_pmu_report(PEV_PMU_STUCK);
	if (counters)
		lost = reset_counters(c, counters);
	if (lost)
		x86_pev_kill(c, lost);
	if (bits & hw->frozen) {
		u64 debugctl = reg_read(MSR_IA32_DEBUGCTLMSR);

		c->ours &= ~hw->frozen;
		c->freezes = false;
		reg_write(MSR_IA32_DEBUGCTLMSR, debugctl & ~DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI);
	}
	return lost | (bits & ~counters);
}

/* ---- counters that stick ---- */

/*
 * Errata AAK100, AAP53 and BD53: after a change of events the counters may not start
 * unless these four have been on for a moment. Which are needed was found out by Linux's
 * driver; they may count.
 */
void x86_pev_unstick(struct x86_pev_cpu *c)
{
	static const u32 events[] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };
	u64 all = hw->present & GENMASK_ULL(ARRAY_SIZE(events) - 1, 0);
	u64 values[ARRAY_SIZE(events)];
	unsigned int i;

	c->unstick = false;
	if (!hw->ctrl)
		return;
	for_each_counter(i, all) {
		values[i] = (x86_pev_value(i) + c->ahead[i]) & hw->counters[i].mask;
		reg_write(x86_pev_sel_msr(i), events[i]);
		reg_write(hw->counters[i].msr, 0);
	}
	reg_write(hw->ctrl, all);
	reg_write(hw->ctrl, 0);
	for_each_counter(i, all) {
		restore_sel(c, i);
		if (c->hidden & BIT_ULL(i))
			reg_write(hw->counters[i].msr, 0);
		else
			x86_pev_load(c, i, values[i]);
	}
}

/* In an NMI a probe would be one too many. */
NOKPROBE_SYMBOL(restore_sel);
NOKPROBE_SYMBOL(set_fixed);
NOKPROBE_SYMBOL(reset_counters);
NOKPROBE_SYMBOL(x86_pev_reset);
NOKPROBE_SYMBOL(x86_pev_unstick);
