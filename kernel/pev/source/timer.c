// SPDX-License-Identifier: GPL-2.0
/*
 * Owns timer events: samples by hrtimer, on machines with and without a PMU, and
 * how much of a CPU they may take. An event has a timer on each CPU where it runs, pinned to it;
 * a task's timer is stopped with the rest of its period kept when the task is
 * switched out.
 */
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/math64.h>
#include <linux/nospec.h>
#include <linux/pev_clock.h>
#include <linux/pev_marker.h>
#include <linux/pev_refuse.h>
#include <linux/slab.h>
#include <asm/irq_regs.h>
#include "base/rate.h"
#include "base/strbuf.h"
#include "record/guest.h"
#include "record/sample.h"
#include "source/list.h"
#include "source/trace/filter.h"
#include "types.h"

static const char * const names[PEV_TIMER_MAX] = {
	[PEV_TIMER_CPU_CLOCK]	= "cpu-clock",
	[PEV_TIMER_TASK_CLOCK]	= "task-clock",
};

/**
 * struct timer_cpu - a timer event on one CPU
 * @timer:    ticks
 * @ec:       what all events have
 * @left:     ns to the next tick of a stopped timer; 0: a whole period. Less: the
 *            tick is overdue for so long
 * @period:   that the timer runs with
 * @changes:  of the event's period that it knows of
 * @carry:    ns of periods that a new one cut short: part of what the next tick stands for
 * @put_off:  the tick has to wait until there is time for it
 * @nominal:  when a tick that was put off was due
 * @reserved: what was set aside for it, in &struct pace's unit
 * @since:    when the wait began, or was folded
 * @waited:   ns that ticks were put off; @ec->waited is that as of the last fold
 * @throttles: times that one was
 *
 * Changed by its CPU with interrupts off.
 */
struct timer_cpu {
	struct hrtimer		timer;
	struct pev_event_cpu	*ec;
	s64			left;
	u64			period;
	u32			changes;
	bool			put_off;
	u64			carry;
	ktime_t			nominal;
	u64			reserved;
	u64			since;
	u64			waited;
	u64			throttles;
};

/**
 * struct timer_event - event->private
 * @percpu:  one for each possible CPU
 * @changes: of the period
 */
struct timer_event {
	struct timer_cpu __percpu	*percpu;
	u32				changes;
};

static struct timer_event *timer_of(const struct pev_event *event)
{
	return event->private;
}

static struct timer_cpu *timer_here(const struct pev_event *event)
{
	return this_cpu_ptr(timer_of(event)->percpu);
}

/* ---- how much of the time ticks may have ---- */

/* Ticks may take one part in so many of a CPU's time. */
#define PACE_SHARE	4
/* Allowed at once: timers of a task expire together, in one interrupt. */
#define PACE_BURST_NS	100000
/*
 * What the interrupt costs outside of tick(), at least: the way in and out, and the next one's
 * time, which is a hypervisor's business on POWER and in virtual machines.
 */
#define PACE_MORE_NS	2000
/*
 * And at most: where it takes longer all is slower, as in kernels that find bugs, and timers would
 * hardly come.
 */
#define PACE_MOST_NS	10000

/**
 * struct pace - what ticks have taken of a CPU
 * @paid: the time up to which the ticks so far use up their share
 * @cost: of the tick before
 * @most: that a tick cost, and by a part less with each one since
 *
 * In ticks of @pace_clock. Each tick moves @paid on by %PACE_SHARE times what it
 * cost. One that comes while @paid is a burst ahead is put off until then, and has
 * its part set aside: later ticks queue behind it. So ticks are served in the order in
 * which they came, and no two of those that were put off expire at the same time.
 */
struct pace {
	u64	paid;
	u64	cost;
	u64	most;
};

/* Kept apart, so that privileged events do not wait for unprivileged ones. */
static DEFINE_PER_CPU(struct pace[2], paces);
static u32 pace_clock __ro_after_init;
static u64 pace_freq __ro_after_init;
static u64 pace_burst __ro_after_init;
static u64 pace_more __ro_after_init;

static u64 pace_ticks(u64 ns)
{
	return mul_u64_u64_div_u64(ns, pace_freq, NSEC_PER_SEC);
}

/* ---- what an interrupt costs ---- */

