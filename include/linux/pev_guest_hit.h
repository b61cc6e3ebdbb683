/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the guest was that has just ended on this processor, for hypervisors that tell perf
 * nothing of it. While no event asks, it costs a patched branch.
 */
#ifndef _LINUX_PEV_GUEST_HIT_H
#define _LINUX_PEV_GUEST_HIT_H

#include <linux/jump_label.h>
#include <linux/percpu.h>

/**
 * struct pev_guest_hit - what an interrupt finds that ended a guest
 * @left: a guest has ended, and the interrupts that came meanwhile were not let in yet
 * @user: it was in user mode
 * @ip:   where it was
 */
struct pev_guest_hit {
	bool	left;
	bool	user;
	u64	ip;
};

#ifdef CONFIG_PEV
DECLARE_STATIC_KEY_FALSE(pev_guest_key);
DECLARE_PER_CPU(struct pev_guest_hit, pev_guest_hit);

/* Does an event tell guests from the host? */
static __always_inline bool pev_guest_asked(void)
{
	return static_branch_unlikely(&pev_guest_key);
}

/* A guest has ended, or (@left is false) the interrupts behind it were let in. No preemption. */
static inline void pev_guest_left(bool left, bool user, u64 ip)
{
	__this_cpu_write(pev_guest_hit.user, user);
	__this_cpu_write(pev_guest_hit.ip, ip);
	/* the interrupt that asks is this processor's */
	barrier();
	__this_cpu_write(pev_guest_hit.left, left);
}
#else
static inline bool pev_guest_asked(void) { return false; }
static inline void pev_guest_left(bool left, bool user, u64 ip) { }
#endif

#endif
