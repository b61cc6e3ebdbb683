// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the packets of one ring: opening, closing, room, loss, wake-up.
 * The fast path is inline in ring.h. Must not know what an event is.
 */

/**
 * DOC: the ring
 *
 * Writers on a CPU nest: a task is interrupted by a softirq, that by an
 * interrupt, that by an NMI. Each reserves by moving @pos with a cmpxchg that
 * is atomic only against the own CPU; a nested writer is done before the writer
 * it interrupted goes on, so when the outermost commits, everything before
 * @pos is filled in and the head can be published.
 *
 * A packet is opened by the writer whose record does not fit in the current
 * one. The same cmpxchg gives it the packet's header and its record, so exactly
 * one writer closes the old packet and opens the new one. A writer that nests
 * right after that cmpxchg may fill and close the new packet before its header
 * is written; opening and closing therefore write disjoint members.
 *
 * @pos on a packet boundary means that no packet is open: a record never ends
 * where its packet does, only a flush takes @pos there.
 *
 * Times and loss counts of packets only grow, although packets may be closed
 * out of order: what a writer writes into headers it reads after @pos and before
 * the cmpxchg on it, so that a writer later in the ring has read later.
 *
 * Barriers:
 *
 * ==========  ============================  =====  ===========================
 * label       writer                        pairs  consumer
 * ==========  ============================  =====  ===========================
 * A           records, then release head    B      acquire head, then read
 * D           acquire tail, then overwrite  C      read, then release tail
 * F           oldest, wmb, then overwrite   E      copy, rmb, then oldest
 * G           wake_at, mb, then tail        H      tail, mb, wake_at, mb, head
 * ==========  ============================  =====  ===========================
 *
 * There is none between a commit's head and its look at @wake_at: who goes to sleep
 * at that moment may be woken a record late.
 *
 * Everything else is ordered by the CPU against itself: barrier() is enough.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/pev_clock.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include "gate.h"
#include "ring.h"

static struct pev_packet *packet_at(struct pev_ring *ring, u64 pos)
{
	return (void *)(ring->data + (pos & ring->data_mask));
}

/* Write the header fields that are known when a packet begins. */
static void packet_open(struct pev_ring *ring, u64 start, u64 now)
{
	struct pev_packet *p = packet_at(ring, start);

	p->magic = PEV_PACKET_MAGIC;
	memcpy(p->uuid, ring->uuid, sizeof(p->uuid));
	p->stream_id = 0;
	p->stream_instance_id = ring->number;
	p->timestamp_begin = now;
	p->packet_size = (u64)ring->packet_size * 8;
	p->packet_seq_num = start / ring->packet_size;
	p->cpu_id = ring->cpu;
	/* a nested writer may have closed the packet already */
	if (!ring->seal)
		p->reserved = 0;
}

/* Write the header fields that are known when the packet is closed at @pos. */
static void packet_close(struct pev_ring *ring, u64 pos, u64 now, u64 lost)
{
	u32 used = pos & (ring->packet_size - 1);
	struct pev_packet *p = packet_at(ring, pos - used);

	p->timestamp_end = now;
	p->content_size = (u64)used * 8;
	p->events_discarded = lost;
	if (ring->seal)
		p->reserved = ring->seal((pos - used) / ring->packet_size, p);
}

/* Raise a word that nested writers raise too; did it grow? */
static bool raise_to(u64 *word, u64 value)
{
	u64 old = READ_ONCE(*word);

	while (old < value) {
		if (try_cmpxchg_local(word, &old, value))
			return true;
	}
	return false;
}

/* May the packet at @start be written, in a ring that keeps the oldest data? */
static bool room_discard(struct pev_ring *ring, u64 start)
{
	u64 ring_size = ring->data_mask + 1;
	u64 end = start + ring->packet_size;
	u64 tail;

	if (end - READ_ONCE(ring->tail) <= ring_size)
		return true;
	/* pev_ring:D, pairs with pev_ring:C in the consumer */
	tail = smp_load_acquire(&ring->user->tail);
	/* Reject a tail that goes backwards, or beyond what was published. */
	if (tail <= READ_ONCE(ring->kernel->head))
		raise_to(&ring->tail, tail);
	return end - READ_ONCE(ring->tail) <= ring_size;
}

