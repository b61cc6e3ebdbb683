// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the performance counters of x86 processors: the callbacks of the PMU core,
 * the registers of each CPU, and their reservation. Which processor has which
 * registers is intel.c's and amd.c's to know.
 *
 * A task switch costs two writes, one that stops and one that starts all counters;
 * event selects are written when they change, counters when the core loads them.
 * Without global registers it costs two writes for each counter that runs.
 *
 * No locks: see struct x86_pev_cpu.
 */
#define pr_fmt(fmt) "pev: " fmt

#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/cpufeature.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/mm_types.h>
#include <linux/mmu_context.h>
#include <linux/moduleparam.h>
#include <linux/nmi.h>
#include <linux/pev_refuse.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <asm/apic.h>
#include <asm/perf_event.h>
#include "amd.h"
#include "encode.h"
#include "errata.h"
#include "guest.h"
#include "handler.h"
#include "hw.h"
#include "intel.h"
#include "nmi.h"
#include "others.h"
#include "pmu.h"
#include "regs.h"

struct x86_pev_hw x86_pev_hw __ro_after_init;
DEFINE_PER_CPU(struct x86_pev_cpu, x86_pev_cpu);

#define hw	(&x86_pev_hw)

static u64 mask_of(unsigned int counter)
{
	return hw->counters[counter].mask;
}

/* ---- values ---- */

static void value_write(unsigned int counter, u64 value)
{
	if (hw->narrow && counter < X86_PEV_FIXED)
		value = (u32)value;
	reg_write(hw->counters[counter].msr, value);
}

/*
 * The value to write in place of @value where 32 bits can be written: the one
 * from which the counter overflows as late as it can be made to.
 */
static u64 narrow_value(unsigned int counter, u64 value)
{
	u64 sign = GENMASK_ULL(x86_pev_bits(counter) - 1, 31);

	if ((value & sign) == sign || !(value & sign))
		return value;
	return value & x86_pev_top(counter) ? sign : value & GENMASK_ULL(30, 0);
}

/* On any PMU. */
static u64 x86_pev_read(unsigned int counter)
{
	struct x86_pev_cpu *c = this_cpu_ptr(&x86_pev_cpu);
	u64 bit = BIT_ULL(counter), value;

	if (unlikely(c->hidden & bit))
		return c->held[counter];
	value = x86_pev_value(counter);
	if (!hw->status) {
		/* what overflowed is on its way to be reported, or to be rewritten */
		if (value & x86_pev_top(counter))
			c->armed |= bit;
		else if (c->armed & bit)
			c->wrapped |= bit;
	}
	if (unlikely(hw->narrow))
		value = (value + c->ahead[counter]) & mask_of(counter);
	return value;
}

/* The register alone: what is known of overflows stays. */
void x86_pev_load(struct x86_pev_cpu *c, unsigned int counter, u64 value)
{
	u64 set = value;

	if (unlikely(hw->narrow)) {
		set = narrow_value(counter, value);
		c->ahead[counter] = value - set;
	}
	value_write(counter, set);
}

/* On any PMU. */
void x86_pev_write(unsigned int counter, u64 value)
{
	struct x86_pev_cpu *c = this_cpu_ptr(&x86_pev_cpu);
	u64 bit = BIT_ULL(counter);

	value &= mask_of(counter);
	c->hidden &= ~bit;
	/* first: a PMI in between finds the old value, and that it overflowed */
	if (hw->status)
		c->suspect |= bit;
	x86_pev_load(c, counter, value);
	if (value & x86_pev_top(counter)) {
		/* without status an overflow from before shows by this bit being set */
		c->armed |= bit;
	} else {
		c->suspect &= ~bit;
		c->armed &= ~bit;
		/* seldom: here nothing would tell old overflows from new ones */
		if (hw->ack) {
			if (!hw->masks && reg_read(hw->status) & bit)
				x86_pev_expect_late(c, 1);
			reg_write(hw->ack, bit);
		}
	}
	if (unlikely(c->wrapped & bit)) {
		c->wrapped &= ~bit;
		x86_pev_expect_late(c, 1);
	}
}

