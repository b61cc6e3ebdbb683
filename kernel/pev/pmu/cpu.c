// SPDX-License-Identifier: GPL-2.0
/*
 * Owns a CPU's PMU as a whole: how updates end, its coming and going, and reading
 * what events have counted. Who has a counter is pmu/sched.c's, what overflows do
 * pmu/overflow.c's. Must not know any processor.
 */
#include "counter.h"
#include "cpu.h"
#include "overflow.h"
#include "page.h"
#include "sample.h"
#include "sched.h"

DEFINE_PER_CPU(struct pev_pmu_cpu, pev_pmu_cpus);

static void no_freeze(void) { }
static void no_thaw(u64 active, bool user) { }
static void no_set(unsigned int counter, u64 config) { }
static u64 no_read(unsigned int counter) { return 0; }
static void no_write(unsigned int counter, u64 value) { }

DEFINE_STATIC_CALL(pev_hw_freeze, no_freeze);
DEFINE_STATIC_CALL(pev_hw_thaw, no_thaw);
DEFINE_STATIC_CALL(pev_hw_set, no_set);
DEFINE_STATIC_CALL(pev_hw_read, no_read);
DEFINE_STATIC_CALL(pev_hw_write, no_write);

void pev_pmu_cpu_ops(const struct pev_pmu_ops *ops)
{
	static_call_update(pev_hw_freeze, ops ? ops->freeze : no_freeze);
	static_call_update(pev_hw_thaw, ops ? ops->thaw : no_thaw);
	static_call_update(pev_hw_set, ops ? ops->set : no_set);
	static_call_update(pev_hw_read, ops ? ops->read : no_read);
	static_call_update(pev_hw_write, ops ? ops->write : no_write);
}

/* ---- updates ---- */

/*
 * Samples whose PMI came in an update: the counter overflows again soon. If that
 * is before the update is over, it would be in vain, and for ever: @min grows.
 */
static void load_overdue(struct pev_pmu_cpu *cpu, u64 min)
{
	u64 left;

	for (left = cpu->active; left; left &= left - 1) {
		struct pev_hw_cpu *s = cpu->on[__ffs64(left)];

		pev_hw_fold(s);
		pev_hw_load_from(s, min);
		pev_hw_show(s);
	}
}

void pev_hw_start_afresh(struct pev_pmu_cpu *cpu)
{
	u64 left;

	for (left = cpu->active; left; left &= left - 1) {
		struct pev_hw_cpu *s = cpu->on[__ffs64(left)];

		/* how far a sample is away is the event's own */
		if (s->sampling)
			continue;
		pev_hw_fold(s);
		pev_hw_load(s);
		pev_hw_show(s);
	}
}

void pev_pmu_update_end(struct pev_pmu_cpu *cpu)
{
	u64 min = 16;

	for (;;) {
		if (unlikely(READ_ONCE(cpu->deferred))) {
			WRITE_ONCE(cpu->deferred, false);
			min *= 2;
			load_overdue(cpu, min);
		}
		if (cpu->up)
			pev_hw_go(cpu);
		barrier();	/* PMIs may act again */
		WRITE_ONCE(cpu->updating, false);
		barrier();	/* one that came before this saw us updating */
		if (likely(!READ_ONCE(cpu->deferred)))
			break;
		WRITE_ONCE(cpu->updating, true);
		barrier();	/* as in pev_pmu_update_begin() */
	}
}

void pev_pmu_cpu_update(void)
{
	pev_pmu_update_begin();
	pev_pmu_commit();
}

bool pev_pmu_cpu_is_started(int id, void *unused)
{
	return READ_ONCE(per_cpu(pev_pmu_cpus.started, id));
}

bool pev_pmu_cpu_is_late(int id, void *unused)
{
	const struct pev_pmu_cpu *cpu = &per_cpu(pev_pmu_cpus, id);

	return READ_ONCE(cpu->up) && !READ_ONCE(cpu->readable);
}

void pev_pmu_cpu_arrive(void)
{
	if (unlikely(pev_pmu_cpu_is_late(smp_processor_id(), NULL)) && pev_pmu_readable())
		pev_pmu_cpu_update();
}

void pev_pmu_cpu_show(void)
{
	struct pev_pmu_cpu *cpu = pev_pmu_update_begin();
	unsigned int i;

	for (i = 0; i < PEV_PMU_MAX_COUNTERS; i++)
		if (cpu->on[i])
			pev_hw_show(cpu->on[i]);
	pev_pmu_commit();
}

void pev_pmu_commit(void)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pev_pmu_cpus);

	if (!READ_ONCE(cpu->updating))
		return;
	if (cpu->dirty)
		pev_pmu_reschedule(cpu, cpu->now);
	pev_pmu_update_end(cpu);
}

/* ---- what events have counted ---- */

