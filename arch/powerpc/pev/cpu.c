// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the PMU registers of each CPU: when they are written, what they are
 * trusted to hold, and the performance monitor interrupt (PMI). Must not know
 * what an event is.
 *
 * The interrupt is a pseudo-NMI: local_irq_disable() does not hold it off. It is
 * taken as a normal interrupt where interrupts are enabled, as an NMI where they
 * are disabled; in entry code, or where MSR[EE] is off, it comes later. All here
 * has to stand an interruption by ppc_pev_pmi() anywhere, takes no lock and
 * allocates nothing. After MMCR0[FC] was set and MMCR0[PMAO] cleared there is no
 * PMI until the next thaw.
 *
 * DOC: values
 *
 * To the core a counter has 31 bits and overflows to 0. A PMC has 32 and its
 * overflow is that bit 0 (2^31) is on, for as long as it is. The low 31 bits are
 * what the core wants; they go on counting beyond the overflow until the PMU is
 * frozen, normally by the processor itself (FCECE). Differences modulo 2^31 are
 * exact whether or not bit 0 was cleared in between. The bit is clear in all that
 * is written, and cleared before an overflow is reported: as a counter of 31 bits
 * would do it. With FCECE off (by someone else's hand) a PMC would have to count
 * 2^31 times more within the time of a PMI for an overflow to get lost.
 *
 * A PMC holds its counter's value only while the counter is live, from the thaw
 * that lets it run to the thaw that does not. In between the value is in @value
 * and the PMC is 0: a PMC that is negative would keep raising its condition, and
 * one that is not would be readable in problem state. A deep idle state may lose
 * it, too.
 *
 * DOC: others
 *
 * MMCR0 and MMCR1 are compared with what was written: in each freeze, and in a
 * PMI. What cpuN/mmcr0 and its like in sysfs can do becomes visible there, except
 * for PMCs. A PMC that is less than it was, without an overflow, was written, too;
 * one that was set forward can't be told from one that counted. Counts since the
 * last time that the core read or wrote a counter are then worth nothing: the
 * counter goes back to that value, the core sees that nothing happened, and the
 * next thaw writes all registers.
 *
 * DOC: guests
 *
 * While a guest of KVM-HV runs, the same PMCs count, under another MMCR2: what each counts in
 * the guest. A PMI would be given to the guest, as no bit of the processor's gives it to the
 * hypervisor, so none is asked for: MMCR0[PMAE] is off, and a PMC that overflows goes on.
 * Where the guest has ended that is seen, and the PMI raised that is due. KVM ends the guest
 * about then, by the hypervisor's decrementer: the time is computed of what is left and of how
 * fast the counter was in the guest.
 *
 * The guest's own accesses fault (HFSCR[PM]) and make KVM give it the PMU, with its own values,
 * until it freezes it. What it has count goes on behind its exit until KVM has saved it. Nothing is
 * done there: the guest would count it, and see its addresses.
 *
 * A guest that is lent counters is owed an interrupt once one of them has overflowed. MMCR0[PMAO]
 * is on in it until it asks which did: the processor gives it a PMI as soon as it lets one in. One
 * that then clears that bit by its own hand has the PMU, and is owed no more.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/pev_guest.h>
#include <linux/types.h>
#include <asm/page.h>
#include <asm/ptrace.h>
#include "cpu.h"
#include "guest_pmu.h"
#include "mmcr.h"
#include "power.h"
#include "prompt.h"
#include "regs.h"

/* Bits of MMCR0 that we use, all of which some processor might not have. */
#define M0_OURS	(M0_FC | M0_PMAE | M0_FCECE | M0_PMCC | M0_PMC1CE | M0_PMCJCE | \
		 M0_PMCCEXT | M0_CC56RUN | M0_FC14 | M0_FC56 | M0_BHRBA | M0_EBE)

/*
 * PMCs that begin beyond overflow soon. Those that only count are loaded with less, and those whose
 * period is longer than they reach, or endless, with this, the least that the core loads then.
 */