/* With status and full-width writes. */
static u64 read_fast(unsigned int counter)
{
	if (unlikely(this_cpu_read(x86_pev_cpu.hidden)))
		return x86_pev_read(counter);
	return x86_pev_value(counter);
}

static void write_fast(unsigned int counter, u64 value)
{
	const struct x86_pev_counter *reg = &hw->counters[counter];

	value &= reg->mask;
	if (unlikely(this_cpu_read(x86_pev_cpu.hidden) || value <= reg->mask >> 1)) {
		x86_pev_write(counter, value);
		return;
	}
	this_cpu_or(x86_pev_cpu.suspect, BIT_ULL(counter));
	reg_write(reg->msr, value);
}

/* ---- event selects ---- */

u64 x86_pev_sel(struct x86_pev_cpu *c, unsigned int counter)
{
	u64 sel = c->sel[counter];

	/*
	 * "The host only" counts nothing while guests can't run at all. APM volume
	 * 2, table of the HG_ONLY field: both values need EFER.SVME.
	 */
	return c->svm ? sel : sel & ~SEL_HOST;
}

static void x86_pev_set(unsigned int counter, u64 config)
{
	struct x86_pev_cpu *c = this_cpu_ptr(&x86_pev_cpu);
	u64 bit = BIT_ULL(counter);

	if (unlikely(!(c->ours & bit)))
		return;
	if (counter >= X86_PEV_FIXED) {
		unsigned int i = counter - X86_PEV_FIXED;

		c->fixed &= ~FIXED_FIELD(i, 15ULL);
		c->fixed |= FIXED_FIELD(i, config);
		c->odd = true;
		return;		/* written by thaw(), once for all */
	}
	c->sel[counter] = config;
	c->host = config & SEL_HOST ? c->host | bit : c->host & ~bit;
	c->unstick |= hw->model->sticks;
	c->odd |= c->unstick || c->host;
	if (hw->ctrl)
		reg_write(x86_pev_sel_msr(counter), x86_pev_sel(c, counter) | SEL_EN);
}

/* ---- start and stop ---- */

void x86_pev_stop_each(struct x86_pev_cpu *c)
{
	unsigned int i;

	for_each_counter(i, c->running)
		reg_write(x86_pev_sel_msr(i), x86_pev_sel(c, i));
}

static noinline void start_each(struct x86_pev_cpu *c, u64 active)
{
	unsigned int i;

	for_each_counter(i, active)
		reg_write(x86_pev_sel_msr(i), x86_pev_sel(c, i) | SEL_EN);
}

static __always_inline void start(struct x86_pev_cpu *c, u64 active)
{
	if (likely(hw->ctrl))
		reg_write(hw->ctrl, active);
	else
		start_each(c, active);
}

static void x86_pev_freeze(void)
{
	struct x86_pev_cpu *c = this_cpu_ptr(&x86_pev_cpu);

	if (unlikely(jiffies - c->checked))
		x86_pev_check_running(c);
	WRITE_ONCE(c->frozen, true);
	x86_pev_stop(c);
}

/* The user may read all counters: what is not running must say nothing. */
static void hide(struct x86_pev_cpu *c, u64 active)
{
	unsigned int i;

	for_each_counter(i, hw->present & ~active & ~c->hidden) {
		/* the core knows what a counter was left at, and may go on from there */
		c->held[i] = x86_pev_read(i);
		c->hidden |= BIT_ULL(i);
		value_write(i, 0);
	}
}

static void unhide(struct x86_pev_cpu *c, u64 active)
{
	unsigned int i;

	for_each_counter(i, c->hidden & active)
		x86_pev_write(i, c->held[i]);
}

