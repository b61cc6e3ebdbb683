// SPDX-License-Identifier: GPL-2.0
/*
 * Owns hardware events that count by a counter of perf's: what of its count is theirs, when
 * samples are due, and what is refused because perf can't keep it. Where the counters are
 * ours, pmu/sched.c and pmu/overflow.c do so.
 *
 * All but opening and closing runs on the CPU with interrupts off, or in the PMI: see
 * pmu/perf_counter.h. pev_perf_overflow() runs in an NMI: no locks, no timers.
 *
 * Locks: pev_control to look at a group.
 */
#include <linux/pev_marker.h>
#include <linux/pev_refuse.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include "base/lock.h"
#include "base/paranoid.h"
#include "record/guest.h"
#include "record/tally.h"
#include "counter.h"
#include "perf_counter.h"
#include "perf_driver.h"
#include "perf_other.h"
#include "perf_source.h"
#include "pmu.h"
#include "sample.h"

/* hw.interrupts of an event that perf stops when its handler returns */
#define PERF_THROTTLED	(~0ULL)

static struct pev_perf_counter_cpu *counter_here(const struct pev_event *event)
{
	return this_cpu_ptr(pev_hw_of(event)->counter->percpu);
}

/* ---- counting and time ---- */

/* The event of a socket goes to another CPU when this one goes offline. */
static bool counts_here(const struct pev_perf_counter_cpu *c)
{
	return c->event && READ_ONCE(c->event->cpu) == c->cpu;
}

/*
 * Take over what the counter counted. Reads the count at each call: a record in between that
 * shows values may have brought it and @s up to date.
 */
static void fold(const struct pev_perf_counter_cpu *c, struct pev_hw_cpu *s)
{
	u64 count = counts_here(c) ? local64_read(&c->event->count) : s->raw;
	u64 delta = count - s->raw;

	s->raw = count;
	if (s->throttled)
		return;
	local64_add(delta, &s->ec->count);
	if (s->sampling)
		pev_period_add(&s->period, delta);
}

/* From here on @s counts what the counter counts. */
static void mark(const struct pev_perf_counter_cpu *c, struct pev_hw_cpu *s,
		 const struct pev_perf_reading *at)
{
	s->raw = c->event ? local64_read(&c->event->count) : 0;
	s->perf_enabled = at->enabled;
	s->perf_running = at->running;
}

/*
 * A stretch of time ends: it is waiting as far as perf had given the counter of the hardware
 * to others. perf's clock is another one, but both its times are of it.
 */
static void pass(struct pev_hw_cpu *s, const struct pev_perf_reading *at, u64 now)
{
	u64 all = pev_hw_stretch(s, now);
	u64 ran = at->running - s->perf_running;
	u64 wait = at->live ? at->enabled - s->perf_enabled - ran : all - min(all, ran);

	wait = s->throttled ? all : min(all, wait);
	s->perf_enabled = at->enabled;
	s->perf_running = at->running;
	s->waited += wait;
	s->sampled += wait;
	if (s->throttled)
		s->throttled_ns += all;
}

/* ---- the next overflow ---- */

static bool samples(const struct pev_perf_counter_cpu *c)
{
	return c->event && c->event->attr.sample_period;
}

/* Is the sample of @s, which begins to run, due before the next overflow? @c was read. */
static bool is_earlier(const struct pev_perf_counter_cpu *c, const struct pev_hw_cpu *s)
{
	return samples(c) && s->sampling && !s->throttled &&
	       local64_read(&c->event->hw.period_left) >
	       max_t(s64, s->period.left, PEV_PERF_PERIOD_MIN);
}

/* Return: the event whose sample is due first; NULL: none samples. */
static struct pev_hw_cpu *fold_all(struct pev_perf_counter_cpu *c)
{
	struct pev_hw_cpu *s, *first = NULL;

	list_for_each_entry(s, &c->running, node) {
		fold(c, s);
		if (s->sampling && !s->throttled &&
		    (!first || s->period.left < first->period.left))
			first = s;
	}
	return first;
}

static u64 distance(const struct pev_hw_cpu *first, s64 min)
{
	return first ? max(first->period.left, min) : PEV_PERF_FAR;
}

/*
 * At a PMI perf has loaded the counter with the period of before. A frequency's next period
 * differs from it by little, and need not be exact: take what was loaded.
 */
static bool is_near(struct pev_perf_counter_cpu *c, struct pev_hw_cpu *first, u64 loaded)
{
	if (!first || first->period.left <= 0 || !(first->event->flags & PEV_F_FREQ) ||
	    !list_is_singular(&c->running))
		return false;
	if (loaded < first->period.left / 2 || loaded / 2 > first->period.left)
		return false;
	first->period.left = loaded;
	return true;
}