/* So many are measured, this far apart, unless it takes too long. */
#define TRIALS		16
#define TRIAL_NS	(50 * NSEC_PER_USEC)
#define TRIALS_MAX_NS	(20 * NSEC_PER_MSEC)

/**
 * struct trial - a timer that does nothing
 * @timer: ticks
 * @begin: of its last tick, in ticks of @pace_clock
 * @inner: how long that took
 */
struct trial {
	struct hrtimer	timer;
	u64		begin;
	u64		inner;
};

static enum hrtimer_restart trial_tick(struct hrtimer *timer)
{
	struct trial *trial = container_of(timer, struct trial, timer);
	u64 begin = pev_clock_read(pace_clock);

	hrtimer_forward_now(timer, ns_to_ktime(TRIAL_NS));
	WRITE_ONCE(trial->begin, begin);
	WRITE_ONCE(trial->inner, pev_clock_read(pace_clock) - begin);
	return HRTIMER_RESTART;
}

/*
 * What @trial's interrupts take of the code that they interrupt, which is this: the time that it
 * misses. The shortest one has nothing else in it. Return: %U64_MAX if none came.
 */
static u64 trial_run(struct trial *trial)
{
	u64 start = pev_clock_read(pace_clock), max = pace_ticks(TRIALS_MAX_NS);
	u64 before = start, now, begin, least = U64_MAX;
	unsigned int nr = 0;

	do {
		now = pev_clock_read(pace_clock);
		begin = READ_ONCE(trial->begin);
		/* one that came after the clock was read is in the next round */
		if (begin - before < now - before) {
			least = min(least, now - before - READ_ONCE(trial->inner));
			nr++;
		}
		before = now;
	} while (nr < TRIALS && now - start < max);
	return least;
}

