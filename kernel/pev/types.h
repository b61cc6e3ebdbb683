/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types that all layers above the rings share: an event, an event on one CPU, and what
 * a source does. Inline is what counts an occurrence, and nothing that changes an event.
 */
#ifndef _PEV_TYPES_H
#define _PEV_TYPES_H

#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/pev_clock.h>
#include <linux/rcupdate.h>
#include <asm/local64.h>
#include <uapi/linux/pev.h>

struct cred;
struct file;
struct pev_cgroup;
struct pev_charge;
struct pev_channel;
struct pev_event;
struct pev_filter;
struct pev_filter_field;
struct pev_layout;
struct pev_refuse;
struct pev_ring;
struct pev_strbuf;
struct pev_table_set;
struct pev_tally;
struct pid_namespace;
struct pt_regs;
struct task_struct;
struct pev_field;
struct trace_event_call;
struct trace_iterator;
struct vm_area_struct;

/**
 * struct pev_event_cpu - an event on one CPU
 * @running:  the event counts here now; changed by this CPU with interrupts off
 * @absent:   what counts it is not on this CPU: time here is none of its
 * @ring:     the channel's ring of this CPU; NULL to count only
 * @count:    occurrences that passed the filter
 * @left:     occurrences since the last record, for periods above 1
 * @samples:  records written
 * @lost:     records that found no room
 * @filtered: occurrences refused by the filter
 * @unarmed:  records that were due while the channel was closed
 * @fired:    of a trigger: records that were due
 * @acted:    of these, what changed the channel
 * @time:     ns that the event ran here, up to @since
 * @waited:   of these, ns that it had no counter to count with; see
 *            pev_event_cpu_times()
 * @since:    when it was started, in pev_now_ns()
 * @node:     on this CPU's list of running events of one source
 * @event:    back
 *
 * Counters are changed by their CPU alone, at any nesting; others read them.
 */
struct pev_event_cpu {
	u32			running;
	bool			absent;
	struct pev_ring		*ring;
	local64_t		count;
	local64_t		left;
	local64_t		samples;
	local64_t		lost;
	local64_t		filtered;
	local64_t		unarmed;
	local64_t		fired;
	local64_t		acted;
	u64			time;
	u64			waited;
	u64			since;
	struct hlist_node	node;
	struct pev_event	*event;
};

/* Members of struct pev_attr that not all events have. */
#define PEV_ATTR_CONFIG		BIT(0)
#define PEV_ATTR_WORDS		BIT(1)	/* config1, config2 */
#define PEV_ATTR_PMU		BIT(2)
#define PEV_ATTR_NAME		BIT(3)
#define PEV_ATTR_FILTER		BIT(4)	/* on fields, if the event has @fields */

/**
 * enum pev_periods - what @period of struct pev_attr means to a source
 * @PEV_PERIOD_OF_RECORDS: occurrences a record; without a channel there is none
 * @PEV_PERIOD_ALWAYS:     the event has a period, with or without a channel
 * @PEV_PERIOD_NEVER:      each occurrence is a record
 * @PEV_PERIOD_LEAST:      ns that an occurrence takes at least, 0: any; it can't be changed
 */
enum pev_periods {
	PEV_PERIOD_OF_RECORDS,
	PEV_PERIOD_ALWAYS,
	PEV_PERIOD_NEVER,
	PEV_PERIOD_LEAST,
};

/**
 * enum pev_shows - what an event shows of the kernel by its nature, for permissions
 * @PEV_SHOWS_NOTHING:      nothing but what PEV_SAMPLE_* asks for
 * @PEV_SHOWS_KERNEL:       a record tells where the kernel was
 * @PEV_SHOWS_KERNEL_COUNT: so does the count
 * @PEV_SHOWS_KERNEL_DATA:  records hold data of the kernel
 */
enum pev_shows {
	PEV_SHOWS_NOTHING,
	PEV_SHOWS_KERNEL,
	PEV_SHOWS_KERNEL_COUNT,
	PEV_SHOWS_KERNEL_DATA,
};

