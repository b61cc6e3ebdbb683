/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside the PMU core: pmu.c owns the hardware and the events, pmu/cpu.c the PMU
 * of each CPU, pmu/sched.c which event has which of its counters and when, pmu/overflow.c
 * overflows, pmu/page.c what user space reads on its own, pmu/status.c what is told
 * about all of it. Those that move counters share pmu/counter.h. Where perf has the counters,
 * pmu/perf_counter.c and pmu/perf_source.c stand for them; pmu/choose.c says which it is.
 * pmu/sample.c is for both. The rest of pev reaches all of it through pev_pmu_source.
 */
#ifndef _PEV_PMU_CORE_H
#define _PEV_PMU_CORE_H

#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/pev_pmu.h>
#include "source/list.h"
#include "types.h"
#include "count.h"
#include "cpu.h"
#include "perf_counter.h"

struct pev_info;
struct pev_lent;
struct vm_area_struct;

/**
 * struct pev_hw_cpu - a hardware event on one CPU
 * @ec:        what all events have
 * @event:     back
 * @node:      in the CPU's list of those that want a counter
 * @counter:   that it has; -1: none
 * @bits:      its width
 * @last:      that it had before and would like again; -1: none
 * @sampling:  overflows make records
 * @throttled: has a counter that stands still until the next tick
 * @paged:     what it counts goes to the user page's total too
 * @raw:       the counter when it was folded last, or the count of perf's event
 * @perf_enabled: of a counter of perf's: its times at @since
 * @perf_running: see @perf_enabled
 * @period:    progress towards the next sample
 * @changes:   of the event's period that it knows of
 * @since:     when it got the counter, or began to wait for one
 * @waited:    ns that it waited; @ec->waited is that as of the last fold
 * @place:     its place in the queue for a counter, while there are too few
 * @slice_ran: ns that it has counted in this slice
 * @slice_x:   occurrences counted in this slice
 * @windows:   sums over slices that have ended, which the ABI calls windows
 * @window:    the last of them
 * @gap_from:  @waited when it ended
 * @sampled:   time of the last sample, less the time that it did not count
 * @hits:      samples in tick @tick
 * @tick:      in jiffies, of the last sample
 * @throttles: how often it was throttled
 * @throttled_ns: for how long in all
 *
 * Changed by its CPU alone, see struct pev_pmu_cpu.
 */
struct pev_hw_cpu {
	struct pev_event_cpu	*ec;
	struct pev_event	*event;
	struct list_head	node;
	s8			counter;
	s8			last;
	u8			bits;
	bool			sampling;
	bool			throttled;
	bool			paged;
	u64			raw;
	u64			perf_enabled;
	u64			perf_running;
	struct pev_period	period;
	u32			changes;
	u64			since;
	u64			waited;
	u64			place;
	u64			slice_ran;
	u64			slice_x;
	struct pev_windows	windows;
	struct pev_window	window;
	u64			gap_from;
	u64			sampled;
	u32			hits;
	unsigned long		tick;
	u64			throttles;
	u64			throttled_ns;
};

/**
 * struct pev_hw_event - a hardware event, event->private
 * @event: back
 * @code:  how the hardware counts it
 * @changes: of the period
 * @percpu: one for each possible CPU
 * @page:  see pmu/page.c; NULL without PEV_F_USER_PAGE
 * @total: what all CPUs counted, for @page
 * @pmm:   the thread or process that a PEV_F_MARKED event counts
 * @perf:  what perf counts for it, if it does
 * @where:  CPUs of a PMU that doesn't count on each of them; NULL: all
 * @counter: by which it does, while the event is connected
 * @borrows: @counter is lent to its opener, who may not count on CPUs
 * @joined: its group can be together with it; under pev_control
 * @lent: the counter of a guest's that it is; NULL: none
 */
struct pev_hw_event {
	struct pev_event		*event;
	struct pev_pmu_code		code;
	u32				changes;
	struct pev_hw_cpu __percpu	*percpu;
	struct pev_user_page		*page;
	atomic64_t			total;
	struct pid			*pmm;
	struct pev_perf_code		perf;
	struct cpumask			*where;
	struct pev_perf_counter		*counter;
	bool				borrows;
	bool				joined;
	struct pev_lent			*lent;
};

/* Hardware events that count by a counter of perf's. */
extern const struct pev_source_ops pev_perf_source;

/* Find out how to count an event, or refuse; @asked has all flags, no name. May sleep. */
int pev_pmu_encode(const struct pev_pmu_request *asked, struct pev_pmu_code *code,
		   struct pev_refuse *r);
/* Make @percpu of an event. Process context. Return: 0 or -ENOMEM. */
int pev_hw_slots_make(struct pev_hw_event *hw);
/* May its opener take counters from others, on all CPUs? As for events on CPUs. Any context. */
bool pev_hw_may_take_cpus(const struct pev_event *event);
/* Keep the hardware ours without an event; there is a PMU. Process context. Return: 0 or error. */
int pev_pmu_hold(struct pev_refuse *r);
void pev_pmu_unhold(void);
/* Is the hardware ours at the moment? */
bool pev_pmu_is_ours(void);

#if IS_ENABLED(CONFIG_KUNIT)
int pev_pmu_suspend(void *data);
void pev_pmu_resume(void *data);
#endif

/* Does it count by a counter of ours? */
static inline bool pev_has_code(const struct pev_event *event)
{
	return event->ops == &pev_pmu_source || event->ops == &pev_raw_source;
}

/*
 * Is the hardware event @member in the group that @event joins? Another one that joins meanwhile
 * may be refused yet: it is judged by what is there then.
 */
static inline bool pev_hw_joined(const struct pev_event *member, const struct pev_event *event)
{
	const struct pev_hw_event *hw = member->private;

	return member == event || hw->joined;
}

#endif
