// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what changes events that are open: on and off, reset, period, filter; of one
 * event, of a group, or of all events of a channel.
 *
 * Locks: pev_control, then channel->lock. Nothing is copied from or to the user, and no
 * more than PEV_BATCH events are touched under it.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/pev_marker.h>
#include <linux/pev_refuse.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "base/lock.h"
#include "base/turn.h"
#include "channel/channel.h"
#include "source/trace/filter.h"
#include "target/sync.h"
#include "types.h"
#include "control.h"
#include "refusal.h"

/* All that is known of an event on a CPU is written, in an interrupt: not of a whole batch. */
static void events_reset(struct pev_event **events, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i += PEV_MAX_GROUP)
		pev_target_reset(events + i, min_t(unsigned int, nr - i, PEV_MAX_GROUP));
}

static int events_control(struct pev_event **events, unsigned int nr, u64 cmd)
{
	unsigned int i;

	lockdep_assert_held(&pev_control);

	if (cmd == PEV_IOC_RESET) {
		events_reset(events, nr);
		return 0;
	}
	/* an explicit word ends the wait for an exec, too */
	for (i = 0; i < nr; i++) {
		WRITE_ONCE(events[i]->state, cmd == PEV_IOC_ENABLE ? PEV_EVENT_ON : PEV_EVENT_OFF);
		pev_event_switched(events[i]);
	}
	pev_target_sync(events, nr);
	return 0;
}

/*
 * Timers always have a period, sideband events never, waits a fixed one. Return: how many
 * were changed, or an error.
 */
static int events_period(struct pev_event **events, unsigned int nr, u64 period)
{
	unsigned int i, changed = 0;
	int err = 0;

	lockdep_assert_held(&pev_control);

	for (i = 0; i < nr && !err; i++) {
		struct pev_event *event = events[i];

		if (!event->period || event->ops->periods == PEV_PERIOD_NEVER ||
		    event->ops->periods == PEV_PERIOD_LEAST)
			continue;
		changed++;
		if (event->ops->period)
			err = event->ops->period(event, period);
		else
			WRITE_ONCE(event->period, period);
	}
	/* those before the one that refused it have theirs */
	if (changed)
		pev_target_retime(events, nr);
	return err ?: changed;
}

/**
 * struct scope - what a call acts on; one of @channel and @event is set
 * @channel: all of its events
 * @next:    id of the first event of @channel that the call has not acted on
 * @event:   an event
 * @group:   its whole group, too
 */
struct scope {
	struct pev_channel	*channel;
	unsigned long		next;
	struct pev_event	*event;
	bool			group;
};

static unsigned int next_of_channel(struct scope *scope, struct pev_event **events,
				    unsigned int max)
{
	struct pev_event *event;
	unsigned int nr = 0;
	unsigned long id;

	guard(mutex)(&scope->channel->lock);
	xa_for_each_start(&scope->channel->events, id, event, scope->next) {
		if (nr == max)
			break;
		scope->next = id + 1;
		/* those that kernel code listens to have no file: they are not the reader's */
		if (event->connected && READ_ONCE(event->file))
			events[nr++] = event;
	}
	return nr;
}

static unsigned int next_of_event(struct scope *scope, struct pev_event **events)
{
	struct pev_event *event = scope->event, *member;
	unsigned int nr = 0;

	scope->event = NULL;
	if (!event)
		return 0;
	if (scope->group)
		event = event->leader;
	events[nr++] = event;
	if (scope->group)
		list_for_each_entry(member, &event->siblings, group_node)
			if (member->connected)
				events[nr++] = member;
	return nr;
}

/*
 * The next events that a call acts on: up to @max of a channel, but a group or an event
 * as a whole. They stay while pev_control is held.
 */
static unsigned int scope_next(struct scope *scope, struct pev_event **events,
			       unsigned int max)
{
	lockdep_assert_held(&pev_control);
	return scope->channel ? next_of_channel(scope, events, max) :
				next_of_event(scope, events);
}