/**
 * struct pev_source_ops - a kind of event
 * @type:   name in the catalog and in the metadata's model.emf.uri
 * @attrs:  PEV_ATTR_* that have a meaning
 * @flags:  PEV_F_* understood, of those in PEV_SOURCE_FLAGS
 * @periods: what a period is
 * @shows:  what may be seen of the kernel
 * @weight: what an event costs at a switch, in those of a tracepoint; 0 is 1
 * @unhook_late: @unhook is called when the event is reaped, not when it is closed:
 *          it is slow, and gives back nothing that others wait for
 * @setup:  at boot, before the first event and before CPUs are watched. Return: 0 or an
 *          error, with which pev is not there. May be NULL
 * @teardown: undo @setup, as the module goes or can't be set up. May be NULL, and is, built in
 * @open:   check the source's own attributes, find the source, set @event->name
 *          unless the user gave one. Process context, may sleep, no locks held: it may
 *          copy from the user
 * @hook:   connect to the source: from here on the probe may be called on any
 *          CPU and must look at @running of struct pev_event_cpu. Process context, may sleep,
 *          no locks held. NULL where nothing needs connecting
 * @unhook: undo @hook; the caller waits for a grace period before @close. As @hook
 * @quiesce: @unhook_late of some events has been called: wait until nothing of them runs, for
 *          all at once. By the reaper alone, as @unhook_late. NULL: the caller's grace period
 *          is enough
 * @close:  free what @open took. Process context
 * @start:  the event begins to count on this CPU. Interrupts off, on the CPU,
 *          perhaps inside the scheduler with a runqueue locked; @now is in
 *          pev_now_ns(). May be NULL
 * @stop:   the opposite, same context. May be NULL
 * @fold:   bring @ec's @count up to date and, if @now is not 0, its @waited.
 *          The event runs; on its CPU, any context with preemption disabled.
 *          NULL: they always are
 * @reset:  the event's counters on @cpu, folded, are about to be set to 0: forget
 *          what belongs to them. @runs: it runs there, and this is that CPU, with interrupts
 *          off. Otherwise it may be another one, which may begin to run it at any moment, and
 *          resets it once more then: what it counts with is not to be touched. May be NULL
 * @reset_all: the same of what there is once for all CPUs, before their turn. pev_control held,
 *          process context; NULL: there is nothing
 * @period: change the period of a live event; NULL: nothing but to store it
 * @retime: the period was changed: it holds for @ec, which runs, from now on.
 *          Slots that don't run learn of it from @start. Interrupts off, on the
 *          CPU; @commit follows. NULL: it does without
 * @where:  CPUs that it counts on, if it can't on each of them; NULL, or returns NULL: all.
 *          Process context, after @open
 * @fields: append the payload's fields to the channel's metadata, each a line
 *          "\t\ttype name;\n". NULL: no payload
 * @layout: say how long the payload is, see struct pev_layout; NULL with @fields.
 *          Process context, no locks; the same at each call
 * @print:  append a record to @seq of the iterator, as its event wants it printed, with a
 *          newline: @ent is there with the fields of the payload behind the common ones,
 *          which are the caller's but for the type. Process context, or a panic, where
 *          nothing may be waited for. NULL: nothing is known but the payload
 * @find:   a field of the payload by its name, for filters; @private is the event's.
 *          False: there is none. NULL: the fields are those of @call
 * @missed: occurrences at which the source could not be called, since the last reset.
 *          Process context; concurrently with @unhook only if it allows it. NULL: none
 * @ioctl:  what only this source is asked, -ENOTTY for all else. Process context, no locks
 *          held. NULL: nothing
 * @mmap:   map what the event shows to user space. Process context, mmap lock held.
 *          NULL: -ENODEV
 * @multiplexed: add up what PEV_IOC_READ_MULTIPLEXED tells; @size is set. Process
 *          context, pev_control held, the event was folded. NULL: -EOPNOTSUPP
 * @commit: @start, @stop and @retime only took notes: make them true, for all events of
 *          the source at once. Interrupts off, in the section in which they were
 *          called, while pev_commit_key is on. At most one source has it
 * @mark:   @task, which is current or about to be, is one that PEV_F_MARKED events
 *          count, or not. Interrupts off, while pev_pmm_key is on. At most one source
 *          has it
 * @task_switch: the CPU goes from one task to another; arguments and context are those of
 *          the tracepoint sched_switch. While pev_switch_key is on. At most one source has it
 * @arrive: another task is about to run on this CPU, whether events count it or not; @start,
 *          @stop and @commit were called. Interrupts off, while pev_arrive_key is on. At most
 *          one source has it
 * @prepare: get memory for @follow of @nr tasks. Process context, may sleep. NULL: it
 *          needs none
 * @follow: from now on @event counts @task, which was just made (@fresh) or attached; no
 *          other call for the two is under way. Locks of the tree of tasks or of the sets
 *          are held: it must not sleep. NULL: it need not know
 * @leave:  @event, which @follow was called for, no longer counts @task, which is current.
 *          Not called if the event is closed first. Process context. May be NULL
 * @switched: @event may have been switched on or off: its state says. Any context but
 *          NMI. NULL: @start and @stop say enough
 * @more_size: bytes of what read() gives behind struct pev_value; 0: nothing
 * @more:   fill it in. Process context, no locks held. NULL with @more_size 0
 * @info:   fill in what the query tells of the source. Process context. May be NULL
 * @catalog: append a line for each event that can be opened. Process context
 *
 * All of it that an event may do without is decided by these members: nothing above
 * the sources asks which one it is. One static const instance a type; see source/list.h.
 */
