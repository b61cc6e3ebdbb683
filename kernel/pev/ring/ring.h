/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring of packets that one CPU writes. See the DOC block in ring.c for the
 * algorithm and the table of barriers. This layer knows positions, packets and
 * time; it must not learn what an event is.
 */
#ifndef _PEV_RING_H
#define _PEV_RING_H

#include <linux/compiler.h>
#include <linux/pev_clock.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/local.h>
#include <asm/local64.h>
#include <uapi/linux/pev.h>

struct pev_gate;

#define PEV_HEADER_COMPACT	4U	/* bytes before a record's body */
#define PEV_HEADER_EXTENDED	12U

/* A ring's clock: the cycle counter, which was set back, plus what it lacks. */
#define PEV_RING_SHIFTED	PEV_CLOCK_MAX

/**
 * struct pev_ring - a ring, its writer's side
 * @pos:         end of what is reserved; the only word that writers race for
 * @nest:        writers between reserve and commit on this CPU
 * @last:        time of the newest reservation, or older
 * @stamped:     newest time given out, with a clock that may step back
 * @data:        the packets
 * @data_mask:   ring size - 1
 * @packet_size: bytes, a power of two
 * @limit:       @packet_size; less than a header while the ring is closed, see gate.h
 * @clock:       PEV_CLOCK_MONOTONIC, PEV_CLOCK_CYCLES or PEV_RING_SHIFTED
 * @shift:       of PEV_RING_SHIFTED
 * @second:      ticks; a cycle counter that is further back was set
 * @wake_at:     head from which on the consumer is to be woken
 * @woken:       its tail when it was woken last, plus 1
 * @kernel:      page shown to the consumer
 * @user:        page that the consumer writes; never trusted
 * @tail:        newest sane value seen in @user
 * @flushed:     data before it is worth a wake-up: a flush closed it, or
 *               writers need its space
 * @lost:        records that found no room
 * @watermark:   bytes
 * @number:      of the ring in its channel
 * @cpu:         CPU that writes here
 * @overwrite:   the newest data wins
 * @gate:        of all rings of the channel, for one with another @limit than @packet_size
 * @uuid:        of the trace
 * @wake:        wakes the consumer; any context, NMI included
 * @seal:        the check of a packet's header that is closed, by its number; any context, NMI
 *               included; NULL: there is none
 *
 * All but @user's content, @limit and @wake_at is written by the owning CPU alone (while
 * the owner is offline, by one that the caller of pev_ring_flush() chooses): lockless,
 * see ring.c.
 */
struct pev_ring {
	local64_t		pos;
	local_t			nest;
	u64			last;
	u64			stamped;
	u8			*data;
	u64			data_mask;
	u32			packet_size;
	u32			limit;
	u32			clock;
	u64			wake_at;
	struct pev_ring_kernel	*kernel;

	struct pev_ring_user	*user ____cacheline_aligned;
	u64			tail;
	u64			flushed;
	u64			woken;
	local64_t		lost;
	u64			shift;
	u64			second;
	u32			watermark;
	u32			number;
	u32			cpu;
	bool			overwrite;
	struct pev_gate		*gate;
	u8			uuid[16];
	void			(*wake)(struct pev_ring *ring);
	u32			(*seal)(u64 number, const struct pev_packet *packet);
};

/* What pev_ring_reserve() returns if the ring is closed. */
#define PEV_RING_CLOSED		((void *)1UL)

void *pev_ring_reserve_slow(struct pev_ring *ring, u32 id, u32 body);
void pev_ring_shift(struct pev_ring *ring, u64 shift);
void pev_ring_lose(struct pev_ring *ring);
bool pev_ring_refuse(struct pev_ring *ring, u32 body);
u64 pev_ring_now_slow(struct pev_ring *ring);
void pev_ring_wake_slow(struct pev_ring *ring);
u64 pev_ring_flush(struct pev_ring *ring);
bool pev_ring_readable(struct pev_ring *ring);

/**
 * pev_ring_max_body() - the longest body that a packet has room for
 * @packet_size: bytes
 *
 * A record never ends where its packet does: @pos on a boundary means that
 * the packet before it was closed.
 */
static inline u32 pev_ring_max_body(u32 packet_size)
{
	return packet_size - sizeof(struct pev_packet) - PEV_HEADER_EXTENDED - 8;
}