/* What thaw() seldom has to do. Return: did a PMI come meanwhile? */
static noinline bool prepare(struct x86_pev_cpu *c, u64 active, bool user)
{
	WRITE_ONCE(c->interrupted, false);
	barrier();	/* a PMI from here on is seen below */
	if (user)
		hide(c, active);
	if (c->hidden & active)
		unhide(c, active);
	if (unlikely(c->unstick))
		x86_pev_unstick(c);
	if (c->fixed != c->fixed_now) {
		c->fixed_now = c->fixed;
		reg_write(MSR_CORE_PERF_FIXED_CTR_CTRL, c->fixed);
	}
	if (c->host & active)
		x86_pev_svm_update(c);
	c->odd = c->hidden || c->host;
	barrier();	/* after all registers were written */
	return READ_ONCE(c->interrupted);
}

static void x86_pev_thaw(u64 active, bool user)
{
	struct x86_pev_cpu *c = this_cpu_ptr(&x86_pev_cpu);
	bool interrupted = false;

	active &= c->ours;
	if (unlikely(c->odd | user))
		interrupted = prepare(c, active, user);
	if (c->unmask)
		x86_pev_unmask(c);

	c->turning = true;
	c->running = active;
	WRITE_ONCE(c->frozen, interrupted);
	barrier();	/* a PMI from here on finds that it may have to freeze */
	start(c, active);
	barrier();	/* all of it */
	c->turning = false;
	/* a PMI came meanwhile, and the core will be back */
	if (unlikely(READ_ONCE(c->frozen)))
		x86_pev_stop(c);
}

/* Not to count again on this CPU before the next cpu_start(). */
void x86_pev_kill(struct x86_pev_cpu *c, u64 counters)
{
	unsigned int i;

	c->ours &= ~counters;
	c->running &= ~counters;
	for_each_counter(i, counters & X86_PEV_GP_MASK) {
		c->sel[i] = 0;
		reg_write(x86_pev_sel_msr(i), 0);
	}
	for_each_counter(i, counters >> X86_PEV_FIXED)
		c->fixed &= ~FIXED_FIELD(i, 15ULL);
	if (c->fixed != c->fixed_now) {
		c->fixed_now = c->fixed;
		reg_write(MSR_CORE_PERF_FIXED_CTR_CTRL, c->fixed);
	}
	pev_pmu_lose(counters);
}

/* In an NMI a probe would be one too many. */
NOKPROBE_SYMBOL(x86_pev_read);
NOKPROBE_SYMBOL(x86_pev_load);
NOKPROBE_SYMBOL(x86_pev_write);
NOKPROBE_SYMBOL(read_fast);
NOKPROBE_SYMBOL(write_fast);
NOKPROBE_SYMBOL(x86_pev_set);
NOKPROBE_SYMBOL(x86_pev_stop_each);
NOKPROBE_SYMBOL(start_each);
NOKPROBE_SYMBOL(x86_pev_freeze);
NOKPROBE_SYMBOL(prepare);
NOKPROBE_SYMBOL(x86_pev_thaw);
NOKPROBE_SYMBOL(x86_pev_kill);

/* ---- stopping at the overflow ---- */

bool x86_pev_freeze_wanted = true;

static bool freeze_set(u64 debugctl, bool on)
{
	u64 now;

	debugctl &= ~DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI;
	if (on)
		debugctl |= DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI;
	/* hypervisors refuse the bit, or forget it */
	return !reg_write_safe(MSR_IA32_DEBUGCTLMSR, debugctl) &&
	       !reg_read_safe(MSR_IA32_DEBUGCTLMSR, &now) &&
	       !(now & DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI) == !on;
}

/* Does the bit stay? What else counts on this CPU does not notice. */
static bool __init freeze_works(void)
{
	unsigned long flags;
	u64 debugctl;
	bool works;

	local_irq_save(flags);
	works = !reg_read_safe(MSR_IA32_DEBUGCTLMSR, &debugctl) && freeze_set(debugctl, true);
	if (works)
		reg_write_safe(MSR_IA32_DEBUGCTLMSR, debugctl);
	local_irq_restore(flags);
	return works;
}