/*
 * The same in a flight recorder: only writers that nest so deeply that they
 * would run over the packet that the outermost one still fills are refused.
 * The packet that goes is declared gone before a byte of it changes, and
 * before another writer could be given a part of it.
 */
static bool room_overwrite(struct pev_ring *ring, u64 start)
{
	u64 ring_size = ring->data_mask + 1;
	u64 end = start + ring->packet_size;
	u64 unpublished = round_down(READ_ONCE(ring->kernel->head), ring->packet_size);

	if (end - unpublished > ring_size)
		return false;
	if (end <= ring_size)
		return true;
	raise_to(&ring->kernel->oldest, end - ring_size);
	smp_wmb();	/* pev_ring:F, pairs with pev_ring:E in the consumer */
	return true;
}

static void count_lost(struct pev_ring *ring)
{
	u64 lost;

	local64_inc(&ring->lost);
	do {
		lost = local64_read(&ring->lost);
		WRITE_ONCE(ring->kernel->lost, lost);
		/* a nested writer may have stored more between the two lines */
		barrier();
	} while (lost != (u64)local64_read(&ring->lost));
}

/*
 * A record was refused the packet at @start. If the consumer holds what must
 * go first, it is told, once a packet, however much it has still to read.
 */
static void blocked(struct pev_ring *ring, u64 start)
{
	if (ring->overwrite)
		return;
	if (raise_to(&ring->flushed, start + ring->packet_size - ring->data_mask - 1))
		ring->wake(ring);
}

static void shifted(struct pev_ring *ring)
{
	WRITE_ONCE(ring->kernel->clock_shift, ring->shift);
	barrier();		/* a reader of the clock that sees SHIFTED has the shift */
	WRITE_ONCE(ring->clock, PEV_RING_SHIFTED);
}

/**
 * pev_ring_shift() - the cycle counter was set: its times go on where they were
 * @ring:  a ring; nothing happens to one with another clock
 * @shift: what the counter lacks, in ticks
 *
 * What is written from here on costs a little more.
 *
 * Context: as pev_ring_reserve(), or no writer can be inside.
 */
void pev_ring_shift(struct pev_ring *ring, u64 shift)
{
	if (ring->clock == PEV_CLOCK_MONOTONIC)
		return;
	WRITE_ONCE(ring->shift, ring->shift + shift);
	shifted(ring);
}

/*
 * There was no notice, but the counter is back by more than writers that nest, or a task
 * that changes the CPU, could see. A nested writer may come to the same: the one that is
 * first does it, and stamp() evens out the rest. @now was read with @shift, which is 0 of a counter
 * that nobody set back yet.
 */
static void set_back(struct pev_ring *ring, u64 now, u64 last, u64 shift)
{
	if (likely(now >= last || last - now <= ring->second || !ring->second))
		return;
	if (try_cmpxchg_local(&ring->shift, &shift, shift + last - now))
		shifted(ring);
}

/**
 * pev_ring_now_slow() - the time by a clock that may step back
 * @ring: this CPU's ring
 *
 * CLOCK_MONOTONIC's fast accessor may, when it is read by an NMI. A call that
 * begins after another one ended never returns an earlier time.
 *
 * Context: as pev_ring_reserve().
 */
u64 pev_ring_now_slow(struct pev_ring *ring)
{
	u64 last = READ_ONCE(ring->stamped);
	u64 now, shift;

	do {
		if (READ_ONCE(ring->clock) == PEV_CLOCK_MONOTONIC) {
			now = pev_clock_read(PEV_CLOCK_MONOTONIC);
		} else {
			shift = READ_ONCE(ring->shift);
			now = pev_clock_read(PEV_CLOCK_CYCLES) + shift;
			set_back(ring, now, last, shift);
		}
		if (now <= last)
			return last;
	} while (!try_cmpxchg_local(&ring->stamped, &last, now));
	return now;
}

/*
 * Write the header of the record at @rec; the header's length is implied by
 * @id and @header. Returns the body.
 */
