// SPDX-License-Identifier: GPL-2.0
/*
 * Owns events from creation to the reaper, and their groups. Must not know what an event
 * counts, where it runs, or what a file descriptor is.
 *
 * Locks: pev_control, then channel->lock. No grace period is awaited under it.
 */
#include <linux/capability.h>
#include <linux/pev_refuse.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>
#include "base/lock.h"
#include "base/paranoid.h"
#include "base/turn.h"
#include "base/work.h"
#include "channel/channel.h"
#include "record/charge.h"
#include "record/guest.h"
#include "record/pair.h"
#include "record/sample.h"
#include "record/tally.h"
#include "source/trace/fields.h"
#include "source/trace/filter.h"
#include "table/table.h"
#include "target/rights.h"
#include "target/sync.h"
#include "target/target.h"
#include "types.h"
#include "event.h"
#include "reasons.h"
#include "sources.h"

/* ---- the end of events ---- */

/* Closed events are reaped together, after this delay or when there are so many. */
#define REAP_DELAY	(HZ / 10)
#define REAP_MANY	256

/* Closed events that share one grace period. */
static LIST_HEAD(reap_list);
static unsigned int reap_nr;
static DEFINE_SPINLOCK(reap_lock);

/* Events that are not freed yet, wherever they are on their way: the module stays for them. */
static atomic_t live;

static void event_free(struct pev_event *event)
{
	/* a panic finds it until then, and a CPU that comes online gives its slots a ring */
	if (event->channel)
		pev_channel_forget_event(event->channel, event);
	pev_filter_free(event);
	if (event->opened && event->ops->close)
		event->ops->close(event);
	pev_guest_exit(event);
	pev_reasons_exit(event);
	pev_sample_exit(event);
	pev_charge_exit(event);
	/* the rings are there for what its source finished in the close */
	if (event->channel)
		pev_channel_put(event->channel);
	pev_tally_exit(event);
	pev_target_exit(event);
	pev_rights_exit(event);
	put_pid_ns(event->pid_ns);
	free_percpu(event->percpu);
	kfree(event->name);
	kfree(event);
	if (atomic_dec_and_test(&live))
		wake_up_var(&live);
}

/* One call for all events of a source that has many of them here. */
static void quiesce(const struct list_head *dead)
{
	const struct pev_source_ops *last = NULL;
	const struct pev_event *event;

	list_for_each_entry(event, dead, reap_node) {
		if (!event->ops->quiesce || event->ops == last)
			continue;
		last = event->ops;
		last->quiesce();
	}
}

static void reap(struct work_struct *work)
{
	struct pev_event *event, *next;
	LIST_HEAD(dead);

	spin_lock(&reap_lock);
	list_splice_init(&reap_list, &dead);
	reap_nr = 0;
	spin_unlock(&reap_lock);
	if (list_empty(&dead))
		return;
	list_for_each_entry(event, &dead, reap_node) {
		if (event->ops->unhook_late)
			event->ops->unhook(event);
		cond_resched();
	}
	quiesce(&dead);
	/* after one grace period for all, no probe is inside any of them */
	tracepoint_synchronize_unregister();
	list_for_each_entry_safe(event, next, &dead, reap_node) {
		event_free(event);
		cond_resched();
	}
}

static DECLARE_DELAYED_WORK(reap_work, reap);

void pev_event_reap_sync(void)
{
	flush_delayed_work(&reap_work);
}

/* The queue is taken down afterwards, which waits for the end of what frees the last one. */
void __pev_teardown pev_event_teardown(void)
{
	pev_event_reap_sync();
	wait_var_event(&live, !atomic_read(&live));
}

static void reap_later(struct pev_event *event)
{
	bool many;

	spin_lock(&reap_lock);
	list_add_tail(&event->reap_node, &reap_list);
	many = ++reap_nr >= REAP_MANY;
	spin_unlock(&reap_lock);
	if (many)
		mod_delayed_work(pev_wq, &reap_work, 0);
	else
		queue_delayed_work(pev_wq, &reap_work, REAP_DELAY);
}