/*
 * Let the counter overflow when the next sample is due, but not before @min occurrences. The
 * count moves on until the counter stands still, and what is left with it.
 */
static void aim(struct pev_perf_counter_cpu *c, s64 min, bool pmi)
{
	struct pev_hw_cpu *first;
	struct hw_perf_event *hw;
	u64 loaded;
	bool on;

	if (!samples(c))
		return;
	first = fold_all(c);
	hw = &c->event->hw;
	hw->sample_period = first ? max_t(u64, first->period.period, PEV_PERF_PERIOD_MIN) :
				    PEV_PERF_FAR;
	loaded = local64_read(&hw->period_left);
	if (loaded == distance(first, min) || (pmi && is_near(c, first, loaded)))
		return;
	if (pmi && !pev_perf_starts_in_pmi()) {
		irq_work_queue(&c->move);
		return;
	}
	on = pev_perf_counter_stop(c, pmi);
	pev_perf_counter_start(c, pmi, on, distance(fold_all(c), min));
}

/* ---- updates ---- */

static void update_begin(struct pev_perf_counter_cpu *c)
{
	lockdep_assert_irqs_disabled();

	WRITE_ONCE(c->updating, true);
	barrier();	/* a PMI from here on leaves all to us */
}

static void throttle(struct pev_perf_counter_cpu *c, struct pev_hw_cpu *s)
{
	struct pev_perf_reading at;

	pev_perf_counter_read(c, &at);
	fold(c, s);
	pass(s, &at, pev_now_ns());
	s->throttled = true;
	WRITE_ONCE(s->throttles, s->throttles + 1);
	PEV_MARK(pev, throttle, "event %s times %llu", s->event->name, s->throttles);
	/* a PMI can't start a timer */
	irq_work_queue(&c->start_tick);
}

static void throttle_all(struct pev_perf_counter_cpu *c)
{
	struct pev_hw_cpu *s;

	list_for_each_entry(s, &c->running, node)
		if (!s->throttled)
			throttle(c, s);
}

/*
 * @moved: the next sample is due at another time than before.
 *
 * Samples whose PMI came in the update: the counter overflows again soon. If that is
 * before the update is over, it would be in vain, and for ever: the distance grows.
 */
static void update_end(struct pev_perf_counter_cpu *c, bool moved)
{
	s64 min = PEV_PERF_PERIOD_MIN;

	for (;; min *= 2) {
		moved |= READ_ONCE(c->deferred);
		WRITE_ONCE(c->deferred, false);
		if (unlikely(c->stopped))
			throttle_all(c);
		if (moved)
			aim(c, min, false);
		barrier();	/* PMIs may act again */
		WRITE_ONCE(c->updating, false);
		barrier();	/* one that came before this saw us updating */
		if (likely(!READ_ONCE(c->deferred)))
			break;
		update_begin(c);
	}
}

/* ---- PMIs ---- */

/*
 * perf has a limit of its own, which may be lower than ours. It stops the counter when its
 * handler returns; pev's tick starts it, and not perf's, so that the time is known.
 */
static bool stopped_by_perf(struct pev_perf_counter_cpu *c, struct perf_event *event)
{
	if (likely(event->hw.interrupts != PERF_THROTTLED))
		return false;
	event->hw.interrupts = 0;
	c->stopped = true;
	irq_work_queue(&c->start_tick);
	return true;
}

/*
 * In an update, which moves the overflow when it ends. perf has loaded the period of before: if
 * that is shorter than the way out of the PMI, the update would hardly go on for PMIs.
 */
static void put_off(struct pev_perf_counter_cpu *c)
{
	bool on;

	if (!pev_perf_starts_in_pmi())
		return;
	on = pev_perf_counter_stop(c, true);
	pev_perf_counter_start(c, true, on, PEV_PERF_FAR);
}

static void overflow(struct pev_perf_counter_cpu *c, const struct pev_pmu_sample *sample)
{
	struct pev_hw_cpu *s;

	list_for_each_entry(s, &c->running, node) {
		if (!s->sampling || s->throttled)
			continue;
		fold(c, s);
		if (s->period.left <= 0 && pev_hw_sample(s, sample))
			throttle(c, s);
	}
}

