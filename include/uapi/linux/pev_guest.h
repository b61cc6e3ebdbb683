/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * pev: counters that a hypervisor lends to a guest, the paravirtual interface of both.
 *
 * A guest to whom no PMU is shown asks its host for counters. The host lends some to each
 * virtual processor for the time that it runs in the guest: a counter stands still while the
 * host works for the guest, or has another thread run. An overflow comes as a virtual NMI.
 *
 * A call is a hypercall of the kernel, of the number PEV_GUEST_CALL (KVM: vmmcall or
 * vmcall, rax; KVM-HV on POWER: sc 1, r3), with an operation and up to two arguments (rbx, rcx,
 * rdx; r4, r5, r6). What it returns is in the register of the number. On POWER an overflow is a
 * performance monitor interrupt, and the guest has the host's byte order. It is about the
 * virtual processor that makes it. What it returns is negative if it was refused: an errno, or
 * -1000 (-KVM_ENOSYS) from a host that knows no such call.
 *
 *	ver = call(PEV_GUEST_HELLO, PEV_GUEST_VERSION)
 *	call(PEV_GUEST_ATTACH, address of a struct pev_guest_area)
 *	area->event[0] = PEV_GUEST_RAW | 0xc0; area->start[0] = 2^bits - 100000
 *	area->set = 1
 *	call(PEV_GUEST_START, 1)
 *	...					an NMI
 *	call(PEV_GUEST_STOP, PEV_GUEST_NMI)	area->over is 1, and area->value[0] some 0
 *
 * Version 2 has reads without a call, and times: see @lost and @reg of struct pev_guest_area.
 *
 * The reasons are in Documentation/design/guests.rst.
 */
#ifndef _UAPI_LINUX_PEV_GUEST_H
#define _UAPI_LINUX_PEV_GUEST_H

#include <linux/types.h>

#define PEV_GUEST_CALL		0x706576	/* "pev" */
#define PEV_GUEST_VERSION	2
#define PEV_GUEST_COUNTERS	8		/* of a virtual processor, at most */

/**
 * enum pev_guest_op - what is asked of the host
 * @PEV_GUEST_HELLO:  which version of this interface is it? The argument is the newest that
 *                    the guest knows. Returns PEV_GUEST_HELLO_*: the newest that both know, how
 *                    many counters there may ever be, how many are lent now, and their width, up
 *                    to 63.
 *                    -EOPNOTSUPP: the versions have nothing in common, or the host's
 *                    counters can't tell guests from the host
 * @PEV_GUEST_ATTACH: lend counters to this virtual processor. The argument is the physical
 *                    address of a struct pev_guest_area, a multiple of 256, of which the
 *                    host knows the members of version 1; or, from version 2 on, of a whole
 *                    one, a multiple of 512, and PEV_GUEST_WHOLE. All stand still, and
 *                    each is new: its event has to be told. What was lent before is given
 *                    back. Returns how many, at least 1. -EINVAL: the argument; -ENODEV:
 *                    the host lends none to this guest; -EBUSY: others have the host's counters;
 *                    -ENOMEM
 * @PEV_GUEST_DETACH: give them back. Returns 0
 * @PEV_GUEST_CHECK:  can the host count an event? The argument is one of
 *                    struct pev_guest_area. Returns the shortest period, at least 1. -EINVAL: no
 * @PEV_GUEST_STOP:   no counter counts from here on; @over, @missed, @value and @lost of the area
 *                    are written, as of now. The argument is 0, or PEV_GUEST_NMI in the handler
 *                    of an NMI: then nothing is done unless one was sent that no such call has
 *                    answered yet. Returns 1 if so, otherwise 0, whatever the argument
 * @PEV_GUEST_START:  the counters of the argument, a mask, count from here on, all others do
 *                    not. @set, @event and @start of the area are read, @reg and @offset are
 *                    written. -EINVAL, and all
 *                    stand still: the argument or @set has counters that are not lent, the host
 *                    can't count an event, or one that is to count was never told
 * @PEV_GUEST_READ:   the value of the counter with the number of the argument, whether it counts or
 *                    not. -EINVAL: it is not lent
 *
 * All but the first and PEV_GUEST_CHECK: -ENODEV, nothing is lent (any more): a virtual processor
 * that was saved and restored has to attach again. -EFAULT: the area can't be read or written;
 * all stand still.
 */
