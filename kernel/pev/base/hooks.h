/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooks in the rest of the kernel that all events of a kind share.
 */
#ifndef _PEV_HOOKS_H
#define _PEV_HOOKS_H

#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/types.h>

struct pev_refuse;

/**
 * struct pev_hookpoint - a hook that is there while it is needed
 * @place:  connect it: register a probe, switch a static key on. May sleep
 * @remove: the opposite; probes may still run for a grace period
 * @users:  number of pev_hook_get() without pev_hook_put()
 * @placed: @place was called
 * @unused: not needed any more: @node is in the list of those that will be removed
 * @node:   there
 *
 * Static, one for each hook. All but the functions is hooks.c's, and 0 at first.
 */
struct pev_hookpoint {
	int			(*place)(void);
	void			(*remove)(void);
	unsigned int		users;
	bool			placed;
	bool			unused;
	struct list_head	node;
};

/**
 * PEV_KEY_HOOK() - define a hook that is a static key
 * @name: the hook, static; pev_hook_get() never fails for it
 * @key:  is on while it is placed
 *
 * Patching text interrupts all CPUs: who opens and closes events in a row does so once a second.
 */
#define PEV_KEY_HOOK(name, key)						\
	static void name##_turn(bool on)				\
	{								\
		struct static_key_false *at = key;			\
									\
		if (on)							\
			static_branch_enable(at);			\
		else							\
			static_branch_disable(at);			\
	}								\
	static int name##_place(void)					\
	{								\
		name##_turn(true);					\
		return 0;						\
	}								\
	static void name##_remove(void)					\
	{								\
		name##_turn(false);					\
	}								\
	static struct pev_hookpoint name = {				\
		.place	= name##_place,					\
		.remove	= name##_remove,				\
	}

/**
 * pev_hook_get() - need a hook
 * @hook: the hook
 *
 * Context: Process context, may sleep; pev_control is not held: others' grace periods may be
 * waited for.
 * Return: 0, or why it can't be placed.
 */
int pev_hook_get(struct pev_hookpoint *hook);

/**
 * pev_hook_refuse() - say that a hook can't be placed
 * @err:  of pev_hook_get(); -EBUSY comes from tracing functions, which is switched off
 * @what: the event, or what it follows
 * @r:    where to say it
 *
 * Return: @err.
 */
int pev_hook_refuse(int err, const char *what, struct pev_refuse *r);

/**
 * pev_hook_put() - need it no more
 * @hook: the hook; it is removed a second later, unless it is needed again
 *
 * Context: as pev_hook_get().
 */
void pev_hook_put(struct pev_hookpoint *hook);

/* Remove at once all hooks that are not needed: none is. Process context. */
void pev_hooks_teardown(void);

#endif