void pev_perf_overflow(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
	struct pev_perf_counter *counter = event->overflow_handler_context;
	struct pev_perf_counter_cpu *c = this_cpu_ptr(counter->percpu);
	const struct pev_pmu_sample sample = { .regs = regs };
	bool stopped;
	u64 begin;

	/* not installed yet, or replaced */
	if (unlikely(c->event != event))
		return;
	stopped = stopped_by_perf(c, event);
	/* the code this PMI interrupted runs on this CPU: it cannot change @updating under us */
	if (data_race(c->updating)) {
		WRITE_ONCE(c->deferred, true);
		put_off(c);
		return;
	}
	begin = pev_pmi_begin();
	overflow(c, &sample);
	if (unlikely(stopped))
		throttle_all(c);
	aim(c, PEV_PERF_PERIOD_MIN, true);
	pev_pmi_end(begin);
}

void pev_perf_move(struct irq_work *work)
{
	struct pev_perf_counter_cpu *c = container_of(work, struct pev_perf_counter_cpu, move);

	update_begin(c);
	update_end(c, true);
}

/* ---- the tick; interrupts are off ---- */

/* Return: is the next tick needed? */
static bool tick_one(struct pev_perf_counter_cpu *c, struct pev_hw_cpu *s,
		     const struct pev_perf_reading *at, u64 now)
{
	fold(c, s);
	pass(s, at, now);
	s->throttled = false;
	if (!(s->event->flags & PEV_F_FREQ) || !s->sampling)
		return false;
	pev_hw_adapt(s, now);
	return true;
}

/* perf's driver has stopped it: let it run on. */
static void start_again(struct pev_perf_counter_cpu *c)
{
	bool on;

	c->stopped = false;
	if (!c->event)
		return;
	on = pev_perf_counter_stop(c, false);
	pev_perf_counter_start(c, false, on, local64_read(&c->event->hw.period_left));
}

enum hrtimer_restart pev_perf_tick(struct hrtimer *timer)
{
	struct pev_perf_counter_cpu *c = container_of(timer, struct pev_perf_counter_cpu, tick);
	struct pev_perf_reading at;
	struct pev_hw_cpu *s;
	bool again = false;
	u64 now;

	/* its CPU went offline, and nothing runs there */
	if (c->cpu != smp_processor_id()) {
		c->ticking = false;
		return HRTIMER_NORESTART;
	}
	update_begin(c);
	now = pev_now_ns();
	pev_perf_counter_read(c, &at);
	list_for_each_entry(s, &c->running, node)
		again |= tick_one(c, s, &at, now);
	if (unlikely(c->stopped))
		start_again(c);
	update_end(c, true);
	c->ticking = again;
	if (!again)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(TICK_NSEC));
	return HRTIMER_RESTART;
}

/* ---- events start and stop with their targets ---- */

/* The PMU of one kind of core has no counter on the others, where tasks run, too. */
static void note_absence(const struct pev_event *event, struct pev_event_cpu *ec,
			 const struct pev_perf_counter_cpu *c)
{
	WRITE_ONCE(ec->absent, pev_hw_of(event)->perf.some && !c->event);
}

void pev_perf_event_start(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	struct pev_perf_counter_cpu *c = counter_here(event);
	struct pev_hw_cpu *s = pev_hw_here(event);
	struct pev_perf_reading at;

	update_begin(c);
	s->sampling = pev_event_samples(event);
	if (unlikely(s->changes != READ_ONCE(pev_hw_of(event)->changes)))
		pev_hw_new_period(s);
	s->sampled += now - s->since;
	s->since = now;
	note_absence(event, ec, c);
	s->throttled = c->stopped;
	pev_perf_counter_read(c, &at);
	mark(c, s, &at);
	list_add_tail(&s->node, &c->running);
	update_end(c, is_earlier(c, s));
	if (unlikely(event->flags & PEV_F_FREQ && s->sampling))
		pev_perf_counter_tick(c);
}

void pev_perf_event_stop(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	struct pev_perf_counter_cpu *c = counter_here(event);
	struct pev_hw_cpu *s = pev_hw_here(event);
	struct pev_perf_reading at;

	update_begin(c);
	pev_perf_counter_read(c, &at);
	fold(c, s);
	pass(s, &at, now);
	s->throttled = false;
	pev_hw_show_waited(s);
	list_del_init(&s->node);
	/* an overflow that nothing waits for is cheaper than to move it for each that stops */
	update_end(c, list_empty(&c->running));
}