static void *put_header(void *rec, u32 header, u32 id, u64 now)
{
	if (header == PEV_HEADER_COMPACT) {
		*(u32 *)rec = (u32)now << PEV_ID_BITS | id;
	} else {
		*(u32 *)rec = id << PEV_ID_BITS | PEV_ID_EXTENDED;
		put_unaligned(now, (u64 *)(rec + sizeof(u32)));
	}
	return rec + header;
}

/*
 * Time for a record and the size of its header. Never before the record that
 * lies before it: a clock that steps back a tick must not look like a 27-bit
 * wrap to the reader. @ring->last may miss the time of a writer that was
 * interrupted; see pev_ring_now() for why it is enough.
 */
static u32 stamp(struct pev_ring *ring, u32 id, u64 *now)
{
	u64 last = READ_ONCE(ring->last);

	*now = pev_ring_now(ring);
	if (*now < last) {
		if (READ_ONCE(ring->clock) == PEV_CLOCK_CYCLES)
			set_back(ring, *now, last, 0);
		*now = last;
	}
	if (id < PEV_ID_EXTENDED && *now - last < (1ULL << PEV_TIME_BITS))
		return PEV_HEADER_COMPACT;
	return PEV_HEADER_EXTENDED;
}

/**
 * pev_ring_lose() - count a record that is not even tried
 * @ring: this CPU's ring
 *
 * Context: as pev_ring_reserve().
 */
void pev_ring_lose(struct pev_ring *ring)
{
	count_lost(ring);
}

/**
 * pev_ring_refuse() - is it in vain to make a record?
 * @ring: this CPU's ring
 * @body: as in pev_ring_reserve(), or less
 *
 * Spares the work of collecting what would be thrown away. A record that is
 * refused here is counted and the consumer told, as pev_ring_reserve() does.
 *
 * Context: as pev_ring_reserve().
 * Return: true if there surely is no room.
 */
bool pev_ring_refuse(struct pev_ring *ring, u32 body)
{
	u64 pos = local64_read(&ring->pos);
	u32 used = pos & (ring->packet_size - 1);
	u64 start = used ? pos - used + ring->packet_size : pos;

	if (ring->overwrite || (used && used + PEV_HEADER_COMPACT + body < ring->packet_size) ||
	    room_discard(ring, start))
		return false;
	count_lost(ring);
	blocked(ring, start);
	return true;
}

/**
 * pev_ring_reserve_slow() - reserve with a packet to open or a long header
 * @ring: this CPU's ring, its nest already raised
 * @id:   as in pev_ring_reserve()
 * @body: as in pev_ring_reserve()
 *
 * Context: as pev_ring_reserve().
 * Return: as pev_ring_reserve().
 */
void *pev_ring_reserve_slow(struct pev_ring *ring, u32 id, u32 body)
{
	u64 pos, now, discarded, start = 0;
	u32 header, used, lead;

	if (body > pev_ring_max_body(ring->packet_size))
		goto lost;

	pos = local64_read(&ring->pos);
	do {
		if (unlikely(!pev_ring_open(ring))) {
			pev_ring_commit(ring);
			return PEV_RING_CLOSED;
		}
		header = stamp(ring, id, &now);
		used = pos & (ring->packet_size - 1);
		if (used && used + header + body < ring->packet_size) {
			start = pos;
			lead = 0;
			continue;
		}
		/* time restarts from the packet's own begin */
		header = id < PEV_ID_EXTENDED ? PEV_HEADER_COMPACT : PEV_HEADER_EXTENDED;
		lead = sizeof(struct pev_packet);
		start = used ? pos - used + ring->packet_size : pos;
		discarded = local64_read(&ring->lost);
		if (!(ring->overwrite ? room_overwrite(ring, start) :
					room_discard(ring, start)))
			goto lost;
	} while (!local64_try_cmpxchg(&ring->pos, (s64 *)&pos,
				      start + lead + header + body));
	WRITE_ONCE(ring->last, now);
	if (lead) {
		if (used)
			packet_close(ring, pos, now, discarded);
		packet_open(ring, start, now);
	}
	return put_header((void *)packet_at(ring, start) + lead, header, id, now);

lost:
	count_lost(ring);
	pev_ring_commit(ring);
	if (start)
		blocked(ring, start);
	return NULL;
}