#define SOON		(BIT_ULL(30) + 1)

/* Counts in a tick of the timebase (512 MHz), in parts of 2^16. At first: cycles at 4 GHz. */
#define RATE_SHIFT	16
#define RATE_FIRST	(8U << RATE_SHIFT)

/* So many ticks of the timebase more than it seems to take until an overflow; 2 us. */
#define GUEST_SLACK	1024

/* Shorter stays in a guest, or longer ones, say nothing of its rate. */
#define GUEST_STAY_MIN	64
#define GUEST_STAY_MAX	BIT_ULL(32)

/* Of shorter ones too much is the way in and out, in which not all count; 64 us. */
#define GUEST_STAY_LONG	BIT_ULL(15)

/**
 * struct ppc_pev_cpu - the registers of a CPU
 * @up:      they are ours
 * @changed: @config is newer than @want
 * @alert:   the processor reported an overflow that was not looked for yet
 * @rewrite: MMCR1-3 and MMCRA are not as in @have
 * @keeps:   bits of MMCR0 that can be read back
 * @mmcr0:   as written last
 * @active:  counters of @want
 * @live:    counters that have their value in the PMC, not in @value
 * @pending: counters with a new value in @value, which were live until then
 * @settled: live counters whose @value is that of their PMC, as it stands now
 * @want:    for @active
 * @have:    in the registers
 * @mmcr1:   as it can be read back
 * @config:  of each counter
 * @value:   of each counter, as the core knows it
 * @running: MMCR0 as the last thaw had it, without an alert
 * @user:    what the last thaw was told
 * @soon:    live counters that were loaded with more than SOON
 * @due:     counters that had overflowed before the guest was entered
 * @hit:     counters that overflowed in one, which is still to be told
 * @entered: when the guest was entered
 * @began:   PMCs of @soon then
 * @rate:    of each counter in guests, see RATE_SHIFT
 * @acked:   overflows of each counter that PMIs have acknowledged
 * @seen:    @acked when the counter was read last
 *
 * Changed by this CPU: in the core's updates, or by a PMI that comes outside of
 * them. One that comes inside changes nothing but @mmcr0, @alert and @acked,
 * unless other code wrote registers in that very moment.
 */
struct ppc_pev_cpu {
	bool			up;
	bool			changed;
	bool			alert;
	bool			rewrite;
	u64			keeps;
	u64			mmcr0;
	u64			active;
	u64			live;
	u64			pending;
	u64			settled;
	struct ppc_pev_mmcr	want;
	struct ppc_pev_mmcr	have;
	u64			mmcr1;
	u64			config[PPC_PEV_PMCS];
	u64			value[PPC_PEV_PMCS];
	u64			running;
	bool			user;
	u64			due;
	u64			hit;
	u64			soon;
	u64			entered;
	u32			began[PPC_PEV_PMCS];
	u32			rate[PPC_PEV_PMCS];
	u32			acked[PPC_PEV_PMCS];
	u32			seen[PPC_PEV_PMCS];
};

static DEFINE_PER_CPU(struct ppc_pev_cpu, cpus);

DEFINE_PER_CPU(bool, ppc_pev_prompt);

static const struct ppc_pev_model *model;

/*
 * Address spaces that read counters. MMCR0[PMCC] 0b00 lets problem state read
 * PMCs; 0b10 would let it write them, too. While there is a reader somewhere, all
 * tasks may: with 0b01 its mfspr would be an illegal instruction if its counter
 * was taken away just before it, and kill it where the page's protocol would
 * make it try again.
 */
static atomic_t readers = ATOMIC_INIT(0);

void ppc_pev_model_is(const struct ppc_pev_model *m)
{
	model = m;
}

void ppc_pev_readers(bool more)
{
	atomic_add(more ? 1 : -1, &readers);
}

static u64 pmcc(bool user)
{
	return user || atomic_read(&readers) ? 0 : M0_PMCC_NONE;
}

