// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the PMI, which is an NMI: which counters overflowed, or whether it is for
 * us at all. What an overflow means is the core's to know.
 *
 * An NMI does not say where it comes from, and two that come at once are one.
 * Rules, so that none of ours is left over for the kernel to wonder about and
 * none of others' disappears:
 *
 * - an overflow that is found is ours;
 * - where the processor masks LVTPC at a PMI (Intel), a masked LVTPC is a PMI, even
 *   if the overflow was dealt with meanwhile. Nothing is guessed;
 * - elsewhere (AMD) a PMI that finds nothing is ours if it was to be expected:
 *   several overflows were found at once, or one was undone before its PMI came. As
 *   many such PMIs are forgiven as there may be, for a short time.
 *
 * An overflow undone: the core read the counter and reloaded it. It shows by the
 * topmost bit being set although the status says that it overflowed. Only counters
 * that were loaded outside of a PMI (see @suspect) are read again for that.
 */
#include <linux/bitops.h>
#include <linux/kprobes.h>
#include <linux/sched/clock.h>
#include <asm/apic.h>
#include <asm/hardirq.h>
#include "asm/nmi.h"	/* linux/nmi.h has it only at times */
#include "errata.h"
#include "hw.h"
#include "nmi.h"
#include "pmu.h"
#include "regs.h"

#define hw	(&x86_pev_hw)

/*
 * How late a PMI may be. They come within microseconds, if the CPU is not
 * kept by a hypervisor or by system management meanwhile: 100 ms are what Linux's
 * driver for AMD allows for that (perf_nmi_window).
 */
#define LATE_NS		(100 * NSEC_PER_MSEC)

/* @nr PMIs may come that will find nothing. Each counter can have raised one. */
void x86_pev_expect_late(struct x86_pev_cpu *c, unsigned int nr)
{
	u64 now = sched_clock();

	if (!nr)
		return;
	if (now >= c->late_end)
		c->late = 0;
	c->late = min(c->late + nr, hweight64(hw->present));
	c->late_end = now + LATE_NS;
}

static bool late_expected(struct x86_pev_cpu *c)
{
	if (!c->late)
		return false;
	c->late--;
	if (sched_clock() < c->late_end)
		return true;
	c->late = 0;
	return false;
}

/* GLOBAL_CTRL is not what we wrote: is it what the processor makes of it? */
static noinline void check_ctrl(struct x86_pev_cpu *c, u64 ctrl)
{
	if (!ctrl && (c->frozen || c->turning || (c->freezes && !hw->frozen)))
		return;
	/* what is there will be overwritten when the counters start again */
	pev_pmu_report(PEV_PMU_FOREIGN);
}

/* As often as Linux's driver acknowledges before it resets. */
#define ACKNOWLEDGE_TRIES	100

/* @left came at the last moment, or did not go away. Return: @status, with it. */
static noinline u64 acknowledge_again(struct x86_pev_cpu *c, u64 status, u64 left)
{
	unsigned int i;

	for (i = 1; left && i < ACKNOWLEDGE_TRIES; i++) {
		reg_write(hw->ack, left);
		status |= left;
		left = reg_read(hw->status) & c->ours;
	}
	if (left)
		left = x86_pev_reset(c, left);
	return status & ~left;
}

/* Return: those of @over that have not been reloaded since they overflowed. */
static noinline u64 still_over(struct x86_pev_cpu *c, u64 over)
{
	unsigned int i, found = hweight64(over);

	for_each_counter(i, over & c->suspect)
		if (x86_pev_value(i) & x86_pev_top(i))
			over &= ~BIT_ULL(i);
	/* each raised a PMI */
	if (!hw->masks)
		x86_pev_expect_late(c, found - hweight64(over));
	return over;
}

/* With status register. Return: was it our PMI? */
static __always_inline bool find_by_status(struct x86_pev_cpu *c, u64 *over)
{
	u64 status = reg_read(hw->status) & c->ours, left;

	if (unlikely(!status))
		return false;
	left = reg_read(hw->ctrl);
	if (unlikely(left != c->running))
		check_ctrl(c, left);
	reg_write(hw->ctrl, 0);
	reg_write(hw->ack, status);
	left = reg_read(hw->status) & c->ours;
	if (unlikely(left))
		status = acknowledge_again(c, status, left);
	status &= hw->present;
	if (unlikely(status & c->suspect))
		status = still_over(c, status);
	*over = status;
	return true;
}

/*
 * Nobody has read a counter that only counts since its topmost bit was set, half a lap ago.
 * It overflowed if it is now below where the core lets such counters start. Where
 * narrow writes let it start anywhere, a masked LVTPC says that something overflowed.
 */
static u64 unseen(struct x86_pev_cpu *c)
{
	u64 over = 0;
	unsigned int i;

	if (hw->masks && !(lvtpc_read() & APIC_LVT_MASKED))
		return 0;
	for_each_counter(i, c->running & ~c->armed)
		if (x86_pev_value(i) < x86_pev_top(i) >> 2)
			over |= BIT_ULL(i);
	return over;
}

