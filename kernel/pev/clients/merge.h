/* SPDX-License-Identifier: GPL-2.0 */
/* A channel read inside the kernel: the records of all its rings in the order of time. */
#ifndef _PEV_CLIENTS_MERGE_H
#define _PEV_CLIENTS_MERGE_H

#include <linux/types.h>
#include <linux/xarray.h>

struct pev_channel;
struct pev_event;
struct pev_stream;

/**
 * struct pev_kind - how long the records of an event are
 * @owner:   for the reader
 * @fixed:   bytes of the payload's fixed part
 * @nr:      dynamic parts behind it
 * @lengths: where in the fixed part each one's length lies, a u16
 */
struct pev_kind {
	void	*owner;
	u32	fixed;
	u32	nr;
	u16	lengths[] __counted_by(nr);
};

/**
 * struct pev_merged - a record
 * @kind: of its event
 * @time: in ticks
 * @cpu:  of its ring
 * @tid:  as it was written
 * @data: the payload, valid until the next call
 * @size: bytes of it
 */
struct pev_merged {
	const struct pev_kind	*kind;
	u64			time;
	u32			cpu;
	u32			tid;
	const void		*data;
	u32			size;
};

/**
 * struct pev_merge - a reader of a channel; its user serializes all calls
 * @channel: what it reads, alone; the caller keeps it
 * @kinds:   of its events, by id
 * @streams: one for each possible CPU
 * @nr:      of @streams
 * @now:     whose record was returned last, or NULL
 * @ahead:   until this time no other stream has a record
 * @until:   records of later times may still lack earlier ones of other CPUs
 * @broken:  packets that were passed over: a record in them was longer than they were
 */
struct pev_merge {
	struct pev_channel	*channel;
	struct xarray		kinds;
	struct pev_stream	*streams;
	unsigned int		nr;
	struct pev_stream	*now;
	u64			ahead;
	u64			until;
	u64			broken;
};

/* Make pev_merge_exit() do no harm. */
void pev_merge_prepare(struct pev_merge *merge);
/* Then read @channel. Return: 0 or -ENOMEM. Process context. */
int pev_merge_init(struct pev_merge *merge, struct pev_channel *channel);
/* Undo it, also after it failed. */
void pev_merge_exit(struct pev_merge *merge);

/**
 * pev_merge_add() - records of @event are to be understood
 * @merge: the reader
 * @event: in its channel; records have the tid, and no more context
 * @owner: for @kind of struct pev_merged
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int pev_merge_add(struct pev_merge *merge, struct pev_event *event, void *owner);

/**
 * pev_merge_begin() - let pev_merge_next() return what was written before this call
 * @merge: the reader
 *
 * Context: Process context, may sleep.
 * Return: as pev_channel_flush().
 */
unsigned int pev_merge_begin(struct pev_merge *merge);

/**
 * pev_merge_next() - the next record
 * @merge:  the reader
 * @record: filled in
 *
 * Context: Process context.
 * Return: false if there is none that was written before pev_merge_begin().
 */
bool pev_merge_next(struct pev_merge *merge, struct pev_merged *record);

#endif
