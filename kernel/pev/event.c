// SPDX-License-Identifier: GPL-2.0
/*
 * Owns events from creation to the reaper: their fd, their groups, reading and
 * control. Must not know what an event counts or where it runs.
 *
 * Locks: pev_control, then channel->lock.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/pev_marker.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include "control.h"
#include "event.h"
#include "pmu.h"
#include "refuse.h"
#include "sample.h"
#include "target.h"

/* see event.h */
DEFINE_MUTEX(pev_control);

static const struct pev_source_ops *const sources[] = {
	[PEV_TYPE_SOFTWARE]	= &pev_software_source,
	[PEV_TYPE_TIMER]	= &pev_timer_source,
	[PEV_TYPE_TRACEPOINT]	= &pev_tracepoint_source,
	[PEV_TYPE_MARKER]	= &pev_marker_source,
	[PEV_TYPE_SIDEBAND]	= &pev_sideband_source,
	[PEV_TYPE_HARDWARE]	= &pev_pmu_source,
	[PEV_TYPE_RAW]		= &pev_pmu_source,
};

static const struct file_operations pev_event_fops;

/* ---- the end of events ---- */

/* Closed events that wait, together, for a grace period. */
static LIST_HEAD(reap_list);
static DEFINE_SPINLOCK(reap_lock);

static void event_free(struct pev_event *event)
{
	if (event->opened && event->ops->close)
		event->ops->close(event);
	pev_sample_exit(event);
	if (event->channel)
		pev_channel_remove_event(event->channel, event);
	pev_target_exit(event);
	put_pid_ns(event->pid_ns);
	free_percpu(event->slots);
	kfree(event->name);
	kfree(event);
}

static void reap(struct work_struct *work)
{
	struct pev_event *event, *next;
	LIST_HEAD(dead);

	spin_lock(&reap_lock);
	list_splice_init(&reap_list, &dead);
	spin_unlock(&reap_lock);
	if (list_empty(&dead))
		return;
	/* one grace period for all: no probe and no record is inside any more */
	tracepoint_synchronize_unregister();
	list_for_each_entry_safe(event, next, &dead, reap_node)
		event_free(event);
}

static DECLARE_WORK(reap_work, reap);