static void group_leave(struct pev_event *event)
{
	struct pev_event *member, *next;

	lockdep_assert_held(&pev_control);

	if (event->leader != event) {
		list_del_rcu(&event->group_node);
		return;
	}
	list_for_each_entry_safe(member, next, &event->siblings, group_node) {
		list_del_rcu(&member->group_node);
		WRITE_ONCE(member->leader, member);
	}
}

static void disconnect(struct pev_event *event)
{
	struct pev_turn *turn = event->kernel ? NULL : pev_turn_wait();

	scoped_guard(mutex, &pev_control) {
		event->connected = false;
		event->file = NULL;
		group_leave(event);
		pev_target_stop(event);
	}
	pev_turn_end(turn);
}

/* Stop an attached event for good; it is reaped later. */
void pev_event_close(struct pev_event *event)
{
	disconnect(event);
	if (event->ops->unhook && !event->ops->unhook_late)
		event->ops->unhook(event);
	pev_target_detach(event);
	/* not when it is freed: guests are slower until then */
	pev_reasons_exit(event);
	reap_later(event);
}

/* ---- creation ---- */

static int percpu_alloc(struct pev_event *event)
{
	unsigned int cpu;

	event->percpu = alloc_percpu_gfp(struct pev_event_cpu, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!event->percpu)
		return -ENOMEM;
	event->rings = event->percpu;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(event->percpu, cpu)->event = event;
	return 0;
}

static struct pev_event *event_alloc(const struct pev_request *req)
{
	const struct pev_attr *attr = &req->attr;
	struct pev_event *event = kzalloc(sizeof(*event), GFP_KERNEL_ACCOUNT);

	if (!event)
		return NULL;
	event->ops = req->ops ?: pev_source_of(attr->type);
	event->config = attr->config;
	event->target = attr->target;
	event->flags = attr->flags;
	event->period = attr->period;
	event->kernel = req->kernel;
	event->privileged = req->kernel || perfmon_capable();
	event->weight = event->ops->weight ?: 1;
	event->pid_ns = get_pid_ns(req->kernel ? &init_pid_ns : task_active_pid_ns(current));
	event->leader = event;
	INIT_LIST_HEAD(&event->siblings);
	INIT_LIST_HEAD(&event->sync_node);
	pev_rights_init(event);
	if (percpu_alloc(event)) {
		pev_rights_exit(event);
		put_pid_ns(event->pid_ns);
		kfree(event);
		return NULL;
	}
	atomic_inc(&live);
	return event;
}

static int check_period(struct pev_event *event, const struct pev_attr *attr,
			struct pev_refuse *r)
{
	if (event->ops->periods == PEV_PERIOD_LEAST) {
		if (attr->period > S64_MAX)
			return pev_refuse_range(r, EINVAL, PEV_FIELD(period), 0, S64_MAX,
						"the period is too large");
		return 0;
	}
	if (attr->channel_fd < 0 && event->ops->periods != PEV_PERIOD_ALWAYS) {
		if (attr->period)
			return pev_refuse(r, EINVAL, PEV_FIELD(period),
				"an event without a channel only counts: period must be 0");
		return 0;
	}
	if (event->ops->periods == PEV_PERIOD_NEVER) {
		event->period = 1;
		if (attr->period > 1)
			return pev_refuse_range(r, EINVAL, PEV_FIELD(period), 0, 1,
						"sideband events are recorded one by one");
		return 0;
	}
	if (!attr->period)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(period), 1, S64_MAX,
			"an event with a channel needs a period: 1 records each occurrence");
	if (attr->period > S64_MAX)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(period), 1, S64_MAX,
					"the period is too large");
	return 0;
}

/* Tracepoints and markers show kernel data, except those flagged CAP_ANY. */
static int check_kernel_data(struct pev_event *event, struct pev_refuse *r)
{
	if (!event->fields || event->privileged || pev_paranoid_level() < 0)
		return 0;
	if (event->call && (event->call->flags & TRACE_EVENT_FL_CAP_ANY) &&
	    event->target != PEV_TARGET_CPUS && event->target != PEV_TARGET_CGROUP)
		return 0;
	return pev_refuse(r, EACCES, PEV_FIELD(name),
		"%s shows kernel data: CAP_PERFMON is needed (%s is %d)",
		event->name, pev_paranoid_name(), pev_paranoid_level());
}