/* ---- what others did ---- */

static bool is_foreign(const struct ppc_pev_cpu *cpu, u64 expected, u64 mmcr0)
{
	u64 diff = (mmcr0 ^ expected) & cpu->keeps;

	/* an alert; old emulators clear FCECE where they should only obey it */
	if (expected & M0_PMAE)
		diff &= ~(M0_ALERT | M0_FCECE);
	return diff;
}

/* Frozen. What the PMCs counted since @value is nothing that was asked for. */
static void distrust(struct ppc_pev_cpu *cpu)
{
	unsigned int i;

	cpu->pending |= cpu->live;
	cpu->rewrite = true;
	for (i = 0; i < PPC_PEV_PMCS; i++)
		pmc_write(i, 0);
	pev_pmu_report(PEV_PMU_FOREIGN);
}

/* ---- stopping ---- */

/*
 * A PMI in here stops everything itself. Then @expected may be older than what is
 * found: once more. A PMI after that does no harm: what was found remains true of
 * the time before.
 *
 * Return: false if other code had written registers.
 */
static bool stop(struct ppc_pev_cpu *cpu, bool check_events)
{
	u64 frozen = ppc_pev_frozen(model) | pmcc(false);
	u64 expected, mmcr0;

	do {
		expected = READ_ONCE(cpu->mmcr0);
		barrier();	/* in this order */
		mmcr0 = reg_read(MMCR0);
		barrier();	/* in this order */
	} while (expected != READ_ONCE(cpu->mmcr0));

	/* BHRBA and EBE, which are not ours, and PMAO go as well */
	if (mmcr0 != frozen) {
		reg_write(MMCR0, frozen);
		regs_settle();
	}
	WRITE_ONCE(cpu->mmcr0, frozen);

	if ((mmcr0 & ~expected) & M0_PMAO || (mmcr0 ^ expected) & (M0_FC | M0_PMAE))
		cpu->alert = true;
	if (likely(!is_foreign(cpu, expected, mmcr0) &&
		   (!check_events || cpu->rewrite || reg_read(MMCR1) == cpu->mmcr1)))
		return true;
	distrust(cpu);
	return false;
}

void ppc_pev_freeze(void)
{
	stop(this_cpu_ptr(&cpus), true);
}

/* ---- values ---- */

void ppc_pev_set(unsigned int counter, u64 config)
{
	struct ppc_pev_cpu *cpu = this_cpu_ptr(&cpus);

	cpu->config[counter] = config;
	cpu->rate[counter] = RATE_FIRST;
	cpu->changed = true;
}

u64 ppc_pev_read(unsigned int counter)
{
	struct ppc_pev_cpu *cpu = this_cpu_ptr(&cpus);
	u64 bit = BIT_ULL(counter), raw, value;
	u32 acked;

	if (!(cpu->live & ~cpu->pending & bit))
		return cpu->value[counter];
	do {
		acked = READ_ONCE(cpu->acked[counter]);
		barrier();	/* in this order */
		raw = pmc_read(counter);
		barrier();	/* in this order */
	} while (acked != READ_ONCE(cpu->acked[counter]));

	value = raw & PMC_VALUE;
	if (unlikely(value < cpu->value[counter] && !(raw & PMC_NEGATIVE) &&
		     acked == cpu->seen[counter])) {
		/* it was written, and goes on from what the core knows */
		pmc_write(counter, cpu->value[counter]);
		pev_pmu_report(PEV_PMU_FOREIGN);
		return cpu->value[counter];
	}
	cpu->seen[counter] = acked;
	cpu->value[counter] = value;
	if (cpu->mmcr0 & M0_FC)
		cpu->settled |= bit;
	return value;
}

void ppc_pev_write(unsigned int counter, u64 value)
{
	struct ppc_pev_cpu *cpu = this_cpu_ptr(&cpus);

	cpu->value[counter] = value & PMC_VALUE;
	cpu->pending |= BIT_ULL(counter);
}

