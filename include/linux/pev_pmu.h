/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract between the PMU core (kernel/pev/pmu/pmu.c) and what drives a
 * processor's performance counters, the backend. A machine has one backend.
 *
 * The core owns everything that processors have in common: which event has
 * which counter when, periods, counter widths and deltas, multiplexing, groups,
 * throttling, what a sample holds. A backend says which counters can carry an
 * event and moves bits in and out of registers. It keeps no list of events.
 *
 * Counters have numbers from 0 to PEV_PMU_MAX_COUNTERS - 1, chosen by the
 * backend; a set of counters is a u64 with a bit for each.
 *
 * See Documentation/core-api/pev-pmu.rst for how to write a backend.
 */
#ifndef _LINUX_PEV_PMU_H
#define _LINUX_PEV_PMU_H

#include <linux/types.h>
#include <uapi/linux/pev.h>

struct mm_struct;
struct pev_refuse;
struct pt_regs;
struct task_struct;

#define PEV_PMU_MAX_COUNTERS	64
#define PEV_PMU_MAX_ALTS	4

/**
 * struct pev_pmu_request - an event as the user asks for it
 * @type:   PEV_TYPE_HARDWARE or PEV_TYPE_RAW
 * @config: enum pev_hardware, below PEV_HW_MAX, or the processor's code
 * @config1: with a code: its second word, no bits but those of struct pev_pmu
 * @config2: its third word, likewise
 * @flags:  PEV_F_EXCLUDE_*, PEV_F_MARKED; others are none of the backend's
 * @name:   how a refusal calls an enum pev_hardware; NULL for a code
 */
struct pev_pmu_request {
	u32		type;
	u64		config;
	u64		config1;
	u64		config2;
	u64		flags;
	const char	*name;
};

/**
 * struct pev_pmu_alt - one way to count an event
 * @counters: that can count it in this way; 0 ends the list
 * @config:   what @set of struct pev_pmu_ops needs to know, in the backend's
 *            own format, domains to exclude included
 */
struct pev_pmu_alt {
	u64	counters;
	u64	config;
};

/**
 * struct pev_pmu_code - an event as the hardware counts it
 * @alt:         ways to count it, the best first; their sets don't overlap
 * @share_mask:  bits of a resource that several counters share
 * @share_value: what the event needs in these bits. Two events go together
 *               only if they agree in the bits that both name
 * @period_min:  shortest distance between two overflows
 * @period_low:  bits, a power of two less one, that are 0 in that distance
 */
struct pev_pmu_code {
	struct pev_pmu_alt	alt[PEV_PMU_MAX_ALTS];
	u64			share_mask;
	u64			share_value;
	u64			period_min;
	u64			period_low;
};

/**
 * struct pev_pmu_counter - a counter
 * @name: in the manuals' terms: "PMC5", "fixed0"
 * @bits: that count, from bit 0: a counter overflows from its largest value,
 *        2^@bits - 1, to 0 as far as the core is concerned
 * @user: its number for an instruction of user space that reads it (rdpmc; the
 *        SPR of mfspr); -1: there is none
 */
struct pev_pmu_counter {
	const char	*name;
	u8		bits;
	s32		user;
};

/**
 * enum pev_pmu_grant - what @grant of struct pev_pmu_ops gives or takes
 * @PEV_PMU_GRANT_MARK:  the mark in @task's user state by which PEV_F_MARKED
 *                       events know it. @task is current or about to be on this
 *                       CPU, and may have the mark (or not) already; @mm is
 *                       NULL. On the CPU, interrupts off
 * @PEV_PMU_GRANT_READS: @mm's tasks may read counters in user mode; calls with
 *                       true and false come in equal numbers. @task is NULL.
 *                       Process context, may sleep
 * @PEV_PMU_GRANT_NONE:  @mm is a copy that no task runs in yet, and has no readers,
 *                       whatever was copied. @task is NULL. Process context
 */
enum pev_pmu_grant {
	PEV_PMU_GRANT_MARK,
	PEV_PMU_GRANT_READS,
	PEV_PMU_GRANT_NONE,
};