struct pev_source_ops {
	const char *type;
	u32 attrs;
	u64 flags;
	enum pev_periods periods;
	enum pev_shows shows;
	unsigned int weight;
	bool unhook_late;
	int (*setup)(void);
	void (*teardown)(void);
	int (*open)(struct pev_event *event, const struct pev_attr *attr,
		    struct pev_refuse *r);
	int (*hook)(struct pev_event *event, struct pev_refuse *r);
	void (*unhook)(struct pev_event *event);
	void (*quiesce)(void);
	void (*close)(struct pev_event *event);
	void (*start)(struct pev_event *event, struct pev_event_cpu *ec, u64 now);
	void (*stop)(struct pev_event *event, struct pev_event_cpu *ec, u64 now);
	void (*fold)(struct pev_event *event, struct pev_event_cpu *ec, u64 now);
	void (*reset)(struct pev_event *event, struct pev_event_cpu *ec, unsigned int cpu,
		      bool runs);
	void (*reset_all)(struct pev_event *event);
	int (*period)(struct pev_event *event, u64 period);
	void (*retime)(struct pev_event *event, struct pev_event_cpu *ec);
	const struct cpumask *(*where)(const struct pev_event *event);
	void (*fields)(struct pev_event *event, struct pev_strbuf *text);
	void (*layout)(struct pev_event *event, struct pev_layout *layout);
	void (*print)(struct pev_event *event, struct trace_iterator *iter);
	bool (*find)(const void *private, const char *name, size_t len,
		     struct pev_filter_field *field);
	u64 (*missed)(struct pev_event *event);
	long (*ioctl)(struct pev_event *event, unsigned int cmd, unsigned long arg);
	int (*mmap)(struct pev_event *event, struct vm_area_struct *vma);
	void (*multiplexed)(struct pev_event *event, struct pev_multiplexed *m);
	void (*commit)(void);
	void (*mark)(struct task_struct *task, bool on);
	void (*task_switch)(bool preempt, struct task_struct *prev, struct task_struct *next,
			    unsigned int prev_state);
	void (*arrive)(void);
	void (*prepare)(struct pev_event *event, unsigned int nr);
	void (*follow)(struct pev_event *event, struct task_struct *task, bool fresh);
	void (*leave)(struct pev_event *event, struct task_struct *task);
	void (*switched)(struct pev_event *event);
	size_t more_size;
	void (*more)(struct pev_event *event, void *to);
	void (*info)(struct pev_info *info);
	void (*catalog)(struct pev_strbuf *text);
};

#define PEV_HARDWARE_FLAGS	(PEV_F_EXCLUDE_HV | PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST | \
				 PEV_F_PINNED | PEV_F_EXCLUSIVE | PEV_F_MARKED | PEV_F_USER_PAGE | \
				 PEV_F_PRECISE_ALL)

/* What makes an event a trigger. */
#define PEV_TRIGGER_FLAGS	(PEV_F_START | PEV_F_STOP | PEV_F_FREEZE)
/* ... behind whose record there is none */
#define PEV_CLOSING_FLAGS	(PEV_F_STOP | PEV_F_FREEZE)

/* Flags that only some sources understand: @flags says which. */
#define PEV_SOURCE_FLAGS	(PEV_HARDWARE_FLAGS | PEV_F_FREQ | PEV_F_TEXT | PEV_F_STRUCTS)