/* @event runs here; if @now is 0 only its count is asked for. Any context, preemption disabled. */
void pev_perf_event_fold(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	struct pev_hw_cpu *s = pev_hw_here(event);
	struct pev_perf_counter_cpu *c;
	struct pev_perf_reading at;

	/* the closer's interrupt stops the event, and then its counter goes */
	guard(irqsave)();
	/* it is about to start, or has stopped: the counter has gone on, for others, since @raw */
	if (list_empty(&s->node))
		return;
	c = counter_here(event);
	/*
	 * Asked for by a record that an update made, or in an NMI, of what is read with locks that
	 * what it interrupted may hold: it is as of the last fold.
	 */
	if (READ_ONCE(c->updating) || (pev_hw_of(event)->perf.aside && in_nmi()))
		return;
	update_begin(c);
	pev_perf_counter_read(c, &at);
	fold(c, s);
	if (now) {
		pass(s, &at, now);
		pev_hw_show_waited(s);
	}
	barrier();	/* as in update_end() */
	WRITE_ONCE(c->updating, false);
	barrier();	/* as in update_end() */
	if (unlikely(READ_ONCE(c->deferred))) {
		update_begin(c);
		update_end(c, true);
	}
}

static void forget(struct pev_hw_cpu *s)
{
	local64_set(&s->ec->count, 0);
	s->waited = 0;
	s->throttles = 0;
	s->throttled_ns = 0;
	pev_hw_new_period(s);
	pev_period_init(&s->period, s->period.period);
	s->sampled = s->since;
}

/* The caller has folded the event. */
void pev_perf_event_reset(struct pev_event *event, struct pev_event_cpu *ec, unsigned int cpu,
			  bool runs)
{
	struct pev_hw_cpu *s = per_cpu_ptr(pev_hw_of(event)->percpu, cpu);
	struct pev_perf_counter_cpu *c;
	struct pev_perf_reading at;

	/* a PMI could throttle it halfway */
	guard(irqsave)();
	if (!runs) {
		forget(s);
		return;
	}
	c = counter_here(event);
	update_begin(c);
	s->since = pev_now_ns();
	pev_perf_counter_read(c, &at);
	mark(c, s, &at);
	forget(s);
	update_end(c, true);
}

/* @event runs here. */
void pev_perf_event_retime(struct pev_event *event, struct pev_event_cpu *ec)
{
	struct pev_perf_counter_cpu *c = counter_here(event);
	struct pev_hw_cpu *s = pev_hw_here(event);
	struct pev_perf_reading at;

	update_begin(c);
	pev_perf_counter_read(c, &at);
	fold(c, s);
	pev_hw_new_period(s);
	update_end(c, true);
}

void pev_perf_install(struct pev_perf *perf, struct perf_event *event)
{
	struct pev_perf_counter *counter = perf->context;
	struct pev_perf_counter_cpu *c = this_cpu_ptr(counter->percpu);
	u64 now = pev_now_ns();
	struct pev_perf_reading at;
	struct pev_hw_cpu *s;

	update_begin(c);
	pev_perf_counter_read(c, &at);
	list_for_each_entry(s, &c->running, node) {
		fold(c, s);
		pass(s, &at, now);
	}
	c->event = event;
	c->stopped = false;
	pev_perf_counter_read(c, &at);
	list_for_each_entry(s, &c->running, node) {
		s->throttled = false;
		if (event)
			WRITE_ONCE(s->ec->absent, false);
		mark(c, s, &at);
	}
	update_end(c, true);
}

/* ---- opening and closing ---- */

/* Which of host and guests counts is perf's to tell the processor, where its driver does. */
static int check_guests(const struct pev_event *event, u64 flags, struct pev_refuse *r)
{
	int level = pev_paranoid_level();

	if (flags & PEV_F_EXCLUDE_HOST && flags & PEV_F_EXCLUDE_GUEST)
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "the event excludes all that it could count");
	/* where Linux's perf knows of no guests, its drivers take no notice, and count the host */
	if (flags & PEV_F_EXCLUDE_HOST &&
	    !(IS_ENABLED(CONFIG_GUEST_PERF_EVENTS) && pev_guest_known()))
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "PEV_F_EXCLUDE_HOST: perf counts no guests alone in this kernel");
	/* without the kernel there is nothing in it that the opener may not see */
	if ((flags & (PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_KERNEL)) == PEV_F_EXCLUDE_HOST &&
	    !pev_perf_leaves_out_host() && !event->privileged && level >= PEV_PARANOID_KERNEL)
		return pev_refuse(r, EACCES, PEV_FIELD(flags),
				  "PEV_F_EXCLUDE_HOST: it is not certain here that perf's counter leaves out what the host's kernel does, which needs CAP_PERFMON (%s is %d): set PEV_F_EXCLUDE_KERNEL",
				  pev_paranoid_name(), level);
	return 0;
}

