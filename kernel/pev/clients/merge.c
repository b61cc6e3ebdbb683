// SPDX-License-Identifier: GPL-2.0
/*
 * Owns reading a channel inside the kernel: walking the packets of each ring, and merging
 * them by time. Must not know what a record means.
 *
 * The rings are flushed before a pass, as only closed packets are read. A flush also makes
 * the cut exact: a writer that it interrupts, and that has read the clock already, finds
 * the position moved and reads the clock once more; and one that is about to open a packet,
 * where there is none to close, is waited for. So records that come later than the cut have
 * later times, and those that are as late already wait for the next pass.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/pev_clock.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "channel/channel.h"
#include "record/layout.h"
#include "ring/ring.h"
#include "types.h"
#include "merge.h"

/* ---- a ring's packets ---- */

/* Copy a packet that may be overwritten meanwhile; false: it was. */
static bool copy_packet(struct pev_stream *s)
{
	struct pev_ring *ring = s->ring;

	memcpy(s->copy, ring->data + (s->pos & ring->data_mask), ring->packet_size);
	smp_rmb(); /* pev_ring:E, pairs with pev_ring:F in the writer */
	if (READ_ONCE(ring->kernel->oldest) > s->pos)
		return false;
	s->packet = s->copy;
	return true;
}

static bool find_packet(struct pev_stream *s)
{
	struct pev_ring *ring = s->ring;

	if (!s->copy) {
		s->packet = (void *)(ring->data + (s->pos & ring->data_mask));
		return s->pos < s->end;
	}
	do {
		s->pos = max(s->pos, READ_ONCE(ring->kernel->oldest));
		if (s->pos >= s->end)
			return false;
	} while (!copy_packet(s));
	return true;
}

static bool open_packet(struct pev_stream *s)
{
	if (!s->ring || !find_packet(s)) {
		s->packet = NULL;
		return false;
	}
	s->used = sizeof(*s->packet);
	s->bytes = min_t(u64, s->packet->content_size / 8, s->ring->packet_size);
	s->time = s->packet->timestamp_begin;
	return true;
}

static void close_packet(struct pev_stream *s)
{
	s->packet = NULL;
	s->used = 0;
	s->bytes = 0;
	s->pos += s->ring->packet_size;
	/* pev_ring:C, pairs with pev_ring:D in the writer */
	smp_store_release(&s->ring->user->tail, s->pos);
}

/* ---- records ---- */

/*
 * The header at @at, with @left bytes from there on; the time of a compact one counts on
 * from the record before it. Return: its bytes; 0: it does not fit.
 */
static u32 read_header(struct pev_stream *s, const u32 *at, u32 left, u32 *id)
{
	if (left < PEV_HEADER_COMPACT)
		return 0;
	*id = *at & PEV_ID_MASK;
	if (*id != PEV_ID_EXTENDED) {
		s->time = pev_compact_time(s->time, *at);
		return PEV_HEADER_COMPACT;
	}
	if (left < PEV_HEADER_EXTENDED)
		return 0;
	*id = *at >> PEV_ID_BITS;
	memcpy(&s->time, at + 1, sizeof(s->time));
	return PEV_HEADER_EXTENDED;
}

/* Return: false if the rest of the packet can't be understood. */
static bool read_record(struct pev_merge *merge, struct pev_stream *s)
{
	const void *at = (const void *)s->packet + s->used;
	u32 left = s->bytes - s->used;
	u32 lead, id;

	lead = read_header(s, at, left, &id);
	if (!lead || left < lead + sizeof(*s->body))
		return false;
	s->kind = xa_load(&merge->kinds, id);
	if (!s->kind)
		return false;
	s->body = at + lead;
	lead += sizeof(*s->body);
	s->size = pev_payload_size(s->kind, s->body + 1, left - lead);
	if (round_up(s->size, 8) > left - lead)
		return false;
	s->used += lead + round_up(s->size, 8);
	return true;
}

/* Go to the next record of a stream. */
static void advance(struct pev_merge *merge, struct pev_stream *s)
{
	s->kind = NULL;
	while (s->packet || open_packet(s)) {
		if (s->used < s->bytes) {
			if (read_record(merge, s))
				return;
			merge->broken++;
			s->kind = NULL;
		}
		close_packet(s);
	}
}