/* ---- going on ---- */

/* Counters that were live and shall not be. */
static void retire(struct ppc_pev_cpu *cpu, u64 leave)
{
	for (; leave; leave &= leave - 1) {
		unsigned int i = __ffs64(leave);

		if (!((cpu->pending | cpu->settled) >> i & 1))
			cpu->value[i] = pmc_read(i) & PMC_VALUE;
		pmc_write(i, 0);
	}
}

static void load(struct ppc_pev_cpu *cpu, u64 enter)
{
	for (; enter; enter &= enter - 1) {
		unsigned int i = __ffs64(enter);

		cpu->seen[i] = cpu->acked[i];
		if (cpu->value[i] > SOON)
			cpu->soon |= BIT_ULL(i);
		else
			cpu->soon &= ~BIT_ULL(i);
		pmc_write(i, cpu->value[i]);
	}
}

static void write_events(struct ppc_pev_cpu *cpu)
{
	const struct ppc_pev_mmcr *want = &cpu->want, *have = &cpu->have;

	if (cpu->rewrite || want->mmcr1 != have->mmcr1) {
		reg_write(MMCR1, want->mmcr1);
		cpu->mmcr1 = reg_read(MMCR1);
	}
	if (cpu->rewrite || want->mmcr2 != have->mmcr2)
		reg_write(MMCR2, want->mmcr2);
	if (cpu->rewrite || want->mmcra != have->mmcra)
		reg_write(MMCRA, want->mmcra);
	if (regs_have_isa31() && (cpu->rewrite || want->mmcr3 != have->mmcr3))
		reg_write(MMCR3, want->mmcr3);
	cpu->have = cpu->want;
	cpu->rewrite = false;
}

/* PMCs that have overflowed, of which the core was not told yet. */
static u64 overflows_due(const struct ppc_pev_cpu *cpu)
{
	u64 left = cpu->live & ~cpu->pending, due = 0;

	for (; left; left &= left - 1)
		if (pmc_read(__ffs64(left)) & PMC_NEGATIVE)
			due |= left & -left;
	return due;
}

/* Let run what is loaded, unless a PMI is due. */
static void run(struct ppc_pev_cpu *cpu)
{
	u64 mmcr0 = cpu->running;

	/*
	 * The PMI that is due comes by PMAO; until then all stand. Where that has no effect all
	 * would stand for long: the condition raises it again, or pmu/overflow.c finds that
	 * it got lost.
	 */
	if (unlikely(cpu->alert) && !regs_lose_pmao())
		mmcr0 |= M0_FC | M0_PMAO;
	cpu->alert = false;
	WRITE_ONCE(cpu->mmcr0, mmcr0 & ~M0_PMAO);
	barrier();	/* a PMI compares with it */
	reg_write(MMCR0, mmcr0);
	regs_settle();
}

/* What problem state can read as well, where PMCC is @mmcr0's, may be the kernel's addresses. */
static void hide_addresses(u64 mmcr0)
{
	if (likely(mmcr0 & (M0_PMCC | M0_PMCCEXT)))
		return;
	reg_write(SIAR, 0);
	reg_write(SDAR, 0);
}

/* Nothing runs, and who may read counters finds that they are 0. */
static void stand(struct ppc_pev_cpu *cpu, bool user)
{
	u64 mmcr0 = ppc_pev_frozen(model) | pmcc(user);

	hide_addresses(mmcr0);
	if (likely(cpu->mmcr0 == mmcr0))
		return;
	WRITE_ONCE(cpu->mmcr0, mmcr0);
	barrier();	/* a PMI compares with it */
	reg_write(MMCR0, mmcr0);
	regs_settle();
}