/*
 * @act on all of them, a batch at a time. It returns a number or an error, with
 * pev_control held. Return: the sum of the numbers, or the first error.
 */
static int scope_act(struct scope *scope,
		     int (*act)(struct pev_event **events, unsigned int nr, u64 arg), u64 arg)
{
	struct pev_event *one, **events = &one;
	struct pev_turn *turn;
	int ret = 0, sum = 0;
	unsigned int nr;

	if (scope->channel || scope->group)
		events = kvmalloc_array(PEV_BATCH, sizeof(*events), GFP_KERNEL_ACCOUNT);
	if (!events)
		return -ENOMEM;
	turn = pev_turn_take();
	if (IS_ERR(turn)) {
		ret = PTR_ERR(turn);
		goto out;
	}
	do {
		ret = mutex_lock_killable(&pev_control);
		if (ret)
			break;
		nr = scope_next(scope, events, PEV_BATCH);
		if (nr)
			ret = act(events, nr, arg);
		mutex_unlock(&pev_control);
		sum += ret;
	} while (nr && ret >= 0);
	pev_turn_end(turn);
out:
	if (events != &one)
		kvfree(events);
	return ret < 0 ? ret : sum;
}

static int control_period(struct scope *scope, u64 period)
{
	int ret;

	if (!period || period > S64_MAX)
		return -ERANGE;
	ret = scope_act(scope, events_period, period);
	/* none of them has a period to change */
	return ret ? min(ret, 0) : -EINVAL;
}

/* ---- filters ---- */

/* Events that get filters at once: what they take until they are in place is bounded. */
#define FILTER_BATCH	PEV_MAX_GROUP

/**
 * struct filter_job - one event of those that get a filter
 * @event:  the event
 * @file:   keeps it open while pev_control is not held
 * @filter: its new filter, NULL for none
 */
struct filter_job {
	struct pev_event	*event;
	struct file		*file;
	struct pev_filter	*filter;
};

static int filters_make(struct filter_job *jobs, unsigned int nr, const char *expr,
			struct pev_refuse *r)
{
	for (unsigned int i = 0; expr && i < nr; i++) {
		struct pev_filter *filter = pev_filter_make(jobs[i].event, expr, r);

		if (IS_ERR(filter))
			return PTR_ERR(filter);
		jobs[i].filter = filter;
		if (pev_filter_takes_longer(jobs[i].event, filter))
			return pev_refuse(r, EINVAL, PEV_FIELD(filter),
					  "the filter may take longer than that with which %s was opened: open an event with it",
					  jobs[i].event->name);
	}
	return 0;
}

/* All of them or, if one does not understand the expression, none. */
static int filters_set(struct filter_job *jobs, unsigned int nr, const char *expr,
		       struct pev_refuse *r)
{
	int err = filters_make(jobs, nr, expr, r);

	if (err) {
		for (unsigned int i = 0; i < nr; i++)
			pev_filter_drop(jobs[i].filter);
		return err;
	}
	guard(mutex)(&pev_control);
	for (unsigned int i = 0; i < nr; i++)
		pev_filter_swap(jobs[i].event, jobs[i].filter);
	return 0;
}

/* An expression for several speaks of fields: events without are passed over. */
static bool takes_filter(const struct pev_event *event, const struct scope *scope,
			 const char *expr)
{
	bool several = scope->channel || scope->group;

	if (!(event->ops->attrs & PEV_ATTR_FILTER))
		return false;
	return event->fields || !expr || !several;
}

/* Those being closed are passed over, too. */
static unsigned int filter_jobs(struct scope *scope, const char *expr,
				struct filter_job *jobs, struct pev_event **events, bool *more)
{
	unsigned int found, nr = 0;