/**
 * pev_ring_wake_slow() - wake the consumer if it has a watermark's worth to read
 * @ring: this CPU's ring
 *
 * Also says when to look again: where the consumer's tail, as it is now, makes
 * the watermark; or a little later, if it was woken and has yet to move: when it has
 * and sleeps, pev_ring_readable() corrects that. Until it
 * moves it is not woken again: what it was woken for is still there, and poll()
 * says so. A wake-up is an interrupt, and an event of those would wake it for
 * the record that the wake-up made, and so on.
 *
 * Context: as pev_ring_commit().
 */
void pev_ring_wake_slow(struct pev_ring *ring)
{
	u64 head = READ_ONCE(ring->kernel->head);
	u64 tail = READ_ONCE(ring->user->tail), moved;

	/* with an invalid tail the consumer is only woken too often */
	if (tail <= head && head - tail < ring->watermark) {
		WRITE_ONCE(ring->wake_at, tail + ring->watermark);
		return;
	}
	/* never at head itself: lost records do not move it */
	WRITE_ONCE(ring->wake_at, head + (ring->watermark / 4 ?: 1));
	smp_mb();		/* pev_ring:G, pairs with pev_ring:H */
	moved = READ_ONCE(ring->user->tail);
	if (unlikely(moved != tail)) {
		WRITE_ONCE(ring->wake_at, head + 1);
		/* it may sleep with less than that: the next look tells */
		if (moved <= head && head - moved < ring->watermark)
			return;
	}
	if (READ_ONCE(ring->woken) != moved + 1) {
		WRITE_ONCE(ring->woken, moved + 1);
		ring->wake(ring);
	}
}

/**
 * pev_ring_flush() - close the open packet, if any, and wake the consumer
 * @ring: a ring
 *
 * Context: interrupts disabled on the ring's CPU; or that CPU is offline, can't
 * come online, and nothing else flushes its ring.
 * Return: the end of what was recorded before. It need not be published yet: the
 * call may have interrupted a writer that will do that in a moment. A caller
 * that needs to know asks pev_ring_published().
 */
u64 pev_ring_flush(struct pev_ring *ring)
{
	u64 pos, now, discarded;
	u32 used;

	local_inc(&ring->nest);
	barrier();		/* as in pev_ring_reserve() */
	pos = local64_read(&ring->pos);
	do {
		stamp(ring, 0, &now);
		discarded = local64_read(&ring->lost);
		used = pos & (ring->packet_size - 1);
		if (!used)
			break;
	} while (!local64_try_cmpxchg(&ring->pos, (s64 *)&pos,
				      pos - used + ring->packet_size));
	if (used) {
		WRITE_ONCE(ring->last, now);
		packet_close(ring, pos, now, discarded);
		pos += ring->packet_size - used;
		raise_to(&ring->flushed, pos);
	}
	pev_ring_commit(ring);
	if (used)
		ring->wake(ring);
	return pos;
}

static bool is_readable(const struct pev_ring *ring, u64 tail)
{
	u64 head = READ_ONCE(ring->kernel->head);

	if (tail > head)
		return false;
	return head - tail >= ring->watermark || tail < READ_ONCE(ring->flushed);
}

/**
 * pev_ring_readable() - is there enough for poll() to report?
 * @ring: any CPU's ring
 *
 * Context: any; the answer is a snapshot.
 */
bool pev_ring_readable(struct pev_ring *ring)
{
	u64 tail = READ_ONCE(ring->user->tail);

	if (is_readable(ring, tail))
		return true;
	smp_mb();		/* pev_ring:H, pairs with pev_ring:G: the tail, then the mark */
	if (READ_ONCE(ring->wake_at) <= tail + ring->watermark)
		return false;
	/* it was woken before it moved its tail */
	WRITE_ONCE(ring->wake_at, tail + ring->watermark);
	smp_mb();		/* pev_ring:H, pairs with pev_ring:G: the mark, then the head */
	return is_readable(ring, tail);
}