void ppc_pev_thaw(u64 active, bool user)
{
	struct ppc_pev_cpu *cpu = this_cpu_ptr(&cpus);

	retire(cpu, cpu->live & ~active);
	load(cpu, active & (cpu->pending | ~cpu->live));
	/* what was loaded or retired has no overflow to tell any more */
	cpu->live &= active;
	if (unlikely(cpu->alert) && !overflows_due(cpu)) {
		cpu->alert = false;
		cpu->hit = 0;
		pmi_forget();
	}
	cpu->live = active;
	cpu->user = user;
	cpu->pending = 0;
	cpu->settled = 0;
	__this_cpu_write(ppc_pev_prompt, active);
	if (!active) {
		stand(cpu, user);
		return;
	}

	if (cpu->changed || cpu->active != active) {
		ppc_pev_compute(model, regs_are_hypervisors(), cpu->config, active,
				&cpu->want);
		cpu->active = active;
		cpu->changed = false;
	}
	write_events(cpu);
	cpu->running = cpu->want.mmcr0 | pmcc(user);
	hide_addresses(cpu->running);
	run(cpu);
}

/* ---- guests ---- */

/* What counts in the guest, and goes on counting whatever overflows. */
static u64 run_in_guest(struct ppc_pev_cpu *cpu)
{
	u64 soon = cpu->soon & cpu->have.guests;

	for (; soon; soon &= soon - 1)
		cpu->began[__ffs64(soon)] = pmc_read(__ffs64(soon));
	cpu->due = unlikely(cpu->alert) ? overflows_due(cpu) : 0;
	cpu->entered = regs_time();
	reg_write(MMCR2, cpu->have.guest2);
	return (cpu->running & ~(M0_PMAE | M0_FCECE | M0_PMC1CE | M0_PMCJCE | M0_PMCC)) |
	       M0_PMCC_NONE;
}

/* From the host's registers to the guest's. */
static void enter(struct ppc_pev_cpu *cpu, bool counts, bool due)
{
	u64 mmcr0 = counts ? run_in_guest(cpu) : cpu->mmcr0;

	mmcr0 |= due ? M0_PMAO : 0;
	WRITE_ONCE(cpu->mmcr0, mmcr0);
	reg_write(MMCR0, mmcr0);
	/* the way into the guest settles it */
}

enum ppc_pev_guest_pmu __ppc_pev_guest_begins(struct pev_vcpu *vcpu, bool used)
{
	struct ppc_pev_cpu *cpu = this_cpu_ptr(&cpus);
	bool due = vcpu && READ_ONCE(vcpu->due), counts;

	if (!cpu->up || !(cpu->live || due))
		return PPC_PEV_GUEST_NONE;
	if (used) {
		if (due)
			WRITE_ONCE(vcpu->due, false);
		pev_pmu_stand(cpu->want.guests, true);
		return PPC_PEV_GUEST_STANDS;
	}
	if (unlikely(!stop(cpu, false))) {
		ppc_pev_thaw(cpu->live, cpu->user);
		stop(cpu, false);
	}
	/* without one all stand */
	counts = cpu->live & cpu->have.guests;
	if (counts || due)
		enter(cpu, counts, due);
	return PPC_PEV_GUEST_HERE;
}
EXPORT_SYMBOL_GPL(__ppc_pev_guest_begins);

/*
 * A guest that slows down is believed slowly, as an overflow that is late is worse than an exit: by
 * an eighth, or after a short stay by as much less as that was shorter, down to nothing.
 */
static void learn(struct ppc_pev_cpu *cpu, unsigned int i, u32 raw, u64 ticks)
{
	u64 count = (raw - cpu->began[i]) & PMC_VALUE;
	u64 rate = cpu->rate[i], less;

	if (ticks < GUEST_STAY_MIN || ticks > GUEST_STAY_MAX)
		return;
	less = min(rate, rate * min(ticks, GUEST_STAY_LONG) / (8 * GUEST_STAY_LONG) + 1);
	cpu->rate[i] = max(div64_u64(count << RATE_SHIFT, ticks), rate - less);
}