/**
 * struct pev_event - an event
 * @ops:       the source
 * @percpu:    one for each possible CPU
 * @channel:   where records go; NULL to count only
 * @tally:     how it counts in a table instead of writing records; NULL without one
 * @charge:    how its counts are a table's values; NULL without one
 * @rings:     the slots that have the channel's rings: @percpu, or, if the event counts in a
 *             table and only some of it becomes records, those of @tally
 * @id:        in the channel or table
 * @body:      bytes of a record's body without payload: 4 more than a multiple
 *             of 8; without the variable parts that @varying announces
 * @varying:   PEV_SAMPLE_* whose size is only known at the sample
 * @sample:    PEV_SAMPLE_*
 * @simple:    a record's context is the tid in the initial pid namespace, no
 *             more: written inline
 * @bare:      it counts in a table by the payload and the task alone: what it writes has
 *             no context
 * @tells_guests: host and guests are not the same to it
 * @tells_reasons: it asks why guests are left
 * @hides_addr: PEV_SAMPLE_ADDR is not to show where the kernel has what
 * @pid_ns:    the opener's, in which pids and tids are reported
 * @period:    occurrences or ns a record
 * @flags:     PEV_F_*
 * @call:      of a tracepoint; NULL without
 * @fields:    that occurrences have, of a tracepoint or a marker; NULL without. Up to
 *             one without a name
 * @gate:      PEV_GATE_*: what is to be asked of an occurrence; 0 on the fast path
 * @filter:    RCU-sched protected; NULL without
 * @private:   the source's own
 *
 * @target:    enum pev_target
 * @config:    the attribute
 * @regs_user: registers to record
 * @stack_user: bytes of stack to record
 * @max_stack: frames of each call chain
 * @pair_text: what the metadata says of PEV_SAMPLE_PAIR; NULL without
 * @by_others: what it counts may be done to a task by another one, which finds the event through it
 * @in_bulk:   it occurs for dozens of tasks at a stretch
 * @counts_time: the value is the time that the event ran, not occurrences
 * @kernel:    kernel code opened it, and has locks that users' turns are taken before
 * @privileged: the opener may watch what changes its credentials
 * @weight:    what it costs at a switch, see struct pev_source_ops
 * @filter_weight: of that, its filter's
 * @cred:      the opener's
 * @self:      the opener's process, which may see itself
 * @self_exec_id: of @self: an exec ends that
 * @state:     enum pev_event_state; changed under pev_control, but for an exec that
 *             switches on what waits for it
 * @connected: attached and hooked, and not closed; under pev_control
 * @file:      its release closes the event; under pev_control
 * @top:       what a task target names: a thread, or a process
 * @links:     its places in sets of events, under pev_tables_lock
 * @sync_id:   of the newest change that it was part of; see sync.c
 * @sync_node: an exec changed it, and not all CPUs know yet
 * @leader:    of the group; itself if alone. Under pev_control
 * @siblings:  members, on the leader
 * @group_node: in @siblings
 * @cpus:      CPUs of a CPU or cgroup target
 * @moved:     CPUs that may run on the sets which tasks had before they were attached
 * @cgroup:    of a cgroup target
 * @node:      in the list of events on CPUs or on a cgroup
 * @name:      "sched:sched_switch"
 * @opened:    @ops->open succeeded
 * @reap_node: on the way to be freed
 */
struct pev_event {
	/* read by every occurrence */
	const struct pev_source_ops	*ops;
	struct pev_event_cpu __percpu	*percpu;
	struct pev_channel		*channel;
	struct pev_tally		*tally;
	struct pev_charge		*charge;
	struct pev_event_cpu __percpu	*rings;
	u32				id;
	u32				body;
	u64				varying;
	u64				sample;
	bool				simple;
	bool				bare;
	bool				tells_guests;
	bool				tells_reasons;
	bool				hides_addr;
	u64				period;
	u64				flags;
	struct pid_namespace		*pid_ns;
	struct trace_event_call		*call;
	const struct pev_field		*fields;
	u32				gate;
	struct pev_filter __rcu		*filter;
	void				*private;

