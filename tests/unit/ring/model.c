// SPDX-License-Identifier: GPL-2.0
/* Owns the model: what was written, and how a CTF reader sees it. */
#include <stdlib.h>
#include <string.h>
#include "model.h"

#define TIME_MASK	((1ULL << PEV_TIME_BITS) - 1)

static void count_wake(struct pev_ring *ring)
{
	struct model *m = (void *)((char *)ring - offsetof(struct model, ring));

	__atomic_add_fetch(&m->wakes, 1, __ATOMIC_RELAXED);
}

void model_init(struct model *m, u32 packets, u32 packet_size, u32 clock, bool overwrite)
{
	u64 size = (u64)packets * packet_size;

	memset(m, 0, sizeof(*m));
	m->ring.data = malloc(size);
	m->ring.data_mask = size - 1;
	m->ring.packet_size = packet_size;
	m->ring.gate = &m->gate;
	m->ring.clock = clock;
	m->ring.overwrite = overwrite;
	m->ring.watermark = packet_size;
	m->ring.number = 9;
	m->ring.cpu = 5;
	m->ring.wake = count_wake;
	memcpy(m->ring.uuid, "0123456789abcdef", 16);
	m->notes = malloc(size / 4 * sizeof(*m->notes));
	model_reset(m);
}

/* As new, but for the content of the data. */
void model_reset(struct model *m)
{
	struct pev_ring *r = &m->ring;

	r->pos.v = 0;
	r->nest.v = 0;
	r->last = 0;
	r->stamped = 0;
	r->tail = 0;
	r->flushed = 0;
	r->woken = 0;
	r->lost.v = 0;
	r->limit = r->packet_size;
	m->gate.word = 0;
	m->changes = 0;
	m->changing = 0;
	m->unarmed = 0;
	r->wake_at = r->watermark;
	r->kernel = &m->kernel;
	r->user = &m->user;
	memset(&m->kernel, 0, sizeof(m->kernel));
	memset(&m->user, 0, sizeof(m->user));
	memset(&m->reader, 0, sizeof(m->reader));
	memset(r->data, 0xa5, r->data_mask + 1);
	memset(m->notes, 0, (r->data_mask + 1) / 4 * sizeof(*m->notes));
	m->generated = 0;
	m->lost = 0;
	m->wakes = 0;
}

void model_free(struct model *m)
{
	free(m->ring.data);
	free(m->notes);
}

u32 model_word(u64 seq, u32 i)
{
	return (u32)seq * 2654435761U + i;
}

/* What a trigger on this CPU does. */
void model_act(struct model *m, u32 action)
{
	u32 word;

	m->changing++;
	if (pev_gate_act(&m->gate, action, &word) && word & PEV_GATE_STATE)
		pev_ring_close(&m->ring, word);
	m->changes++;
	m->changing--;
}

/*
 * A ring that is closed, and stays so, takes nothing; one that is open, and stays so, is not
 * called closed.
 */
static void check_gate(struct model *m, const u32 *words, bool closed, u64 changes)
{
	/* in the middle of a change it may be either */
	if (m->changes != changes || m->changing)
		return;
	expect(closed == (words == PEV_RING_CLOSED), "closed %d, words %p", closed, words);
}

/* Write a record, noting where it must be found; false: it was lost, or the ring is closed. */
bool model_write(struct model *m, u32 id, u32 body)
{
	struct pev_ring *r = &m->ring;
	u64 seq = __atomic_add_fetch(&m->generated, 1, __ATOMIC_RELAXED);
	u64 t0 = model_now(), changes = m->changes;
	bool closed = pev_gate_state(&m->gate);
	u32 *words = pev_ring_reserve(r, id, body);
	u64 pos, end, behind;
	u32 i;

	if (body <= pev_ring_max_body(r->packet_size))
		check_gate(m, words, closed, changes);
	if (words == PEV_RING_CLOSED) {
		__atomic_add_fetch(&m->unarmed, 1, __ATOMIC_RELAXED);
		return false;
	}
	if (!words) {
		__atomic_add_fetch(&m->lost, 1, __ATOMIC_RELAXED);
		return false;
	}
	/* of all positions that lie there: the last one before the end */
	end = __atomic_load_n(&r->pos.v, __ATOMIC_RELAXED);
	behind = (end - ((u8 *)words - r->data)) & r->data_mask;
	pos = end - (behind ? behind : r->data_mask + 1);
	expect((u8 *)words - r->data + body <= (long)r->data_mask + 1, "record over the end");
	expect(!((unsigned long)(pos + 4) & 7), "body at %llu", pos);
	m->notes[(pos & r->data_mask) / 4] = (struct note) {
		.pos = pos, .seq = seq, .id = id, .body = body, .t0 = t0, .t1 = model_now(),
	};
	for (i = 0; i < body / 4; i++) {
		if (i < 2)
			ring_point();
		words[i] = model_word(seq, i);
	}
	ring_point();
	pev_ring_commit(r);
	return true;
}

