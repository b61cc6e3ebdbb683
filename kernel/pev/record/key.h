/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keys of tables: what a table's names mean for an event, and the words that an occurrence
 * or a task has for them.
 */
#ifndef _PEV_KEY_H
#define _PEV_KEY_H

#include <linux/unaligned.h>
#include "filter/program.h"
#include "table/table.h"
#include "types.h"

/**
 * struct pev_key_part - a key or the value, as an event has it
 * @from:   enum pev_table_from
 * @bucket: enum pev_table_bucket
 * @kept:   since the pair began
 * @load:   enum pev_load of a field
 * @sign:   of it
 * @offset: in the record, counted from before the common fields
 * @step:   of PEV_TABLE_LINEAR
 */
struct pev_key_part {
	u8	from;
	u8	bucket;
	bool	kept;
	u8	load;
	bool	sign;
	u16	offset;
	u64	step;
};

/**
 * struct pev_key - what a table asks of an event
 * @nr:    keys; of what begins a pair, those that are kept
 * @plain: all that is wanted is how often each number of one field comes
 * @stack: all that is wanted is how often each call chain of one kind comes
 * @end:   bytes that a record must have for its fields to be read
 * @value: enum pev_table_value
 * @nr_pair: keys of pairs; 0: there are none
 * @begins: it begins a pair, and updates no row
 * @pair:  those of pairs
 * @keys:  they
 * @field: the value, if it is a field
 */
struct pev_key {
	u32			nr;
	bool			plain;
	bool			stack;
	u32			end;
	u32			value;
	u32			nr_pair;
	bool			begins;
	struct pev_key_part	pair[PEV_MAX_TABLE_KEYS];
	struct pev_key_part	keys[PEV_MAX_TABLE_KEYS];
	struct pev_key_part	field;
};

/**
 * struct pev_key_fields - those that an event has
 * @find:  finds one by its name
 * @from:  handed to @find
 * @known: mask of those that its table asks for, see struct pev_table_set
 * @sign:  of these, those that have a sign
 * @begun: those that events have which begin its pairs
 * @begun_sign: of these, those that have a sign
 */
struct pev_key_fields {
	bool		(*find)(const void *from, const char *name, size_t len,
				struct pev_filter_field *field);
	const void	*from;
	u32		known;
	u32		sign;
	u32		begun;
	u32		begun_sign;
};

/**
 * struct pev_key_at - what words are made of
 * @task:    the task that it is about
 * @record:  the payload, from before the common fields on; NULL: it has none that long
 * @stacks:  the kernel's and the program's call chain, if they are part of the key
 * @latency: ns since the pair began
 * @kept:    what is kept of its begin
 */
struct pev_key_at {
	struct task_struct		*task;
	const void			*record;
	const struct pev_rows_stack	*stacks;
	u64				latency;
	const u64			*kept;
};

int pev_key_init(struct pev_key *key, const struct pev_event *event,
		 const struct pev_table *attr, struct pev_key_fields *fields,
		 struct pev_refuse *r);
void pev_key_make(const struct pev_key *key, const struct pev_event *event,
		  const struct pev_key_at *at, u64 *words);
void pev_key_make_pair(const struct pev_key *key, const struct pev_event *event,
		       const struct pev_key_at *at, u64 *words);

/* A number of the record; 0 without one. */
static __always_inline u64 pev_key_load(const struct pev_key_part *part, const void *record)
{
	if (unlikely(!record))
		return 0;
	if (likely(part->load == PEV_LOAD_64))
		return get_unaligned((const u64 *)(record + part->offset));
	return pev_load_number(part->load, record + part->offset);
}

#endif