void pev_event_reap_sync(void)
{
	flush_work(&reap_work);
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

/* @event was attached and is to stop for good; it is reaped later. */
void pev_event_close(struct pev_event *event)
{
	mutex_lock(&pev_control);
	group_leave(event);
	pev_target_detach(event);
	event->hooked = false;
	if (event->ops->unhook)
		event->ops->unhook(event);
	mutex_unlock(&pev_control);

	spin_lock(&reap_lock);
	list_add_tail(&event->reap_node, &reap_list);
	spin_unlock(&reap_lock);
	schedule_work(&reap_work);
}

/* ---- creation ---- */

static int slots_alloc(struct pev_event *event)
{
	unsigned int cpu;

	event->slots = alloc_percpu_gfp(struct pev_slot, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!event->slots)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(event->slots, cpu)->event = event;
	return 0;
}

static struct pev_event *event_alloc(const struct pev_attr *attr)
{
	struct pev_event *event = kzalloc(sizeof(*event), GFP_KERNEL_ACCOUNT);

	if (!event)
		return NULL;
	event->ops = sources[attr->type];
	event->config = attr->config;
	event->target = attr->target;
	event->flags = attr->flags;
	event->period = attr->period;
	event->on_exec = attr->flags & PEV_F_ENABLE_ON_EXEC;
	event->privileged = perfmon_capable();
	event->pid_ns = get_pid_ns(task_active_pid_ns(current));
	event->leader = event;
	INIT_LIST_HEAD(&event->siblings);
	if (slots_alloc(event)) {
		put_pid_ns(event->pid_ns);
		kfree(event);
		return NULL;
	}
	return event;
}

static int check_period(struct pev_event *event, const struct pev_attr *attr,
			struct pev_refuse *r)
{
	if (attr->channel_fd < 0 && attr->type != PEV_TYPE_TIMER) {
		if (attr->period)
			return pev_refuse(r, EINVAL, PEV_FIELD(period),
				"an event without a channel only counts: period must be 0");
		return 0;
	}
	if (attr->type == PEV_TYPE_SIDEBAND) {
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

/* Tracepoints and markers show kernel data, but for those declared harmless. */
static int check_kernel_data(struct pev_event *event, struct pev_refuse *r)
{
	if (!event->call || event->privileged || READ_ONCE(sysctl_pev_paranoid) < 0)
		return 0;
	if ((event->call->flags & TRACE_EVENT_FL_CAP_ANY) &&
	    event->target != PEV_TARGET_CPUS && event->target != PEV_TARGET_CGROUP)
		return 0;
	return pev_refuse(r, EACCES, PEV_FIELD(name),
		"%s shows kernel data: CAP_PERFMON is needed (kernel.pev_paranoid is %d)",
		event->name, READ_ONCE(sysctl_pev_paranoid));
}

static int join_channel(struct pev_event *event, const struct pev_attr *attr,
			struct pev_refuse *r)
{
	struct pev_channel *channel;
	struct fd f;
	int err;

	if (attr->channel_fd < 0)
		return 0;
	f = fdget(attr->channel_fd);
	channel = fd_file(f) ? pev_channel_from_file(fd_file(f)) : NULL;
	if (!channel)
		err = pev_refuse(r, fd_file(f) ? EINVAL : EBADF, PEV_FIELD(channel_fd),
				 "fd %d is not a pev channel", attr->channel_fd);
	else
		err = pev_channel_add_event(channel, event, r);
	fdput(f);
	return err;
}

static int join_group(struct pev_event *event, const struct pev_attr *attr,
		      struct pev_refuse *r)
{
	struct pev_event *leader;
	struct fd f;
	int err = 0;

	lockdep_assert_held(&pev_control);

	if (attr->group_fd < 0)
		return 0;
	f = fdget(attr->group_fd);
	leader = fd_file(f) ? pev_event_from_file(fd_file(f)) : NULL;
	if (!leader)
		err = pev_refuse(r, fd_file(f) ? EINVAL : EBADF, PEV_FIELD(group_fd),
				 "fd %d is not a pev event", attr->group_fd);
	else if (leader->leader != leader)
		err = pev_refuse(r, EINVAL, PEV_FIELD(group_fd),
				 "%s is a member of a group, not its leader", leader->name);
	else if (leader->target != event->target)
		err = pev_refuse(r, EINVAL, PEV_FIELD(target),
				 "the group's leader %s has another kind of target (%u)",
				 leader->name, leader->target);
	else if (event->channel && leader->channel && leader->channel != event->channel)
		err = pev_refuse(r, EINVAL, PEV_FIELD(channel_fd),
				 "the group's leader %s records into another channel",
				 leader->name);
	if (!err) {
		event->leader = leader;
		list_add_tail_rcu(&event->group_node, &leader->siblings);
	}
	fdput(f);
	return err;
}

static int set_filter(struct pev_event *event, const char __user *uexpr,
		      struct pev_refuse *r)
{
	char *expr;
	int err;

	lockdep_assert_held(&pev_control);

	if (!event->ops->filter)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(filter),
				  "%s has no fields to filter on", event->name);
	if (!uexpr)
		return event->ops->filter(event, NULL, r);
	expr = strndup_user(uexpr, PEV_MAX_FILTER);
	if (IS_ERR(expr))
		return pev_refuse(r, -PTR_ERR(expr), PEV_FIELD(filter),
				  "the filter can't be read or is longer than %d bytes",
				  PEV_MAX_FILTER - 1);
	err = event->ops->filter(event, expr, r);
	kfree(expr);
	return err;
}

/* The part under pev_control: from here on the event is seen by others. */
static int event_connect(struct pev_event *event, const struct pev_attr *attr,
			 struct pev_refuse *r)
{
	int err;

	lockdep_assert_held(&pev_control);

	if (attr->filter) {
		err = set_filter(event, u64_to_user_ptr(attr->filter), r);
		if (err)
			return err;
	}
	err = join_group(event, attr, r);
	if (err)
		return err;
	err = pev_target_attach(event, attr, r);
	if (err)
		goto err_group;
	if (event->ops->hook) {
		err = event->ops->hook(event, r);
		if (err)
			goto err_detach;
	}
	event->hooked = true;
	if (!(event->flags & (PEV_F_DISABLED | PEV_F_ENABLE_ON_EXEC))) {
		WRITE_ONCE(event->enabled, true);
		pev_target_sync(&event, 1);
	}
	return 0;

err_detach:
	pev_target_detach(event);
err_group:
	group_leave(event);
	return err;
}

struct pev_event *pev_event_create(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct pev_event *event = event_alloc(attr);
	int err;

	if (!event)
		return ERR_PTR(-ENOMEM);
	err = check_period(event, attr, r);
	if (err)
		goto err_free;
	mutex_lock(&pev_control);
	err = event->ops->open(event, attr, r);
	event->opened = !err;
	mutex_unlock(&pev_control);
	if (err)
		goto err_free;
	err = check_kernel_data(event, r);
	if (err)
		goto err_free;
	err = pev_sample_init(event, attr, r);
	if (err)
		goto err_free;
	err = pev_target_init(event, attr, r);
	if (err)
		goto err_free;
	err = join_channel(event, attr, r);
	if (err)
		goto err_free;
	mutex_lock(&pev_control);
	err = event_connect(event, attr, r);
	mutex_unlock(&pev_control);
	if (err)
		goto err_wait;
	return event;

err_wait:
	/* it may have been seen by a CPU or a sampled group */
	tracepoint_synchronize_unregister();
err_free:
	event_free(event);
	return ERR_PTR(err);
}

/* ---- reading ---- */

static void event_value(struct pev_event *event, struct pev_slot *slot, struct pev_value *v)
{
	u64 enabled, running;

	pev_slot_times(slot, &enabled, &running);
	v->value += event->counts_time ? enabled : (u64)local64_read(&slot->count);
	v->time_enabled += enabled;
	v->time_running += running;
	v->lost += local64_read(&slot->lost);
	v->filtered += local64_read(&slot->filtered);
	v->samples += local64_read(&slot->samples);
}

static void event_read_one(struct pev_event *event, struct pev_value *v)
{
	unsigned int cpu;

	memset(v, 0, sizeof(*v));
	pev_target_fold(event);
	for_each_possible_cpu(cpu)
		event_value(event, per_cpu_ptr(event->slots, cpu), v);
}

static ssize_t event_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct pev_event *event = file->private_data, *member;
	unsigned int nr = 1, i = 0;
	struct pev_value *values;
	ssize_t size;

	mutex_lock(&pev_control);
	if (event->flags & PEV_F_READ_GROUP)
		list_for_each_entry(member, &event->siblings, group_node)
			nr++;
	size = nr * sizeof(*values);
	values = count < size ? NULL : kcalloc(nr, sizeof(*values), GFP_KERNEL);
	if (values) {
		event_read_one(event, &values[i++]);
		if (event->flags & PEV_F_READ_GROUP)
			list_for_each_entry(member, &event->siblings, group_node)
				event_read_one(member, &values[i++]);
	}
	mutex_unlock(&pev_control);

	if (count < size)
		return -ENOSPC;
	if (!values)
		return -ENOMEM;
	if (copy_to_user(buf, values, size))
		size = -EFAULT;
	kfree(values);
	return size;
}

static int event_read_cpus(struct pev_event *event, struct pev_cpu_values __user *uarg)
{
	struct pev_value __user *values;
	struct pev_cpu_values arg;
	unsigned int cpu;

	if (copy_from_user(&arg, uarg, sizeof(arg)))
		return -EFAULT;
	if (arg.reserved)
		return -EINVAL;
	if (put_user(nr_cpu_ids, &uarg->nr))
		return -EFAULT;
	if (arg.nr < nr_cpu_ids)
		return -ENOSPC;
	pev_target_fold(event);
	values = u64_to_user_ptr(arg.values);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct pev_value v = {};

		if (cpu_possible(cpu))
			event_value(event, per_cpu_ptr(event->slots, cpu), &v);
		if (copy_to_user(&values[cpu], &v, sizeof(v)))
			return -EFAULT;
	}
	return 0;
}

