// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the catalog: a snapshot of all events that can be opened, one line each.
 * Where the lines come from is the business of the sources, and of what lies above.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "base/owner.h"
#include "base/strbuf.h"
#include "catalog.h"
#include "sources.h"

/**
 * struct maker - a user who makes catalogs
 * @node:  in @makers
 * @owner: the user, with all who share his limits
 * @users: threads that are at it, or wait for it
 * @lock:  one of them makes one at a time, so that no more than that come between others and the
 *         locks of what is listed. It may take as long as it likes: none of another user's waits
 */
struct maker {
	struct list_head	node;
	kuid_t			owner;
	unsigned int		users;
	struct mutex		lock;	/* see above */
};

static LIST_HEAD(makers);
static DEFINE_SPINLOCK(makers_lock);	/* a leaf */

/* What lies above has lines, too. */
struct above {
	void	(*put)(struct pev_strbuf *text);
};

static struct maker *find(kuid_t owner)
{
	struct maker *maker;

	list_for_each_entry(maker, &makers, node)
		if (uid_eq(maker->owner, owner))
			return maker;
	return NULL;
}

static void maker_free(struct maker *maker)
{
	mutex_destroy(&maker->lock);
	kfree(maker);
}

/* Of the current user. Return: NULL: there is no memory. */
static struct maker *maker_get(void)
{
	struct maker *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT), *maker;

	if (!fresh)
		return NULL;
	fresh->owner = pev_owner(current_cred());
	mutex_init(&fresh->lock);
	spin_lock(&makers_lock);
	maker = find(fresh->owner);
	if (!maker) {
		maker = fresh;
		list_add(&maker->node, &makers);
	}
	maker->users++;
	spin_unlock(&makers_lock);
	if (maker != fresh)
		maker_free(fresh);
	return maker;
}

static void maker_put(struct maker *maker)
{
	bool last;

	spin_lock(&makers_lock);
	last = !--maker->users;
	if (last)
		list_del(&maker->node);
	spin_unlock(&makers_lock);
	if (last)
		maker_free(maker);
}

static void put_lines(struct pev_strbuf *text, const struct above *above)
{
	pev_sources_catalog(text);
	above->put(text);
}

static void put(struct pev_strbuf *text, void *arg)
{
	struct maker *maker;

	/* nobody makes those wait who may watch all */
	if (perfmon_capable()) {
		put_lines(text, arg);
		return;
	}
	maker = maker_get();
	if (!maker) {
		text->error = -ENOMEM;
		return;
	}
	text->error = mutex_lock_killable(&maker->lock);
	if (!text->error) {
		put_lines(text, arg);
		mutex_unlock(&maker->lock);
	}
	maker_put(maker);
}

struct file *pev_catalog_file(void (*more)(struct pev_strbuf *text))
{
	struct above above = { .put = more };

	return pev_strbuf_file("[pev-catalog]", put, &above);
}