	u32				target;
	u64				config;
	u64				regs_user;
	u32				stack_user;
	u32				max_stack;
	char				*pair_text;
	bool				by_others;
	bool				in_bulk;
	bool				counts_time;
	bool				kernel;
	bool				privileged;
	u32				weight;
	u32				filter_weight;
	const struct cred		*cred;
	struct pid			*self;
	u64				self_exec_id;
	u32				state;
	bool				connected;
	struct file			*file;
	struct pid			*top;
	struct hlist_head		links;
	u64				sync_id;
	struct list_head		sync_node;
	struct pev_event		*leader;
	struct list_head		siblings;
	struct list_head		group_node;
	cpumask_var_t			cpus;
	cpumask_var_t			moved;
	struct pev_cgroup		*cgroup;
	struct list_head		node;
	char				*name;
	bool				opened;
	struct list_head		reap_node;
};

/**
 * enum pev_event_state - is an event switched on?
 * @PEV_EVENT_OFF:   no
 * @PEV_EVENT_ON:    it counts wherever its target runs
 * @PEV_EVENT_WAITS: no, but the target's next exec switches it on
 * @PEV_EVENT_DEAD:  it was closed, and nothing will switch it on again
 */
enum pev_event_state {
	PEV_EVENT_OFF,
	PEV_EVENT_ON,
	PEV_EVENT_WAITS,
	PEV_EVENT_DEAD,
};

static inline bool pev_event_is_on(const struct pev_event *event)
{
	return READ_ONCE(event->state) == PEV_EVENT_ON;
}

/* @event's state was changed. Context: Any but NMI. */
static inline void pev_event_switched(struct pev_event *event)
{
	if (event->ops->switched)
		event->ops->switched(event);
}

static inline bool pev_targets_task(const struct pev_event *event)
{
	return event->target == PEV_TARGET_TASK || event->target == PEV_TARGET_PROCESS ||
	       event->target == PEV_TARGET_SUBTREE || event->target == PEV_TARGET_GUEST;
}

/*
 * What openers who may not watch everybody have with fields are, but for kernel.pev_paranoid = -1,
 * their own system calls: these occur with preemption off, but interrupts on and no lock held, and
 * cost others so much less.
 */
#define PEV_FIELDS_LIGHTER	4

/**
 * pev_event_weigh() - for how many events more one counts that takes its time
 * @event:  its @privileged and @fields are set
 * @weight: the number, if it occurs in an interrupt or where a runqueue is locked
 *
 * Return: the number; 0 of who may watch everybody.
 */
static inline u32 pev_event_weigh(const struct pev_event *event, u32 weight)
{
	if (event->privileged)
		return 0;
	return event->fields ? weight / PEV_FIELDS_LIGHTER : weight;
}

/**
 * struct pev_request - what a user asks for, all of it in the kernel
 * @attr:   the attribute; the addresses in it are not followed any more, but for one
 *          in @config, by its source
 * @name:   copy of the string or NULL; set to NULL when it is taken over
 * @filter: copy of the string or NULL
 * @cpus:   copy of the mask, @attr.cpus_size bytes, or NULL
 * @channel_file: what @attr.channel_fd is, with a reference; NULL: not open
 * @channel: the channel behind it, or that of a table's records; NULL: there is none
 * @table:   the table behind it, likewise; @attr.channel_fd is -1 if events write no record
 *           there, but only count
 * @leader_file: what @attr.group_fd is, likewise
 * @leader: the event behind it
 * @ops:    of a source that only the kernel opens; NULL: that of @attr.type
 * @take:   is given each occurrence of an event of the kernel's own, see pev_tally_take(); NULL:
 *          none
 * @kernel: the kernel itself asks: it has all rights, and @channel without a file
 */
struct pev_request {
	struct pev_attr		attr;
	char			*name;
	char			*filter;
	u64			*cpus;
	struct file		*channel_file;
	struct pev_channel	*channel;
	struct pev_table_set	*table;
	struct file		*leader_file;
	struct pev_event	*leader;
	const struct pev_source_ops *ops;
	void			(*take)(const void *record);
	bool			kernel;
};

/**
 * pev_event_running() - does @event count on this CPU now?
 * @event: an event
 *
 * The first thing that a probe asks. Lockless: a change by an interrupt right
 * after it is as if the occurrence had come a moment earlier.
 *
 * Context: Any with preemption disabled.
 * Return: the event on this CPU, or NULL.
 */
static __always_inline struct pev_event_cpu *pev_event_running(struct pev_event *event)
{
	struct pev_event_cpu *ec = this_cpu_ptr(event->percpu);

	return likely(READ_ONCE(ec->running)) ? ec : NULL;
}