/* ---- control ---- */

static void events_control(struct pev_event **events, unsigned int nr, unsigned int cmd)
{
	unsigned int i;

	lockdep_assert_held(&pev_control);

	if (cmd == PEV_IOC_RESET) {
		pev_target_reset(events, nr);
		return;
	}
	for (i = 0; i < nr; i++) {
		/* an explicit word ends the wait for an exec */
		WRITE_ONCE(events[i]->on_exec, false);
		WRITE_ONCE(events[i]->enabled, cmd == PEV_IOC_ENABLE);
	}
	pev_target_sync(events, nr);
}

/* A timer has a period of its own accord, sideband events have none. */
static int events_period(struct pev_event **events, unsigned int nr, u64 period)
{
	unsigned int i, changed = 0;
	int err = 0;

	lockdep_assert_held(&pev_control);

	if (!period || period > S64_MAX)
		return -ERANGE;
	for (i = 0; i < nr && !err; i++) {
		struct pev_event *event = events[i];

		if (!event->period || event->ops == &pev_sideband_source)
			continue;
		changed++;
		if (event->ops->period)
			err = event->ops->period(event, period);
		else
			WRITE_ONCE(event->period, period);
	}
	return changed ? err : -EINVAL;
}

/* Of several, those that have no fields are passed over. */
static int events_filter(struct pev_event **events, unsigned int nr,
			 const char __user *expr, struct pev_refuse *r)
{
	unsigned int i, changed = 0;
	int err;

	lockdep_assert_held(&pev_control);

	for (i = 0; i < nr; i++) {
		if (nr > 1 && !events[i]->ops->filter)
			continue;
		changed++;
		err = set_filter(events[i], expr, r);
		if (err)
			return err;
	}
	if (!changed)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(filter),
				  "none of the events has fields to filter on");
	return 0;
}