/* Return: ticks of @pace_clock outside of the timer's function. Process context. */
static u64 interrupt_cost(void)
{
	struct trial trial = { };
	u64 cost;

	hrtimer_init_on_stack(&trial.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	trial.timer.function = trial_tick;
	scoped_guard(preempt) {
		hrtimer_start(&trial.timer, ns_to_ktime(TRIAL_NS), HRTIMER_MODE_REL_PINNED_HARD);
		cost = trial_run(&trial);
		hrtimer_cancel(&trial.timer);
	}
	destroy_hrtimer_on_stack(&trial.timer);
	return cost;
}

static int timers_setup(void)
{
	struct pev_trace_clock clock;
	u64 cost;

	/* the cheapest there is: it is read twice a tick */
	pev_clock_init(&clock, PEV_CLOCK_DEFAULT);
	pace_clock = clock.type;
	pace_freq = clock.freq;
	pace_burst = pace_ticks(PACE_BURST_NS * PACE_SHARE);
	pace_more = pace_ticks(PACE_MORE_NS);
	cost = interrupt_cost();
	/* it was the kernel that was interrupted: from a program the way is longer */
	if (cost != U64_MAX)
		pace_more = clamp(cost + cost / 4, pace_more, pace_ticks(PACE_MOST_NS));
	return 0;
}

static struct pace *pace_of(const struct pev_event *event)
{
	return &this_cpu_ptr(paces)[event->privileged];
}

static bool pace_ahead(const struct pace *pace, u64 now)
{
	return (s64)(pace->paid - now) > (s64)pace_burst;
}

/* Return: what an interrupt costs whose work began at @begin and is done. */
static u64 pace_cost(struct pace *pace, u64 begin)
{
	/*
	 * The CPU may have been stolen by the host, or the clock set: what takes long is
	 * believed as far as what came before it took half as long.
	 */
	u64 limit = max(2 * pace->most, pace_burst / PACE_SHARE);
	u64 cost = clamp_t(s64, pev_clock_read(pace_clock) - begin, 0, limit);

	pace->most = max(cost, pace->most - pace->most / 16);
	return cost + pace_more;
}

/* A tick is over that began at @begin. */
static void pace_end(struct pace *pace, struct timer_cpu *s, u64 begin)
{
	pace->cost = pace_cost(pace, begin);
	if ((s64)(pace->paid - begin) < 0)
		pace->paid = begin;
	pace->paid += PACE_SHARE * pace->cost - s->reserved;
	s->reserved = 0;
}

/* Queue @s. Return: ns until it may tick. */
static u64 pace_queue(struct pace *pace, struct timer_cpu *s)
{
	u64 now = pev_clock_read(pace_clock);
	u64 ahead = max_t(s64, pace->paid - now, 0);

	/* the clock was set back: do not wait for hours */
	if (ahead > PACE_SHARE * pace_freq * 100)
		ahead = 0;
	s->reserved = PACE_SHARE * max(pace->cost, pace_more);
	pace->paid = now + ahead + s->reserved;
	return mul_u64_u64_div_u64(ahead, NSEC_PER_SEC, pace_freq);
}

/* Give back what was set aside for a task that is switched out. */
static void pace_give_back(struct pace *pace, struct timer_cpu *s)
{
	pace->paid -= s->reserved;
	s->reserved = 0;
}

/* ---- ticks; interrupts are off ---- */

/* Return: the period of an event that runs here. */
static u64 period_of(const struct pev_event *event)
{
	/* the limit may have been lowered since the event was opened */
	return max(READ_ONCE(event->period),
		   (u64)(NSEC_PER_SEC / READ_ONCE(sysctl_pev_max_sample_rate)));
}

static bool excluded(const struct pev_event *event, struct pt_regs *regs)
{
	return event->flags & (user_mode(regs) ? PEV_F_EXCLUDE_USER : PEV_F_EXCLUDE_KERNEL);
}

/* Is what the tick hit to be counted? The idle task is not, as with perf. */
static __always_inline bool hits(const struct pev_event *event, struct pev_sample_in *in)
{
	/* a task is idle for good; other flags of it may be in the middle of a change */
	if (!in->regs || data_race(is_idle_task(current)))
		return false;
	if (!pev_guest_sample(event, in, PEV_PMU_HIT_ASK))
		return false;
	return in->guest || !excluded(event, in->regs);
}

static void wait_begin(struct timer_cpu *s, u64 now)
{
	s->put_off = true;
	s->since = now;
	WRITE_ONCE(s->throttles, s->throttles + 1);
	PEV_MARK(pev, throttle, "event %s times %llu", s->ec->event->name, s->throttles);
}

static void wait_fold(struct timer_cpu *s, u64 now)
{
	/* pev_now_ns() may step back a little */
	WRITE_ONCE(s->waited, s->waited + max_t(s64, now - s->since, 0));
	s->since = now;
}

static noinline void put_off(struct pace *pace, struct timer_cpu *s, u64 begin)
{
	s->nominal = hrtimer_get_expires(&s->timer);
	hrtimer_set_expires(&s->timer, ktime_add_ns(hrtimer_cb_get_time(&s->timer),
						    pace_queue(pace, s)));
	wait_begin(s, pev_now_ns());
	/*
	 * This was an interrupt, too: those that are queued next wait longer for it. Where ticks
	 * cost little, half of the time goes here.
	 */
	pace->paid += PACE_SHARE * pace_cost(pace, begin);
}

/* The wait is over: periods continue from the nominal time. */
static noinline void put_off_end(struct timer_cpu *s)
{
	hrtimer_set_expires(&s->timer, s->nominal);
	wait_fold(s, pev_now_ns());
	s->put_off = false;
}

/* Is it the opener's business, and wanted? */
static noinline bool allowed(struct pev_event *event, struct pev_event_cpu *ec,
			     const struct pev_sample_in *in)
{
	const struct pev_occurrence at = {
		.ip = in->guest ? in->ip : instruction_pointer(in->regs),
	};

	return pev_filter_allows(event, ec, 1, &at);
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct timer_cpu *s = container_of(timer, struct timer_cpu, timer);
	struct pev_event_cpu *ec = s->ec;
	struct pev_event *event = ec->event;
	struct pev_sample_in in = { .regs = get_irq_regs() };
	struct pace *pace = pace_of(event);
	u64 begin = pev_clock_read(pace_clock);
	u64 period, overruns;

	/* the event runs: stopping it on this CPU cancels the timer first */
	if (unlikely(s->put_off)) {
		put_off_end(s);
	} else if (unlikely(pace_ahead(pace, begin))) {
		put_off(pace, s, begin);
		return HRTIMER_RESTART;
	}
	/* the event's period may have changed meanwhile: see timer_retime() */
	period = s->period;
	overruns = hrtimer_forward_now(timer, ns_to_ktime(period));
	s->period = period_of(event);
	if (unlikely(s->period != period))
		hrtimer_set_expires(timer, ktime_add_safe(hrtimer_get_expires(timer) - period,
							  s->period));
	in.period = period * overruns + s->carry;
	/* a tick that is not counted takes its time with it */
	s->carry = 0;
	if (hits(event, &in) && (likely(!READ_ONCE(event->gate)) || allowed(event, ec, &in))) {
		local64_inc(&ec->count);
		if (pev_event_places(event, ec) && pev_sample_begin(event, ec, 0, &in))
			pev_sample_end(ec);
	}
	pace_end(pace, s, begin);
	return HRTIMER_RESTART;
}

/*
 * ns to the tick that a running timer should make; less than 0: it is overdue. As of
 * @now, which is what the event's time is reckoned by: a switch that has many to stop
 * and to start takes time itself.
 */
static s64 left_of(const struct timer_cpu *s, u64 now)
{
	if (s->put_off)
		return ktime_to_ns(s->nominal) - now;
	return max_t(s64, hrtimer_get_expires_ns(&s->timer) - now, 1);
}

/* Start a new period; the part of the old one that has passed goes to the next tick. */
static void restart(struct timer_cpu *s, struct pev_event *event)
{
	if (s->left)
		s->carry += max_t(s64, s->period - s->left, 0);
	s->left = 0;
	s->period = period_of(event);
	s->changes = READ_ONCE(timer_of(event)->changes);
}

static void timer_run(struct timer_cpu *s, struct pev_event *event, u64 now)
{
	s64 delay;

	if (unlikely(s->changes != READ_ONCE(timer_of(event)->changes)) || !s->left)
		restart(s, event);
	delay = s->left ?: s->period;
	if (unlikely(delay < 0)) {
		s->nominal = ns_to_ktime(now + delay);
		delay = pace_queue(pace_of(event), s);
		wait_begin(s, now);
	}
	/* the longest periods end in the last nanosecond, and not in the past */
	hrtimer_start(&s->timer, ktime_add_safe(now, delay), HRTIMER_MODE_ABS_PINNED_HARD);
}

static void timer_halt(struct timer_cpu *s, struct pev_event *event, u64 now)
{
	s64 left = left_of(s, now);

	/* interrupts are off on the timer's CPU: the callback can't be running */
	hrtimer_cancel(&s->timer);
	s->left = min_t(s64, left, s->period) ?: 1;
	if (unlikely(s->put_off)) {
		pace_give_back(pace_of(event), s);
		wait_fold(s, now);
		s->put_off = false;
	}
}

/* ---- the source ---- */

static void show_waited(const struct timer_cpu *s)
{
	smp_wmb();	/* pev_event_cpu:J, pairs with I */
	WRITE_ONCE(s->ec->waited, s->waited);
}

static void timer_start(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	timer_run(timer_here(event), event, now);
}

static void timer_stop(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	struct timer_cpu *s = timer_here(event);

	timer_halt(s, event, now);
	show_waited(s);
}

static void timer_fold(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	struct timer_cpu *s = timer_here(event);

	if (!now)
		return;
	if (s->put_off)
		wait_fold(s, now);
	show_waited(s);
}

static void timer_retime(struct pev_event *event, struct pev_event_cpu *ec)
{
	struct timer_cpu *s = timer_here(event);
	u64 now = pev_now_ns();

	timer_halt(s, event, now);
	/* timer_run() finds that the period has changed, if it has not done so before */
	timer_run(s, event, now);
}

static void timer_reset(struct pev_event *event, struct pev_event_cpu *ec, unsigned int cpu,
			bool runs)
{
	struct timer_cpu *s = per_cpu_ptr(timer_of(event)->percpu, cpu);
	u64 now = pev_now_ns();

	if (runs)
		timer_halt(s, event, now);
	s->left = 0;
	s->carry = 0;
	WRITE_ONCE(s->waited, 0);
	WRITE_ONCE(s->throttles, 0);
	if (runs)
		timer_run(s, event, now);
}

/* Timers are not multiplexed, but can be throttled. */
static void timer_multiplexed(struct pev_event *event, struct pev_multiplexed *m)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct timer_cpu *s = per_cpu_ptr(timer_of(event)->percpu, cpu);
		u64 enabled, running;

		pev_event_cpu_times(s->ec, &enabled, &running);
		m->value += local64_read(&s->ec->count);
		m->time_enabled += enabled;
		m->time_running += running;
		m->throttled += READ_ONCE(s->throttles);
		m->throttled_ns += READ_ONCE(s->waited);
	}
}