/* @event runs here; if @now is 0 only its count is asked for. Any context, preemption disabled. */
void pev_pmu_event_fold(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pev_pmu_cpus);
	struct pev_hw_cpu *s = pev_hw_here(event);
	unsigned long flags;

	/* asked for by a record that an update made: it is as of the last fold */
	if (READ_ONCE(cpu->updating))
		return;
	local_irq_save(flags);
	WRITE_ONCE(cpu->updating, true);
	/* as in pev_pmu_update_begin(); nothing changes hands: no need to freeze */
	barrier();
	if (pev_hw_counts(s))
		pev_hw_fold(s);
	else if (now)
		pev_hw_wait_end(s, now);
	if (now)
		pev_hw_show_waited(s);
	pev_hw_show(s);
	barrier();	/* as in pev_pmu_update_end() */
	WRITE_ONCE(cpu->updating, false);
	barrier();	/* as in pev_pmu_update_end() */
	if (unlikely(READ_ONCE(cpu->deferred))) {
		WRITE_ONCE(cpu->updating, true);
		barrier();	/* as in pev_pmu_update_begin(); the PMI has frozen the PMU */
		pev_pmu_update_end(cpu);
	}
	local_irq_restore(flags);
}

/* The caller has folded the event. */
void pev_pmu_event_reset(struct pev_event *event, struct pev_event_cpu *ec, unsigned int cpu,
			 bool runs)
{
	struct pev_hw_cpu *s = per_cpu_ptr(pev_hw_of(event)->percpu, cpu);
	u64 count;

	/* a PMI could throttle it halfway */
	guard(irqsave)();
	pev_pmu_update_begin();
	count = local64_xchg(&ec->count, 0);
	if (s->paged) {
		atomic64_sub(count, &pev_hw_of(event)->total);
		pev_hw_of(event)->page->partial = 0;
	}
	memset(&s->windows, 0, sizeof(s->windows));
	memset(&s->window, 0, sizeof(s->window));
	s->gap_from = 0;
	s->slice_x = 0;
	s->slice_ran = 0;
	s->waited = 0;
	/* the window begins here, and so does its time */
	if (runs && pev_hw_counts(s))
		s->since = pev_now_ns();
	s->throttles = 0;
	s->throttled_ns = 0;
	/* so does the period, and what a frequency is judged by */
	pev_hw_new_period(s);
	pev_period_init(&s->period, s->period.period);
	s->sampled = s->since;
	if (runs && s->counter >= 0) {
		pev_hw_load(s);
		pev_hw_show(s);
	}
	pev_pmu_commit();
}

/* @event runs here; pev_pmu_commit() follows. */
void pev_pmu_event_retime(struct pev_event *event, struct pev_event_cpu *ec)
{
	struct pev_hw_cpu *s = pev_hw_here(event);

	pev_pmu_update_begin();
	if (s->counter >= 0)
		pev_hw_fold(s);
	pev_hw_new_period(s);
	if (s->counter >= 0) {
		pev_hw_load(s);
		pev_hw_show(s);
	}
}

/* ---- the CPU itself ---- */

void pev_pmu_cpu_start(void)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pev_pmu_cpus);

	lockdep_assert_irqs_disabled();

	if (cpu->up)
		return;
	WRITE_ONCE(cpu->started, true);
	cpu->present = pev_pmu->present;
	if (pev_pmu->ops->cpu_start())
		return;
	cpu->known = 0;
	memset(cpu->raw, 0, sizeof(cpu->raw));
	WRITE_ONCE(cpu->up, true);
	pev_pmu_update_begin();
	pev_pmu_reschedule(cpu, pev_now_ns());
	pev_pmu_update_end(cpu);
}

void pev_pmu_cpu_stop(void)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pev_pmu_cpus);
	unsigned int i;
	u64 now;

	lockdep_assert_irqs_disabled();

	pev_pmu_update_begin();
	now = pev_now_ns();
	for (i = 0; i < PEV_PMU_MAX_COUNTERS; i++)
		if (cpu->on[i])
			pev_pmu_detach(cpu, cpu->on[i], now);
	pev_pmu_update_end(cpu);
	if (cpu->up)
		pev_pmu->ops->cpu_stop();
	WRITE_ONCE(cpu->up, false);
	WRITE_ONCE(cpu->started, false);
	cpu->changes++;
	hrtimer_cancel(&cpu->rotate);
	hrtimer_cancel(&cpu->tick);
	cpu->ticking = false;
	hrtimer_cancel(&cpu->heal);
	cpu->healing = false;
}

struct pev_event *pev_pmu_cpu_user(unsigned int cpu, unsigned int counter)
{
	struct pev_hw_cpu *s = READ_ONCE(per_cpu(pev_pmu_cpus.on[counter], cpu));

	return s ? s->event : NULL;
}

void pev_pmu_cpu_init(void)
{
	unsigned int i;

	for_each_possible_cpu(i) {
		struct pev_pmu_cpu *cpu = &per_cpu(pev_pmu_cpus, i);

		pev_pmu_sched_init(cpu);
		pev_pmu_overflow_init(cpu);
	}
}