static u32 walk_record(struct model *m, struct walk *w)
{
	struct pev_ring *r = &m->ring;
	u32 *rec = (u32 *)(r->data + (w->pos & r->data_mask));
	u32 header = PEV_HEADER_COMPACT;
	u32 id = rec[0] & PEV_ID_EXTENDED;
	u64 low = rec[0] >> PEV_ID_BITS;
	u64 time = (w->time & ~TIME_MASK) | low;
	struct note *n;
	u32 *words, i;

	if (time < w->time)
		time += 1ULL << PEV_TIME_BITS;
	if (id == PEV_ID_EXTENDED) {
		header = PEV_HEADER_EXTENDED;
		id = low;
		memcpy(&time, rec + 1, sizeof(time));
	}
	words = rec + header / 4;
	n = &m->notes[((w->pos + header) & r->data_mask) / 4];
	expect(n->pos == w->pos + header, "at %llu: no such record (%llu)", w->pos, n->pos);
	expect(n->id == id, "at %llu: id %u, not %u", w->pos, id, n->id);
	expect(time >= w->time, "at %llu: time goes back by %llu", w->pos, w->time - time);
	if (m->check_times)
		expect(time >= n->t0 && time <= n->t1, "at %llu: time %llu, not %llu to %llu",
		       w->pos, time, n->t0, n->t1);
	for (i = 0; i < n->body / 4; i++)
		expect(words[i] == model_word(n->seq, i), "at %llu: content, word %u", w->pos, i);
	w->time = time;
	w->records++;
	return header + n->body;
}

static void walk_header(struct model *m, struct walk *w)
{
	struct pev_ring *r = &m->ring;
	struct pev_packet *p = (void *)(r->data + (w->pos & r->data_mask));

	expect(p->magic == PEV_PACKET_MAGIC, "packet at %llu", w->pos);
	expect(!memcmp(p->uuid, r->uuid, 16), "packet at %llu", w->pos);
	expect(!p->stream_id && !p->reserved, "packet at %llu", w->pos);
	expect(p->stream_instance_id == r->number, "packet at %llu", w->pos);
	expect(p->cpu_id == r->cpu, "packet at %llu", w->pos);
	expect(p->packet_size == r->packet_size * 8ULL, "packet at %llu", w->pos);
	expect(p->packet_seq_num == w->pos / r->packet_size, "packet at %llu", w->pos);
	expect(p->timestamp_begin >= w->end, "packet at %llu", w->pos);
	w->time = p->timestamp_begin;
	w->pos += sizeof(*p);
}

/* Decode what lies between @w and @head: every byte must be accounted for. */
void model_walk(struct model *m, struct walk *w, u64 head)
{
	struct pev_ring *r = &m->ring;

	while (w->pos < head) {
		u64 start = round_down(w->pos, r->packet_size);
		struct pev_packet *p = (void *)(r->data + (start & r->data_mask));
		bool complete = start + r->packet_size <= head;
		u64 end = head;

		if (w->pos == start)
			walk_header(m, w);
		if (complete) {
			end = start + p->content_size / 8;
			expect(end >= w->pos && p->content_size <= p->packet_size,
			       "packet at %llu: content %llu bits", start, p->content_size);
		}
		while (w->pos < end)
			w->pos += walk_record(m, w);
		expect(w->pos == end, "%llu, not %llu", w->pos, end);
		if (!complete)
			break;
		expect(p->timestamp_end >= w->time, "packet at %llu", start);
		expect(p->events_discarded >= w->discarded, "packet at %llu: %llu, was %llu",
		       start, p->events_discarded, w->discarded);
		w->end = p->timestamp_end;
		w->discarded = p->events_discarded;
		w->pos = start + r->packet_size;
	}
}

/* What holds while no writer is at work. */
void model_check(struct model *m)
{
	struct pev_ring *r = &m->ring;

	expect(r->nest.v == 0, "nest %ld", r->nest.v);
	expect(m->kernel.head == (u64)r->pos.v, "head %llu, pos %lld", m->kernel.head,
	       (long long)r->pos.v);
	expect((u64)r->lost.v == m->lost, "lost %lld, not %llu", (long long)r->lost.v, m->lost);
	expect(m->kernel.lost == m->lost, "lost %llu, not %llu", m->kernel.lost, m->lost);
	expect(r->tail <= m->kernel.head, "tail %llu", r->tail);
}
