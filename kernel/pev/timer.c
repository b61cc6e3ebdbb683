// SPDX-License-Identifier: GPL-2.0
/*
 * Owns timer events: samples by hrtimer, on machines with and without a PMU.
 * Each running slot has a timer pinned to its CPU; a task's timer is stopped
 * with the rest of its period kept when the task is switched out.
 */
#include <linux/hrtimer.h>
#include <linux/slab.h>
#include <asm/irq_regs.h>
#include "event.h"
#include "refuse.h"
#include "sample.h"

static const char * const names[PEV_TIMER_MAX] = {
	[PEV_TIMER_CPU_CLOCK]	= "cpu-clock",
	[PEV_TIMER_TASK_CLOCK]	= "task-clock",
};

static bool excluded(struct pev_event *event, struct pt_regs *regs)
{
	return event->flags & (user_mode(regs) ? PEV_F_EXCLUDE_USER : PEV_F_EXCLUDE_KERNEL);
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct pev_slot *slot = container_of(timer, struct pev_slot, timer);
	struct pev_event *event = slot->event;
	struct pt_regs *regs = get_irq_regs();
	u64 period = READ_ONCE(event->period);
	u64 overruns;

	if (!slot->running)
		return HRTIMER_NORESTART;
	overruns = hrtimer_forward_now(timer, ns_to_ktime(period));
	/* idle time is nobody's: perf and users expect no samples of it */
	if (regs && !excluded(event, regs) && !is_idle_task(current)) {
		struct pev_sample_in in = { .regs = regs, .period = period * overruns };

		local64_inc(&slot->count);
		if (slot->ring && pev_sample_begin(event, slot, 0, &in))
			pev_sample_end(slot);
	}
	return HRTIMER_RESTART;
}

static void timer_start(struct pev_event *event, struct pev_slot *slot, u64 now)
{
	u64 delay = slot->remaining ?: READ_ONCE(event->period);

	hrtimer_start(&slot->timer, ns_to_ktime(delay), HRTIMER_MODE_REL_PINNED_HARD);
}

static void timer_stop(struct pev_event *event, struct pev_slot *slot, u64 now)
{
	s64 left = ktime_to_ns(hrtimer_get_remaining(&slot->timer));

	/* on this CPU with interrupts off: the callback can't be running */
	hrtimer_cancel(&slot->timer);
	slot->remaining = clamp_t(s64, left, 1, READ_ONCE(event->period));
}

static int timer_open(struct pev_event *event, const struct pev_attr *attr,
		      struct pev_refuse *r)
{
	unsigned int cpu;

	if (attr->config >= PEV_TIMER_MAX)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 0, PEV_TIMER_MAX - 1,
					"there is no timer %llu", attr->config);
	if (attr->flags & PEV_F_FREQ)
		event->period = max_t(u64, NSEC_PER_SEC / attr->period, 1);
	if (event->period < PEV_MIN_TIMER_NS)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(period),
			attr->flags & PEV_F_FREQ ? 1 : PEV_MIN_TIMER_NS,
			attr->flags & PEV_F_FREQ ? NSEC_PER_SEC / PEV_MIN_TIMER_NS : S64_MAX,
			"period %llu would fire too often", attr->period);
	for_each_possible_cpu(cpu)
		hrtimer_init(&per_cpu_ptr(event->slots, cpu)->timer, CLOCK_MONOTONIC,
			     HRTIMER_MODE_REL_PINNED_HARD);
	for_each_possible_cpu(cpu)
		per_cpu_ptr(event->slots, cpu)->timer.function = tick;
	event->name = kstrdup(names[attr->config], GFP_KERNEL_ACCOUNT);
	return event->name ? 0 : -ENOMEM;
}

static int timer_period(struct pev_event *event, u64 period)
{
	if (event->flags & PEV_F_FREQ)
		period = NSEC_PER_SEC / period;
	if (period < PEV_MIN_TIMER_NS)
		return -ERANGE;
	WRITE_ONCE(event->period, period);
	return 0;
}

const struct pev_source_ops pev_timer_source = {
	.type	= "timer",
	.open	= timer_open,
	.start	= timer_start,
	.stop	= timer_stop,
	.period	= timer_period,
};