/* ---- all rings ---- */

void pev_merge_prepare(struct pev_merge *merge)
{
	memset(merge, 0, sizeof(*merge));
	xa_init(&merge->kinds);
}

int pev_merge_init(struct pev_merge *merge, struct pev_channel *channel)
{
	merge->channel = channel;
	merge->nr = nr_cpu_ids;
	merge->streams = kcalloc(merge->nr, sizeof(*merge->streams), GFP_KERNEL);
	if (!merge->streams)
		return -ENOMEM;
	if (!(channel->flags & PEV_CHF_OVERWRITE))
		return 0;
	for (unsigned int i = 0; i < merge->nr; i++) {
		merge->streams[i].copy = kvmalloc(channel->packet_size, GFP_KERNEL);
		if (!merge->streams[i].copy)
			return -ENOMEM;
	}
	return 0;
}

void pev_merge_exit(struct pev_merge *merge)
{
	struct pev_kind *kind;
	unsigned long id;

	for (unsigned int i = 0; merge->streams && i < merge->nr; i++)
		kvfree(merge->streams[i].copy);
	kfree(merge->streams);
	xa_for_each(&merge->kinds, id, kind) kfree(kind);
	xa_destroy(&merge->kinds);
}

int pev_merge_add(struct pev_merge *merge, struct pev_event *event, struct pev_client_event *ce)
{
	struct pev_layout layout = {};
	struct pev_kind *kind;
	int err;

	if (event->ops->layout)
		event->ops->layout(event, &layout);
	kind = kzalloc(struct_size(kind, lengths, layout.nr), GFP_KERNEL);
	if (!kind)
		return -ENOMEM;
	kind->event = ce;
	kind->nr = layout.nr;
	layout.room = layout.nr;
	layout.lengths = kind->lengths;
	layout.nr = 0;
	if (event->ops->layout)
		event->ops->layout(event, &layout);
	kind->fixed = layout.payload;
	err = xa_err(xa_store(&merge->kinds, event->id, kind, GFP_KERNEL));
	if (err)
		kfree(kind);
	else if (event->id < PEV_ID_EXTENDED)
		merge->few[event->id] = kind;
	return err;
}

unsigned int pev_merge_begin(struct pev_merge *merge)
{
	struct pev_channel *channel = merge->channel;
	unsigned int late;

	if (merge->now)
		advance(merge, merge->now);
	merge->until = pev_clock_read(channel->clock.type) + READ_ONCE(channel->clock_shift);
	/* a writer that is not seen inside reads the clock later */
	rmb();
	late = pev_channel_flush(channel);
	for (unsigned int i = 0; i < merge->nr; i++) {
		struct pev_stream *s = &merge->streams[i];

		if (!s->ring)
			/* pairs with the release in channel.c that publishes a ring */
			s->ring = smp_load_acquire(&channel->rings[i]);
		if (!s->ring)
			continue;
		/* pev_ring:B, pairs with pev_ring:A in the writer */
		s->end = round_down(smp_load_acquire(&s->ring->kernel->head), s->ring->packet_size);
		if (!s->kind)
			advance(merge, s);
	}
	merge->now = NULL;
	return late;
}

/* The stream with the oldest record; NULL: none is old enough. */
static struct pev_stream *choose(struct pev_merge *merge)
{
	struct pev_stream *first = NULL;

	merge->ahead = merge->until;
	for (unsigned int i = 0; i < merge->nr; i++) {
		struct pev_stream *s = &merge->streams[i];

		if (!s->kind || s->time > merge->until)
			continue;
		if (!first || s->time < first->time)
			swap(first, s);
		if (s)
			merge->ahead = min(merge->ahead, s->time);
	}
	return first;
}

bool pev_merge_next_slow(struct pev_merge *merge, struct pev_client_record *record)
{
	struct pev_stream *s = merge->now;

	if (s)
		advance(merge, s);
	if (!s || !s->kind || s->time > merge->ahead)
		s = choose(merge);
	merge->now = s;
	if (!s)
		return false;
	record->event = s->kind->event;
	record->time = s->time;
	record->cpu = s->ring->cpu;
	record->tid = s->body[0];
	record->data = s->body + 1;
	record->size = s->size;
	return true;
}
