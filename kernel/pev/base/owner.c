// SPDX-License-Identifier: GPL-2.0
/* Owns which users are one, where each has a share of something. */
#include <linux/cred.h>
#include <linux/sched/user.h>
#include <linux/user_namespace.h>
#include "owner.h"

kuid_t pev_owner(const struct cred *cred)
{
	kuid_t owner = cred->uid;

	/* the outermost one says it: those within may be made with its ids */
	for (const struct user_namespace *ns = cred->user_ns; ns->parent; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			owner = ns->owner;
	return owner;
}

struct user_struct *pev_owner_of_memory(void)
{
	kuid_t owner = pev_owner(current_cred());

	return uid_eq(owner, current_uid()) ? get_current_user() : alloc_uid(owner);
}