static void freeze_update(void *unused)
{
	struct x86_pev_cpu *c = this_cpu_ptr(&x86_pev_cpu);
	bool on = READ_ONCE(x86_pev_freeze_wanted);
	u64 debugctl;

	if (c->started && !reg_read_safe(MSR_IA32_DEBUGCTLMSR, &debugctl))
		c->freezes = freeze_set(debugctl, on) && on;
}

static int freeze_param(const char *value, const struct kernel_param *param)
{
	int err = param_set_bool(value, param);

	if (!err && hw->freeze)
		on_each_cpu(freeze_update, NULL, 1);
	return err;
}

static const struct kernel_param_ops freeze_ops = {
	.flags	= KERNEL_PARAM_OPS_FL_NOARG,
	.set	= freeze_param,
	.get	= param_get_bool,
};

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "pev_x86."
/* Off: to see what it is good for. */
module_param_cb(freeze, &freeze_ops, &x86_pev_freeze_wanted, 0644);

/* ---- a CPU's registers become ours ---- */

/* The previous owner has left counters running. */
static bool left_running(void)
{
	u64 ctrl = ~0ULL, fixed = 0, sel;
	unsigned int i;

	if (hw->ctrl)
		ctrl = reg_read(hw->ctrl);
	for_each_counter(i, hw->present & ctrl & X86_PEV_GP_MASK) {
		sel = reg_read(x86_pev_sel_msr(i));
		if (sel & SEL_EN && sel & (SEL_USR | SEL_OS))
			return true;
	}
	if (hw->present >> X86_PEV_FIXED)
		fixed = reg_read(MSR_CORE_PERF_FIXED_CTR_CTRL);
	for_each_counter(i, (hw->present & ctrl) >> X86_PEV_FIXED)
		if (fixed & FIXED_FIELD(i, FIXED_OS | FIXED_USR))
			return true;
	return false;
}

/*
 * Is the counter there, and as wide as it is said to be? Leaves it 0. The MSR is
 * asked first: hypervisors that ignore those which they lack take rdpmc for an error.
 */
static bool counter_works(unsigned int counter)
{
	u64 ones = mask_of(counter), zero;
	bool works;

	value_write(counter, ones);
	if (reg_read_safe(hw->counters[counter].msr, &zero) || !zero)
		return false;
	works = (x86_pev_value(counter) & ones) == ones;
	value_write(counter, 0);
	zero = x86_pev_value(counter) & ones;
	return works && !zero;
}

static void clear_all(void)
{
	unsigned int i;

	if (hw->ctrl)
		reg_write(hw->ctrl, 0);
	for_each_counter(i, hw->present & X86_PEV_GP_MASK)
		reg_write(x86_pev_sel_msr(i), 0);
	if (hw->present >> X86_PEV_FIXED)
		reg_write(MSR_CORE_PERF_FIXED_CTR_CTRL, 0);
	/* with PEBS on, counters would write to a stale address */
	if (hw->pebs)
		reg_write(MSR_IA32_PEBS_ENABLE, 0);
}

static int x86_pev_cpu_start(void)
{
	struct x86_pev_cpu *c = this_cpu_ptr(&x86_pev_cpu);
	u64 value, late_end = c->late_end, broken = 0;
	unsigned int i, late = c->late;

	c->started = false;
	barrier();	/* a PMI from here on is not for us, or a late one */
	memset(c, 0, sizeof(*c));
	c->late = late;
	c->late_end = late_end;
	c->ours = hw->present | hw->frozen;
	/* a register that has gone would be a fault in all that follows */
	if (reg_read_safe(x86_pev_sel_msr(0), &value) ||
	    (hw->ctrl && reg_read_safe(hw->ctrl, &value)))
		return -ENODEV;
	if (left_running())
		pev_pmu_report(PEV_PMU_FOREIGN);
	/* perf clears what it has left behind whenever it likes: now */
	perf_clear_dirty_counters();
	clear_all();
	for_each_counter(i, hw->present) {
		if (counter_works(i))
			continue;
		/* the scheduler may have called */
		printk_deferred_once("pev: %s: counter %u of CPU %u does not hold its value\n",
				     hw->name, i, smp_processor_id());
		broken |= BIT_ULL(i);
	}
	if (broken == hw->present)
		return -ENODEV;
	if (broken)
		x86_pev_kill(c, broken);
	if (hw->ack) {
		reg_write(hw->ack, c->ours);
		value = reg_read(hw->status) & hw->present;
		if (value) {
			x86_pev_kill(c, value);
			pev_pmu_report(PEV_PMU_STUCK);
		}
	}
	if (hw->freeze && !reg_read_safe(MSR_IA32_DEBUGCTLMSR, &c->debugctl)) {
		bool on = READ_ONCE(x86_pev_freeze_wanted);

		c->freezes = freeze_set(c->debugctl, on) && on;
	}
	c->lvtpc = lvtpc_read();
	lvtpc_write(APIC_DM_NMI);
	c->frozen = true;
	barrier();	/* all is as the handler of PMIs expects it */
	c->started = true;
	return 0;
}