	guard(mutex)(&pev_control);
	found = scope_next(scope, events, FILTER_BATCH);
	*more = found;
	for (unsigned int i = 0; i < found; i++) {
		struct filter_job *job = &jobs[nr];

		if (!takes_filter(events[i], scope, expr))
			continue;
		job->file = get_file_active(&events[i]->file);
		if (!job->file)
			continue;
		job->event = events[i];
		job->filter = NULL;
		nr++;
	}
	return nr;
}

static int control_filter(struct scope *scope, const char *expr, struct pev_refuse *r)
{
	struct pev_event **events __free(kfree) = NULL;
	struct filter_job *jobs __free(kfree) = NULL;
	bool more, any = false;
	struct pev_turn *turn;
	unsigned int nr;
	int err = 0;

	events = kcalloc(FILTER_BATCH, sizeof(*events), GFP_KERNEL_ACCOUNT);
	jobs = kcalloc(FILTER_BATCH, sizeof(*jobs), GFP_KERNEL_ACCOUNT);
	if (!events || !jobs)
		return -ENOMEM;
	turn = pev_turn_take();
	if (IS_ERR(turn))
		return PTR_ERR(turn);
	do {
		nr = filter_jobs(scope, expr, jobs, events, &more);
		any |= nr;
		err = filters_set(jobs, nr, expr, r);
		for (unsigned int i = 0; i < nr; i++)
			fput(jobs[i].file);
		if (fatal_signal_pending(current))
			err = err ?: -EINTR;
	} while (more && !err);
	pev_turn_end(turn);
	if (!err && !any)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(filter),
				  "none of the events has fields to filter on");
	return err;
}

static int ioctl_filter(struct scope *scope, struct pev_filter_arg __user *uarg)
{
	struct pev_refuse r = {};
	struct pev_filter_arg arg;
	char *expr = NULL;
	int err;

	if (copy_from_user(&arg, uarg, sizeof(arg)))
		return -EFAULT;
	if (arg.flags & ~PEV_IOF_GROUP)
		return -EINVAL;
	scope->group = arg.flags & PEV_IOF_GROUP;
	if (arg.filter)
		expr = pev_filter_copy(u64_to_user_ptr(arg.filter), &r);
	err = IS_ERR(expr) ? PTR_ERR(expr) : control_filter(scope, expr, &r);
	if (!IS_ERR(expr))
		kfree(expr);
	if (r.field != PEV_NO_FIELD)
		r.field = offsetof(struct pev_filter_arg, filter);
	return pev_refusal(&r, err, arg.refusal, arg.refusal_size);
}

/* ---- the commands ---- */

/* What an event, its group and a channel have in common. */
static long control(struct scope *scope, unsigned int cmd, unsigned long arg)
{
	u64 period;

	PEV_MARK(pev_api, control, "command %u argument %lx", cmd, arg);
	switch (cmd) {
	case PEV_IOC_ENABLE:
	case PEV_IOC_DISABLE:
	case PEV_IOC_RESET:
		if (arg & ~(unsigned long)PEV_IOF_GROUP)
			return -EINVAL;
		scope->group = arg & PEV_IOF_GROUP;
		return scope_act(scope, events_control, cmd);
	case PEV_IOC_PERIOD:
	case PEV_IOC_GROUP_PERIOD:
		if (get_user(period, (u64 __user *)arg))
			return -EFAULT;
		scope->group = cmd == PEV_IOC_GROUP_PERIOD;
		return control_period(scope, period);
	case PEV_IOC_FILTER:
		return ioctl_filter(scope, (void __user *)arg);
	default:
		return -ENOTTY;
	}
}

long pev_control_channel(struct pev_channel *channel, unsigned int cmd, unsigned long arg)
{
	struct scope scope = { .channel = channel };

	return control(&scope, cmd, arg);
}

long pev_control_event(struct pev_event *event, unsigned int cmd, unsigned long arg)
{
	struct scope scope = { .event = event };

	return control(&scope, cmd, arg);
}
