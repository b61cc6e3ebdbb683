/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What KVM-HV calls where a guest begins and ends, instead of saving the host's counters, where
 * pev has them: cpu.c lets them run on, as its events want. While pev has none open it
 * costs a patched branch.
 */
#ifndef _ASM_POWERPC_PEV_GUEST_PMU_H
#define _ASM_POWERPC_PEV_GUEST_PMU_H

#include <linux/jump_label.h>
#include <linux/types.h>

struct pev_vcpu;

/**
 * enum ppc_pev_guest_pmu - whose the PMU is while a guest runs
 * @PPC_PEV_GUEST_NONE:   for KVM to say: pev has no counter that runs
 * @PPC_PEV_GUEST_HERE:   pev's; KVM leaves it alone
 * @PPC_PEV_GUEST_STANDS: the guest's; pev's counters stand
 */
enum ppc_pev_guest_pmu {
	PPC_PEV_GUEST_NONE,
	PPC_PEV_GUEST_HERE,
	PPC_PEV_GUEST_STANDS,
};

#ifdef CONFIG_PEV

/* On while pev has the PMU. */
DECLARE_STATIC_KEY_FALSE(ppc_pev_guest_key);

enum ppc_pev_guest_pmu __ppc_pev_guest_begins(struct pev_vcpu *vcpu, bool used);
void __ppc_pev_guest_ended(void);
void __ppc_pev_guest_saved(void);
u64 __ppc_pev_guest_until(u64 now, u64 end);

/**
 * ppc_pev_guest_begins() - the guest is entered next
 * @vcpu: an interrupt that is due to it is asserted while it runs; NULL: a guest of the guest runs
 * @used: it has the PMU running, or has asked for it: HFSCR[PM] lets it
 *
 * Context: MSR[EE] is off until ppc_pev_guest_ended(); RCU is not watching.
 */
static __always_inline enum ppc_pev_guest_pmu
ppc_pev_guest_begins(struct pev_vcpu *vcpu, bool used)
{
	if (static_branch_unlikely(&ppc_pev_guest_key))
		return __ppc_pev_guest_begins(vcpu, used);
	return PPC_PEV_GUEST_NONE;
}

/**
 * ppc_pev_guest_ended() - it was left
 * @whose: what ppc_pev_guest_begins() returned
 *
 * A PMU of the guest's still runs, and would count what is done here: nothing but this test.
 *
 * Return: is all done? Otherwise KVM saves the guest's PMU, and loads the host's.
 */
static __always_inline bool ppc_pev_guest_ended(enum ppc_pev_guest_pmu whose)
{
	if (likely(whose != PPC_PEV_GUEST_HERE))
		return false;
	__ppc_pev_guest_ended();
	return true;
}

/**
 * ppc_pev_guest_saved() - the guest sees no more of the PMU; the host's is loaded next
 * @whose: what ppc_pev_guest_begins() returned
 */
static __always_inline void ppc_pev_guest_saved(enum ppc_pev_guest_pmu whose)
{
	if (unlikely(whose == PPC_PEV_GUEST_STANDS))
		__ppc_pev_guest_saved();
}

/**
 * ppc_pev_guest_until() - how long may a guest run, so that samples are not late?
 * @now: the timebase
 * @end: when it has to end for other reasons
 */
static __always_inline u64 ppc_pev_guest_until(u64 now, u64 end)
{
	if (static_branch_unlikely(&ppc_pev_guest_key))
		return __ppc_pev_guest_until(now, end);
	return end;
}

#else

static inline enum ppc_pev_guest_pmu ppc_pev_guest_begins(struct pev_vcpu *vcpu, bool used)
{
	return PPC_PEV_GUEST_NONE;
}

static inline bool ppc_pev_guest_ended(enum ppc_pev_guest_pmu whose) { return false; }
static inline void ppc_pev_guest_saved(enum ppc_pev_guest_pmu whose) { }
static inline u64 ppc_pev_guest_until(u64 now, u64 end) { return end; }

#endif
#endif