/* Has the PMI of an overflow not come yet, or come and not been dealt with? */
static bool pmi_pending(struct x86_pev_cpu *c)
{
	unsigned int i;

	if (hw->status && reg_read(hw->status) & hw->present & c->ours)
		return true;
	if (hw->masks && lvtpc_read() & APIC_LVT_MASKED)
		return true;
	if (!hw->status)
		for_each_counter(i, c->armed & ~c->hidden)
			if (!(x86_pev_value(i) & x86_pev_top(i)))
				return true;
	return false;
}

/* Are the registers what we wrote? */
static bool intact(struct x86_pev_cpu *c)
{
	unsigned int i;

	for_each_counter(i, hw->present & X86_PEV_GP_MASK)
		if (c->sel[i] && (reg_read(x86_pev_sel_msr(i)) & ~SEL_EN) != x86_pev_sel(c, i))
			return false;
	return !(hw->present >> X86_PEV_FIXED) ||
	       reg_read(MSR_CORE_PERF_FIXED_CTR_CTRL) == c->fixed_now;
}

static void x86_pev_cpu_stop(void)
{
	struct x86_pev_cpu *c = this_cpu_ptr(&x86_pev_cpu);
	unsigned int i;
	u64 debugctl;

	if (!c->started)
		return;
	x86_pev_freeze();
	if (!intact(c))
		pev_pmu_report(PEV_PMU_FOREIGN);
	if (pmi_pending(c))
		x86_pev_expect_late(c, 1);
	c->started = false;
	barrier();	/* a PMI from here on is a late one */
	clear_all();
	for_each_counter(i, hw->present)
		value_write(i, 0);
	if (hw->ack)
		reg_write(hw->ack, hw->present | hw->frozen);
	/* others use this register for other things, and may have done so meanwhile */
	if (hw->freeze && !reg_read_safe(MSR_IA32_DEBUGCTLMSR, &debugctl))
		freeze_set(debugctl, c->debugctl & DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI);
	/* found masked, it was by a PMI: with nothing to unmask it again there would be none */
	lvtpc_write(c->lvtpc & ~APIC_LVT_MASKED);
}

/* ---- who has the hardware ---- */

static bool watchdog_has_it(void)
{
#ifdef CONFIG_HARDLOCKUP_DETECTOR_PERF
	return watchdog_enabled & WATCHDOG_HARDLOCKUP_ENABLED && watchdog_thresh;
#else
	return false;
#endif
}

/* perf is the only other one that reserves; the detector uses it. */
static const char *other_owner(void)
{
	return watchdog_has_it() ? "the hard lockup detector" : "perf";
}

static void counters_release(u64 ctrs, u64 sels)
{
	unsigned int i;

	for_each_counter(i, ctrs)
		release_perfctr_nmi(hw->ctr + hw->stride * i);
	for_each_counter(i, sels)
		release_evntsel_nmi(x86_pev_sel_msr(i));
}

