// SPDX-License-Identifier: GPL-2.0
/* Owns whose turn it is among the threads of a user. Must not know at what. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "owner.h"
#include "turn.h"

/**
 * struct pev_turn - a user whose threads wait for each other
 * @node:  in @turns
 * @owner: the user, with all who share his limits
 * @users: threads that are at it, or wait for it
 * @lock:  of the one that is at it
 */
struct pev_turn {
	struct list_head	node;
	kuid_t			owner;
	unsigned int		users;
	struct mutex		lock;	/* see above */
};

static LIST_HEAD(turns);
static DEFINE_SPINLOCK(turns_lock);	/* a leaf */

static struct pev_turn *find(kuid_t owner)
{
	struct pev_turn *turn;

	list_for_each_entry(turn, &turns, node)
		if (uid_eq(turn->owner, owner))
			return turn;
	return NULL;
}

static void turn_free(struct pev_turn *turn)
{
	mutex_destroy(&turn->lock);
	kfree(turn);
}

/* Of the current user. Return: NULL: there is no memory. */
static struct pev_turn *turn_get(void)
{
	struct pev_turn *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT), *turn;

	if (!fresh)
		return NULL;
	fresh->owner = pev_owner(current_cred());
	mutex_init(&fresh->lock);
	spin_lock(&turns_lock);
	turn = find(fresh->owner);
	if (!turn) {
		turn = fresh;
		list_add(&turn->node, &turns);
	}
	turn->users++;
	spin_unlock(&turns_lock);
	if (turn != fresh)
		turn_free(fresh);
	return turn;
}

static void turn_put(struct pev_turn *turn)
{
	bool last;

	spin_lock(&turns_lock);
	last = !--turn->users;
	if (last)
		list_del(&turn->node);
	spin_unlock(&turns_lock);
	if (last)
		turn_free(turn);
}

struct pev_turn *pev_turn_take(void)
{
	struct pev_turn *turn;

	if (perfmon_capable())
		return NULL;
	turn = turn_get();
	if (!turn)
		return ERR_PTR(-ENOMEM);
	if (!mutex_lock_killable(&turn->lock))
		return turn;
	turn_put(turn);
	return ERR_PTR(-EINTR);
}

struct pev_turn *pev_turn_wait(void)
{
	struct pev_turn *turn = perfmon_capable() ? NULL : turn_get();

	if (turn)
		mutex_lock(&turn->lock);
	return turn;
}

void pev_turn_end(struct pev_turn *turn)
{
	if (!turn)
		return;
	mutex_unlock(&turn->lock);
	turn_put(turn);
}
