/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside the x86 backend:
 *
 *	pmu.c		the callbacks, registers of this CPU, their owner
 *	nmi.c		the PMI
 *	handler.h	how Linux asks about it
 *	errata.c	what processors do wrong
 *	guest.c		a backend of its own: counters that a host lends
 *	others.c	what perf and kvm_amd do while the counters are ours
 *	encode.c	from an event to what is written to a register
 *	intel.c amd.c	which registers there are
 *	events.c	tables of the processors' events
 *	regs.h		access to registers
 *
 * Counters are numbered as GLOBAL_STATUS numbers them: those for any event from
 * 0, the fixed ones from 32.
 *
 * There are two kinds of PMU. With global registers (Intel from version 2, AMD
 * PerfMonV2) one write starts and stops all counters, and a status register says
 * which overflowed. Without them (Intel version 1, older AMD) each counter has an
 * enable bit, and a counter has overflowed if its topmost bit was set and no
 * longer is.
 */
#ifndef _X86_PEV_HW_H
#define _X86_PEV_HW_H

#include <linux/bitops.h>
#include <linux/percpu.h>
#include <linux/pev_pmu.h>
#include <linux/types.h>
#include "regs.h"

struct pev_refuse;
struct pt_regs;

#define X86_PEV_FIXED		32	/* number of the first fixed counter */
#define X86_PEV_GP_MASK		GENMASK_ULL(X86_PEV_FIXED - 1, 0)

/*
 * Event select registers. Intel SDM volume 3, 20.2.1.1 and 20.2.3; AMD APM volume
 * 2, 13.2.1 (Core Performance Event-Select Registers).
 */
#define SEL_USR			BIT_ULL(16)
#define SEL_OS			BIT_ULL(17)
#define SEL_EDGE		BIT_ULL(18)
#define SEL_PC			BIT_ULL(19)
#define SEL_INT			BIT_ULL(20)
#define SEL_ANY			BIT_ULL(21)
#define SEL_EN			BIT_ULL(22)
#define SEL_INV			BIT_ULL(23)
#define SEL_GUEST		BIT_ULL(40)	/* AMD: guests only */
#define SEL_HOST		BIT_ULL(41)	/* AMD: the host only */

/* The four bits of a fixed counter in FIXED_CTR_CTRL. SDM volume 3, 20.2.2. */
#define FIXED_OS		BIT_ULL(0)
#define FIXED_USR		BIT_ULL(1)
#define FIXED_INT		BIT_ULL(3)
#define FIXED_FIELD(i, bits)	((bits) << 4 * (i))

/**
 * struct x86_pev_rule - events that not every counter can count
 * @first:    event code, the first of a range
 * @last:     the last of that range
 * @umask:    unit mask, -1: any
 * @counters: that can; 0: the event needs a register besides the event select
 * @period_min: shortest period, 0: as the others of the processor
 */
struct x86_pev_rule {
	u16	first;
	u16	last;
	s16	umask;
	u32	counters;
	u16	period_min;
};

/**
 * struct x86_pev_model - what is known of a processor beyond CPUID
 * @name:       for people
 * @models:     x86_vfm of Intel's models, ends with 0
 * @family:     AMD's family
 * @first:      the first model of it
 * @last:       the last model of it
 * @events:     codes by enum pev_hardware, 0: it has none
 * @rules:      the first that matches a code holds; ends with counters and last 0
 * @period_min: shortest period, 0: as others
 * @period_low: bits that are 0 in the periods of a rule that has a shortest one
 * @ref_tsc:    event 3C/01 counts at the rate of the TSC as the fixed counter does
 * @no_freeze:  stopping at the overflow does not work
 * @smt_leak:   with two threads a core, D0 to D3 count in the other one's counter, too
 * @sticks:     counters may not start after a change of events, unless they are reset
 * @no_raw:     a code says too little about the counters that can count it
 */
struct x86_pev_model {
	const char			*name;
	const u32			*models;
	u16				family;
	u8				first;
	u8				last;
	u64				events[PEV_HW_MAX];
	const struct x86_pev_rule	*rules;
	u16				period_min;
	u16				period_low;
	bool				ref_tsc;
	bool				no_freeze;
	bool				smt_leak;
	bool				sticks;
	bool				no_raw;
};

/* An Intel and an AMD table, each ends with an entry for all that is not in it. */
extern const struct x86_pev_model x86_pev_intel_models[], x86_pev_amd_models[];

/**
 * struct x86_pev_counter - a counter, as instructions know it
 * @mask:  bits that it has
 * @index: for rdpmc
 * @msr:   for writing
 */
struct x86_pev_counter {
	u64	mask;
	u32	index;
	u32	msr;
};

