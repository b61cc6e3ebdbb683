/* SPDX-License-Identifier: GPL-2.0 */
/* A channel read inside the kernel: the records of all its rings in the order of time. */
#ifndef _PEV_CLIENTS_MERGE_H
#define _PEV_CLIENTS_MERGE_H

#include <linux/compiler.h>
#include <linux/math.h>
#include <linux/pev_channel.h>
#include <linux/types.h>
#include <linux/xarray.h>
#include "ring/ring.h"

struct pev_channel;
struct pev_event;

#define PEV_TIME_MASK ((1ULL << PEV_TIME_BITS) - 1)
#define PEV_ID_MASK ((1U << PEV_ID_BITS) - 1)

/**
 * struct pev_kind - how long the records of an event are
 * @event:   for the reader
 * @fixed:   bytes of the payload's fixed part
 * @nr:      dynamic parts behind it
 * @lengths: where in the fixed part each one's length lies, a u16
 */
struct pev_kind {
	struct pev_client_event	*event;
	u32			fixed;
	u32			nr;
	u16			lengths[] __counted_by(nr);
};

/**
 * struct pev_stream - where the reader is in a ring
 * @ring:   the ring; NULL: the CPU has none yet
 * @pos:    of @packet
 * @end:    closed packets end here
 * @packet: that is read, in the ring, or in @copy; NULL: none
 * @copy:   of a packet of a flight recorder, where it may be overwritten meanwhile
 * @used:   bytes of @packet that are read
 * @bytes:  of @packet with content; 0: there is none
 * @time:   of the newest record
 * @kind:   of that record; NULL: there is no record
 * @body:   of that record
 * @size:   of its payload
 *
 * A record that pev_merge_next() finds without looking closer is returned at once: @body and
 * @size are those of an older one then.
 */
struct pev_stream {
	struct pev_ring		*ring;
	u64			pos;
	u64			end;
	const struct pev_packet	*packet;
	struct pev_packet	*copy;
	u32			used;
	u32			bytes;
	u64			time;
	const struct pev_kind	*kind;
	const u32		*body;
	u32			size;
};

/**
 * struct pev_merge - a reader of a channel; its user serializes all calls
 * @channel: what it reads, alone; the caller keeps it
 * @kinds:   of its events, by id
 * @few:     those of the ids that short headers have
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
	const struct pev_kind	*few[PEV_ID_EXTENDED + 1];
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
 * @ce:    for struct pev_client_record
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int pev_merge_add(struct pev_merge *merge, struct pev_event *event,
		  struct pev_client_event *ce);

/**
 * pev_merge_begin() - let pev_merge_next() return what was written before this call
 * @merge: the reader
 *
 * Context: Process context, may sleep.
 * Return: as pev_channel_flush().
 */
unsigned int pev_merge_begin(struct pev_merge *merge);

/* pev_merge_next() where the next record is not where the last one ends, or not short. */
bool pev_merge_next_slow(struct pev_merge *merge, struct pev_client_record *record);

/* Of a record with the short header @head behind one of the time @last. */
static inline u64 pev_compact_time(u64 last, u32 head)
{
	u64 time = (last & ~PEV_TIME_MASK) | head >> PEV_ID_BITS;

	return time < last ? time + PEV_TIME_MASK + 1 : time;
}

/* Bytes of the payload at @data; more than @left: it does not fit. */
static inline u32 pev_payload_size(const struct pev_kind *kind, const void *data, u32 left)
{
	u32 size = kind->fixed;

	if (size > left)
		return size;
	for (u32 i = 0; i < kind->nr; i++)
		size += *(const u16 *)(data + kind->lengths[i]);
	return size;
}

/* As most records are: with a short header, in the same packet, before those of other rings. */
static __always_inline bool pev_stream_next(struct pev_merge *merge, struct pev_stream *s,
					    struct pev_client_record *record)
{
	const u32 lead = PEV_HEADER_COMPACT + sizeof(record->tid);
	const u32 *at = (const void *)s->packet + s->used;
	u32 left = s->bytes - s->used, size;
	const struct pev_kind *kind;
	u64 time;

	if (left < lead)
		return false;
	kind = merge->few[*at & PEV_ID_MASK];
	time = pev_compact_time(s->time, *at);
	if (!kind || time > merge->ahead)
		return false;
	left -= lead;
	size = pev_payload_size(kind, at + 2, left);
	if (round_up(size, 8) > left)
		return false;
	s->used += lead + round_up(size, 8);
	s->time = time;
	record->event = kind->event;
	record->time = time;
	record->cpu = s->ring->cpu;
	record->tid = at[1];
	record->data = at + 2;
	record->size = size;
	return true;
}

/**
 * pev_merge_next() - the next record
 * @merge:  the reader
 * @record: filled in
 *
 * Context: Process context.
 * Return: false if there is none that was written before pev_merge_begin().
 */
static __always_inline bool pev_merge_next(struct pev_merge *merge,
					   struct pev_client_record *record)
{
	if (likely(merge->now && pev_stream_next(merge, merge->now, record)))
		return true;
	return pev_merge_next_slow(merge, record);
}

#endif