enum pev_guest_op {
	PEV_GUEST_HELLO		= 0,
	PEV_GUEST_ATTACH	= 1,
	PEV_GUEST_DETACH	= 2,
	PEV_GUEST_CHECK		= 3,
	PEV_GUEST_STOP		= 4,
	PEV_GUEST_START		= 5,
	PEV_GUEST_READ		= 6,
};

/* PEV_GUEST_HELLO returns these, shifted; bits from 32 on are 0 for now. */
#define PEV_GUEST_HELLO_VERSION(r)	((r) & 0xff)
#define PEV_GUEST_HELLO_MOST(r)		((r) >> 8 & 0xff)
#define PEV_GUEST_HELLO_LENT(r)		((r) >> 16 & 0xff)
#define PEV_GUEST_HELLO_BITS(r)		((r) >> 24 & 0xff)

/* In the argument of PEV_GUEST_ATTACH. */
#define PEV_GUEST_WHOLE		1

/* The argument of PEV_GUEST_STOP. */
#define PEV_GUEST_NMI		1

/*
 * An event: an enum pev_hardware or, with PEV_GUEST_RAW, what attr.config of PEV_TYPE_RAW would be
 * on the host, in PEV_GUEST_EVENT_CODE; and which modes of the guest are left out, not both.
 */
#define PEV_GUEST_EVENT_CODE	0x0000ffffffffffffULL
#define PEV_GUEST_RAW		(1ULL << 60)
#define PEV_GUEST_NO_USER	(1ULL << 62)
#define PEV_GUEST_NO_KERNEL	(1ULL << 63)

/**
 * struct pev_guest_area - of a virtual processor, in the guest's memory
 * @over:   counters that overflowed since they were set, or since the last PEV_GUEST_STOP that
 *          answered an NMI
 * @missed: counters that the host could not let count all the time since the last
 *          PEV_GUEST_START: others needed it more, or overflows came too often
 * @value:  of each counter: what it counted, modulo 2^bits
 * @set:    counters whose @event and @start hold from now on, which also undoes an overflow
 * @event:  what each counts, if it is in @set
 * @start:  from where, modulo 2^bits: it overflows from 2^bits - 1 to 0
 * @lost:   how long each of @missed stood still, in ns of time in which the host ran the virtual
 *          processor; 0 of all others
 * @reg:    of each counter, for the processor's instruction that reads one (x86: rdpmc), from
 *          the return of a PEV_GUEST_START to the next: 1 + the number that it takes. 0: only
 *          PEV_GUEST_READ reads this counter
 * @offset: the value is what the instruction reads, less this, modulo 2^bits
 *
 * With its number the instruction reads the value as PEV_GUEST_READ does, whether the counter has a
 * register of the processor's then or the host answers, and after the host took it back what it
 * was. It costs no exit while the registers show nothing but this virtual processor's
 * counters and zeroes. Of any other number it shows that, or is refused as without counters. A
 * virtual processor that goes on with another host, to which nothing is lent there, has it
 * refused: x86's faults then, and the guest has to survive that. For the guest's user mode it is
 * as the guest's kernel has it (x86: CR4.PCE).
 *
 * The host writes what is before @set and @lost, @reg and @offset, and reads the rest, each in one
 * of the guest's calls and never at another time. It trusts none of it. What it wrote last it need
 * not write again.
 */
struct pev_guest_area {
	__u64	over;
	__u64	missed;
	__u64	value[PEV_GUEST_COUNTERS];
	__u64	set;
	__u64	event[PEV_GUEST_COUNTERS];
	__u64	start[PEV_GUEST_COUNTERS];

	/* from version 2 on */
	__u64	lost[PEV_GUEST_COUNTERS];
	__u64	reg[PEV_GUEST_COUNTERS];
	__u64	offset[PEV_GUEST_COUNTERS];
};

#endif
