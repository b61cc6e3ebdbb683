/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A host that lends counters, as linux/pev_guest.h of the uapi describes it, and what guest.c uses
 * of the kernel beyond ../pmu-x86/shim.h. Does not depend on the backend.
 */
#ifndef HOST_H
#define HOST_H

#include <stdlib.h>

#undef barrier
/* Between any two accesses that have an order an NMI may come. */
#define barrier() host_nmi_point()
#define WRITE_ONCE_PLAIN(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#undef WRITE_ONCE
#define WRITE_ONCE(x, v)                \
	do {                            \
		host_nmi_point();       \
		WRITE_ONCE_PLAIN(x, v); \
		host_nmi_point();       \
	} while (0)
void host_nmi_point(void);

#ifndef static_assert
#define static_assert _Static_assert
#endif
#define max(a, b) ((a) > (b) ? (a) : (b))
#define per_cpu(v, cpu) (v)
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define GFP_KERNEL 0
#define kzalloc(size, flags) host_alloc(size)
#define kfree(p) free(p)
#define virt_to_phys(p) ((uintptr_t)(p))
#define CC_ATTR_GUEST_MEM_ENCRYPT 0
#define cc_platform_has(what) (host.secret)
#define KVM_ENOSYS 1000
#define kvm_para_available() (host.there)
#define kvm_hypercall2(nr, op, arg) host_call(nr, op, arg)
void *host_alloc(size_t size);
long host_call(unsigned int nr, u64 op, u64 arg);

#define HOST_COUNTERS 8
#define HOST_BITS 48

/**
 * struct host - the host, and the guest's processor
 * @there:    it is KVM
 * @secret:   it can't read the guest's memory
 * @old:      it knows no such call
 * @hello:    what PEV_GUEST_HELLO returns, if not 0
 * @grant:    counters that it lends to a guest that attaches
 * @deny:     an error for the next call but @deny_after, and for each that follows
 * @deny_after: calls until then
 * @late:     a PMI comes so many occurrences after its overflow, or as the counter stops
 * @drag:     occurrences in the guest's kernel before and after each call
 * @starve:   counters that stand still though they should not
 * @first:    it knows version 1 alone
 * @hide:     counters that it lets be read by calls alone
 * @fault:    rdpmc does, as where nothing is lent
 *
 * @lent:     counters that are lent
 * @area:     told by PEV_GUEST_ATTACH
 * @on:       counters that count
 * @known:    that have an event
 * @over:     that overflowed
 * @due:      whose PMI has not come yet
 * @missed:   that could not count
 * @told:     an NMI was sent that is not answered
 * @word:     event of each
 * @value:    of each
 * @total:    what each counted, ever
 * @due_in:   occurrences until the PMI comes
 * @whole:    the area is of version 2
 * @lost:     what each did not count since it was started
 * @offset:   of the register of each, as the guest was told
 * @shown:    counters whose register was told
 *
 * @kernel:   the guest runs its kernel
 * @pending:  an NMI waits
 * @in_nmi:   one runs
 * @hold:     NMIs wait until this is false
 * @swallow:  if the next finds nothing, it is no wonder
 * @unknown:  NMIs that nobody wanted
 * @nmis:     that were delivered
 * @calls:    by operation
 * @rdpmcs:   registers that were read
 */
extern struct host {
	bool there, secret, old;
	long hello;
	int grant;
	long deny;
	int deny_after;
	int late, drag;
	u64 starve;
	bool first, fault;
	u64 hide;

	int lent;
	u64 area, on, known, over, due, missed;
	bool told;
	u64 word[HOST_COUNTERS], value[HOST_COUNTERS], total[HOST_COUNTERS];
	int due_in;
	bool whole;
	u64 lost[HOST_COUNTERS], offset[HOST_COUNTERS], shown;

	bool kernel, pending, in_nmi, hold, swallow;
	int unknown, nmis, calls[7], rdpmcs;
	nmi_handler_t handler;
} host;

/* What one occurrence that is lost takes, in ns. */
#define HOST_NS 1000
/* Registers have other numbers than the counters that are lent. */
#define HOST_REG(i) (HOST_COUNTERS + 3 - (i))

/* @n instructions of the guest's user mode. */
void host_run(u64 n);
/* An NMI of another source. Return: did the backend take it? */
bool host_other_nmi(void);

#endif