/* Return: the shortest period that is allowed. */
static u64 period_min(void)
{
	/* rounded as the period of a frequency is: the limit itself is allowed */
	return max_t(u64, NSEC_PER_SEC / READ_ONCE(sysctl_pev_max_sample_rate),
		     PEV_MIN_TIMER_NS);
}

static int check_period(struct pev_event *event, const struct pev_attr *attr,
			struct pev_refuse *r)
{
	u64 shortest = period_min();

	if (event->period >= shortest)
		return 0;
	if (attr->flags & PEV_F_FREQ)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(period), 1, NSEC_PER_SEC / shortest,
			"%llu samples a second are more than %s allows", attr->period,
			shortest > PEV_MIN_TIMER_NS ? "kernel.pev_max_sample_rate" : "a timer");
	return pev_refuse_range(r, EINVAL, PEV_FIELD(period), shortest, S64_MAX,
		"a period of %llu ns would fire more often than %s allows", attr->period,
		shortest > PEV_MIN_TIMER_NS ? "kernel.pev_max_sample_rate" : "a timer");
}

static void timer_close(struct pev_event *event)
{
	struct timer_event *t = timer_of(event);

	if (!t)
		return;
	free_percpu(t->percpu);
	kfree(t);
	event->private = NULL;
}

static int timer_alloc(struct pev_event *event)
{
	struct timer_event *t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);
	unsigned int cpu;

	event->private = t;
	if (!t)
		return -ENOMEM;
	t->percpu = alloc_percpu_gfp(struct timer_cpu, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!t->percpu)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct timer_cpu *s = per_cpu_ptr(t->percpu, cpu);

		s->ec = per_cpu_ptr(event->percpu, cpu);
		hrtimer_init(&s->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
		s->timer.function = tick;
	}
	return 0;
}