/**
 * struct pev_pmu_ops - what a backend does
 *
 * "On the CPU, interrupts off" includes the middle of a task switch with a
 * runqueue locked, and a PMI (NMI on x86, pseudo-NMI on PowerPC) may come at any
 * point of it. Such functions take no lock, sleep nowhere, allocate nothing and
 * can't fail.
 *
 * @encode:    find out how to count @req and fill @code, which is all zeroes, or
 *             refuse with a text. Process context, may sleep, several at a time;
 *             touches no register.
 * @reserve:   take the hardware from its other users (perf, the hard
 *             lockup detector, a user of raw registers). Being refused, name the
 *             holder: -EBUSY. Process context, may sleep, pev_control held.
 * @release:   undo it. The same context.
 * @holder:    the holder of @counter in words for people ("perf", "the hard lockup
 *             detector"), if it is not pev; NULL: none. Process context.
 * @cpu_start: this CPU's registers are ours from now on, in whatever state they
 *             are: bring them into a known one, frozen, and direct the
 *             PMI to us. Called after @reserve when the first event starts on
 *             the CPU, in the scheduler, too, and after a suspend. On the CPU,
 *             interrupts off. Return: 0,
 *             or an error if the counters have gone (a virtual machine was
 *             moved): nothing more is then called on this CPU until @cpu_start
 *             is tried again.
 * @cpu_stop:  leave everything stopped and PMIs off. On the CPU, interrupts off.
 * @freeze:    stop all counters; idempotent. When it returns no counter moves
 *             and no counter overflows; an overflow from before may still
 *             raise its PMI. On the CPU, interrupts off, or in a PMI.
 * @thaw:      the counters in @active run on with what @set and @write said; all
 *             others stay stopped and keep their values for @read. @user: some
 *             mapping lets user mode read counters, so those that are stopped
 *             must show nothing. Same contexts. Registers may be
 *             written here all at once rather than in @set and @write.
 * @set:       @counter counts @config from the next @thaw on. Same contexts,
 *             frozen. Not called for a counter that has that @config already.
 * @read:      value of @counter: its low bits only, see @bits. On the CPU, any
 *             context with preemption disabled, also when not frozen.
 * @write:     set the value of @counter (only @bits of @value count) and forget an
 *             overflow of it that was not reported yet. Same contexts, frozen.
 * @alone:     would an instruction that reads any counter there is, in a guest of this
 *             processor's, read those in @counters, all of which run, and else 0? They may
 *             be read in user mode, as for @thaw. NULL: it never can be told. On the CPU,
 *             interrupts off.
 * @grant:     give a task or address space something or take it away, see enum
 *             pev_pmu_grant; NULL if this processor has neither.
 *
 * 13 callbacks. Overflows go the other way: see pev_pmu_overflow().
 */
struct pev_pmu_ops {
	int  (*encode)(const struct pev_pmu_request *req, struct pev_pmu_code *code,
		       struct pev_refuse *r);
	int  (*reserve)(struct pev_refuse *r);
	void (*release)(void);
	const char *(*holder)(unsigned int counter);
	int  (*cpu_start)(void);
	void (*cpu_stop)(void);
	void (*freeze)(void);
	void (*thaw)(u64 active, bool user);
	void (*set)(unsigned int counter, u64 config);
	u64  (*read)(unsigned int counter);
	void (*write)(unsigned int counter, u64 value);
	bool (*alone)(u64 counters);
	void (*grant)(enum pev_pmu_grant what, struct task_struct *task,
		      struct mm_struct *mm, bool on);
};

/**
 * struct pev_pmu - a machine's PMU
 * @name:     for people and for tools that choose event tables: "Intel
 *            architectural perfmon 4", "POWER9"
 * @ops:      the backend
 * @present:  counters that there are
 * @counters: indexed by number, PEV_PMU_MAX_COUNTERS of them
 * @features: PEV_PMU_FREEZES, PEV_PMU_USER_READS, PEV_PMU_MARKS
 * @config1:  bits that @encode knows in the second word of a code; others, and all
 *            where it is 0, are refused before
 * @config2:  of the third word
 */
struct pev_pmu {
	const char			*name;
	const struct pev_pmu_ops	*ops;
	u64				present;
	const struct pev_pmu_counter	*counters;
	u32				features;
	u64				config1;
	u64				config2;
};

/**
 * pev_pmu_register() - a backend has found its hardware
 * @pmu: stays; the first that registers is the machine's
 *
 * Context: Process context, during boot (or a KUnit test).
 * Return: 0, or -EBUSY if there is one already.
 */
int pev_pmu_register(const struct pev_pmu *pmu);

/* The machine's PMU, NULL if there is none; set once at boot (or by a test). */
extern const struct pev_pmu *pev_pmu;

/* Undo it; for tests. No event of it may exist. */
void pev_pmu_unregister(const struct pev_pmu *pmu);

