/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A CPU's counters, for the files that move them: pmu/cpu.c, the CPU's updates;
 * pmu/sched.c, which event has which counter; pmu/overflow.c, what an overflow does.
 *
 * A CPU's state is changed by that CPU alone, in one of two ways:
 *
 * - in an update, with interrupts off and @updating set. A PMI that comes
 *   meanwhile touches nothing: it leaves the PMU frozen and sets @deferred, and
 *   the update ends by doing what is left to do;
 * - in a PMI that interrupted no update.
 *
 * So there is a single writer at any time, and no lock and no atomic operation.
 * An update that changes which events count begins with a frozen PMU; one that only
 * reads counters lets it run.
 */
#ifndef _PEV_PMU_COUNTER_H
#define _PEV_PMU_COUNTER_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/static_call.h>
#include "assign.h"
#include "page.h"
#include "pmu.h"

/**
 * struct pev_pmu_cpu - the PMU of a CPU
 * @up:       the registers are ours
 * @started:  they are, or could not be had
 * @updating: see above
 * @deferred: a PMI left the PMU frozen
 * @dirty:    @wanted or @pinned has changed
 * @now:      when they changed
 * @contended: an event waits for a counter
 * @present:  counters that work
 * @readable: pev_pmu_readable() when the counters went on last
 * @overdue:  those whose overflow had not been told when heal() looked last
 * @active:   counters that run
 * @shown:    counters that the guest to which they are lent may read as they are
 * @changes:  how often it was changed what runs, or what a counter starts from
 * @known:    counters for which @config is what the register has
 * @on:       the event that has a counter
 * @config:   what a counter is set to
 * @raw:      the value of a counter that no event has, or 0
 * @pinned:   events that want a counter before all others; groups lie together
 * @wanted:   the others, in the order in which they get counters
 * @round:    the latest in which an event had a slice
 * @rotate:   ends slices while @contended
 * @tick:     ends throttling, and adapts periods of events that don't come
 * @ticking:  @tick is on its way
 * @heal:     looks for overflows that got lost, while events sample
 * @healing:  @heal is on its way
 * @start_tick: starts @tick for a PMI
 * @random:   for the length and order of slices
 * @incidents: by enum pev_pmu_incident
 * @chosen:   scratch of pev_pmu_reschedule()
 * @codes:    see @chosen
 * @counters: see @chosen
 */
struct pev_pmu_cpu {
	bool			up;
	bool			started;
	bool			updating;
	bool			deferred;
	bool			dirty;
	bool			contended;
	bool			ticking;
	bool			healing;
	bool			readable;
	u64			now;
	u64			present;
	u64			overdue;
	u64			active;
	u64			shown;
	u64			changes;
	u64			known;
	struct pev_hw_cpu	*on[PEV_PMU_MAX_COUNTERS];
	u64			config[PEV_PMU_MAX_COUNTERS];
	u64			raw[PEV_PMU_MAX_COUNTERS];
	struct list_head	pinned;
	struct list_head	wanted;
	u64			round;
	struct hrtimer		rotate;
	struct hrtimer		tick;
	struct hrtimer		heal;
	struct irq_work		start_tick;
	struct rnd_state	random;
	local64_t		incidents[PEV_PMU_INCIDENTS];

	struct pev_hw_cpu	*chosen[PEV_PMU_MAX_EVENTS];
	const struct pev_pmu_code *codes[PEV_PMU_MAX_EVENTS];
	s8			counters[PEV_PMU_MAX_EVENTS];
};

DECLARE_PER_CPU(struct pev_pmu_cpu, pev_pmu_cpus);

/* The backend's callbacks that are called often. */
DECLARE_STATIC_CALL(pev_hw_freeze, *pev_pmu->ops->freeze);
DECLARE_STATIC_CALL(pev_hw_thaw, *pev_pmu->ops->thaw);
DECLARE_STATIC_CALL(pev_hw_set, *pev_pmu->ops->set);
DECLARE_STATIC_CALL(pev_hw_read, *pev_pmu->ops->read);
DECLARE_STATIC_CALL(pev_hw_write, *pev_pmu->ops->write);

static inline struct pev_hw_event *pev_hw_of(const struct pev_event *event)
{
	return event->private;
}

/* The event on this CPU. */
static inline struct pev_hw_cpu *pev_hw_here(const struct pev_event *event)
{
	return this_cpu_ptr(pev_hw_of(event)->percpu);
}