/* Without a status register: armed counters whose top bit is clear have overflowed. */
static noinline bool find_by_value(struct x86_pev_cpu *c, u64 *over)
{
	u64 set = c->running & c->armed;
	unsigned int i;

	for_each_counter(i, set)
		if (!(x86_pev_value(i) & x86_pev_top(i)))
			goto found;
	*over = unseen(c);
	if (likely(!*over))
		return false;

found:
	x86_pev_stop_each(c);
	/* all of them, now that they stand still */
	for_each_counter(i, set)
		if (!(x86_pev_value(i) & x86_pev_top(i)))
			*over |= BIT_ULL(i);
	c->armed &= ~*over;
	c->wrapped &= ~*over;
	return true;
}

/*
 * With 32-bit counter writes a long period takes several overflows: reload counters that
 * have not reached its end. Return: those that have.
 */
static noinline u64 send_on(struct x86_pev_cpu *c, u64 over)
{
	unsigned int i;

	for_each_counter(i, over) {
		if (!c->ahead[i])
			continue;
		over &= ~BIT_ULL(i);
		x86_pev_write(i, x86_pev_value(i) + c->ahead[i]);
	}
	return over;
}

/* Nothing overflowed. Return: was the PMI nevertheless one of ours? */
static bool is_late(struct x86_pev_cpu *c)
{
	if (!c->started)
		return late_expected(c);
	if (hw->masks)
		return lvtpc_read() & APIC_LVT_MASKED;
	if (c->wrapped) {
		/* stopped and read, and left like that */
		x86_pev_expect_late(c, hweight64(c->wrapped) - 1);
		c->armed &= ~c->wrapped;
		c->wrapped = 0;
		return true;
	}
	return late_expected(c);
}

static noinline int nothing_found(struct x86_pev_cpu *c)
{
	if (!is_late(c))
		return NMI_DONE;
	pev_pmu_report(PEV_PMU_LATE);
	if (c->started && (hw->masks || hw->may_mask))
		x86_pev_unmask(c);
	return NMI_HANDLED;
}

/*
 * The PMI of a counter that overflowed while LVTPC was masked was dropped. If LVTPC is
 * masked again by now, there was one after that, and its NMI comes.
 */
static bool dropped(struct x86_pev_cpu *c)
{
	return c->started && hw->masks && hw->status && reg_read(hw->status) & c->ours &&
	       !(lvtpc_read() & APIC_LVT_MASKED);
}

static __always_inline bool find(struct x86_pev_cpu *c, u64 *over)
{
	return hw->status ? find_by_status(c, over) : find_by_value(c, over);
}

/**
 * x86_pev_pmi() - an NMI has come
 * @cmd:  NMI_LOCAL
 * @regs: where
 *
 * Context: NMI.
 * Return: NMI_HANDLED if it was ours.
 */
int x86_pev_pmi(unsigned int cmd, struct pt_regs *regs)
{
	struct x86_pev_cpu *c = this_cpu_ptr(&x86_pev_cpu);
	struct pev_pmu_sample sample = { .regs = regs };
	u64 over = 0;

	if (unlikely(!c->started))
		return nothing_found(c);
	if (unlikely(!find(c, &over))) {
		int whose = nothing_found(c);

		if (!dropped(c) || !find(c, &over))
			return whose;
	}
	inc_irq_stat(apic_perf_irqs);
	if (unlikely(!over)) {
		/* one of those that were expected, if any were */
		if (c->late)
			c->late--;
		pev_pmu_report(PEV_PMU_LATE);
	}
	if (hw->masks) {
		c->unmask = true;
	} else {
		c->unmask = hw->may_mask;
		/* of two PMIs the second finds nothing */
		if (over & (over - 1))
			x86_pev_expect_late(c, hweight64(over) - 1);
	}
	if (unlikely(hw->narrow))
		over = send_on(c, over);
	WRITE_ONCE(c->frozen, true);
	WRITE_ONCE(c->interrupted, true);
	pev_pmu_overflow(over, &sample);
	/* no overflow is from before this PMI */
	c->suspect = 0;
	if (unlikely(c->unmask))
		x86_pev_unmask(c);
	return NMI_HANDLED;
}

/* In an NMI a probe would be one too many. */
NOKPROBE_SYMBOL(x86_pev_expect_late);
NOKPROBE_SYMBOL(late_expected);
NOKPROBE_SYMBOL(check_ctrl);
NOKPROBE_SYMBOL(acknowledge_again);
NOKPROBE_SYMBOL(still_over);
NOKPROBE_SYMBOL(unseen);
NOKPROBE_SYMBOL(find_by_value);
NOKPROBE_SYMBOL(send_on);
NOKPROBE_SYMBOL(is_late);
NOKPROBE_SYMBOL(nothing_found);
NOKPROBE_SYMBOL(dropped);
NOKPROBE_SYMBOL(x86_pev_pmi);