static int check_guests(u64 flags, struct pev_refuse *r)
{
	if (flags & PEV_F_EXCLUDE_HOST && flags & PEV_F_EXCLUDE_GUEST)
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "excluding host and guests leaves nothing");
	return pev_guest_check(flags, 0, r);
}

static int timer_open(struct pev_event *event, const struct pev_attr *attr,
		      struct pev_refuse *r)
{
	int err;

	if (attr->config >= PEV_TIMER_MAX)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 0, PEV_TIMER_MAX - 1,
					"there is no timer %llu", attr->config);
	err = check_guests(attr->flags, r);
	if (err)
		return err;
	if (attr->flags & PEV_F_FREQ)
		event->period = max_t(u64, NSEC_PER_SEC / attr->period, 1);
	err = check_period(event, attr, r);
	if (err)
		return err;
	event->name = kstrdup(names[array_index_nospec(attr->config, PEV_TIMER_MAX)],
			      GFP_KERNEL_ACCOUNT);
	err = event->name ? timer_alloc(event) : -ENOMEM;
	if (err)
		timer_close(event);
	return err;
}

static int timer_period(struct pev_event *event, u64 period)
{
	if (event->flags & PEV_F_FREQ)
		period = NSEC_PER_SEC / period;
	if (period < period_min())
		return -ERANGE;
	WRITE_ONCE(event->period, period);
	WRITE_ONCE(timer_of(event)->changes, timer_of(event)->changes + 1);
	return 0;
}

static void timer_catalog(struct pev_strbuf *text)
{
	for (unsigned int i = 0; i < PEV_TIMER_MAX; i++)
		pev_strbuf_printf(text, "timer %s -\n", names[i]);
}

const struct pev_source_ops pev_timer_source = {
	.type		= "timer",
	.attrs		= PEV_ATTR_CONFIG | PEV_ATTR_FILTER,
	.flags		= PEV_F_FREQ | PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST,
	.periods	= PEV_PERIOD_ALWAYS,
	.shows		= PEV_SHOWS_KERNEL,
	.weight		= 32,
	.setup		= timers_setup,
	.open		= timer_open,
	.close		= timer_close,
	.start		= timer_start,
	.stop		= timer_stop,
	.fold		= timer_fold,
	.reset		= timer_reset,
	.period		= timer_period,
	.retime		= timer_retime,
	.multiplexed	= timer_multiplexed,
	.catalog	= timer_catalog,
};
