/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract between pev and a hypervisor whose guests are lent counters: linux/pev_guest.h of
 * the uapi is what the guest sees. A hypervisor passes on what the guest calls. Where guests begin
 * and end it has nothing to do but to let them read counters, if it can.
 */
#ifndef _LINUX_PEV_GUEST_H
#define _LINUX_PEV_GUEST_H

#include <linux/jump_label.h>
#include <linux/types.h>
#include <uapi/linux/pev_guest.h>

struct pev_lease;
struct pev_vcpu;

/**
 * struct pev_vcpu_ops - what pev asks of a hypervisor
 * @read:  copy @size bytes at the guest's physical address @from; 0 or an error. In a call of the
 *         guest's; may sleep, for as long as the guest's memory needs to come
 * @write: the same to @to
 * @nmi:   the virtual processor gets an NMI before it runs on; on POWER a performance monitor
 *         interrupt, once it lets one in. Its own thread, any context, NMI included
 */
struct pev_vcpu_ops {
	int	(*read)(struct pev_vcpu *vcpu, u64 from, void *to, size_t size);
	int	(*write)(struct pev_vcpu *vcpu, u64 to, const void *from, size_t size);
	void	(*nmi)(struct pev_vcpu *vcpu);
};

/**
 * struct pev_vcpu - a virtual processor, in the hypervisor's structure for it
 * @ops:   set by the hypervisor before the first call
 * @lease: what is lent to it; NULL at first
 * @due:   the hypervisor's own: @nmi was called, and the guest has not asked why yet
 */
struct pev_vcpu {
	const struct pev_vcpu_ops	*ops;
	struct pev_lease		*lease;
	bool				due;
};

#ifdef CONFIG_PEV

/* On while counters may be lent to any virtual processor. */
DECLARE_STATIC_KEY_FALSE(pev_lent_key);

/**
 * pev_guest_call() - a guest made the hypercall PEV_GUEST_CALL in its kernel
 * @vcpu: that made it; @current runs it
 * @op:   enum pev_guest_op; this and what follows are the guest's
 * @arg:  by @op
 *
 * Context: Process context, may sleep; one call at a time for each @vcpu.
 * Return: what the guest is to get.
 */
long pev_guest_call(struct pev_vcpu *vcpu, u64 op, u64 arg);

/**
 * pev_guest_end() - a virtual processor is no more, or is reset
 * @vcpu: nothing is lent to it afterwards
 *
 * Context: Process context, may sleep; no call of pev_guest_call() is under way or follows.
 */
void pev_guest_end(struct pev_vcpu *vcpu);

/**
 * pev_guest_shown() - may the guest read the processor's counters on its own?
 * @vcpu: that is about to be entered
 *
 * All that it could read are then counters that are lent to it, where it was told that they are,
 * and zeroes. That holds until this CPU takes an interrupt of any kind.
 *
 * Context: On the CPU, neither interrupts nor PMIs can come. RCU is watching.
 */
bool pev_guest_shown(struct pev_vcpu *vcpu);

/**
 * pev_guest_read() - a guest had to be left for it, but reads a counter as if not
 * @vcpu:  that does; @current runs it
 * @reg:   the number in the instruction
 * @value: what it is to read
 *
 * Context: Process context, may sleep; no call of the others is under way.
 * Return: false: there is no counter of it.
 */
bool pev_guest_read(struct pev_vcpu *vcpu, u32 reg, u64 *value);

#endif

#endif