/**
 * struct event_set - what a call acts on; valid while pev_control is held
 * @events: to be freed by kvfree()
 * @nr:     number of them
 */
struct event_set {
	struct pev_event	**events;
	unsigned int		nr;
};

/* @event, or all of its group. */
static int set_of_event(struct event_set *set, struct pev_event *event, bool group)
{
	struct pev_event *member;
	size_t nr = 1;

	lockdep_assert_held(&pev_control);

	if (group) {
		event = event->leader;
		nr += list_count_nodes(&event->siblings);
	}
	set->events = kvcalloc(nr, sizeof(*set->events), GFP_KERNEL);
	if (!set->events)
		return -ENOMEM;
	set->events[set->nr++] = event;
	if (group)
		list_for_each_entry(member, &event->siblings, group_node)
			set->events[set->nr++] = member;
	return 0;
}

/* All events of @channel but those that are being opened or reaped. */
static int set_of_channel(struct event_set *set, struct pev_channel *channel)
{
	struct pev_event *event;
	size_t max;

	lockdep_assert_held(&pev_control);
	guard(mutex)(&channel->lock);

	max = list_count_nodes(&channel->events);
	set->events = kvcalloc(max + 1, sizeof(*set->events), GFP_KERNEL);
	if (!set->events)
		return -ENOMEM;
	list_for_each_entry(event, &channel->events, channel_node)
		if (event->hooked)
			set->events[set->nr++] = event;
	return 0;
}

/* Exactly one of @channel and @event is given. */
static int control_set(struct pev_channel *channel, struct pev_event *event, bool group,
		       int (*act)(struct event_set *set, void *arg), void *arg)
{
	struct event_set set = {};
	int err;

	mutex_lock(&pev_control);
	err = channel ? set_of_channel(&set, channel) : set_of_event(&set, event, group);
	if (!err && set.nr)
		err = act(&set, arg);
	mutex_unlock(&pev_control);
	kvfree(set.events);
	return err;
}