/* Frozen. Return: what has overflowed in the guest. */
static u64 overflowed_in_guest(struct ppc_pev_cpu *cpu)
{
	u64 left = cpu->live & cpu->have.guests & ~cpu->due;
	u64 ticks = regs_time() - cpu->entered, overflowed = 0;

	for (; left; left &= left - 1) {
		unsigned int i = __ffs64(left);
		u32 raw = pmc_read(i);

		if (raw & PMC_NEGATIVE)
			overflowed |= BIT_ULL(i);
		if (cpu->soon >> i & 1)
			learn(cpu, i, raw, ticks);
	}
	return overflowed;
}

void __ppc_pev_guest_ended(void)
{
	struct ppc_pev_cpu *cpu = this_cpu_ptr(&cpus);

	if (unlikely(!stop(cpu, false))) {
		ppc_pev_thaw(cpu->live, cpu->user);
		return;
	}
	if (!cpu->live)
		return;
	if (cpu->have.guests) {
		reg_write(MMCR2, cpu->have.mmcr2);
		cpu->hit |= overflowed_in_guest(cpu);
		cpu->alert |= !!cpu->hit;
	}
	run(cpu);
}
EXPORT_SYMBOL_GPL(__ppc_pev_guest_ended);

void __ppc_pev_guest_saved(void)
{
	pev_pmu_stand(this_cpu_ptr(&cpus)->want.guests, false);
}
EXPORT_SYMBOL_GPL(__ppc_pev_guest_saved);

u64 __ppc_pev_guest_until(u64 now, u64 end)
{
	struct ppc_pev_cpu *cpu = this_cpu_ptr(&cpus);
	u64 soon = cpu->live & cpu->soon & cpu->have.guests;

	for (; soon && end > now; soon &= soon - 1) {
		unsigned int i = __ffs64(soon);
		u64 raw = pmc_read(i), left, at;

		left = raw & PMC_NEGATIVE ? 0 : (PMC_VALUE + 1 - raw) << RATE_SHIFT;
		/* one that does not count there overflows there never */
		at = cpu->rate[i] ? now + div64_u64(left, cpu->rate[i]) + GUEST_SLACK : end;
		end = min(end, at);
	}
	return end;
}
EXPORT_SYMBOL_GPL(__ppc_pev_guest_until);

/* ---- the PMI ---- */

/*
 * SIAR is where the alert was; regs where the interrupt came through, which is
 * later if MSR[EE] was off. Not all that it holds is right:
 *
 * - with marked instructions it is theirs, if SIER says that it is valid;
 * - without, it is not in step with the interrupt. In user mode, where the
 *   interrupt is not held up, regs are as good and fit the call chain; only
 *   processors that call SIAR valid are believed there;
 * - at the kernel's entry and exit SIER's state and SIAR's address can be of
 *   different sides: such addresses say nothing;
 * - a hypervisor's address means nothing to its guest.
 */
static bool siar_tells(const struct ppc_pev_cpu *cpu, const struct pt_regs *regs, u64 siar,
		       u64 sier)
{
	if (!siar || is_kernel_addr(siar) == !!(sier & SI_PR))
		return false;
	if (sier & SI_HV && !regs_are_hypervisors())
		return false;
	if (sier & SI_SIAR_VALID)
		return true;
	if (cpu->have.mmcra & MA_SAMPLE)
		return false;
	return !user_mode(regs);
}

static void locate(const struct ppc_pev_cpu *cpu, struct pt_regs *regs,
		   struct pev_pmu_sample *sample)
{
	u64 sier = reg_read(SIER), siar = reg_read(SIAR), sdar;

	*sample = (struct pev_pmu_sample) {
		.told = true,
		.guest = cpu->hit,
		.regs = regs,
	};
	if (siar_tells(cpu, regs, siar, sier)) {
		sample->ip = siar;
		sample->user = sier & SI_PR;
	}
	if (!(sier & SI_SDAR_VALID))
		return;
	/* a record of user mode shows no address of the kernel */
	sdar = reg_read(SDAR);
	if (!is_kernel_addr(sdar) || !(sample->ip ? sample->user : user_mode(regs)))
		sample->addr = sdar;
}

