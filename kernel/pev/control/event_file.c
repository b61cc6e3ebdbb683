// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the files of events: reading values, and what ioctl() tells of one event.
 *
 * Locks: pev_control. Nothing is copied from or to the user under it.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/pev_refuse.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <uapi/linux/pev_user.h>
#include "base/lock.h"
#include "base/turn.h"
#include "base/user.h"
#include "event/event.h"
#include "record/layout.h"
#include "target/sync.h"
#include "types.h"
#include "control.h"
#include "event_file.h"

static void event_value(struct pev_event *event, struct pev_event_cpu *ec, struct pev_value *v)
{
	u64 enabled, running;

	pev_event_cpu_times(ec, &enabled, &running);
	v->value += event->counts_time ? enabled : (u64)local64_read(&ec->count);
	v->time_enabled += enabled;
	v->time_running += running;
	v->lost += local64_read(&ec->lost);
	v->filtered += local64_read(&ec->filtered);
	v->samples += local64_read(&ec->samples);
}

static void event_sum(struct pev_event *event, struct pev_value *v)
{
	unsigned int cpu;

	memset(v, 0, sizeof(*v));
	for_each_possible_cpu(cpu)
		event_value(event, per_cpu_ptr(event->percpu, cpu), v);
	if (event->ops->missed)
		v->lost += event->ops->missed(event);
}

/* What only this source tells, behind the value. Return: its bytes or an error. */
static ssize_t read_more(struct pev_event *event, char __user *buf, size_t room)
{
	void *more __free(kfree) = NULL;
	size_t size = event->ops->more_size;

	if (!size || room < size)
		return 0;
	more = kzalloc(size, GFP_KERNEL);
	if (!more)
		return -ENOMEM;
	event->ops->more(event, more);
	return copy_to_user(buf, more, size) ? -EFAULT : size;
}

static ssize_t read_one(struct pev_event *event, char __user *buf, size_t count)
{
	struct pev_value value;
	ssize_t more;

	if (count < sizeof(value))
		return -ENOSPC;
	pev_target_fold(&event, 1);
	event_sum(event, &value);
	if (copy_to_user(buf, &value, sizeof(value)))
		return -EFAULT;
	more = read_more(event, buf + sizeof(value), count - sizeof(value));
	return more < 0 ? more : sizeof(value) + more;
}

/* Values are as of one moment on each CPU. pev_control held. Return: number of events. */
static unsigned int group_sum(struct pev_event *leader, struct pev_event **events,
			      struct pev_value *values)
{
	struct pev_event *member;
	unsigned int nr = 0;

	events[nr++] = leader;
	list_for_each_entry(member, &leader->siblings, group_node)
		events[nr++] = member;
	pev_target_fold(events, nr);
	for (unsigned int i = 0; i < nr; i++)
		event_sum(events[i], &values[i]);
	return nr;
}

static ssize_t read_group(struct pev_event *leader, char __user *buf, size_t count)
{
	struct pev_event **events __free(kfree) = NULL;
	struct pev_value *values __free(kvfree) = NULL;
	struct pev_turn *turn;
	size_t size;
	int ret;

	events = kcalloc(PEV_MAX_GROUP, sizeof(*events), GFP_KERNEL_ACCOUNT);
	values = kvcalloc(PEV_MAX_GROUP, sizeof(*values), GFP_KERNEL_ACCOUNT);
	if (!events || !values)
		return -ENOMEM;
	turn = pev_turn_take();
	if (IS_ERR(turn))
		return PTR_ERR(turn);
	ret = mutex_lock_killable(&pev_control);
	if (!ret) {
		size = group_sum(leader, events, values) * sizeof(*values);
		mutex_unlock(&pev_control);
	}
	pev_turn_end(turn);
	if (ret)
		return ret;
	if (count < size)
		return -ENOSPC;
	return copy_to_user(buf, values, size) ? -EFAULT : size;
}

static ssize_t event_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct pev_event *event = file->private_data;

	return event->flags & PEV_F_READ_GROUP ? read_group(event, buf, count) :
						 read_one(event, buf, count);
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
	pev_target_fold(&event, 1);
	values = u64_to_user_ptr(arg.values);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct pev_value v = {};

		if (cpu_possible(cpu))
			event_value(event, per_cpu_ptr(event->percpu, cpu), &v);
		if (copy_to_user(&values[cpu], &v, sizeof(v)))
			return -EFAULT;
	}
	return 0;
}

static int event_read_multiplexed(struct pev_event *event,
				  struct pev_multiplexed __user *uarg)
{
	struct pev_multiplexed m = { .size = sizeof(m) };
	struct pev_turn *turn;
	u32 size;
	int err;

	if (!event->ops->multiplexed)
		return -EOPNOTSUPP;
	if (get_user(size, &uarg->size))
		return -EFAULT;
	if (size < offsetofend(struct pev_multiplexed, time_running))
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	turn = pev_turn_take();
	if (IS_ERR(turn))
		return PTR_ERR(turn);
	err = mutex_lock_killable(&pev_control);
	if (!err) {
		pev_target_fold(&event, 1);
		event->ops->multiplexed(event, &m);
		mutex_unlock(&pev_control);
	}
	pev_turn_end(turn);
	if (err)
		return err;
	return pev_copy_struct_to_user(uarg, size, &m, sizeof(m));
}

static void add_counts(struct pev_event_cpu *ec, struct pev_counts *counts)
{
	counts->unarmed += local64_read(&ec->unarmed);
	counts->fired += local64_read(&ec->fired);
	counts->acted += local64_read(&ec->acted);
}

static int event_read_counts(struct pev_event *event, struct pev_counts __user *ucounts)
{
	struct pev_counts counts = { .size = sizeof(counts) };
	struct pev_value v;
	unsigned int cpu;
	u32 size;

	if (get_user(size, &ucounts->size))
		return -EFAULT;
	if (size < offsetofend(struct pev_counts, reserved))
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	pev_target_fold(&event, 1);
	event_sum(event, &v);
	counts.value = v.value;
	counts.samples = v.samples;
	counts.lost = v.lost;
	counts.filtered = v.filtered;
	for_each_possible_cpu(cpu)
		add_counts(per_cpu_ptr(event->percpu, cpu), &counts);
	return pev_copy_struct_to_user(ucounts, size, &counts, sizeof(counts));
}

/* ---- the file ---- */

static long event_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct pev_event *event = file->private_data;

	/* one switch for all that take a structure: two of one number do not compile */
	switch (cmd) {
	case PEV_IOC_ID:
		return pev_layout_id(event, (void __user *)arg);
	case PEV_IOC_READ_CPUS:
		return event_read_cpus(event, (void __user *)arg);
	case PEV_IOC_READ_COUNTS:
		return event_read_counts(event, (void __user *)arg);
	case PEV_IOC_READ_MULTIPLEXED:
		return event_read_multiplexed(event, (void __user *)arg);
	case PEV_IOC_FLUSH:
	case PEV_IOC_USER_NEXT:
	case PEV_IOC_USER_DONE:
		return event->ops->ioctl ? event->ops->ioctl(event, cmd, arg) : -ENOTTY;
	default:
		return pev_control_event(event, cmd, arg);
	}
}

static int event_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct pev_event *event = file->private_data;

	return event->ops->mmap ? event->ops->mmap(event, vma) : -ENODEV;
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
	struct file *file = anon_inode_getfile("[pev-event]", &pev_event_fops, event, O_RDWR);

	if (IS_ERR(file))
		return file;
	guard(mutex)(&pev_control);
	event->file = file;
	return file;
}