static bool counters_reserve(void)
{
	u64 all = hw->present & X86_PEV_GP_MASK, ctrs = 0, sels = 0;
	unsigned int i;

	for_each_counter(i, all) {
		if (!reserve_perfctr_nmi(hw->ctr + hw->stride * i))
			goto err_release;
		ctrs |= BIT_ULL(i);
		if (!reserve_evntsel_nmi(x86_pev_sel_msr(i)))
			goto err_release;
		sels |= BIT_ULL(i);
	}
	return true;

err_release:
	counters_release(ctrs, sels);
	return false;
}

static bool reserved;

/*
 * A detector that was switched on while the counters were ours got none, and would not try
 * again. Takes locks that others hold while they wait for perf. If the counters are ours again,
 * it would be in vain, and disturb all CPUs as often as a user opens and closes events: the next
 * release is in time.
 */
static void start_watchdog(struct work_struct *work)
{
#ifdef CONFIG_HARDLOCKUP_DETECTOR_PERF
	if (!READ_ONCE(reserved))
		lockup_detector_reconfigure();
#endif
}

static DECLARE_WORK(watchdog_work, start_watchdog);

static struct nmiaction nmis = X86_PEV_NMI_ACTION(nmis, x86_pev_pmi);

static int x86_pev_reserve(struct pev_refuse *r)
{
	int err;

	if (!counters_reserve())
		return pev_refuse(r, EBUSY, PEV_FIELD(type),
				  "%s holds the hardware counters: %s", other_owner(),
				  watchdog_has_it() ?
				  "switch it off with sysctl kernel.nmi_watchdog=0" :
				  "end what uses it for hardware events first");
	err = x86_pev_handle_nmis(&nmis);
	if (err) {
		counters_release(hw->present & X86_PEV_GP_MASK, hw->present & X86_PEV_GP_MASK);
		return err;
	}
	WRITE_ONCE(reserved, true);
	return 0;
}

static void x86_pev_release(void)
{
	WRITE_ONCE(reserved, false);
	counters_release(hw->present & X86_PEV_GP_MASK, hw->present & X86_PEV_GP_MASK);
	if (watchdog_has_it())
		schedule_work(&watchdog_work);
}

/*
 * The kernel cannot tell us who holds a counter, so try to reserve it. A
 * perf_event_open() that races with this gets -EBUSY, as it would while pev counts.
 */
static const char *x86_pev_holder(unsigned int counter)
{
	u32 msr;

	if (reserved)
		return NULL;
	/* fixed counters go with the others */
	msr = x86_pev_sel_msr(counter < X86_PEV_FIXED ? counter : 0);
	if (!reserve_evntsel_nmi(msr))
		return other_owner();
	release_evntsel_nmi(msr);
	return NULL;
}

/* ---- tasks that read counters ---- */

static void x86_pev_grant(enum pev_pmu_grant what, struct task_struct *task,
			  struct mm_struct *mm, bool on)
{
	if (what == PEV_PMU_GRANT_NONE)
		atomic_set(&mm->context.perf_rdpmc_allowed, 0);
	if (what != PEV_PMU_GRANT_READS)
		return;
	/* perf counts the readers of an address space here, too */
	if (on ? atomic_inc_return(&mm->context.perf_rdpmc_allowed) == 1 :
		 atomic_dec_and_test(&mm->context.perf_rdpmc_allowed))
		on_each_cpu_mask(mm_cpumask(mm), cr4_update_pce, NULL, 1);
}

/* ---- guests that read counters ---- */

static bool x86_pev_alone(u64 counters)
{
	struct x86_pev_cpu *c = this_cpu_ptr(&x86_pev_cpu);

	/* one that could not be acknowledged, or held no value, is not known to be 0 */
	return !(hw->present & ~c->ours) && !c->frozen && c->running == counters &&
	       (c->hidden | counters) == hw->present;
}

/*
 * RDPMC knows counters of others, too: those of the northbridge from 6 on, and of the third level
 * cache from 10 on. APM volume 3, RDPMC. Of these nothing is known.
 */
static bool __init no_others(void)
{
	return hw->tells_guests && !hw->narrow && !boot_cpu_has(X86_FEATURE_PERFCTR_NB) &&
	       !boot_cpu_has(X86_FEATURE_PERFCTR_LLC);
}