/* Find and acknowledge overflows, frozen. */
static u64 acknowledge(struct ppc_pev_cpu *cpu)
{
	u64 overflowed = 0;
	unsigned int i;

	for (i = 0; i < PPC_PEV_PMCS; i++) {
		u64 raw = pmc_read(i);

		if (!(raw & PMC_NEGATIVE))
			continue;
		pmc_write(i, raw & PMC_VALUE);
		WRITE_ONCE(cpu->acked[i], cpu->acked[i] + 1);
		overflowed |= BIT_ULL(i);
	}
	if (unlikely(reg_read(MMCR0) & M0_PMAO)) {
		reg_write(MMCR0, cpu->mmcr0);
		regs_settle();
		pev_pmu_report(PEV_PMU_STUCK);
	}
	/* of counters that are not live it would be by another's hand */
	cpu->alert = false;
	return overflowed & cpu->live & ~cpu->pending;
}

void ppc_pev_pmi(struct pt_regs *regs)
{
	struct ppc_pev_cpu *cpu = this_cpu_ptr(&cpus);
	struct pev_pmu_sample sample;
	u64 overflowed;
	bool ours;

	if (!cpu->up) {
		reg_write(MMCR0, ppc_pev_frozen(model));
		regs_settle();
		return;
	}
	/* not armed: in an update of the core, which may be writing MMCR1 now */
	ours = stop(cpu, READ_ONCE(cpu->mmcr0) & M0_PMAE);
	overflowed = acknowledge(cpu);
	if (!overflowed && ours)
		pev_pmu_report(PEV_PMU_LATE);
	locate(cpu, regs, &sample);
	cpu->hit = 0;
	pev_pmu_overflow(overflowed, &sample);
}

/* ---- the CPU itself ---- */

/* All registers to what an unused PMU has, all values 0. */
static void clear(struct ppc_pev_cpu *cpu)
{
	unsigned int i;

	reg_write(MMCR0, ppc_pev_frozen(model));
	regs_settle();
	pmi_forget();
	for (i = 0; i < PPC_PEV_PMCS; i++) {
		pmc_write(i, 0);
		cpu->value[i] = 0;
	}
	cpu->want = (struct ppc_pev_mmcr) { .mmcra = model->isa31 ? MA_BHRBRD : 0 };
	cpu->rewrite = true;
	write_events(cpu);
	reg_write(SIAR, 0);
	reg_write(SDAR, 0);
	cpu->active = 0;
	cpu->live = 0;
	cpu->pending = 0;
	cpu->settled = 0;
	cpu->alert = false;
	cpu->hit = 0;
	cpu->soon = 0;
	__this_cpu_write(ppc_pev_prompt, false);
}

int ppc_pev_cpu_start(void)
{
	struct ppc_pev_cpu *cpu = this_cpu_ptr(&cpus);
	u64 frozen = ppc_pev_frozen(model) | pmcc(false);
	u64 all = (M0_OURS & ~(M0_PMAE | M0_BHRBA | M0_EBE | M0_PMCC)) | frozen;

	regs_claim(true);
	/* perf and the boot code leave it frozen: other code let it run */
	if (!(reg_read(MMCR0) & M0_FC))
		pev_pmu_report(PEV_PMU_FOREIGN);
	clear(cpu);
	/* nothing is negative: nothing comes of the conditions */
	reg_write(MMCR0, all);
	regs_settle();
	cpu->keeps = M0_OURS & ~(reg_read(MMCR0) ^ all);
	reg_write(MMCR0, frozen);
	regs_settle();
	cpu->mmcr0 = frozen;
	cpu->up = true;
	return 0;
}

void ppc_pev_cpu_stop(void)
{
	struct ppc_pev_cpu *cpu = this_cpu_ptr(&cpus);

	if (!cpu->up)
		return;
	/* for the report */
	stop(cpu, true);
	cpu->up = false;
	clear(cpu);
	regs_claim(false);
}
