/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters that perf drives: an event of perf on each CPU, for all events of pev that count
 * the same there. It counts whatever runs, all the time; a value is a difference. So perf
 * is asked for as many counters as different things are counted, and a switch between tasks
 * changes nothing in its lists.
 *
 * A CPU's state is changed by that CPU alone: in an update, with interrupts off and @updating
 * set, or in a PMI that interrupted no update. See pmu/counter.h, where it is the same.
 */
#ifndef _PEV_PMU_PERF_COUNTER_H
#define _PEV_PMU_PERF_COUNTER_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include "base/perf.h"

struct pev_attr;
struct pev_hw_cpu;
struct pev_refuse;

/* Shortest distance between two overflows: the longest minimum of perf's drivers. */
#define PEV_PERF_PERIOD_MIN	32
/* Longer than any counter: the next overflow means nothing. */
#define PEV_PERF_FAR		BIT_ULL(62)

/*
 * A counter is busy on all CPUs, whatever runs, and perf lets events of CPUs go before those of
 * tasks. So users who may not count on CPUs have this many between them: of the four that
 * processors have at least, one is left. What a single counter of Intel's counts they can't have;
 * of raw events for which a processor has one, nothing is known.
 */
#define PEV_PERF_LENT		3

/**
 * struct pev_perf_code - what a counter of perf counts
 * @type:    of struct perf_event_attr; so are the next three
 * @config:  see @type
 * @config1: see @type
 * @config2: see @type
 * @flags:   PEV_F_EXCLUDE_*, and PEV_F_PINNED: perf takes it off the counter for no other
 * @precise: of struct perf_event_attr, precise_ip
 * @samples: its overflows make records
 * @some:    of a PMU that need not count on each CPU
 * @always:  it never waits for a counter, as there is one for all who count this
 * @aside:   of a PMU that is no processor's, and may be read through a bus that others use, too
 *
 * The last two follow from the others.
 */
struct pev_perf_code {
	u32	type;
	u64	config;
	u64	config1;
	u64	config2;
	u64	flags;
	u8	precise;
	bool	samples;
	bool	some;
	bool	always;
	bool	aside;
};

/**
 * struct pev_perf_counter_cpu - a counter on one CPU
 * @event:     perf's; NULL or dead: the CPU has just come online
 * @updating:  see above
 * @deferred:  a PMI came in an update
 * @stopped:   perf throttles it: it stands still until the next tick
 * @ticking:   @tick is on its way
 * @cpu:       which
 * @running:   events that count by it now, struct pev_hw_cpu
 * @tick:      ends throttling, and adapts periods of events that don't come
 * @start_tick: starts @tick for a PMI
 * @move:      moves the next overflow for a PMI where that can't
 */
struct pev_perf_counter_cpu {
	struct perf_event	*event;
	bool			updating;
	bool			deferred;
	bool			stopped;
	bool			ticking;
	unsigned int		cpu;
	struct list_head	running;
	struct hrtimer		tick;
	struct irq_work		start_tick;
	struct irq_work		move;
};

/**
 * struct pev_perf_counter - a counter on all CPUs
 * @perf:   its events
 * @code:   what it counts
 * @percpu: one for each possible CPU
 * @users:  events that are connected
 * @borrowers: those of them whose openers may not count on CPUs
 * @lent:   there are such, or none but such were the last: it is one of PEV_PERF_LENT
 * @unused: since when it has no users, in jiffies
 * @node:   in the list of all
 */
struct pev_perf_counter {
	struct pev_perf				perf;
	struct pev_perf_code			code;
	struct pev_perf_counter_cpu __percpu	*percpu;
	unsigned int				users;
	unsigned int				borrowers;
	bool					lent;
	unsigned long				unused;
	struct list_head			node;
};

/**
 * struct pev_perf_reading - a counter at a time
 * @enabled: ns that it could have counted; of perf's clock, as the next one
 * @running: ns of these that it had a counter of the hardware
 * @live:    these are as of now; otherwise it has not counted since @running
 */
struct pev_perf_reading {
	u64	enabled;
	u64	running;
	bool	live;
};

/* What perf calls the event; attr.config is a known one. */
void pev_perf_encode(const struct pev_attr *attr, struct pev_perf_code *code);
/* Which PMU that is; of @some. */
u32 pev_perf_pmu(const struct pev_perf_code *code);
/* How perf is asked for it. */
struct perf_event_attr pev_perf_attr(const struct pev_perf_code *code);
/* Say in words why perf does not count it; @err is perf's. Return: a negative errno. */
int pev_perf_refuse(int err, const struct pev_perf_code *code, const char *name,
		    struct pev_refuse *r);

/**
 * pev_perf_counter_get() - find a counter, or make it
 * @code: what it is to count
 * @lent: for one who may not count on CPUs
 * @name: of the event that it is for, in refusals
 * @r:    refusal
 *
 * Context: Process context, may sleep, for a second if @lent ones are to be removed, or were made.
 * Return: the counter with a user more, or an ERR_PTR().
 */
struct pev_perf_counter *pev_perf_counter_get(const struct pev_perf_code *code, bool lent,
					      const char *name, struct pev_refuse *r);

/* A user less, @lent as it was got; none of its events runs. Process context, may sleep. */
void pev_perf_counter_put(struct pev_perf_counter *counter, bool lent);

/*
 * kernel.pev_pmu was changed: what has no user goes at once, as pev's own driver is to find the
 * counters free. Process context, may sleep.
 */
void pev_perf_counters_review(void);

/* None has a user any more: those that stay for a while go. Process context. */
void pev_perf_counters_teardown(void);

/* Does it count on all CPUs that are online now? Process context, may sleep. */
bool pev_perf_counter_counts(struct pev_perf_counter *counter);

/* Bring the event's count up to date. On the CPU, any context with preemption disabled. */
void pev_perf_counter_read(struct pev_perf_counter_cpu *c, struct pev_perf_reading *at);

/**
 * pev_perf_counter_stop() - before the next overflow is moved: the count stands still
 * @c:   of this CPU
 * @pmi: in its PMI, where perf's driver has stopped the hardware
 *
 * Context: Interrupts off, in an update or in the PMI.
 * Return: for pev_perf_counter_start().
 */
bool pev_perf_counter_stop(struct pev_perf_counter_cpu *c, bool pmi);

/* It goes on, if it was on the hardware, and overflows in @left occurrences. */
void pev_perf_counter_start(struct pev_perf_counter_cpu *c, bool pmi, bool on, u64 left);

/* On the CPU, interrupts off: @tick comes, if it isn't on its way. */
void pev_perf_counter_tick(struct pev_perf_counter_cpu *c);

/* Mask of 1 << enum pev_hardware that perf counts here. Process context, may sleep. */
u64 pev_perf_hardware(void);

#endif