static inline unsigned int pev_hw_bits(unsigned int counter)
{
	return pev_pmu->counters[counter].bits;
}

/* ---- counting ---- */

/* Take over what the counter counted. Return: is a sample due? */
static __always_inline bool pev_hw_fold(struct pev_hw_cpu *s)
{
	u64 raw = static_call(pev_hw_read)(s->counter);
	u64 delta = pev_count_delta(s->raw, raw, s->bits);

	s->raw = raw;
	local64_add(delta, &s->ec->count);
	s->slice_x += delta;
	if (unlikely(s->paged))
		atomic64_add(delta, &pev_hw_of(s->event)->total);
	return s->sampling && pev_period_add(&s->period, delta);
}

/*
 * Where a counter starts whose overflows mean nothing. Not at 0: a PMI comes a
 * little after the overflow, and what was counted until then must be less than
 * a lap.
 */
static inline u64 pev_hw_fresh(unsigned int counter)
{
	return 1ULL << (pev_hw_bits(counter) - 3);
}

/*
 * Load the counter, which was folded: the next overflow is the next sample, but
 * not before @min occurrences.
 */
static __always_inline void pev_hw_load_from(struct pev_hw_cpu *s, u64 min)
{
	const struct pev_pmu_code *code = &pev_hw_of(s->event)->code;

	if (s->sampling)
		s->raw = pev_count_raw(s->period.left > 0 ? s->period.left : 1,
				       max(code->period_min, min), s->bits) & ~code->period_low;
	else
		s->raw = pev_hw_fresh(s->counter);
	static_call(pev_hw_write)(s->counter, s->raw);
}

static __always_inline void pev_hw_load(struct pev_hw_cpu *s)
{
	pev_hw_load_from(s, 1);
}

static inline void pev_hw_show(struct pev_hw_cpu *s)
{
	if (unlikely(s->paged))
		pev_pmu_page_update(pev_hw_of(s->event), s);
}

/* ---- time; an event that runs either counts or waits ---- */

static inline bool pev_hw_counts(const struct pev_hw_cpu *s)
{
	return s->counter >= 0 && !s->throttled;
}

/* How long the stretch is. A PMI may have begun it after @now was read. */
static inline u64 pev_hw_ran(const struct pev_hw_cpu *s, u64 now)
{
	return max_t(s64, now - s->since, 0);
}

/* Ends it. */
static inline u64 pev_hw_stretch(struct pev_hw_cpu *s, u64 now)
{
	u64 ns = pev_hw_ran(s, now);

	s->since += ns;
	return ns;
}

static inline void pev_hw_wait_end(struct pev_hw_cpu *s, u64 now)
{
	u64 ns = pev_hw_stretch(s, now);

	s->waited += ns;
	s->sampled += ns;
	if (s->throttled)
		s->throttled_ns += ns;
}

static inline void pev_hw_count_end(struct pev_hw_cpu *s, u64 now)
{
	s->slice_ran += pev_hw_stretch(s, now);
}

/*
 * The time that it ran was brought up to date, and this goes with it. Counters
 * change hands at other times, too: a reader must not find then that it
 * waited longer than it ran.
 */
static inline void pev_hw_show_waited(struct pev_hw_cpu *s)
{
	smp_wmb();	/* pev_event_cpu:J, pairs with I */
	WRITE_ONCE(s->ec->waited, s->waited);
}

/* ---- updates ---- */

/* All that only counts here starts where its counter tells nothing of before. Frozen. */
void pev_hw_start_afresh(struct pev_pmu_cpu *cpu);

/* What changed takes effect. The PMU is frozen, and up. */
static __always_inline void pev_hw_go(struct pev_pmu_cpu *cpu)
{
	bool readable = pev_pmu_readable();

	if (unlikely(readable && !cpu->readable))
		pev_hw_start_afresh(cpu);
	cpu->changes++;
	WRITE_ONCE(cpu->readable, readable);
	static_call(pev_hw_thaw)(cpu->active, readable || cpu->shown);
}

/* Begin an update of this CPU, unless it is in one. Interrupts off until it ends. */
static __always_inline struct pev_pmu_cpu *pev_pmu_update_begin(void)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pev_pmu_cpus);

	lockdep_assert_irqs_disabled();

	if (!READ_ONCE(cpu->updating)) {
		WRITE_ONCE(cpu->updating, true);
		barrier();	/* a PMI from here on leaves all to us */
		if (cpu->up)
			static_call(pev_hw_freeze)();
	}
	return cpu;
}

#endif