static int join_table(struct pev_event *event, const struct pev_request *req,
		      struct pev_refuse *r)
{
	int err = pev_tally_init(event, req->table, event->ops->find ?: pev_fields_find,
				 event->ops->find ? event->private : event->fields, r);

	if (err || !pev_pair_records(event, req->table))
		return err;
	/* its id is that of the records, which is as good for rows */
	return pev_channel_add_event(req->channel, event, r);
}

/*
 * Who reads a channel of kernel code adds nothing to it: his events would go on writing there
 * when another one reads it, and ids and metadata that they take are never given back.
 */
static int check_owner(const struct pev_request *req, struct pev_refuse *r)
{
	if (req->kernel || !req->channel || req->channel->user)
		return 0;
	return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(channel_fd),
			  "the channel belongs to a part of the kernel, which alone records there: open a channel of your own");
}

/* Triggers act on a channel that has a reader of its own. */
static int check_trigger(struct pev_event *event, const struct pev_request *req,
			 struct pev_refuse *r)
{
	if (!(event->flags & PEV_TRIGGER_FLAGS))
		return 0;
	if (req->table)
		return pev_refuse(r, EINVAL, PEV_FIELD(channel_fd),
				  "a table is not stopped or frozen: triggers are for channels");
	return 0;
}

static int join_channel(struct pev_event *event, const struct pev_request *req,
			struct pev_refuse *r)
{
	int err = check_owner(req, r);

	err = err ?: check_trigger(event, req, r);
	if (err)
		return err;
	if (req->take)
		return pev_tally_take(event, req->take);
	if (event->flags & PEV_F_BEGIN && !(req->table && pev_table_has_pairs(req->table)))
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "PEV_F_BEGIN needs a table with pairs as channel_fd");
	if (req->table && pev_table_is_counted(req->table))
		return pev_charge_init(event, req->table, r);
	if (req->attr.channel_fd < 0)
		return 0;
	if (req->table)
		return join_table(event, req, r);
	if (!req->channel)
		return pev_refuse(r, req->channel_file ? EINVAL : EBADF, PEV_FIELD(channel_fd),
				  "fd %d is neither a pev channel nor a table",
				  req->attr.channel_fd);
	return pev_channel_add_event(req->channel, event, r);
}

static int check_same_target(struct pev_event *event, struct pev_event *leader,
			     struct pev_refuse *r)
{
	if (leader->target != event->target)
		return pev_refuse(r, EINVAL, PEV_FIELD(target),
				  "the group's leader %s has another kind of target (%u)",
				  leader->name, leader->target);
	if (leader->top != event->top)
		return pev_refuse(r, EINVAL, PEV_FIELD(target_id),
				  "the group's leader %s counts another task", leader->name);
	if (leader->cgroup != event->cgroup)
		return pev_refuse(r, EINVAL, PEV_FIELD(target_id),
				  "the group's leader %s counts another cgroup", leader->name);
	if (!cpumask_equal(leader->cpus, event->cpus))
		return pev_refuse(r, EINVAL, PEV_FIELD(cpus),
				  "the group's leader %s counts on other CPUs", leader->name);
	return 0;
}

static int check_leader(struct pev_event *event, struct pev_event *leader,
			struct pev_refuse *r)
{
	if (leader->leader != leader)
		return pev_refuse(r, EINVAL, PEV_FIELD(group_fd),
				  "%s is a member of a group, not its leader", leader->name);
	if (event->channel && leader->channel && leader->channel != event->channel)
		return pev_refuse(r, EINVAL, PEV_FIELD(channel_fd),
				  "the group's leader %s records into another channel",
				  leader->name);
	if (list_count_nodes(&leader->siblings) >= PEV_MAX_GROUP - 1)
		return pev_refuse_range(r, E2BIG, PEV_FIELD(group_fd), 1, PEV_MAX_GROUP,
					"the group of %s has %u events already", leader->name,
					PEV_MAX_GROUP);
	return check_same_target(event, leader, r);
}

/* @event is attached, so that its target is known. */
static int join_group(struct pev_event *event, const struct pev_request *req,
		      struct pev_refuse *r)
{
	struct pev_event *leader = req->leader;
	int err;

