/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables: rows for each CPU, the keys that events count by, one reader.
 */
#ifndef _PEV_TABLE_H
#define _PEV_TABLE_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/pev_clock.h>
#include "table/pairs.h"
#include "table/rows.h"

struct pev_refuse;
struct user_struct;

/* Fields that a table may ask events for: of its keys, its value, and the key of pairs. */
#define PEV_TABLE_VALUE_FIELD	PEV_MAX_TABLE_KEYS
#define PEV_TABLE_PAIR_FIELD	(PEV_MAX_TABLE_KEYS + 1)
#define PEV_TABLE_FIELDS	(PEV_TABLE_PAIR_FIELD + PEV_MAX_TABLE_KEYS)

/**
 * struct pev_table_set - a table
 * @ref:     the fd's file, and one for each event
 * @attr:    what was asked for
 * @shape:   of the rows
 * @rows:    by CPU; NULL for one that is not possible
 * @pairs:   that are open; without memory if it has none
 * @user:    its RLIMIT_MEMLOCK is charged
 * @charged: pages
 * @lock:    protects @pending, and the tables that are not active
 * @join_lock: protects what follows, up to @nr_known
 * @next_id: of events; ids are never used twice
 * @known:   mask of the fields that an event has had: keys, PEV_TABLE_VALUE_FIELD, and from
 *           PEV_TABLE_PAIR_FIELD on those of pairs
 * @sign:    of these, those that have a sign
 * @nr_known: how many events have had each of them
 * @pending: CPUs whose table was swapped, and not yet handed out
 * @clock:   of PEV_TABLE_F_TIMES, as it is read
 * @fold:    called before an exchange, on its CPU with interrupts off; NULL: there is nothing
 *           that would still become an update
 */
struct pev_table_set {
	struct kref		ref;
	struct pev_table	attr;
	struct pev_rows_shape	shape;
	struct pev_rows		**rows;
	struct pev_pairs	pairs;
	struct user_struct	*user;
	unsigned long		charged;
	struct mutex		lock;	/* see above */
	struct mutex		join_lock;	/* see above */
	u32			next_id;
	u32			known;
	u32			sign;
	u32			nr_known[PEV_TABLE_FIELDS];
	cpumask_var_t		pending;
	u32			clock;
	void			(*fold)(struct pev_table_set *table);
};

/* Is a key of @from a call chain? */
static inline bool pev_table_is_stack(u32 from)
{
	return from == PEV_TABLE_KSTACK || from == PEV_TABLE_USTACK;
}

/* Words of a key of @from. */
static inline u32 pev_table_words(u32 from)
{
	from &= ~PEV_TABLE_AT_BEGIN;
	return from == PEV_TABLE_COMM || from == PEV_TABLE_REQUEST ? 2 : 1;
}

/* Does it have pairs? */
static inline bool pev_table_has_pairs(const struct pev_table_set *table)
{
	return table->attr.open;
}

/* Are there records of pairs that took long? */
static inline bool pev_table_has_records(const struct pev_table_set *table)
{
	return table->attr.flags & PEV_TABLE_F_RECORDS;
}

/* Are values what events counted, charged when tasks are switched? */
static inline bool pev_table_is_counted(const struct pev_table_set *table)
{
	return table->attr.value == PEV_TABLE_COUNTED;
}

/* The rows of this CPU. */
static __always_inline struct pev_rows *pev_table_rows_here(const struct pev_table_set *table)
{
	return table->rows[smp_processor_id()];
}

/* What least and greatest are made of: the value, or the time. */
static __always_inline u64 pev_table_mark(const struct pev_table_set *table, u64 value)
{
	return table->attr.flags & PEV_TABLE_F_TIMES ? pev_clock_read(table->clock) : value;
}

/**
 * pev_table_create() - a table with rows for each possible CPU
 * @attr: as the user gave it
 * @r:    says why not
 *
 * Context: Process context, may sleep.
 * Return: the table with one reference, or an ERR_PTR(): -EINVAL, -ENOMEM; -EPERM if the
 * user's memory limit is reached.
 */
struct pev_table_set *pev_table_create(const struct pev_table *attr, struct pev_refuse *r);

/* Does a key have @from? */
bool pev_table_has(const struct pev_table_set *table, u32 from);

/* Drop a reference. Process context. */
void pev_table_put(struct pev_table_set *table);

/**
 * pev_table_join() - a new event of the table
 * @table: the table
 * @known: fields that it has, see struct pev_table_set
 * @sign:  of these, those that have a sign
 * @id:    gets its id
 * @r:     says why not
 *
 * Context: Process context, may sleep.
 * Return: 0 with a reference taken, or -EINVAL.
 */
int pev_table_join(struct pev_table_set *table, u32 known, u32 sign, u32 *id,
		   struct pev_refuse *r);

/**
 * pev_table_forget() - an event joined, but was refused for another reason, and never on
 * @table: the table
 * @known: as it joined with
 *
 * It decides no signs, and has begun no pairs. Its id remains taken.
 *
 * Context: Process context, may sleep.
 */
void pev_table_forget(struct pev_table_set *table, u32 known);

/**
 * pev_table_known() - fields that its events have
 * @table: the table
 * @sign:  gets those of them that have a sign
 *
 * Context: Process context, may sleep.
 * Return: a mask, see struct pev_table_set.
 */
u32 pev_table_known(struct pev_table_set *table, u32 *sign);

/**
 * pev_table_swap() - PEV_IOC_TABLE_SWAP
 * @table: the table
 * @uarg:  struct pev_table_swap as its caller knows it
 *
 * Context: Process context, may sleep.
 * Return: 0, -EFAULT, -EINTR, -EINVAL, -E2BIG, -ENOSPC.
 */
long pev_table_swap(struct pev_table_set *table, struct pev_table_swap __user *uarg);

#endif