/**
 * struct x86_pev_hw - the PMU of this machine; constant after boot
 * @name:      for people and tools
 * @model:     events
 * @present:   counters
 * @sel:       MSR of counter 0's event select
 * @ctr:       MSR of counter 0
 * @ctr_write: MSR by which counter 0 is written
 * @stride:    distance of these MSRs between counters
 * @ctrl:      MSR that starts counters; 0: there is none, nor the next two
 * @status:    MSR that says which overflowed
 * @ack:       MSR that clears bits of @status
 * @freeze:    DEBUGCTL can make counters stop at an overflow
 * @frozen:    bit of @status that is set then; 0: @ctrl is cleared then
 * @masks:     a PMI masks LVTPC: nothing more comes until it is unmasked
 * @may_mask:  as @masks, but not to be relied upon: hypervisors differ
 * @bits:      width of the counters for any event
 * @fixed_bits: width of the fixed counters
 * @narrow:    writes set 32 bits, the rest become copies of bit 31
 * @pebs:      there is a register by which counters write records to memory
 * @raw:       bits of the event select that are the event
 * @arch:      codes that CPUID vouches for, by enum pev_hardware
 * @guests:    the processor can run guests
 * @tells_guests: it can count guests apart
 * @kvm_switches: KVM starts and stops perf's counters where guests begin and end
 * @counters:  all of the above that reading and writing a counter needs
 */
struct x86_pev_hw {
	char				name[48];
	const struct x86_pev_model	*model;
	u64				present;
	u32				sel;
	u32				ctr;
	u32				ctr_write;
	u32				stride;
	u32				ctrl;
	u32				status;
	u32				ack;
	bool				freeze;
	u64				frozen;
	bool				masks;
	bool				may_mask;
	u8				bits;
	u8				fixed_bits;
	bool				narrow;
	bool				pebs;
	u64				raw;
	u64				arch[PEV_HW_MAX];
	bool				guests;
	bool				tells_guests;
	bool				kvm_switches;
	struct x86_pev_counter		counters[PEV_PMU_MAX_COUNTERS];
};

extern struct x86_pev_hw x86_pev_hw;

/**
 * struct x86_pev_cpu - the PMU of a CPU
 * @started:  the registers are ours
 * @frozen:   freeze() was the last to be called, not thaw()
 * @turning:  thaw() is between the two
 * @interrupted: by a PMI: set there, cleared where it matters
 * @freezes:  counters stop at the overflow by themselves
 * @unmask:   a PMI masked LVTPC and it still is
 * @odd:      thaw() has more to do than usual: @hidden, @host, @fixed or @unstick
 * @unstick:  events were changed: see x86_pev_model.sticks
 * @running:  counters that the last thaw() started
 * @ours:     counters and bits of the status that are in use. Those that can't be
 *            acknowledged no longer are
 * @suspect:  with status: counters that were loaded with their topmost bit set since
 *            the last PMI. An overflow may be from before: the bit says so
 * @armed:    without: counters whose topmost bit was set when we last looked: they
 *            overflow when it is not
 * @wrapped:  overflows seen by read() before their PMI
 * @hidden:   counters that are 0 now because a user may read them; see @held
 * @host:     counters that count the host only
 * @svm:      guests may run: EFER.SVME, as of the last look
 * @late:     how many PMIs that find nothing are ours ...
 * @late_end: ... until when
 * @fixed:    FIXED_CTR_CTRL as it should be
 * @fixed_now: FIXED_CTR_CTRL as it is
 * @debugctl: as cpu_start() found it
 * @checked:  in jiffies, when GLOBAL_CTRL was compared with @running
 * @lvtpc:    as cpu_start() found it
 * @sel:      event selects, without the enable bit
 * @ahead:    with @narrow: what a counter lacks to the value that the core wrote
 * @held:     values of hidden counters
 *
 * Changed by its CPU alone, with interrupts off or in a PMI. A PMI that comes
 * in the middle of a callback does nothing but freeze and acknowledge, as the core
 * is in an update then.
 */
struct x86_pev_cpu {
	bool	started;
	bool	frozen;
	bool	turning;
	bool	interrupted;
	bool	freezes;
	bool	unmask;
	bool	odd;
	bool	unstick;
	bool	svm;
	u64	running;
	u64	ours;
	u64	suspect;
	u64	armed;
	u64	wrapped;
	u64	hidden;
	u64	host;
	unsigned int late;
	u64	late_end;
	u64	fixed;
	u64	fixed_now;
	u64	debugctl;
	unsigned long checked;
	u32	lvtpc;
	u64	sel[X86_PEV_FIXED];
	u64	ahead[PEV_PMU_MAX_COUNTERS];
	u64	held[PEV_PMU_MAX_COUNTERS];
};

DECLARE_PER_CPU(struct x86_pev_cpu, x86_pev_cpu);

#define for_each_counter(i, set) \
	for (u64 left_ = (set); left_ && ((i) = __ffs64(left_), true); left_ &= left_ - 1)

static inline unsigned int x86_pev_bits(unsigned int counter)
{
	return counter < X86_PEV_FIXED ? x86_pev_hw.bits : x86_pev_hw.fixed_bits;
}

static inline u64 x86_pev_top(unsigned int counter)
{
	return BIT_ULL(x86_pev_bits(counter) - 1);
}

/* The register's own value. Any context on the CPU. */
static __always_inline u64 x86_pev_value(unsigned int counter)
{
	return reg_count(x86_pev_hw.counters[counter].index);
}

/*
 * A PMI masked LVTPC. Unmasked before the counters run again, or an overflow in
 * between would be lost, and after they were loaded: some processors raise a
 * second PMI for a counter that is at its overflow still.
 */
static __always_inline void x86_pev_unmask(struct x86_pev_cpu *c)
{
	c->unmask = false;
	lvtpc_write(APIC_DM_NMI);
}

#endif
