/* SPDX-License-Identifier: GPL-2.0 */
/* What a user's rings and tables may take. */
#ifndef _PEV_MEMORY_H
#define _PEV_MEMORY_H

#include <linux/types.h>

struct pev_refuse;
struct user_struct;

/**
 * pev_memory_fits() - would a charge work now?
 * @user:  the user
 * @pages: how many
 *
 * Context: Process context.
 * Return: true if it would, as long as nobody charges @user meanwhile.
 */
bool pev_memory_fits(struct user_struct *user, unsigned long pages);

/**
 * pev_memory_charge() - charge pages to a user's RLIMIT_MEMLOCK
 * @user:  the user
 * @pages: how many
 * @field: what to blame, see pev_refuse()
 * @what:  they are for, in the plural
 * @less:  what to ask for instead
 * @r:     says why not
 *
 * Context: Process context.
 * Return: 0, or -EPERM with nothing charged.
 */
int pev_memory_charge(struct user_struct *user, unsigned long pages, u32 field,
		      const char *what, const char *less, struct pev_refuse *r);

/* Give pages back, unless @user is NULL: nobody was charged. Any context. */
void pev_memory_uncharge(struct user_struct *user, unsigned long pages);

#endif