/**
 * pev_ring_published() - can the consumer see what was recorded before @end?
 * @ring: any CPU's ring
 * @end:  from pev_ring_flush()
 *
 * Context: Any.
 */
static inline bool pev_ring_published(const struct pev_ring *ring, u64 end)
{
	return READ_ONCE(ring->kernel->head) >= end;
}

/**
 * pev_ring_is_written() - is a writer inside?
 * @ring: any CPU's ring
 *
 * Context: Any.
 * Return: false: who was inside has moved the position, as it is read from now on.
 */
static inline bool pev_ring_is_written(const struct pev_ring *ring)
{
	bool written = local_read(&ring->nest);

	/* pev_ring:A orders the writer's last move before its leaving */
	smp_rmb();
	return written;
}

/* Is what pev_ring_reserve() returned no room? */
static __always_inline bool pev_ring_refused(const void *body)
{
	return (unsigned long)body <= (unsigned long)PEV_RING_CLOSED;
}

/*
 * Now. The cycle counter never steps back from a writer to one that interrupted
 * it; the other clock needs more care.
 */
static __always_inline u64 pev_ring_now(struct pev_ring *ring)
{
	if (likely(ring->clock == PEV_CLOCK_CYCLES))
		return pev_clock_read(PEV_CLOCK_CYCLES);
	return pev_ring_now_slow(ring);
}

/**
 * pev_ring_reserve() - room for one record, its header written
 * @ring: this CPU's ring
 * @id:   event id in the channel
 * @body: bytes behind the header, 4 more than a multiple of 8
 *
 * Context: Any, NMI included; preemption disabled until the commit.
 * Return: the body, 4 bytes after a multiple of 8, to be filled in and
 * committed by pev_ring_commit(); NULL if there is no room, which was counted, or
 * PEV_RING_CLOSED, which the caller counts: neither wants a commit.
 */
static __always_inline void *pev_ring_reserve(struct pev_ring *ring, u32 id, u32 body)
{
	u64 pos, now, last;
	u32 *rec;
	u32 used;

	local_inc(&ring->nest);
	barrier();		/* pos is read inside the nest */
	pos = local64_read(&ring->pos);
	last = READ_ONCE(ring->last);
	now = pev_ring_now(ring);
	used = pos & (ring->packet_size - 1);
	/* a time before @last is far after it, here */
	if (unlikely(now - last >= 1ULL << PEV_TIME_BITS || id >= PEV_ID_EXTENDED ||
		     !used ||
		     /* a plain read is an instruction less, and may as well be of before */
		     used + PEV_HEADER_COMPACT + body >= data_race(ring->limit) ||
		     !local64_try_cmpxchg(&ring->pos, (s64 *)&pos,
					  pos + PEV_HEADER_COMPACT + body)))
		return pev_ring_reserve_slow(ring, id, body);
	/*
	 * A nested writer may have stored a later time already: an older one
	 * only makes the next header longer than it had to be.
	 */
	WRITE_ONCE(ring->last, now);
	rec = (u32 *)(ring->data + (pos & ring->data_mask));
	*rec = (u32)now << PEV_ID_BITS | id;
	return rec + 1;
}

/**
 * pev_ring_commit() - end a reservation
 * @ring: this CPU's ring
 *
 * Only the outermost writer publishes: by then all nested ones are done.
 *
 * Context: as pev_ring_reserve().
 */
static __always_inline void pev_ring_commit(struct pev_ring *ring)
{
	u64 head;

again:
	head = local64_read(&ring->pos);
	barrier();		/* a nested writer after this is seen below */
	if (local_read(&ring->nest) != 1) {
		local_dec(&ring->nest);
		return;
	}
	/* pev_ring:A, pairs with pev_ring:B in the consumer */
	smp_store_release(&ring->kernel->head, head);
	barrier();		/* published inside the nest */
	local_dec(&ring->nest);
	barrier();		/* look for nested writers outside of it */
	if (unlikely(head != (u64)local64_read(&ring->pos))) {
		local_inc(&ring->nest);
		goto again;
	}
	if (unlikely(head >= READ_ONCE(ring->wake_at)))
		pev_ring_wake_slow(ring);
}

#endif
