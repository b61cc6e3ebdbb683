/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Grants: which guests are lent counters, and what became of it. A guest is a process, its VMM,
 * which has at most one grant.
 */
#ifndef _PEV_GUEST_GRANT_H
#define _PEV_GUEST_GRANT_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>

struct file;
struct pev_attr;
struct pev_grant;
struct pev_lease;
struct pev_refuse;
struct pev_strbuf;
struct pid;
struct poll_table_struct;

/**
 * struct pev_guest_grant - a guest is lent counters
 * @refs:     the file, and leases
 * @node:     in the list of all
 * @vmm:      the guest's process
 * @nr:       its number in the initial pid namespace, for people
 * @counters: of each virtual processor
 * @closed:   nothing is lent any more
 * @leases:   of virtual processors that have counters
 * @vcpus:    number of them
 * @calls:    see struct pev_grant
 * @refused:  likewise, with all that follow
 * @overflows: see @refused
 * @nmis:     see @refused
 * @missed:   see @refused
 * @throttled: see @refused
 * @said:     bits of enum pev_grant_said
 *
 * The list, @closed, @leases and @vcpus are under pev_grants_lock.
 */
struct pev_guest_grant {
	refcount_t		refs;
	struct list_head	node;
	struct pid		*vmm;
	pid_t			nr;
	u32			counters;
	bool			closed;
	struct list_head	leases;
	u32			vcpus;
	atomic64_t		calls;
	atomic64_t		refused;
	atomic64_t		overflows;
	atomic64_t		nmis;
	atomic64_t		missed;
	atomic64_t		throttled;
	unsigned long		said;
};

#ifdef CONFIG_PEV_GRANT

/**
 * pev_grant_open() - lend a guest counters, from now on to whichever of its processors asks
 * @attr: of PEV_TYPE_GRANT
 * @r:    says why not
 *
 * Context: Process context, may sleep; the caller may do that.
 * Return: the grant or an ERR_PTR(): -EINVAL, -EBUSY, -EEXIST, -ESRCH, -EOPNOTSUPP, -ENOMEM.
 */
struct pev_guest_grant *pev_grant_open(const struct pev_attr *attr, struct pev_refuse *r);

/* Take all back: no counter of the guest's is left when it returns. Process context. */
void pev_grant_close(struct pev_guest_grant *grant);

/* Fill in what became of it; @size is the caller's. Process context. */
void pev_grant_stat(struct pev_guest_grant *grant, struct pev_grant *stat);

/* Has the guest's process ended? Waits for it with poll(). */
bool pev_grant_ended(struct pev_guest_grant *grant, struct file *file,
		     struct poll_table_struct *wait);

/* A line for each grant. Process context. */
void pev_grants_text(struct pev_strbuf *text);

/* ---- for leases ---- */

/* The grant of the current process, with a reference; NULL: there is none. May sleep. */
struct pev_guest_grant *pev_grant_find(void);
void pev_grant_put(struct pev_guest_grant *grant);

/* Return: false if the grant was closed meanwhile, and @lease is to be undone. */
bool pev_grant_add(struct pev_guest_grant *grant, struct pev_lease *lease);
/* @lease is in no list afterwards. */
void pev_grant_remove(struct pev_guest_grant *grant, struct pev_lease *lease);

#else

static inline struct pev_guest_grant *pev_grant_open(const struct pev_attr *attr,
						     struct pev_refuse *r)
{
	return NULL;
}

static inline void pev_grant_close(struct pev_guest_grant *grant) { }
static inline void pev_grant_stat(struct pev_guest_grant *grant, struct pev_grant *stat) { }
static inline bool pev_grant_ended(struct pev_guest_grant *grant, struct file *file,
				   struct poll_table_struct *wait)
{
	return true;
}

static inline void pev_grants_text(struct pev_strbuf *text) { }

#endif

#endif