/**
 * enum pev_pmu_hit - what ran when a counter overflowed
 * @PEV_PMU_HIT_ASK:   what the interrupt found
 * @PEV_PMU_HIT_HOST:  the host, even if a guest has ended since
 * @PEV_PMU_HIT_GUEST: the guest that ended last
 */
enum pev_pmu_hit {
	PEV_PMU_HIT_ASK,
	PEV_PMU_HIT_HOST,
	PEV_PMU_HIT_GUEST,
};

/**
 * struct pev_pmu_sample - what a backend knows of an overflow
 * @told: the backend knows which overflows guests had
 * @guest: counters that overflowed in one; @ip and @addr are not about these
 * @regs: at the interrupt
 * @ip:   where it happened, if the hardware says it better than @regs; 0: @regs
 * @addr: data address; 0: none
 * @user: with @ip: it is in user mode
 */
struct pev_pmu_sample {
	bool		told;
	u64		guest;
	struct pt_regs	*regs;
	u64		ip;
	u64		addr;
	bool		user;
};

/**
 * pev_pmu_overflow() - a PMI found these counters overflowed
 * @counters: the counters; may include some that are not in use (any more), or be 0
 * @sample:   where
 *
 * The backend calls it from its PMI handler, on the CPU, with the counters
 * frozen (@freeze, or by themselves) and the overflows acknowledged. The core
 * takes samples, loads the next period and calls @thaw; or, if the PMI
 * came in the middle of a change that the core is making, leaves the counters
 * frozen: that change ends with @thaw. The backend only re-enables the PMI.
 *
 * Context: PMI: NMI, or interrupts off.
 */
void pev_pmu_overflow(u64 counters, const struct pev_pmu_sample *sample);

enum pev_pmu_incident {
	PEV_PMU_LATE,		/* a PMI for an overflow that was dealt with before */
	PEV_PMU_FOREIGN,	/* registers changed by other code, repaired */
	PEV_PMU_STUCK,		/* an overflow that could not be acknowledged */
	PEV_PMU_LOST,		/* an overflow without a PMI, found and repaired by the core */
	PEV_PMU_PAUSED,		/* a host let lent counters stand still, or took them back */

	PEV_PMU_INCIDENTS,
};

/**
 * pev_pmu_report() - count something that should not happen
 * @what: shown by the PMU's status
 *
 * After PEV_PMU_FOREIGN no event takes over a counter as it stands that no event has: it
 * may have counted.
 *
 * Context: Any, preemption disabled; about this CPU.
 */
void pev_pmu_report(enum pev_pmu_incident what);

/**
 * pev_pmu_lose() - counters of this CPU can't be used until @cpu_start
 * @counters: which; they count no longer
 *
 * Their events get others, now or in turn, or wait: time_running shows it.
 *
 * Context: CPU, in @cpu_start, or PMI.
 */
void pev_pmu_lose(u64 counters);

/**
 * pev_pmu_stand() - counters stand still for a time that is not theirs
 * @counters: which
 * @stand:    they do; false: they go on, or will at once
 *
 * Their running time shows it. Calls come in pairs, and in between nothing else of the CPU's
 * counters is asked for.
 *
 * Context: On the CPU, interrupts off, and no PMI can come. RCU need not be watching.
 */
void pev_pmu_stand(u64 counters, bool stand);

/**
 * pev_pmu_stood() - a counter stood still for a time that was not its own, and is over
 * @counter: which
 * @ns:      for how long, since it was started; more than that is cut
 * @pmi:     in a PMI, before pev_pmu_overflow()
 *
 * Its running time shows it.
 *
 * Context: In @freeze or @thaw; or PMI.
 * Return: false: the PMI came in the middle of a change. To be told in the next @freeze or @thaw.
 */
bool pev_pmu_stood(unsigned int counter, u64 ns, bool pmi);

/**
 * pev_pmu_reads_allowed() - may counters be read in user mode at all?
 * @allowed: false: no page names a counter once this returns, and readers go the long
 *           way. At first they may
 *
 * Context: Process context, one call at a time.
 */
void pev_pmu_reads_allowed(bool allowed);

/**
 * pev_pmu_reads_by_all() - may tasks without a page read counters, too?
 * @all: true: counters that are stopped show nothing once this returns. At first they may not
 *
 * Context: Process context; calls with true and false in turn or repeated, one at a time.
 */
void pev_pmu_reads_by_all(bool all);

#endif