	if (req->attr.group_fd < 0)
		return 0;
	if (!leader)
		return pev_refuse(r, req->leader_file ? EINVAL : EBADF, PEV_FIELD(group_fd),
				  "fd %d is not a pev event", req->attr.group_fd);
	guard(mutex)(&pev_control);
	err = check_leader(event, leader, r);
	if (err)
		return err;
	WRITE_ONCE(event->leader, leader);
	list_add_tail_rcu(&event->group_node, &leader->siblings);
	return 0;
}

/* Execs know nothing of pev_control: until now its tasks had an event that none switches on. */
static void connect(struct pev_event *event)
{
	u32 state = event->flags & PEV_F_DISABLED ? PEV_EVENT_OFF : PEV_EVENT_ON;

	lockdep_assert_held(&pev_control);
	event->connected = true;
	if (event->flags & PEV_F_ENABLE_ON_EXEC)
		state = PEV_EVENT_WAITS;
	/* pev_event:M, pairs with the cmpxchg() of an exec: what was hooked can be started */
	smp_store_release(&event->state, state);
	pev_event_switched(event);
	pev_target_connect(event);
}

/*
 * From here on the event is visible. Calls that control many events skip it until it is
 * connected.
 */
static int event_connect(struct pev_event *event, const struct pev_request *req,
			 struct pev_refuse *r)
{
	struct pev_turn *turn;
	int err;

	err = pev_target_attach(event, &req->attr, r);
	if (err)
		return err;
	err = join_group(event, req, r);
	if (!err && event->ops->hook)
		err = event->ops->hook(event, r);
	if (!err) {
		turn = event->kernel ? NULL : pev_turn_wait();
		scoped_guard(mutex, &pev_control)
			connect(event);
		pev_turn_end(turn);
		return 0;
	}
	disconnect(event);
	pev_target_detach(event);
	return err;
}

static int set_first_filter(struct pev_event *event, const struct pev_request *req,
			    struct pev_refuse *r)
{
	struct pev_filter *filter;

	if (!req->filter)
		return 0;
	filter = pev_filter_make(event, req->filter, r);
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	event->filter_weight = pev_filter_weight(event, filter);
	if (!event->privileged)
		event->weight += event->filter_weight;
	pev_filter_swap(event, filter);
	return 0;
}

/* Do all that can fail before the event becomes visible. */
static int event_prepare(struct pev_event *event, struct pev_request *req,
			 struct pev_refuse *r)
{
	const struct pev_attr *attr = &req->attr;
	int err;

	swap(event->name, req->name);
	err = check_period(event, attr, r);
	if (err)
		return err;
	err = event->ops->open(event, attr, r);
	event->opened = !err;
	err = err ?: check_kernel_data(event, r);
	err = err ?: set_first_filter(event, req, r);
	err = err ?: pev_sample_init(event, attr,
				     req->table && pev_pair_records(event, req->table), r);
	err = err ?: pev_guest_init(event, r);
	err = err ?: pev_reasons_init(event, r);
	err = err ?: pev_target_init(event, req, r);
	err = err ?: join_channel(event, req, r);
	event->weight += pev_sample_weight(event);
	return err;
}

static void event_refuse(struct pev_event *event)
{
	pev_tally_forget(event);
	event_free(event);
}

void pev_event_switch_on(struct pev_event *event)
{
	guard(mutex)(&pev_control);
	WRITE_ONCE(event->state, PEV_EVENT_ON);
	pev_target_sync(&event, 1);
}

struct pev_event *pev_event_create(struct pev_request *req, struct pev_refuse *r)
{
	struct pev_event *event = event_alloc(req);
	int err;

	if (!event) {
		/* closed events hand their memory back a little later */
		pev_event_reap_sync();
		event = event_alloc(req);
	}
	if (!event)
		return ERR_PTR(-ENOMEM);
	err = event_prepare(event, req, r);
	if (err) {
		event_refuse(event);
		return ERR_PTR(err);
	}
	err = event_connect(event, req, r);
	if (!err)
		return event;
	/* a CPU or a sample of the group may have seen it */
	tracepoint_synchronize_unregister();
	event_refuse(event);
	return ERR_PTR(err);
}