static int check_flags(const struct pev_event *event, const struct pev_attr *attr,
		       struct pev_refuse *r)
{
	if (attr->flags & PEV_F_USER_PAGE)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "perf drives the counters here, and several events share one: read() tells the value, no page");
	if (attr->flags & PEV_F_EXCLUSIVE)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "perf drives the counters here, which are never one group's alone: do without PEV_F_EXCLUSIVE");
	if (attr->flags & PEV_F_MARKED)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "perf drives the counters here, and knows no mark for tasks: do without PEV_F_MARKED");
	return check_guests(event, attr->flags, r);
}

int pev_perf_event_code(const struct pev_attr *attr, struct pev_hw_event *hw, const char *name,
			struct pev_refuse *r)
{
	int err = check_flags(hw->event, attr, r);

	if (err)
		return err;
	pev_perf_encode(attr, &hw->perf);
	hw->code.period_min = PEV_PERF_PERIOD_MIN;
	if (attr->pmu != PEV_PMU_CORE)
		return pev_perf_other(attr, hw, name, r);
	/* what perf knows by name takes no rights that pev does not ask for itself */
	if (attr->type == PEV_TYPE_RAW || hw->perf.precise)
		return pev_perf_permit(attr, hw, name, r);
	return 0;
}

/* What never waits is counted with anything. */
static bool may_wait(const struct pev_event *event)
{
	return event->ops == &pev_perf_source && !pev_hw_of(event)->perf.always;
}

/*
 * What of the group that @event joins is counted at once: pev's own counters are one part, each of
 * perf's another.
 */
static unsigned int parts(const struct pev_event *event)
{
	const struct pev_event *leader = event->leader, *member;
	unsigned int nr = may_wait(leader);
	bool own = pev_has_code(leader);

	list_for_each_entry(member, &leader->siblings, group_node) {
		if (may_wait(member))
			nr += pev_hw_joined(member, event);
		else if (pev_has_code(member))
			own |= pev_hw_joined(member, event);
	}
	return nr + own;
}

/* perf schedules each counter on its own. What it never takes off its counter is together. */
int pev_perf_check_group(const struct pev_event *event, struct pev_refuse *r)
{
	lockdep_assert_held(&pev_control);

	if (event->leader->flags & PEV_F_PINNED || parts(event) <= 1)
		return 0;
	return pev_refuse(r, EINVAL, PEV_FIELD(group_fd),
			  "perf drives counters of this group, and may take them from a part of it: open its leader with PEV_F_PINNED, or the events one by one");
}

static int join_group(const struct pev_event *event, struct pev_refuse *r)
{
	int err;

	guard(mutex)(&pev_control);
	err = pev_perf_check_group(event, r);
	pev_hw_of(event)->joined = !err;
	return err;
}

static int check_pinned(const struct pev_event *event, struct pev_refuse *r)
{
	if (!(pev_hw_of(event)->perf.flags & PEV_F_PINNED) || pev_hw_may_take_cpus(event))
		return 0;
	return pev_refuse(r, EACCES, PEV_FIELD(flags),
			  "perf drives the counters here, and a pinned one is taken from others on all CPUs, which needs CAP_PERFMON: %s is %d",
			  pev_paranoid_name(), pev_paranoid_level());
}

int pev_perf_event_hook(struct pev_event *event, struct pev_refuse *r)
{
	struct pev_hw_event *hw = pev_hw_of(event);
	struct pev_perf_counter *counter;
	int err = join_group(event, r);

	hw->perf.flags |= (event->flags | event->leader->flags) & PEV_F_PINNED;
	err = err ?: check_pinned(event, r);
	if (err)
		return err;
	pev_pmi_clock_init();
	hw->perf.samples = pev_event_samples(event);
	hw->borrows = !pev_hw_may_take_cpus(event);
	counter = pev_perf_counter_get(&hw->perf, hw->borrows, event->name, r);
	if (IS_ERR(counter))
		return PTR_ERR(counter);
	if (hw->perf.flags & PEV_F_PINNED && !pev_perf_counter_counts(counter)) {
		pev_perf_counter_put(counter, hw->borrows);
		return pev_refuse(r, EBUSY, PEV_FIELD(flags),
				  "perf has no counter that %s could have for itself on all CPUs: do without PEV_F_PINNED, or close what else has one",
				  event->name);
	}
	hw->counter = counter;
	return 0;
}

void pev_perf_event_unhook(struct pev_event *event)
{
	const struct pev_hw_event *hw = pev_hw_of(event);

	pev_perf_counter_put(hw->counter, hw->borrows);
}
