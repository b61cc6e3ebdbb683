/* SPDX-License-Identifier: GPL-2.0 */
/* Whose share is taken of what there is. */
#ifndef _PEV_OWNER_H
#define _PEV_OWNER_H

#include <linux/uidgid.h>

struct cred;
struct user_struct;

/**
 * pev_owner() - the user for whom limits are kept
 * @cred: of who asks for something
 *
 * Who has a user namespace, and in it the ids of many, has one share with all of them. Where
 * root made the namespace, users in it are as different as others.
 *
 * Context: Any.
 * Return: the user.
 */
kuid_t pev_owner(const struct cred *cred);

/**
 * pev_owner_of_memory() - the account of what the current task locks
 *
 * Context: Process context, may sleep.
 * Return: that of pev_owner(), with a reference; NULL: no memory.
 */
struct user_struct *pev_owner_of_memory(void);

#endif