/* Do occurrences become records, or count in a table? */
static __always_inline bool pev_event_records(const struct pev_event *event,
					      const struct pev_event_cpu *ec)
{
	return likely(ec->ring) || event->tally;
}

/* Are they to, whether or not this CPU has a ring? */
static inline bool pev_event_samples(const struct pev_event *event)
{
	return event->channel || event->tally;
}

/* Count @nr towards the period. Return: it is over */
static __always_inline bool pev_event_due(const struct pev_event *event, struct pev_event_cpu *ec,
					  u64 nr)
{
	u64 period = READ_ONCE(event->period);

	if (likely(period == 1))
		return true;
	if ((u64)local64_add_return(nr, &ec->left) < period)
		return false;
	/* the period was shortened: drop the excess instead of a burst of records */
	if (unlikely((u64)local64_sub_return(period, &ec->left) >= period))
		local64_set(&ec->left, 0);
	return true;
}

void pev_event_ringless(struct pev_event *event, struct pev_event_cpu *ec);
void pev_event_hit_ringless(struct pev_event *event, struct pev_event_cpu *ec, u64 nr);

/**
 * pev_event_places() - does a record that is due have a place on this CPU?
 * @event: its event
 * @ec:    the event on this CPU
 *
 * If not, though it should have one, it is lost, and counted.
 *
 * Context: Any with preemption disabled.
 */
static __always_inline bool pev_event_places(struct pev_event *event, struct pev_event_cpu *ec)
{
	if (pev_event_records(event, ec))
		return true;
	if (event->channel)
		pev_event_ringless(event, ec);
	return false;
}

/**
 * pev_event_hit() - count an occurrence that passed the filter
 * @event: its event
 * @ec:    the event on this CPU
 * @nr:    how many at once
 *
 * Context: Any with preemption disabled.
 * Return: is a record due?
 */
static __always_inline bool pev_event_hit(struct pev_event *event, struct pev_event_cpu *ec,
					  u64 nr)
{
	local64_add(nr, &ec->count);
	if (pev_event_records(event, ec))
		return pev_event_due(event, ec, nr);
	if (event->channel)
		pev_event_hit_ringless(event, ec, nr);
	return false;
}

/* Return: ns from @since to @now; the clock may step back a little. */
static inline u64 pev_elapsed(u64 since, u64 now)
{
	return max_t(s64, now - since, 0);
}

/**
 * pev_event_cpu_times() - the two times of an event on a CPU
 * @ec:      of any CPU
 * @enabled: ns that it ran
 * @running: ns of these that it counted
 *
 * Both are as of the last fold. One that comes in between must not make more
 * waiting than time of it: @time is written before and read after @waited.
 *
 * Context: Any.
 */
static inline void pev_event_cpu_times(const struct pev_event_cpu *ec, u64 *enabled, u64 *running)
{
	u64 waited = READ_ONCE(ec->waited);

	smp_rmb();	/* pev_event_cpu:I, pairs with J */
	*enabled = READ_ONCE(ec->time);
	/* min(): a reset clears one after the other */
	*running = *enabled - min(waited, *enabled);
	if (unlikely(READ_ONCE(ec->absent)))
		*enabled = *running = 0;
}

/**
 * pev_event_cpu_value_at() - what @event counted on a CPU, one of several that are read
 * @event: an event
 * @ec:    the event on that CPU
 * @now:   pev_now_ns(), or 0 where nothing has asked for it yet
 *
 * Context: Any with preemption disabled. Exact on that CPU, elsewhere
 * as of the last fold.
 */
static inline u64 pev_event_cpu_value_at(struct pev_event *event, struct pev_event_cpu *ec,
					 u64 *now)
{
	u64 value;

	if (event->ops->fold && ec == this_cpu_ptr(event->percpu) && ec->running)
		event->ops->fold(event, ec, 0);
	if (!event->counts_time)
		return local64_read(&ec->count);
	value = ec->time;
	if (ec == this_cpu_ptr(event->percpu) && ec->running) {
		*now = *now ?: pev_now_ns();
		value += pev_elapsed(ec->since, *now);
	}
	return value;
}

/* The same of one alone. */
static inline u64 pev_event_cpu_value(struct pev_event *event, struct pev_event_cpu *ec)
{
	u64 now = 0;

	return pev_event_cpu_value_at(event, ec, &now);
}

#endif
