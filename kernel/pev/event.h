/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: what is counted or recorded, on which target, into which channel.
 */
#ifndef _PEV_EVENT_H
#define _PEV_EVENT_H

#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <asm/local64.h>
#include <uapi/linux/pev.h>
#include "channel.h"
#include "ring.h"

struct cgroup;
struct event_filter;
struct pev_event;
struct pev_refuse;
struct pid_namespace;
struct pt_regs;
struct trace_event_call;

/**
 * struct pev_slot - an event on one CPU
 * @running:  the event counts here now; changed by this CPU with interrupts off
 * @in_tick:  a timer's callback is between two periods
 * @ring:     the channel's ring of this CPU; NULL to count only
 * @count:    occurrences that passed the filter
 * @left:     occurrences since the last record, for periods above 1
 * @samples:  records written
 * @lost:     records that found no room
 * @filtered: occurrences refused by the filter
 * @time:     ns that the event ran here, up to @since
 * @waited:   of these, ns that it had no counter to count with; see
 *            pev_slot_times()
 * @since:    when it was started, in ktime_get_mono_fast_ns()
 * @node:     on this CPU's list of running events of one source
 * @event:    back
 * @timer:    of timer events
 * @remaining: ns to the next sample of a stopped timer, 0: a whole period
 *
 * Counters are changed by their CPU alone, at any nesting; others read them.
 */
struct pev_slot {
	u32			running;
	u32			in_tick;
	struct pev_ring		*ring;
	local64_t		count;
	local64_t		left;
	local64_t		samples;
	local64_t		lost;
	local64_t		filtered;
	u64			time;
	u64			waited;
	u64			since;
	struct hlist_node	node;
	struct pev_event	*event;
	struct hrtimer		timer;
	u64			remaining;
};

/**
 * struct pev_source_ops - a kind of event
 * @type:   name in the catalog and in the metadata's model.emf.uri
 * @open:   check the source's own attributes, find the source, set @event->name.
 *          Process context, may sleep, pev_control held.
 * @hook:   connect to the source: from here on the probe may be called on any
 *          CPU and must look at the slot's @running. Process context,
 *          pev_control held. NULL where nothing needs connecting
 * @unhook: undo @hook; the caller waits for a grace period before @close
 * @close:  free what @open took. Process context
 * @start:  the event begins to count on this CPU. Interrupts off, on the CPU,
 *          perhaps inside the scheduler with a runqueue locked; @now is in
 *          ktime_get_mono_fast_ns(). May be NULL
 * @stop:   the opposite, same context. May be NULL
 * @fold:   bring @slot's @count up to date and, if @now is not 0, its @waited.
 *          The slot runs; on its CPU, any context with preemption disabled.
 *          NULL: they always are
 * @reset:  the counters of @cpu's slot, folded, are about to be set to 0: forget
 *          what belongs to them. On the CPU with interrupts off, or for one that
 *          is offline. May be NULL
 * @filter: set (@expr not NULL) or remove the filter. pev_control held. NULL:
 *          the source has no fields
 * @period: change the period of a live event; NULL: nothing but to store it
 * @fields: append the payload's fields to the channel's metadata, each a line
 *          "\t\ttype name;\n". NULL: no payload
 *
 * One static const instance a source.
 */
struct pev_source_ops {
	const char *type;
	int (*open)(struct pev_event *event, const struct pev_attr *attr,
		    struct pev_refuse *r);
	int (*hook)(struct pev_event *event, struct pev_refuse *r);
	void (*unhook)(struct pev_event *event);
	void (*close)(struct pev_event *event);
	void (*start)(struct pev_event *event, struct pev_slot *slot, u64 now);
	void (*stop)(struct pev_event *event, struct pev_slot *slot, u64 now);
	void (*fold)(struct pev_event *event, struct pev_slot *slot, u64 now);
	void (*reset)(struct pev_event *event, struct pev_slot *slot, unsigned int cpu);
	int (*filter)(struct pev_event *event, const char *expr, struct pev_refuse *r);
	int (*period)(struct pev_event *event, u64 period);
	void (*fields)(struct pev_event *event, struct pev_text *text);
};

/**
 * struct pev_event - an event
 * @ops:       the source
 * @slots:     one for each possible CPU
 * @channel:   where records go; NULL to count only
 * @id:        in the channel
 * @body:      bytes of a record's body without payload: 4 more than a multiple
 *             of 8; without the variable parts that @varying announces
 * @varying:   PEV_SAMPLE_* whose size is only known at the sample
 * @sample:    PEV_SAMPLE_*
 * @simple:    a record's context is the tid in the initial pid namespace, no
 *             more: written inline
 * @pid_ns:    the opener's, in which pids and tids are reported
 * @period:    occurrences or ns a record
 * @flags:     PEV_F_*
 * @call:      trace_event_call of a tracepoint or of what the source made up
 *             for its filter; NULL without
 * @filter:    RCU-sched protected; NULL without
 * @private:   the source's own
 *
 * @target:    enum pev_target
 * @config:    the attribute
 * @regs_user: registers to record
 * @stack_user: bytes of stack to record
 * @max_stack: frames of each call chain
 * @counts_time: the value is the time that the event ran, not occurrences
 * @privileged: the opener may watch what changes its credentials
 * @enabled:   by flags and ioctl; changed under pev_control (or by exec)
 * @on_exec:   to be enabled by the target's next exec
 * @hooked:    @ops->hook was called
 * @leader:    of the group; itself if alone. Under pev_control
 * @siblings:  members, on the leader
 * @group_node: in @siblings
 * @channel_node: in the channel's list, under its lock
 * @cpus:      CPUs of a CPU or cgroup target
 * @all_cpus:  CPUs that come online later are meant too
 * @cgroup:    of a cgroup target
 * @node:      in the list of all events that do not belong to tasks
 * @name:      "sched:sched_switch"
 * @opened:    @ops->open succeeded
 * @reap_node: on the way to be freed
 */