static int act_control(struct event_set *set, void *arg)
{
	events_control(set->events, set->nr, *(unsigned int *)arg);
	return 0;
}

static int act_period(struct event_set *set, void *arg)
{
	return events_period(set->events, set->nr, *(u64 *)arg);
}

/**
 * struct filter_act - a filter on its way to a set
 * @expr: the user's
 * @r:    says why not
 */
struct filter_act {
	const char __user	*expr;
	struct pev_refuse	r;
};

static int act_filter(struct event_set *set, void *arg)
{
	struct filter_act *act = arg;

	return events_filter(set->events, set->nr, act->expr, &act->r);
}

static int control_filter(struct pev_channel *channel, struct pev_event *event,
			  struct pev_filter_arg __user *uarg)
{
	struct filter_act act = {};
	struct pev_filter_arg arg;
	int err;

	if (copy_from_user(&arg, uarg, sizeof(arg)))
		return -EFAULT;
	if (arg.flags & ~PEV_IOF_GROUP)
		return -EINVAL;
	act.expr = u64_to_user_ptr(arg.filter);
	err = control_set(channel, event, arg.flags & PEV_IOF_GROUP, act_filter, &act);
	if (act.r.field != PEV_NO_FIELD)
		act.r.field = offsetof(struct pev_filter_arg, filter);
	return pev_refuse_report(&act.r, err, arg.refusal, arg.refusal_size);
}

/* What an event, its group and a channel have in common. */
static long control(struct pev_channel *channel, struct pev_event *event, unsigned int cmd,
		    unsigned long arg)
{
	u64 period;

	PEV_MARK(pev_api, control, "command %u argument %lx", cmd, arg);
	switch (cmd) {
	case PEV_IOC_ENABLE:
	case PEV_IOC_DISABLE:
	case PEV_IOC_RESET:
		if (arg & ~(unsigned long)PEV_IOF_GROUP)
			return -EINVAL;
		return control_set(channel, event, arg & PEV_IOF_GROUP, act_control, &cmd);
	case PEV_IOC_PERIOD:
	case PEV_IOC_GROUP_PERIOD:
		if (get_user(period, (u64 __user *)arg))
			return -EFAULT;
		return control_set(channel, event, cmd == PEV_IOC_GROUP_PERIOD, act_period,
				   &period);
	case PEV_IOC_FILTER:
		return control_filter(channel, event, (void __user *)arg);
	default:
		return -ENOTTY;
	}
}

long pev_event_control_channel(struct pev_channel *channel, unsigned int cmd,
			       unsigned long arg)
{
	return control(channel, NULL, cmd, arg);
}

static int event_id(struct pev_event *event, struct pev_id __user *uid)
{
	struct pev_id id = {
		.id = event->id,
		.channel = event->channel ? event->channel->id : 0,
	};

	return copy_to_user(uid, &id, sizeof(id)) ? -EFAULT : 0;
}

static long event_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct pev_event *event = file->private_data;

	switch (cmd) {
	case PEV_IOC_ID:
		return event_id(event, (void __user *)arg);
	case PEV_IOC_READ_CPUS:
		return event_read_cpus(event, (void __user *)arg);
	case PEV_IOC_READ_MULTIPLEXED:
		return pev_pmu_read_multiplexed(event, (void __user *)arg);
	default:
		return control(NULL, event, cmd, arg);
	}
}

static int event_mmap(struct file *file, struct vm_area_struct *vma)
{
	return pev_pmu_page_map(file->private_data, vma);
}

static int event_release(struct inode *inode, struct file *file)
{
	pev_event_close(file->private_data);
	return 0;
}

static const struct file_operations pev_event_fops = {
	.owner		= THIS_MODULE,
	.read		= event_read,
	.unlocked_ioctl	= event_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.mmap		= event_mmap,
	.release	= event_release,
};

struct pev_event *pev_event_from_file(struct file *file)
{
	return file->f_op == &pev_event_fops ? file->private_data : NULL;
}

struct file *pev_event_file(struct pev_event *event)
{
	return anon_inode_getfile("[pev-event]", &pev_event_fops, event, O_RDWR);
}