/* ---- registration ---- */

static struct pev_pmu_ops x86_pev_ops __ro_after_init = {
	.encode		= x86_pev_encode,
	.reserve	= x86_pev_reserve,
	.release	= x86_pev_release,
	.holder		= x86_pev_holder,
	.cpu_start	= x86_pev_cpu_start,
	.cpu_stop	= x86_pev_cpu_stop,
	.freeze		= x86_pev_freeze,
	.thaw		= x86_pev_thaw,
	.set		= x86_pev_set,
	.read		= x86_pev_read,
	.write		= x86_pev_write,
	.grant		= x86_pev_grant,
};

static char names[PEV_PMU_MAX_COUNTERS][8] __ro_after_init;
static struct pev_pmu_counter counters[PEV_PMU_MAX_COUNTERS] __ro_after_init;
static struct pev_pmu x86_pev_pmu __ro_after_init = {
	.name		= x86_pev_hw.name,
	.ops		= &x86_pev_ops,
	.counters	= counters,
};

static void __init describe(void)
{
	unsigned int i;

	for_each_counter(i, hw->present) {
		bool fixed = i >= X86_PEV_FIXED;

		/* RDPMC, SDM volume 2; APM volume 3 */
		hw->counters[i] = (struct x86_pev_counter){
			.mask = GENMASK_ULL(x86_pev_bits(i) - 1, 0),
			.index = fixed ? BIT(30) | (i - X86_PEV_FIXED) : i,
			.msr = fixed ? MSR_CORE_PERF_FIXED_CTR0 + i - X86_PEV_FIXED :
				       hw->ctr_write + hw->stride * i,
		};
		if (i < X86_PEV_FIXED)
			scnprintf(names[i], sizeof(names[i]), "PMC%u", i);
		else
			scnprintf(names[i], sizeof(names[i]), "fixed%u", i - X86_PEV_FIXED);
		counters[i].name = names[i];
		counters[i].bits = x86_pev_bits(i);
		/* with narrow writes the register is not always what the core wrote */
		counters[i].user = hw->narrow ? -1 : hw->counters[i].index;
	}
	x86_pev_pmu.present = hw->present;
	if (hw->freeze)
		x86_pev_pmu.features |= PEV_PMU_FREEZES;
	if (!hw->narrow)
		x86_pev_pmu.features |= PEV_PMU_USER_READS;
	if (no_others())
		x86_pev_ops.alone = x86_pev_alone;
	if (hw->status && !hw->narrow) {
		x86_pev_ops.read = read_fast;
		x86_pev_ops.write = write_fast;
	}
}

static int __init x86_pev_detect(void)
{
	/* the entry for performance counters is the fifth. SDM volume 3, 11.5.1 */
	if (!boot_cpu_has(X86_FEATURE_APIC) || apic_is_disabled || lapic_get_maxlvt() < 4) {
		pr_info("no hardware counters: the local APIC has no interrupt for them\n");
		return -ENODEV;
	}
	if (boot_cpu_has(X86_FEATURE_XENPV)) {
		pr_info("no hardware counters: Xen gives the interrupts of paravirtualized guests' counters to perf alone\n");
		return -ENODEV;
	}
	switch (boot_cpu_data.x86_vendor) {
	case X86_VENDOR_INTEL:
		return x86_pev_intel_detect();
	case X86_VENDOR_AMD:
	case X86_VENDOR_HYGON:
		return x86_pev_amd_detect();
	default:
		pr_info("no hardware counters: unknown vendor of the processor\n");
		return -ENODEV;
	}
}

static int __init x86_pev_init(void)
{
	if (x86_pev_detect()) {
		x86_pev_guest_init();
		return 0;
	}
	if (hw->freeze && !freeze_works()) {
		pr_info("counters can't be made to stop at an overflow here\n");
		hw->freeze = false;
		hw->frozen = 0;
	}
	describe();
	return pev_pmu_register(&x86_pev_pmu);
}
device_initcall(x86_pev_init);