struct pev_event {
	/* read by every occurrence */
	const struct pev_source_ops	*ops;
	struct pev_slot __percpu	*slots;
	struct pev_channel		*channel;
	u32				id;
	u32				body;
	u64				varying;
	u64				sample;
	bool				simple;
	u64				period;
	u64				flags;
	struct pid_namespace		*pid_ns;
	struct trace_event_call		*call;
	struct event_filter __rcu	*filter;
	void				*private;

	u32				target;
	u64				config;
	u64				regs_user;
	u32				stack_user;
	u32				max_stack;
	bool				counts_time;
	bool				privileged;
	bool				enabled;
	bool				on_exec;
	bool				hooked;
	struct pev_event		*leader;
	struct list_head		siblings;
	struct list_head		group_node;
	struct list_head		channel_node;
	cpumask_var_t			cpus;
	bool				all_cpus;
	struct cgroup			*cgroup;
	struct list_head		node;
	char				*name;
	bool				opened;
	struct list_head		reap_node;
};

/* Serializes all changes to events, targets and hooks; never taken to count. */
extern struct mutex pev_control;

extern const struct pev_source_ops pev_software_source;
extern const struct pev_source_ops pev_timer_source;
extern const struct pev_source_ops pev_tracepoint_source;
extern const struct pev_source_ops pev_marker_source;
extern const struct pev_source_ops pev_sideband_source;
extern const struct pev_source_ops pev_pmu_source;

/**
 * pev_event_create() - an event, attached to its target
 * @attr: checked by the caller but for what only a source or target knows
 * @r:    says why not
 *
 * Context: Process context, may sleep.
 * Return: the event, or an ERR_PTR().
 */
struct pev_event *pev_event_create(const struct pev_attr *attr, struct pev_refuse *r);

/**
 * pev_event_close() - the opposite
 * @event: stops at once; its memory goes after a grace period shared with others
 */
void pev_event_close(struct pev_event *event);

/* A file whose release closes @event, or an ERR_PTR(). */
struct file *pev_event_file(struct pev_event *event);

/* The event behind @file, NULL if it is no event. */
struct pev_event *pev_event_from_file(struct file *file);

/**
 * pev_slot_running() - does @event count on this CPU now?
 * @event: an event
 *
 * The first thing that a probe asks. Lockless: a change by an interrupt right
 * after it is as if the occurrence had come a moment earlier.
 *
 * Context: Any with preemption disabled.
 * Return: the slot, or NULL.
 */
static __always_inline struct pev_slot *pev_slot_running(struct pev_event *event)
{
	struct pev_slot *slot = this_cpu_ptr(event->slots);

	return likely(READ_ONCE(slot->running)) ? slot : NULL;
}

/**
 * pev_slot_hit() - count an occurrence that passed the filter
 * @event: its event
 * @slot:  its slot on this CPU
 * @nr:    how many at once
 *
 * Context: Any with preemption disabled.
 * Return: is a record due?
 */
static __always_inline bool pev_slot_hit(struct pev_event *event, struct pev_slot *slot,
					 u64 nr)
{
	u64 period = READ_ONCE(event->period);

	local64_add(nr, &slot->count);
	if (!slot->ring)
		return false;
	if (likely(period == 1))
		return true;
	if ((u64)local64_add_return(nr, &slot->left) < period)
		return false;
	local64_sub(period, &slot->left);
	return true;
}

/**
 * pev_slot_times() - the two times of an event on a CPU
 * @slot:    of any CPU
 * @enabled: ns that it ran
 * @running: ns of these that it counted
 *
 * Both are as of the last fold. One that comes in between must not make more
 * waiting than time of it: @time is written before and read after @waited.
 *
 * Context: Any.
 */
static inline void pev_slot_times(const struct pev_slot *slot, u64 *enabled, u64 *running)
{
	u64 waited = READ_ONCE(slot->waited);

	smp_rmb();	/* pev_slot:I, pairs with J */
	*enabled = READ_ONCE(slot->time);
	/* a reset sets both to 0, one after the other */
	*running = *enabled - min(waited, *enabled);
}

/**
 * pev_slot_value() - what @event counted on the slot's CPU
 * @event: an event
 * @slot:  one of its slots
 *
 * Context: Any with preemption disabled. Exact on the slot's own CPU, elsewhere
 * as of the last fold.
 */
static inline u64 pev_slot_value(struct pev_event *event, struct pev_slot *slot)
{
	u64 value;

	if (event->ops->fold && slot == this_cpu_ptr(event->slots) && slot->running)
		event->ops->fold(event, slot, 0);
	if (!event->counts_time)
		return local64_read(&slot->count);
	value = slot->time;
	if (slot == this_cpu_ptr(event->slots) && slot->running)
		value += ktime_get_mono_fast_ns() - slot->since;
	return value;
}

#endif
