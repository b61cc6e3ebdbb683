// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what Linux calls around a suspend, where its callbacks have no argument: one of them
 * calls all parts of pev that are registered. Only one CPU runs then, with interrupts off.
 */
#define PEV_OLDER_SYSCORE
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/syscore_ops.h>

static LIST_HEAD(parts);
/* Held to change @parts; in a suspend no task runs that could. */
static DEFINE_MUTEX(parts_lock);

/* In the order of the kernel's own list: the last one first, and back. */
static int suspend_all(void)
{
	struct syscore *part;
	int err;

	list_for_each_entry_reverse(part, &parts, node) {
		err = part->ops->suspend(part->data);
		if (err)
			goto undo;
	}
	return 0;

undo:
	list_for_each_entry_continue(part, &parts, node)
		part->ops->resume(part->data);
	return err;
}

static void resume_all(void)
{
	struct syscore *part;

	list_for_each_entry(part, &parts, node)
		part->ops->resume(part->data);
}

static struct syscore_ops all = { .suspend = suspend_all, .resume = resume_all };

void register_syscore(struct syscore *syscore)
{
	bool first;

	mutex_lock(&parts_lock);
	first = list_empty(&parts);
	list_add_tail(&syscore->node, &parts);
	if (first)
		register_syscore_ops(&all);
	mutex_unlock(&parts_lock);
}

void unregister_syscore(struct syscore *syscore)
{
	mutex_lock(&parts_lock);
	list_del(&syscore->node);
	if (list_empty(&parts))
		unregister_syscore_ops(&all);
	mutex_unlock(&parts_lock);
}
