// SPDX-License-Identifier: GPL-2.0
/*
 * Owns when shared hooks come and go. Text is patched for each, with interrupts to all
 * CPUs, and a tracepoint that is hooked again right after it was unhooked waits for a grace
 * period. Hooks therefore stay for a while: a program that opens and closes events in a row
 * pays once. Must not know what a hook does.
 *
 * Locks: hooks_lock, under which text is patched but no grace period awaited
 * unless a hook is needed again that was removed a moment ago.
 */
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/pev_refuse.h>
#include <linux/workqueue.h>
#include "hooks.h"
#include "work.h"

#define LINGER	HZ

/* No longer than this: hooks that others place and leave in a row keep none of them in place. */
#define LINGER_ALL	(3 * HZ)

static DEFINE_MUTEX(hooks_lock);
static LIST_HEAD(unused_hooks);
static unsigned long unused_until;

static void remove_unused(struct work_struct *work)
{
	struct pev_hookpoint *hook, *next;

	guard(mutex)(&hooks_lock);
	list_for_each_entry_safe(hook, next, &unused_hooks, node) {
		list_del(&hook->node);
		hook->unused = false;
		hook->placed = false;
		hook->remove();
	}
}

static DECLARE_DELAYED_WORK(remove_work, remove_unused);

void __pev_teardown pev_hooks_teardown(void)
{
	mod_delayed_work(pev_wq, &remove_work, 0);
	flush_delayed_work(&remove_work);
}

int pev_hook_get(struct pev_hookpoint *hook)
{
	int err;

	guard(mutex)(&hooks_lock);
	if (!hook->placed) {
		err = hook->place();
		if (err)
			return err;
		hook->placed = true;
	}
	hook->users++;
	if (hook->unused)
		list_del(&hook->node);
	hook->unused = false;
	return 0;
}

int pev_hook_refuse(int err, const char *what, struct pev_refuse *r)
{
	if (err == -EBUSY)
		return pev_refuse(r, EBUSY, PEV_NO_FIELD,
				  "%s can't be hooked while kernel.ftrace_enabled is 0", what);
	return pev_refuse(r, -err, PEV_NO_FIELD, "%s can't be hooked", what);
}

void pev_hook_put(struct pev_hookpoint *hook)
{
	long left;

	guard(mutex)(&hooks_lock);
	if (--hook->users)
		return;
	hook->unused = true;
	if (list_empty(&unused_hooks))
		unused_until = jiffies + LINGER_ALL;
	list_add_tail(&hook->node, &unused_hooks);
	/* restart the delay, so that text is patched once for all */
	left = max((long)(unused_until - jiffies), 0L);
	mod_delayed_work(pev_wq, &remove_work, min(left, LINGER));
}
