// SPDX-License-Identifier: GPL-2.0
/*
 * Owns events that listen to what programs write themselves: their names, and what a
 * listener is told of producers. Nothing is counted and no record is written here: what
 * the target does costs it no call.
 *
 * Locks: none of its own; user memory is touched with none held.
 */
#include <linux/ctype.h>
#include <linux/mm.h>
#include <linux/pev_refuse.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "base/user.h"
#include "base/work.h"
#include "source/list.h"
#include "target/rights.h"
#include "types.h"
#include "map.h"
#include "producer.h"

/* ---- opening ---- */

static int check_target(const struct pev_event *event, const struct pev_attr *attr,
			struct pev_refuse *r)
{
	if (attr->target == PEV_TARGET_CGROUP || attr->target == PEV_TARGET_TASK)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(target),
				  "marks of programs belong to processes: use PEV_TARGET_PROCESS, _SUBTREE or _CPUS");
	if (attr->cpus_size)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(cpus_size),
				  "the rings of programs belong to no CPU: leave the mask out");
	if (attr->flags & (PEV_F_EXCLUDE_USER | PEV_F_EXCLUDE_KERNEL))
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "marks of programs are written in user mode only");
	if (attr->channel_fd >= 0)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(channel_fd),
				  "programs have rings of their own: set channel_fd to -1");
	return 0;
}

/* "provider:event", or the beginning of that and a star. */
static int parse_name(struct pev_listener *l, struct pev_refuse *r)
{
	size_t len = strlen(l->name), i;

	l->prefix = len && l->name[len - 1] == '*';
	l->len = len - l->prefix;
	for (i = 0; i < l->len; i++)
		if (!isascii(l->name[i]) ||
		    (!isalnum(l->name[i]) && l->name[i] != '_' && l->name[i] != ':'))
			break;
	if (i == l->len && (l->prefix || strchr(l->name, ':')))
		return 0;
	return pev_refuse(r, EINVAL, PEV_FIELD(name),
			  "%s is neither provider:event nor the beginning of that with one * behind it",
			  l->name);
}

static int listen_open(struct pev_event *event, const struct pev_attr *attr,
		       struct pev_refuse *r)
{
	struct pev_listener *l;
	int err = check_target(event, attr, r);

	if (err)
		return err;
	if (!event->name)
		return pev_refuse(r, EINVAL, PEV_FIELD(name),
				  "which marks? \"provider:event\" or \"provider:*\" is needed");
	l = kzalloc(sizeof(*l), GFP_KERNEL_ACCOUNT);
	if (!l)
		return -ENOMEM;
	l->event = event;
	l->name = event->name;
	pev_listener_init(l);
	err = parse_name(l, r);
	if (err)
		kfree(l);
	else
		event->private = l;
	return err;
}

static int listen_hook(struct pev_event *event, struct pev_refuse *r)
{
	return pev_listener_begin(event->private, r);
}

static void listen_unhook(struct pev_event *event)
{
	pev_listener_end(event->private);
}

static void listen_close(struct pev_event *event)
{
	struct pev_listener *l = event->private;

	cancel_work_sync(&l->work);
	kfree(l);
}

static void listen_switched(struct pev_event *event)
{
	struct pev_listener *l = event->private;

	queue_work(pev_wq, &l->work);
}

/* ---- what a listener asks ---- */

/*
 * The process may have gained rights since it was found. What it has written before can't be
 * told from what it writes now, so all of it is closed to those who may not see it.
 */
static bool may_see(const struct pev_event *event, const struct pev_producer_mm *p)
{
	return event->privileged || p->mm == current->mm ||
	       pev_rights_allow_mm(event, p->mm);
}

static void next_fill(const struct pev_event *event, const struct pev_producer_mm *p,
		      struct pev_user_next *next)
{
	next->size = sizeof(*next);
	next->id = p->id;
	next->pid = pid_nr_ns(p->pid, event->pid_ns);
	next->inner_pid = p->pid->numbers[p->pid->level].nr;
	next->nr_rings = p->family->nr_rings;
	next->ring_size = p->family->ring_size;
}

static int next_copy(const struct pev_family *family, struct pev_user_next *next)
{
	u32 marks = next->nr_marks, strings = next->strings_size;

	next->nr_marks = family->nr_marks;
	next->strings_size = family->strings_size;
	if (marks < family->nr_marks || strings < family->strings_size)
		return -ENOSPC;
	if (copy_to_user(u64_to_user_ptr(next->marks), family->marks,
			 array_size(family->nr_marks, sizeof(*family->marks))) ||
	    copy_to_user(u64_to_user_ptr(next->strings), family->strings,
			 family->strings_size))
		return -EFAULT;
	return 0;
}

static int next_tell(struct pev_event *event, struct pev_user_next *next)
{
	struct pev_producer_mm *p;
	int err = -EACCES;
	u64 offset;

	p = pev_listener_find(event->private, &next->number, &offset);
	if (!p)
		return -EAGAIN;
	if (may_see(event, p)) {
		next_fill(event, p, next);
		next->mmap_offset = offset;
		err = next_copy(p->family, next);
	}
	pev_producer_put(p);
	return err;
}

static int listen_next(struct pev_event *event, struct pev_user_next __user *unext)
{
	struct pev_user_next next;
	u32 size;
	int err;

	if (get_user(size, &unext->size))
		return -EFAULT;
	if (size < sizeof(next))
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(&next, sizeof(next), unext, size);
	if (err)
		return err;
	err = next_tell(event, &next);
	if (err == -EAGAIN || err == -EFAULT)
		return err;
	return pev_copy_struct_to_user(unext, size, &next, sizeof(next)) ?: err;
}

static int listen_done(struct pev_event *event, const u32 __user *unumber)
{
	u32 number;

	if (get_user(number, unumber))
		return -EFAULT;
	return pev_listener_drop(event->private, number);
}

static long listen_ioctl(struct pev_event *event, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case PEV_IOC_USER_NEXT:
		return listen_next(event, (void __user *)arg);
	case PEV_IOC_USER_DONE:
		return listen_done(event, (void __user *)arg);
	default:
		return -ENOTTY;
	}
}

static int listen_mmap(struct pev_event *event, struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	struct pev_producer_mm *p;
	int err = -EACCES;

	if (vma->vm_pgoff > U64_MAX >> PAGE_SHIFT || offset / PEV_USER_SPAN >= PEV_MAX_LINKS)
		return -EINVAL;
	p = pev_listener_at(event->private, offset);
	if (!p)
		return -ENXIO;
	if (may_see(event, p))
		err = pev_producer_show(p, offset % PEV_USER_SPAN, vma);
	pev_producer_put(p);
	return err;
}

const struct pev_source_ops pev_user_source = {
	.type		= "user",
	.attrs		= PEV_ATTR_NAME,
	.periods	= PEV_PERIOD_NEVER,
	.open		= listen_open,
	.hook		= listen_hook,
	.unhook		= listen_unhook,
	.close		= listen_close,
	.switched	= listen_switched,
	.ioctl		= listen_ioctl,
	.mmap		= listen_mmap,
	.catalog	= pev_producers_catalog,
};
